"""A case extracted again from its source."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from extractor import pipeline, reextract
from extractor.annotation import annotate
from extractor.errors import InputUnreadable, UsageError
from extractor.model.config import Mark, RunConfig, Statement
from extractor.redact import WorkspaceKey, token_digest
from extractor.write import store
from tests.acceptance.samples import FACTS, INCIDENTS, KEY, OCCASION, RULES, extracted, source_of

NAMES = sorted(INCIDENTS)


def written(tmp_path, name="refund-timeout", *, complete=True) -> Path:
    made = extracted(name, complete=complete)
    return store(made.fixture, made.capture, tmp_path / "fixtures", replace=False).path


def again(case, *marks: Mark, name="refund-timeout", source: Path | None = None, key: WorkspaceKey = KEY):
    return reextract.reextract(
        case,
        reextract.source_of(case, [source or source_of(name)]),
        marks=marks,
        base=RunConfig(),
        rules=RULES,
        key=key,
        occasion=OCCASION,
    )


@pytest.mark.parametrize("name", NAMES)
def test_without_marks_the_same_case_comes_out(tmp_path, name):
    case = written(tmp_path, name)
    made = again(case, name=name)
    assert made.same
    proved = made.extraction.fixture.files
    assert {file: (case / file).read_bytes() for file in proved} == dict(proved)


def test_what_was_annotated_since_is_read_as_it_was_typed(tmp_path):
    case = written(tmp_path, complete=False)
    person = json.loads((case / "fixture.json").read_bytes())["tool_events"][0]["outcome"]["value"]["customer"]["name"]
    told = Statement(failure=f"{person} was told of a refund.", prohibit=("the refund has been completed",))
    made = annotate(case, told, RunConfig(), RULES, KEY)
    store(made.fixture, made.capture, tmp_path / "fixtures", replace=True)
    result = again(case)
    after = json.loads(result.extraction.fixture.files["fixture.json"])
    assert after["expected"]["failure_statement"]["trigger"] == f"{person} was told of a refund."
    assert result.same


def test_what_was_told_of_a_replay_stays_told(tmp_path):
    case = written(tmp_path)
    told = Statement(
        exact_disclosures=("Refunds take five days.",),
        disclosures=("that it takes time",),
        policy_decision="deny",
        action="handoff.create",
        alternates=({"tool": "handoff.create", "arguments": {}, "outcome": {"type": "result", "value": 1}},),
        adapter=("refunds-legacy", "3"),
        lane="gate",
    )
    made = annotate(case, told, RunConfig(), RULES, KEY)
    store(made.fixture, made.capture, tmp_path / "fixtures", replace=True)
    assert again(case).same


def test_a_check_and_its_parameters_stay_told(tmp_path):
    case = written(tmp_path, complete=False)
    told = Statement(boundary="own_check", boundary_params={"most": 1})
    made = annotate(case, told, RunConfig(), RULES, KEY)
    store(made.fixture, made.capture, tmp_path / "fixtures", replace=True)
    assert again(case).same


def test_a_mark_changes_the_case_and_the_capture_remembers_it(tmp_path):
    case = written(tmp_path)
    scope = json.loads((case / "provenance.json").read_bytes())["predicate"]["redaction"]["scope"]
    mark = Mark(mark="name", digest=token_digest("Skarn", KEY, scope))
    result = again(case, mark)
    assert result.same
    assert b"karn" not in result.extraction.fixture.files["fixture.json"]
    store(result.extraction.fixture, result.extraction.capture, tmp_path / "fixtures", replace=True)
    # Marks add up: what was marked before stays marked.
    next_one = again(case, Mark(mark="must_go", digest=token_digest("jacket", KEY, scope)))
    assert next_one.same
    assert not [word for word in (b"Skarn", b"jacket") if word in next_one.extraction.fixture.files["fixture.json"]]
    assert len(json.loads(next_one.extraction.capture)["marks"]) == 2


def test_originals_are_told_in_memory_alone(tmp_path):
    case = written(tmp_path)
    result = again(case)
    planted = {entry["value"] for entry in FACTS["refund-timeout"]["planted"]}
    assert planted & set(result.originals.values())
    assert not [value for value in planted if value in repr(result)]


def test_a_source_that_changed_or_is_gone_is_refused(tmp_path):
    case = written(tmp_path)
    copy = tmp_path / source_of("refund-timeout").name
    shutil.copy(source_of("refund-timeout"), copy)
    assert again(case, source=tmp_path).same
    copy.write_bytes(copy.read_bytes() + b"\n")
    with pytest.raises(InputUnreadable, match="changed"):
        again(case, source=tmp_path)
    copy.unlink()
    with pytest.raises(InputUnreadable, match="not at hand"):
        again(case, source=tmp_path)


def test_a_case_that_does_not_say_what_it_was_asked_for_is_refused(tmp_path):
    case = written(tmp_path)
    capture = json.loads((case / "capture.json").read_bytes())
    del capture["request"]
    (case / "capture.json").write_text(json.dumps(capture))
    with pytest.raises(InputUnreadable, match="asked for"):
        again(case)


def test_a_minimised_case_is_refused(tmp_path):
    case = written(tmp_path)
    sidecar = json.loads((case / "provenance.json").read_bytes())
    minimised = {"oracle": "0" * 64, "pieces_before": 2, "pieces_after": 1, "runs": 2, "one_minimal": True}
    sidecar["predicate"]["minimised"] = minimised
    (case / "provenance.json").write_text(json.dumps(sidecar))
    with pytest.raises(UsageError, match="minimised"):
        again(case)


def test_the_occasion_is_the_caller_s(tmp_path):
    assert isinstance(OCCASION, pipeline.Occasion)
    assert json.loads(again(written(tmp_path)).extraction.capture)["host"] == OCCASION.host
