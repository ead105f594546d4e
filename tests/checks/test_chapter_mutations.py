"""The refund of a hundredth of the amount, as far as mutations tell it."""

from __future__ import annotations

import pytest

from extractor.checks.counting import exactly
from extractor.checks.declaring import Check
from extractor.checks.manufactured import proofs
from extractor.checks.matrix import matrix
from extractor.checks.mutations import corrupted, named
from extractor.checks.running import property_of, run_all_checks

from .runs import good_case, good_record

REFUND = {"name": "issue_refund", "arguments": {"order_id": "ord_17", "amount_cents": 4200}}


def for_four_months(record, case):
    for call in record.tool_calls:
        assert call.name == "issue_refund"
        assert call.arguments_parsed["order_id"] == case.order_id


def repaired(record, case):
    exactly(1, record.tool_calls)
    for_four_months(record, case)
    assert record.tool_calls[0].arguments_parsed["amount_cents"] == case.amount_cents


def cites(record, case):
    assert len(record.citations) > 0


def called(body, name="assert_refund") -> Check:
    return Check(id=name, body=body, module="", line=0)


@pytest.fixture
def good():
    return good_record(tool_calls=[REFUND])


def test_the_loop_passes_on_a_run_that_did_nothing_and_the_repaired_check_does_not(good):
    silent = good_record(tool_calls=[])
    assert run_all_checks(silent, good_case(), [called(for_four_months)]).passed
    told = run_all_checks(silent, good_case(), [called(repaired)])
    assert (told.failed_check, told.reason) == ("assert_refund", "tool_calls")


def test_mutation_four_would_have_caught_it_on_the_day_it_was_written(good):
    """S94 S114."""
    four = named("empty_tool_calls")
    assert four.row == 4
    made = corrupted(four, good, good_case())
    (before,) = proofs(made, [called(for_four_months)], "assert_refund")
    (after,) = proofs(made, [called(repaired)], "assert_refund")
    assert (before.said.verdict, before.shown) == ("accepted", False)
    assert (after.shown, after.said.reason) == (True, "tool_calls")
    assert run_all_checks(good, good_case(), [called(repaired)]).passed


def test_a_hundredth_of_the_amount_is_what_the_repaired_check_rejects_and_the_loop_does_not(good):
    (made,) = corrupted(named("hundredth_argument"), good, good_case()).variants
    assert made.record.document["tool_calls"][0]["arguments"]["amount_cents"] == 42
    told = run_all_checks(made.record, made.case, [called(repaired)])
    assert (told.failed_check, told.reason) == ("assert_refund", "amount_cents")
    assert run_all_checks(made.record, made.case, [called(for_four_months)]).passed


def test_a_run_rejected_for_a_missing_citation_is_no_evidence_for_the_amount():
    hundredth = {"name": "issue_refund", "arguments": {"order_id": "ord_17", "amount_cents": 42}}
    both = good_record(tool_calls=[hundredth], citations=[])
    checks = [called(cites, "assert_cited"), called(repaired)]
    assert run_all_checks(both, good_case(), checks).failed_check == "assert_cited"
    # The right name over the wrong property: what it read says so.
    told = run_all_checks(both, good_case(), [called(cites)])
    assert (told.failed_check, told.reason) == ("assert_refund", "citations")
    assert "amount_cents" not in {property_of(path) for path in told.outcomes[0].reads}


def test_the_matrix_shows_that_the_check_which_fired_never_looked_at_the_amount(good):
    checks = [called(cites, "assert_cited"), called(repaired), called(for_four_months, "assert_loop")]
    lines = {each.check: each for each in matrix([(good, good_case())], checks).lines}
    marks = {name: line.cells["hundredth_argument"].mark for name, line in lines.items()}
    assert marks == {"assert_cited": ".", "assert_refund": "x", "assert_loop": "."}
    assert lines["assert_loop"].vacuous == ("tool_calls",)
    assert lines["assert_refund"].vacuous == ()
