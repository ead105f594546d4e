from __future__ import annotations

import copy
import json

import pytest

from extractor.checks import ready
from extractor.checks.declaring import Check, NotApplicable
from extractor.checks.matrix import Cell, _asked, matrix
from extractor.checks.mutations import MUTATIONS

from .runs import RUN, good_case, good_record
from .test_ready import READY as ALL_READY


def vacuous(record, case):
    for call in record.tool_calls:
        assert call.name in ("lookup_order", "issue_refund")


def counted(record, case):
    assert len(record.tool_calls) == 2
    vacuous(record, case)


def reads_nothing(record, case):
    assert case.amount_cents == 4200


def untouched(record, case):
    assert record.messages[0]["role"] == "user"


def empty_loop(record, case):
    for cited in record.citations:
        assert cited.startswith("policy")


def never_said(record, case):
    raise NotApplicable


def lenient(record, case):
    assert record.usage["input_tokens"] > 0


def breaks(record, case):
    assert record.output["amount_cents"] + 1 > 0


def blanket(record, case):
    raise AssertionError


CHECKS = tuple(
    Check(id=each.__name__, body=each, module="", line=0)
    for each in (vacuous, counted, reads_nothing, untouched, empty_loop, never_said, lenient, breaks, blanket)
)

READY = tuple(Check(id=each.id, body=each, module="", line=0) for each, _ in ALL_READY)


def lines(*, checks=CHECKS, **members):
    made = matrix([(good_record(**members), good_case())], checks)
    return {each.check: each for each in made.lines}


def test_a_check_that_no_mutation_rejects_is_named_with_why():
    """S91."""
    told = {name: line.toothless for name, line in lines(citations=[]).items()}
    assert told == {
        "vacuous": None,
        "counted": None,
        "reads_nothing": "reads nothing of a record",
        "untouched": "reads only what no mutation touches: messages[0].role",
        "empty_loop": "loops over an empty list, in every record: citations",
        "never_said": "not applicable to any record",
        "lenient": "accepts every corruption of what it reads: usage.input_tokens",
        "breaks": "breaks on what it should reject: KeyError, TypeError",
        "blanket": "rejects or breaks on every record as it stands: nothing can be said of its teeth",
    }


def test_row_four_tells_the_vacuous_loop_from_the_repaired_one():
    told = lines()
    assert told["vacuous"].cells["empty_tool_calls"].mark == "."
    assert told["counted"].cells["empty_tool_calls"].mark == "x"
    assert told["vacuous"].cells["wrong_tool_name"].mark == "x"
    assert (told["vacuous"].vacuous, told["counted"].vacuous) == (("tool_calls",), ())


def test_an_empty_loop_is_vacuous_as_soon_as_a_record_fills_it():
    assert lines()["empty_loop"].vacuous == ("citations",)


def test_breaking_is_no_rejection():
    cell = lines()["breaks"].cells["dropped_field"]
    assert (cell.rejected, cell.broke, cell.mark) == (0, 1, "!")


def test_a_mutation_that_applies_nowhere_is_told_and_one_that_applies_somewhere_is_counted():
    silent = good_record(tool_calls=[], output="It is done.")
    checks = [Check(id="finished", body=ready.finished(), module="", line=0)]
    made = matrix([(silent, good_case()), (good_record(), good_case())], checks)
    assert "wrong_tool_name" not in made.absent
    assert made.variants["wrong_tool_name"] == 2
    assert made.absent["forbidden_tool"] == "nothing at tool_calls[].name can be changed so"
    assert made.records == 2
    alone = matrix([(silent, good_case())], checks)
    assert alone.absent["empty_tool_calls"] == "nothing at tool_calls can be changed so"


def test_words_and_tools_that_ready_checks_forbid_are_tried():
    checks = [
        Check(id=each.id, body=each, module="", line=0) for each in (ready.forbids("no risk"), ready.calls_exactly(0, "close"))
    ]  # fmt: skip
    told = {each.check: each for each in matrix([(good_record(), good_case())], checks).lines}
    assert told["calls_exactly:close"].cells["forbidden_tool"].mark == "x"
    assert [line.toothless for line in told.values()] == [None, None]


def test_variants_beyond_the_bound_are_told():
    made = matrix([(good_record(output={f"m{n}": n for n in range(40)}), good_case())], CHECKS[:1], most=4)
    assert made.left_out["dropped_field"] > 30


def test_what_breaks_on_some_variants_and_rejects_others_does_not_reject_all():
    assert Cell(rejected=1, broke=1).mark == "+"
    assert Cell(rejected=1, not_applicable=1).mark == "x"


def test_a_check_that_reads_where_nothing_is_told_is_run_on_every_variant_before_it_is_called_toothless():
    def untold(record, case):
        return record.document["usage"]["input_tokens"] < 1000

    (line,) = matrix([(good_record(), good_case())], [Check(id="untold", body=untold, module="", line=0)]).lines
    assert line.toothless is None
    assert line.cells["token_budget"].mark == "+"


READINGS = {
    "type": lambda run, _: isinstance(run.output, dict),
    "type within": lambda run, _: isinstance(run.tool_calls[1].arguments_parsed, dict),
    "nothing": lambda run, _: run.tool_calls[0].result is not None,
    "last": lambda run, _: run.tool_calls[-1].name == "issue_refund",
    "second": lambda run, _: "ord_17" in str(run.tool_calls[1].arguments),
    "slice": lambda run, _: len(run.tool_calls[:2]) == 2,
    "whole": lambda run, _: run.output == RUN["output"],
    "spelling": lambda run, _: "4200" in run.output_text,
    "document": lambda run, _: len(run.document["tool_calls"]) == 2,
    "json": lambda run, _: '"amount_cents": 4200' in run.to_json(),
    "paths": lambda run, _: "tool_calls[1].name" in run.paths(),
    "calls": lambda run, _: run.tool_calls[0] != run.tool_calls[1],
    "truth": lambda run, _: bool(run.output),
    "copy": lambda run, _: copy.deepcopy(run).output["amount_cents"] == 4200,
    "unpacked": lambda run, _: [*run.tool_calls][1].name == "issue_refund",
}


@pytest.mark.parametrize(
    "asked",
    [*CHECKS, *READY, *(Check(id=name, body=body, module="", line=0) for name, body in READINGS.items())],
    ids=lambda each: each.id,
)
def test_asking_only_whom_a_change_concerns_tells_the_same_as_asking_everybody(asked):
    texts = {"output": json.dumps(RUN["output"])}
    spelled = {"tool_calls": [{**each, "arguments_text": json.dumps(each["arguments"])} for each in RUN["tool_calls"]]}
    runs = [(good_record(**members), good_case()) for members in ({}, texts, spelled, {"citations": []})]
    quick, full = (_asked(runs, [asked], MUTATIONS, 32, by_reads=by_reads) for by_reads in (True, False))
    assert quick.lines == full.lines
    assert quick.variants == full.variants
