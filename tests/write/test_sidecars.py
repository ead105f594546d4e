from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from extractor.model.case import LanguageModel, Proofs, Pseudonym, RedactedCase, RedactionCount, Residual
from extractor.model.config import Override, RunConfig
from extractor.model.json import parse
from extractor.model.reading import Note, Reading, SourceFile
from extractor.model.selection import Decision, Flow, Grade, Selection
from extractor.schemas import schema_problems
from extractor.write import render_capture, render_fixture, render_provenance

ORIGINAL, OTHER = "5b8aa5a2d2c872e8", "051581bf3cb55c13"
SPANS = {ORIGINAL: "00000000000000a1", OTHER: "00000000000000a2"}


@pytest.fixture
def redacted(document: Any) -> RedactedCase:
    flow = Flow(producer=OTHER, produced_at="result.id", consumer=ORIGINAL, consumed_at="arguments.id")
    return RedactedCase(
        document=document,
        original={},
        known=(),
        counts=(
            RedactionCount(entity="PERSON", values=1, occurrences=3, rules={"nlp": 1, "field": 2}),
            RedactionCount(entity="EMAIL_ADDRESS", values=2, occurrences=2, rules={"mail": 2}),
        ),
        selection=Selection(
            boundary=ORIGINAL,
            boundary_reason="uncured_error",
            decisions=(
                Decision(span_id=OTHER, kept=True, reason="feeds_boundary", distance=1, flows=(flow,)),
                Decision(span_id=ORIGINAL, kept=True, reason="boundary", distance=0, overridden=True),
            ),
            candidates=(OTHER,),
        ),
        becomes={ORIGINAL: "tool_events[0]"},
        span_ids=SPANS,
        trace_refs=("ref-1",),
        scope="case:ab12",
        key_id="k-1",
        models=(LanguageModel(name="en_core_web_sm", version="3.8.0", sha256="ef" * 32, pinned="rules"),),
    )


def provenance(
    redacted: RedactedCase,
    grade: Grade | None = None,
    notes: tuple[Note, ...] = (),
    pseudonyms: tuple[Pseudonym, ...] = (),
) -> bytes:
    return render_provenance(
        replace(redacted, selection=replace(redacted.selection, grade=grade)),
        Proofs(
            known_values=3,
            leaks=0,
            residual=(Residual(code="unexplained", path="input.messages[0].parts[0].text", start=3, end=9),),
            classes=3,
            occurrences=5,
            preserved=3,
            pseudonyms=pseudonyms,
        ),
        render_fixture(redacted.document),
        config=RunConfig(override=Override(keep=("secret-span-name",)), treat={"input": "word"}),
        dialects=("openinference", "genai"),
        ledger=notes,
        ruleset_digest="ab" * 32,
        tool_version="0.1.0",
        schema_version="1",
    )


def test_the_sidecar_is_a_statement_about_these_bytes(redacted: RedactedCase) -> None:
    """S9."""
    statement = json.loads(provenance(redacted))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    digest = hashlib.sha256(render_fixture(redacted.document)).hexdigest()
    assert statement["subject"] == [{"name": "fixture.json", "digest": {"sha256": digest}}]
    assert statement["predicate"]["source"] == {
        "incident_id": "INC-1042",
        "trace_refs": ["ref-1"],
        "dialects": ["genai", "openinference"],
        "evidence": [],
    }


def test_the_sidecar_fits_its_schema(redacted: RedactedCase) -> None:
    """S20: the grade that found the incident is saved with its version."""
    grade = Grade(name="truthfulness", version="3", result="fail")
    for content in (provenance(redacted), provenance(redacted, grade, (Note(code="orphan", places=("span 3",)),))):
        assert schema_problems(parse(content), "provenance") == ()
    assert json.loads(content)["predicate"]["grader"] == {"name": "truthfulness", "version": "3", "result": "fail"}


@pytest.mark.parametrize("member", ["source", "selection", "redaction", "leaks", "ledger", "rules", "versions"])
def test_a_sidecar_without_a_member_does_not_fit(redacted: RedactedCase, member: str) -> None:
    statement = json.loads(provenance(redacted))
    del statement["predicate"][member]
    assert schema_problems(statement, "provenance") == (f"predicate: required ['{member}']",)


def test_a_sidecar_that_tells_of_a_leak_does_not_fit(redacted: RedactedCase) -> None:
    statement = json.loads(provenance(redacted))
    statement["predicate"]["leaks"]["found"] = 1
    assert schema_problems(statement, "provenance") == ("predicate.leaks.found: const",)


def test_every_span_has_its_decision_under_a_synthetic_id(redacted: RedactedCase) -> None:
    """S8, S10."""
    content = provenance(redacted)
    selection = json.loads(content)["predicate"]["selection"]
    assert [(entry["span_id"], entry["decision"], entry["becomes"]) for entry in selection] == [
        ("00000000000000a2", "kept", None),
        ("00000000000000a1", "kept", "tool_events[0]"),
    ]
    assert selection[0]["flows"][0]["producer"] == "00000000000000a2"
    assert not any(original.encode() in content for original in SPANS)


def test_the_sidecar_says_of_each_pseudonym_which_class_it_has_and_never_for_what_it_stands(
    redacted: RedactedCase,
) -> None:
    made = (
        Pseudonym(text="Vokla", entity="person", original="Marlow"),
        Pseudonym(text="RM-614003", entity="record_id", original="FH-20481"),
        Pseudonym(text="Fixhe", entity="person", original="Oda"),
        Pseudonym(text="Fixhe", entity="person", original="ODA"),
    )
    content = provenance(redacted, pseudonyms=made)
    assert json.loads(content)["predicate"]["relations"]["pseudonyms"] == [
        {"text": "Fixhe", "entity": "person"},
        {"text": "Vokla", "entity": "person"},
        {"text": "RM-614003", "entity": "record_id"},
    ]
    assert not any(one.original.encode() in content or one.original in repr(one) for one in made)
    assert schema_problems(parse(content), "provenance") == ()


def test_overrides_are_counted_not_quoted(redacted: RedactedCase) -> None:
    content = provenance(redacted)
    assert json.loads(content)["predicate"]["overrides"] == {
        "keep": 1,
        "drop": 0,
        "treat": {"input": "word"},
        "marks": {"name": 0, "must_go": 0},
    }
    assert b"secret-span-name" not in content


def test_the_order_of_maps_and_notes_does_not_show(redacted: RedactedCase) -> None:
    one, two = Note(code="orphan", places=("span 3",)), Note(code="clock_inversion")
    assert provenance(redacted, notes=(one, two)) == provenance(redacted, notes=(two, one))
    counts = json.loads(provenance(redacted))["predicate"]["redaction"]
    assert [entry["entity"] for entry in counts["classes"]] == ["EMAIL_ADDRESS", "PERSON"]
    assert list(counts["classes"][1]["rules"]) == ["field", "nlp"]
    assert (counts["values"], counts["occurrences"]) == (3, 5)


def test_the_capture_leads_back_to_the_trace() -> None:
    content = render_capture(
        reading=Reading(
            spans=(),
            files=(
                SourceFile(
                    name="export-\udcff.jsonl", digest=lambda: "cd" * 32, container="otlp_json", ranges=((0, 9),)
                ),
            ),
            file_notes=(Note(code="record_refused", places=("file 1 record 17",)),),
        ),
        trace_ids=("ab" * 16, "cd" * 16),
        span_ids=SPANS,
        known=[{"digest": "0" * 32, "entity": "person", "word": False}],
        config=RunConfig(),
        extracted_at="2026-03-03T09:00:00Z",
        host="ci-1",
        expires_at="2026-04-02T09:00:00Z",
    )
    capture: Any = parse(content)
    assert schema_problems(capture, "capture") == ()
    assert list(capture) == [
        "trace_id",
        "traces",
        "spans",
        "files",
        "ledger",
        "known",
        "request",
        "marks",
        "extracted_at",
        "host",
        "expires_at",
    ]
    assert capture["trace_id"] == "ab" * 16
    assert capture["spans"] == {synthetic: original for original, synthetic in SPANS.items()}
    assert capture["files"][0]["ranges"] == [[0, 9]]
    assert schema_problems({**capture, "host": None}, "capture") == ("host: type",)
