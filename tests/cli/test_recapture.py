"""S85, S137: a new version of a case from a trace of the fixed code with the same input; the old one stays."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from extractor.cli.app import run
from sample_traces.recording.otlp import batches, json_lines
from tests.acceptance.samples import INCIDENTS, options_of
from tests.neighbours.replaying import agents, replayed

pytestmark = pytest.mark.nlp


def recorded(name: str, folder: Path, *, text: str | None = None) -> tuple[str, str]:
    """Record the same request to the fixed agent, or another text of the user; return file and trace id."""
    package = INCIDENTS[name]["agent"].rpartition(".")[0]
    module, agent = (importlib.import_module(f"{package}.{part}") for part in ("record", "agent"))
    keep = module.record

    def other(request, seam):
        return agent.run_fixed(request, seam)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "run_buggy", other)
        patched.setattr(module, "record", lambda each: keep(replace(each, name=f"{each.name}-fixed")))
        spans = module.spans()
    content = json_lines(batches(spans))
    if text is not None:
        content = content.replace(text.encode(), b"something else entirely")
    file = folder / f"fixed-{text is None}.jsonl"
    file.write_bytes(content)
    traces = Counter(span.context.trace_id for span in spans)
    incident = next(span.context.trace_id for span in spans if traces[span.context.trace_id] > 5)
    return str(file), f"{incident:032x}"


def document(case: Path, name: str = "fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def old(here, capsys):
    """The shipment incident, complete: a bound of its effects is part of it."""
    assert run([*options_of("duplicate-shipment"), "--quiet"]) == 0
    capsys.readouterr()
    (found,) = (here / "fixtures" / "quarantine").glob("2*")
    return found


def test_the_next_version_expects_the_same_and_the_fixed_code_holds_on_it(old, here, capsys):
    """S85."""
    before = contents(old)
    file, trace = recorded("duplicate-shipment", here)
    assert run(["recapture", str(old), "--trace-id", trace, file, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["recapture_of"], told["version"]) == (old.name, 2)
    new = here / told["path"]
    assert new.parent == old.parent
    assert new.name != old.name
    was, now = document(old), document(new)
    for member in ("incident_id", "expected", "lane", "adapter", "input", "time_zone", "locale"):
        assert now[member] == was[member], member
    keys = [
        {each["idempotency_key"] for each in case["tool_events"] if each.get("idempotency_key")} for case in (was, now)
    ]
    assert [len(each) for each in keys] == [2, 1]
    predicate = document(new, "provenance.json")["predicate"]
    assert predicate["recapture"] == {
        "of": old.name,
        "of_sha256": json.loads((old / "history.jsonl").read_text().splitlines()[0])["fixture_sha256"],
        "version": 2,
    }
    assert predicate["redaction"]["scope_of"] == old.name
    assert run(["validate", str(new), "--quiet"]) == 0
    # The old version stays: the affected code is still red on it.
    after = contents(old)
    assert {name: after[name] for name in before if name != "history.jsonl"} == {
        name: content for name, content in before.items() if name != "history.jsonl"
    }
    entry = json.loads((old / "history.jsonl").read_text().splitlines()[-1])
    assert (entry["event"], entry["case_id"]) == ("recaptured_as", new.name)
    assert json.loads((new / "history.jsonl").read_text())["event"] == "recaptured"
    buggy, fixed = agents("duplicate-shipment")
    assert replayed(old, buggy).verdict.passed is False
    ended = replayed(new, fixed)
    # The first attempt's end is not known of itself; its key was accepted later, and one key is one effect.
    assert (ended.verdict.passed, ended.effects.accepted("shipment.create")) == (True, 1)
    with pytest.raises(BaseException, match=r"shipment\.create"):
        replayed(new, buggy)


def test_a_recapture_of_a_recapture_counts_on(old, here, capsys):
    file, trace = recorded("duplicate-shipment", here)
    assert run(["recapture", str(old), "--trace-id", trace, file, "--json"]) == 0
    second = here / json.loads(capsys.readouterr().out)["path"]
    # The same again is the same, and writes nothing.
    standing = contents(old.parent)
    assert run(["recapture", str(old), "--trace-id", trace, file, "--quiet"]) == 0
    assert contents(old.parent) == standing
    assert (
        run(
            [
                "recapture",
                str(second),
                "--trace-id",
                INCIDENTS["duplicate-shipment"]["trace_id"],
                source(),
                "--out",
                "third",
                "--json",
            ]
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["recapture_of"], told["version"]) == (second.name, 3)


def source() -> str:
    return options_of("duplicate-shipment")[2]


def test_another_input_is_refused_by_position_never_by_value(old, here, capsys):
    """S85."""
    words = "came with a cracked part"
    file, trace = recorded("duplicate-shipment", here, text=words)
    before = contents(old.parent)
    assert run(["recapture", str(old), "--trace-id", trace, file]) == 1
    told = capsys.readouterr().err
    assert "message 1 of the user" in told
    assert "cracked" not in told
    assert "entirely" not in told
    assert contents(old.parent) == before


def test_the_trace_of_the_case_itself_is_no_recapture(old, capsys):
    trace = INCIDENTS["duplicate-shipment"]["trace_id"]
    assert run(["recapture", str(old), "--trace-id", trace, source()]) == 2
    assert "made of" in capsys.readouterr().err


def test_a_case_that_cannot_be_read_and_a_trace_that_is_not_there_are_errors(old, here, capsys):
    file, trace = recorded("duplicate-shipment", here)
    assert run(["recapture", str(here / "nothing"), "--trace-id", trace, file]) != 0
    assert run(["recapture", str(old), "--trace-id", "f" * 32, file]) == 3
    (old / "fixture.json").write_bytes((old / "fixture.json").read_bytes().replace(b"INC-2077", b"INC-2078"))
    assert run(["recapture", str(old), "--trace-id", trace, file]) != 0


def test_only_the_folder_and_its_key_are_needed(old, here, capsys):
    """The old version may be approved: its capture is elsewhere then, and its trace is long gone."""
    assert run(["controls", str(old), "--quiet"]) == 0
    approved = old.parent.parent / "approved" / old.name
    approved.parent.mkdir()
    old.rename(approved)
    (approved / "capture.json").unlink()
    file, trace = recorded("duplicate-shipment", here)
    other = here / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(1, 33)).hex() + "\n")
    other.chmod(0o600)
    assert run(["recapture", str(approved), "--trace-id", trace, file, "--key-file", str(other)]) == 2
    assert run(["recapture", str(approved), "--trace-id", trace, file, "--quiet"]) == 0
    assert json.loads((approved / "history.jsonl").read_text().splitlines()[-1])["event"] == "recaptured_as"
    (new,) = old.parent.glob("2*")
    assert run(["validate", str(new), "--quiet"]) == 0
