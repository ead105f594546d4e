"""`export --to` and `import`: which cases may leave, what is written, and that a recording goes through redaction."""

from __future__ import annotations

import gzip
import json
import re

import pytest

from extractor.checks.loading import load_fixture
from extractor.cli.app import run

EVERY = [
    ("tracely", None),
    ("tracely", "v1"),
    ("tracely", "artifact"),
    ("otlp", None),
    ("promptfoo", None),
    ("pydantic-evals", None),
]
PERSON, MAIL = "Ines Kaplan", "ines.kaplan@harbour.example.org"


def to(form, version=None):
    return ["--to", form, *(["--version", version] if version else [])]


@pytest.fixture
def bundle(here):
    """A recording as its server keeps it: payloads as texts, a failure without a message."""
    asks = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "order_get", "arguments": '{"order_id": "ORD-88213"}'},
    }
    said = [{"role": "user", "content": f"I am {PERSON}, {MAIL}. Refund ORD-88213, please."}]
    record = {
        "version": 2,
        "tools": [
            {
                "name": "order_get",
                "args": '{"order_id": "ORD-88213"}',
                "tool_call_id": "call_1",
                "output": json.dumps({"status": "delivered", "email": MAIL, "quantity": 2}),
                "error": None,
            },
            {"name": "refund", "args": {"order_id": "ORD-88213"}, "tool_call_id": "", "output": None, "error": ""},
        ],
        "llm": [
            {
                "model": "gpt-x",
                "input": json.dumps(said),
                "output": {"role": "assistant", "content": None, "tool_calls": [asks]},
            },
            {"model": "gpt-x", "input": said, "output": "Refunded.", "error": None},
        ],
    }
    file = here / "bundle.json"
    file.write_text(json.dumps(record))
    return file


def imported(here, *arguments, status=0):
    assert run(["import", *map(str, arguments), "--out", str(here / "store")]) == status
    found = [*(here / "store" / "quarantine").glob("[12]*")]
    return found[-1] if found else None


@pytest.mark.parametrize(("form", "version"), EVERY)
def test_a_case_that_nobody_approved_is_refused_with_a_hint_and_nothing_is_written(case, here, capsys, form, version):
    assert run(["export", str(case), *to(form, version), "--out", "copy"]) == 7
    assert "--unapproved" in capsys.readouterr().err
    assert not [*here.glob("copy*")]


@pytest.mark.parametrize(("form", "version"), EVERY)
def test_with_unapproved_it_is_written_and_marked(case, here, form, version):
    assert run(["export", str(case), *to(form, version), "--out", "copy", "--unapproved"]) == 0
    assert "NOT APPROVED" in (here / "copy").read_text()
    report = json.loads((here / "copy.losses.json").read_text())
    assert report["standing"] == "NOT APPROVED"
    assert report["losses"]
    assert all(one["places"] for one in report["losses"])


def test_bytes_that_no_sidecar_vouches_for_are_refused_even_so(case, here, capsys):
    fixture = case / "fixture.json"
    fixture.write_text(fixture.read_text().replace("delivered", "Zebra"))
    assert run(["export", str(case), "--to", "otlp", "--out", "copy", "--unapproved"]) == 7
    told = capsys.readouterr().err
    assert "vouches" in told
    assert "Zebra" not in told
    assert not [*here.glob("copy*")]


def test_nothing_is_written_over(case, here):
    (here / "copy").write_text("mine")
    assert run(["export", str(case), "--to", "otlp", "--out", "copy", "--unapproved"]) == 2
    assert (here / "copy").read_text() == "mine"
    assert [path.name for path in here.glob("copy*")] == ["copy"]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["CASE"],
        ["CASE", "--to", "otlp"],
        ["CASE", "--out", "f"],
        ["--to", "otlp", "--out", "f"],
        ["CASE", "--to", "zip", "--out", "f"],
        ["CASE", "--to", "otlp", "--version", "v1", "--out", "f", "--unapproved"],
        ["CASE", "--to", "otlp", "--out", "f", "--store", "s"],
        ["CASE", "--pack", "p"],
        ["--pack", "p", "--to", "otlp"],
        ["--pack", "p", "--out", "f"],
        ["--pack", "p", "--unapproved"],
        ["--pack", "p", "--version", "v1"],
    ],
)
def test_one_case_in_a_format_and_a_pack_of_all_do_not_mix(case, here, arguments):
    assert run(["export", *(str(case) if word == "CASE" else word for word in arguments)]) == 2
    assert not (here / "p").exists()
    assert not (here / "f").exists()


def test_machines_are_told_path_losses_and_digest(case, capsys):
    arguments = ["export", str(case), *to("tracely", "artifact"), "--out", "copy", "--unapproved", "--json"]
    assert run(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"] == "copy"
    assert len(told["digest"]) == 64
    assert "side_effect" in told["losses"]


def test_an_exported_trace_is_one_that_inspect_and_extract_read(case, here, capsys):
    assert run(["export", str(case), "--to", "otlp", "--out", "copy", "--unapproved", "-q"]) == 0
    assert run(["inspect", "copy", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["dialects"], told["tools"], told["errors"]) == (["otel_genai"], ["order.lookup", "refund.create"], 2)
    assert run(["--trace-id", told["trace_id"], "copy", "--keep", "all", "--out", "again", "-q"]) == 0
    (again,) = (here / "again" / "quarantine").glob("2*")
    before, after = (json.loads((folder / "fixture.json").read_text()) for folder in (case, again))
    for member in ("time_zone", "locale", "workflow_version", "prompt_version", "model"):
        assert after[member] == before[member]
    assert shape(after["tool_events"]) == shape(before["tool_events"])


def shape(events):
    return [
        (one["tool"], one["try"], one["outcome"]["type"], one["outcome"].get("error_type"), one["after"])
        for one in events
    ]


def test_an_import_is_redacted_and_keeps_every_call(bundle, here):
    folder = imported(here, bundle)
    text = (folder / "fixture.json").read_text()
    assert PERSON not in text
    assert MAIL not in text
    document = json.loads(text)
    first, second = document["tool_events"]
    assert first["arguments"] == {"order_id": second["arguments"]["order_id"]}
    assert first["outcome"]["value"]["quantity"] == 2
    assert isinstance(first["outcome"]["value_text"], str)
    assert second["outcome"]["type"] == "error"
    assert [one["after"] for one in document["model_events"]] == [[], [2]]
    told = {one["field"] for one in document["missing_evidence"]}
    assert told >= {
        "trace.decoded_from_string",
        "trace.error_without_text",
        "trace.order_between_kinds_not_recorded",
        "trace.times_not_recorded",
    }


def test_no_original_stands_in_any_file_of_an_import_or_in_what_is_said(bundle, here, capsys):
    folder = imported(here, bundle)
    said = "".join(capsys.readouterr())
    for content in (said, *(path.read_text() for path in folder.rglob("*") if path.is_file())):
        assert PERSON not in content
        assert MAIL not in content


def test_a_recording_is_a_trace_to_the_other_commands(bundle, here, capsys):
    assert run(["inspect", "--json", str(bundle)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["containers"], told["tools"], told["spans"]) == (["tracely"], ["order_get", "refund"], 5)
    assert run(["--trace-id", told["trace_id"], str(bundle), "-q"]) == 0


def test_standard_input_and_compression_are_read_too(bundle, here, monkeypatch):
    class Typed:
        buffer = bundle.open("rb")

    file = imported(here, bundle)
    before = (file / "fixture.json").read_bytes()
    packed = here / "packed"
    packed.write_bytes(gzip.compress(bundle.read_bytes()))
    assert (imported(here, packed) / "fixture.json").read_bytes() == before
    monkeypatch.setattr("sys.stdin", Typed)
    assert (imported(here, "-") / "fixture.json").read_bytes() == before
    Typed.buffer.close()


def test_what_people_say_goes_along(bundle, here):
    folder = imported(
        here, bundle, "--prohibit", "Refunded.", "--failure", "It failed.", "--evidence-needed", "A result."
    )
    assert json.loads((folder / "fixture.json").read_text())["expected"]["prohibited_claims"] == ["Refunded."]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"Zebra",
        b"[]",
        b"{}",
        b'{"version": 2, "tools": [], "llm": []}',
        b'{"version": 9, "tools": [{"name": "Zebra"}]}',
    ],
)
def test_what_is_no_recording_ends_with_six_and_makes_nothing(here, capsys, content):
    file = here / "other"
    file.write_bytes(content)
    assert imported(here, file, status=6) is None
    assert "Zebra" not in "".join(capsys.readouterr())


def test_a_recording_of_version_1_has_no_arguments_and_cannot_be_replayed(here):
    file = here / "old.json"
    file.write_text(json.dumps({"tools": {"order_get": {"status": "delivered"}}, "llm": {"gpt-x": "Delivered."}}))
    folder = imported(here, file, status=4)
    missing = {
        (one["field"], one["code"]) for one in json.loads((folder / "fixture.json").read_text())["missing_evidence"]
    }
    assert ("tool_events[0].arguments", "arguments_missing") in missing


def test_an_artifact_s_input_is_what_the_user_said(bundle, here):
    record = {
        "format_version": 1,
        "case_id": "c1",
        "input": {"type": "text", "value": "Refund it, please."},
        "fixtures": {"version": 2, "tools": json.loads(bundle.read_text())["tools"], "llm": []},
    }
    bundle.write_text(json.dumps(record))
    document = json.loads((imported(here, bundle) / "fixture.json").read_text())
    assert document["input"]["messages"][0]["parts"] == [{"type": "text", "text": "Refund it, please."}]
    assert document["model_events"] == []


def test_two_recordings_in_one_file_are_two_cases(bundle, here, capsys):
    other = bundle.read_text().replace("Refunded.", "Done.")
    bundle.write_text(bundle.read_text() + "\n" + other + "\n")
    assert imported(here, bundle, status=2) is None
    assert "2 recordings" in capsys.readouterr().err


@pytest.mark.parametrize("version", ["v2", "artifact"])
def test_out_and_in_and_out_again_differ_in_pseudonyms_and_told_losses_alone(case, here, version):
    assert run(["export", str(case), *to("tracely", version), "--out", "one", "--unapproved", "-q"]) == 0
    again = imported(here, "one", "-q")
    assert run(["export", str(again), *to("tracely", version), "--out", "two", "--unapproved", "-q"]) == 0
    one, two = (json.loads((here / name).read_text()) for name in ("one", "two"))
    if version == "artifact":
        assert same(one["input"], two["input"], {})
        assert one["expectations"] == two["expectations"]
        one, two = one["fixtures"], two["fixtures"]
    pairs = {}
    assert same(one["tools"], two["tools"], pairs)
    assert same(one["llm"], two["llm"], pairs)
    assert len(set(pairs.values())) == len(pairs)  # two values never became one
    ours, theirs = one["x_fixture"], two["x_fixture"]
    assert ours["order"] == theirs["order"]
    for member in ("attempt", "logical_call", "try", "retry_of", "error_type", "after"):
        assert [each.get(member) for each in ours["attempts"]] == [each.get(member) for each in theirs["attempts"]]
    assert set(theirs["losses"]) <= set(ours["losses"])


_WORD = re.compile(r"[\w@.-]+")


def same(one, two, pairs):
    """Return whether two values are equal when words of the one are, always in the same way, words of the other."""
    if isinstance(one, dict):
        return isinstance(two, dict) and [*one] == [*two] and all(same(one[name], two[name], pairs) for name in one)
    if isinstance(one, list):
        return (
            isinstance(two, list)
            and len(one) == len(two)
            and all(same(a, b, pairs) for a, b in zip(one, two, strict=True))
        )
    if not isinstance(one, str) or not isinstance(two, str):
        return type(one) is type(two) and one == two
    before, after = _WORD.findall(one), _WORD.findall(two)
    return (
        _WORD.sub("", one) == _WORD.sub("", two)
        and len(before) == len(after)
        and all(pairs.setdefault(a, b) == b for a, b in zip(before, after, strict=True))
    )


@pytest.mark.nlp
def test_an_approved_case_leaves_without_a_mark_as_long_as_it_is_what_people_approved(case, here, capsys):
    told = [
        "--failure",
        "The refund tool timed out before the payment service answered.",
        "--prohibit",
        "The refund is complete.",
        "--evidence-needed",
        "A receipt of the payment service.",
    ]
    assert run(["annotate", str(case), *told, "--boundary", "no_unconfirmed_claim", "--incident", "INC-7", "-q"]) == 0
    (here / "fixtures" / "policy.toml").write_text("roles = { incident-owner = 1 }\n")
    assert (
        run(["approve", str(case), "--role", "incident-owner", "--reviewer", "Ines Duarte", "--grade", "confirmed"])
        == 0
    )
    approved = here / "fixtures" / "approved" / case.name
    assert run(["export", str(approved), "--to", "tracely", "--out", "copy", "-q"]) == 0
    assert json.loads((here / "copy").read_text())["x_fixture"]["standing"] == "approved"
    (approved / "expect.yaml").write_text("verdict: accept\n")
    capsys.readouterr()
    assert run(["export", str(approved), "--to", "tracely", "--out", "other"]) == 7
    assert "expect.yaml" in capsys.readouterr().err
    assert run(["export", str(approved), "--to", "tracely", "--out", "other", "--unapproved", "-q"]) == 0
    assert json.loads((here / "other").read_text())["x_fixture"]["standing"] == "NOT APPROVED"


def test_a_case_leaves_as_a_folder_that_checks_read(case, capsys):
    """S97."""
    (case / "expect.yaml").write_text("verdict: reject\nby: assert_refund\nreason: status\n")
    assert run(["export", str(case), "--to", "evals", "--out", "copy"]) == 7
    assert run(["export", str(case), "--to", "evals", "--out", "copy", "--unapproved", "--json"]) == 0
    out = capsys.readouterr().out
    told = json.loads(out)
    copy = case.parents[2] / "copy"
    assert sorted(each.name for each in copy.iterdir()) == sorted(told["files"])
    assert (copy / "README.md").read_text().startswith("NOT APPROVED\n")
    assert (copy / "case.yaml").read_text().partition("\n")[0].endswith("NOT APPROVED")
    ours, theirs = load_fixture(case), load_fixture(copy)
    assert theirs.record.document == ours.record.document
    assert (theirs.case.now, theirs.case.input) == (ours.case.now, ours.case.input)
    assert theirs.case.expectations == ours.case.expectations
    assert theirs.case.facts == ours.case.facts
    assert theirs.expectation == ours.expectation
    losses = json.loads((copy.parent / "copy.losses.json").read_text())
    assert [each["code"] for each in losses["losses"]] == told["losses"]
    assert run(["export", str(case), "--to", "evals", "--out", "copy", "--unapproved"]) == 2


def test_a_case_without_a_verdict_is_no_folder_for_checks(case):
    assert run(["export", str(case), "--to", "evals", "--out", "copy", "--unapproved"]) == 1
    (case / "expect.yaml").write_text("verdict: perhaps\n")
    assert run(["export", str(case), "--to", "evals", "--out", "copy", "--unapproved"]) == 6
    assert not (case.parents[2] / "copy").exists()
