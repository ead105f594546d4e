"""The packet: one HTML file and one JSON document, safe to mail."""

from __future__ import annotations

import hashlib
import json
import stat

import pytest

from extractor.cli.app import run
from extractor.errors import InputUnreadable, ProvenanceInvalid
from extractor.replay.results.manifest import FirstDivergence, Manifest, UnconsumedCall
from extractor.replay.results.manifests import write_manifest
from extractor.review.page.lenient import CaseFiles
from extractor.review.page.packet import packet, replay_of

from .parsing import Parsed


def document(case, name="fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


@pytest.fixture
def manifest(case, tmp_path):
    def write(**more):
        digest = hashlib.sha256((case / "fixture.json").read_bytes()).hexdigest()
        said = {
            "case_id": case.name,
            "fixture_hash": digest,
            "implementation_version": "2026.7.4",
            "boundary_passed": True,
        }
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps({**said, **more}))
        return path

    return write


def test_the_packet_holds_what_a_hand_off_needs(case, manifest):
    """S60."""
    files = CaseFiles.of(case)
    diverged = {"attempt": 3, "path": "tool_events[2].arguments", "kind": "arguments_differ"}
    told = replay_of(manifest(unconsumed=[3], first_divergence=diverged), 1, files)
    said = json.loads(packet(files, [told]).json)
    fixture = document(case)
    assert said["status"] == "NOT APPROVED"
    assert said["case_id"] == fixture["case_id"]
    assert said["fixture_hash"] == hashlib.sha256((case / "fixture.json").read_bytes()).hexdigest()
    assert said["digests"]["expect.yaml"] is None
    assert said["versions"]["affected"]["workflow"] == fixture["workflow_version"]
    assert said["versions"]["replayed"] == ["2026.7.4"]
    assert said["frozen"]["frozen_at"] == fixture["frozen_at"]
    assert said["identity"] == fixture["identity"]
    assert [one["attempt"] for one in said["events"] if one["kind"] == "attempt"] == [1, 2, 3]
    assert next(one["who"] for one in said["events"] if one["kind"] == "turn") == "user"
    assert said["replays"][0]["unconsumed"] == [3]
    assert said["replays"][0]["first_divergence"] == "attempt 3, tool_events[2].arguments, arguments_differ"


@pytest.mark.parametrize(
    ("nearest", "path", "place"),
    [
        ("tool_events[2]", "arguments.Maren Oduya", "turn 1, tool_events[2].arguments"),
        ("tool_events[2]", "Maren Oduya", "turn 1, tool_events[2]"),
        ("Maren Oduya", "arguments", "turn 1"),
        (None, None, "turn 1"),
    ],
)
def test_the_manifest_of_a_replay_says_where_it_diverged_and_what_did_not_come(case, tmp_path, nearest, path, place):
    """S60."""
    files = CaseFiles.of(case)
    run = Manifest(
        case_id=document(case)["case_id"],
        fixture_hash=hashlib.sha256((case / "fixture.json").read_bytes()).hexdigest(),
        implementation_version="v13",
        first_divergence=FirstDivergence(
            turn=1, called="tools:x", nearest=nearest, path=path, message="Maren Oduya", cure=None
        ),
        unconsumed=(
            UnconsumedCall(kind="tools", name="Maren Oduya", position=1, role="evidence"),
            UnconsumedCall(kind="llm", name="m", position=0, role=None),
        ),
    )
    write_manifest(tmp_path / "replay.json", run)
    told = replay_of(tmp_path / "replay.json", 1, files)
    assert told.first_divergence == place
    assert told.unconsumed == (document(case)["tool_events"][1]["attempt"],)
    assert "Maren" not in repr(told)


def test_nothing_of_the_capture_is_in_it(case):
    made = packet(CaseFiles.of(case))
    capture = document(case, "capture.json")
    secret = [
        capture["trace_id"],
        capture["host"],
        *capture["spans"].values(),
        capture["files"][0]["name"],
        capture["files"][0]["sha256"],
    ]
    secret += [entry["digest"] for entry in capture["known"]]
    assert not [value for value in secret if value.encode() in made.html + made.json]
    assert str(case).encode() not in made.html + made.json


def test_it_is_marked_and_can_do_nothing(case):
    page = Parsed(packet(CaseFiles.of(case)).html.decode())
    assert "Not approved" in page.text
    for name in ("form", "button", "input", "script", "link", "img", "iframe", "object"):
        assert page.elements(name) == []
    (policy,) = [one["content"] for one in page.elements("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not [one["href"] for one in page.elements("a") if not one["href"].startswith("#")]


def test_the_same_case_gives_the_same_packet(case):
    assert packet(CaseFiles.of(case)) == packet(CaseFiles.of(case))


def test_a_sidecar_of_another_fixture_makes_no_packet(case):
    file = case / "fixture.json"
    file.write_bytes(file.read_bytes().replace(b"refund.create", b"refund.delete"))
    with pytest.raises(ProvenanceInvalid):
        packet(CaseFiles.of(case))


def test_a_manifest_of_another_fixture_is_refused(case, manifest):
    with pytest.raises(ProvenanceInvalid):
        replay_of(manifest(fixture_hash="0" * 64), 1, CaseFiles.of(case))


@pytest.mark.parametrize("content", ["", "[]", "{", "null"])
def test_what_is_no_manifest_is_refused(case, tmp_path, content):
    path = tmp_path / "manifest.json"
    path.write_text(content)
    with pytest.raises(InputUnreadable):
        replay_of(path, 1, CaseFiles.of(case))


def test_text_of_an_agent_does_not_come_in_by_a_manifest(case, manifest):
    files = CaseFiles.of(case)
    said = "Maren Oduya <script>alert(1)</script>"
    made = replay_of(
        manifest(first_divergence={"attempt": said, "path": said, "kind": said}, unconsumed=[said, {"attempt": said}]),
        1,
        files,
    )
    assert "Maren" not in repr(made)
    with pytest.raises(InputUnreadable):
        replay_of(manifest(implementation_version=said), 1, files)


def test_the_command_writes_both_for_their_owner_alone(case, tmp_path, capsys):
    assert run(["review", str(case), "--packet", str(tmp_path / "handoff.html")]) == 0
    assert "NOT APPROVED" in capsys.readouterr().out
    for name in ("handoff.html", "handoff.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert run(["review", str(case), "--packet", str(tmp_path / "handoff")]) == 2
