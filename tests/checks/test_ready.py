from __future__ import annotations

from typing import get_args

import pytest

from extractor.checks import ready
from extractor.checks.counting import at_least, exactly
from extractor.checks.declaring import Check, Rejected, checks_of
from extractor.checks.mutations import MUTATIONS, corrupted, named
from extractor.checks.ready import of_case
from extractor.checks.record import RunRecord
from extractor.checks.running import run_all_checks

from .runs import RUN, good_case, good_record

READY = (
    (ready.parses(), "output"),
    (ready.shaped(amount_cents=int, message=str), "amount_cents"),
    (ready.arguments_shaped("issue_refund", order_id=str, amount_cents=int), "order_id"),
    (ready.requires("message", "amount_cents"), "message"),
    (ready.requires_arguments("issue_refund", "order_id"), "order_id"),
    (ready.forbids("No risk at all"), "message"),
    (ready.calls_exactly(1, "issue_refund"), "tool_calls"),
    (ready.calls_exactly(0, "close_account"), "tool_calls"),
    (ready.calls_at_least(1, "lookup_order"), "tool_calls"),
    (ready.calls_only("lookup_order", "issue_refund"), "name"),
    (ready.arguments_equal("issue_refund", amount_cents=4200), "amount_cents"),
    (ready.arguments_equal("issue_refund", order_id=of_case("order_id")), "order_id"),
    (ready.max_tokens(2000), "total_tokens"),
    (ready.max_tokens(1000, "input_tokens"), "input_tokens"),
    (ready.max_length(2000), "output"),
    (ready.min_length(80), "output"),
    (ready.finished(), "finish_reason"),
)


def as_check(body) -> Check:
    return Check(id=body.id, body=body, module="", line=0)


def verdict(body, record, case=None):
    return run_all_checks(record, case or good_case(), [as_check(body)]).outcomes[0]


def test_every_class_has_ready_checks_and_every_mutation_of_theirs_is_known():
    """S115."""
    assert {each.kind for each, _ in READY} == set(get_args(ready.Kind))
    assert len(get_args(ready.Kind)) == 8
    assert {each.mutation for each, _ in READY} <= {each.name for each in MUTATIONS}
    assert len({each.id for each, _ in READY}) == len(READY)


@pytest.mark.parametrize(("body", "reason"), READY, ids=[each.id for each, _ in READY])
def test_a_ready_check_accepts_the_good_run_and_rejects_its_own_mutation_for_its_own_property(body, reason):
    """S115."""
    assert verdict(body, good_record()).verdict == "accepted"
    made = corrupted(named(body.mutation), good_record(), good_case(), phrases=body.phrases, tools=body.tools).variants
    rejected = [found for each in made if (found := verdict(body, each.record, each.case)).verdict == "rejected"]
    assert rejected
    assert reason in {each.reason for each in rejected}
    assert all(each.path for each in rejected)


@pytest.mark.parametrize(
    "body",
    [each for each, _ in READY if each.kind in ("tool_identity", "tool_arguments") and each.id != "calls_exactly:close_account"],
    ids=lambda each: each.id,
)  # fmt: skip
def test_no_ready_check_of_a_call_is_silent_where_no_call_was_made(body):
    silent = verdict(body, good_record(tool_calls=[]))
    assert (silent.verdict, silent.reason, silent.path) == ("rejected", "tool_calls", "tool_calls")


def test_a_run_that_counted_nothing_holds_no_budget():
    assert verdict(ready.max_tokens(2000), good_record(usage={})).reason == "total_tokens"
    assert verdict(ready.max_tokens(900), good_record(usage={"total_tokens": 901})).verdict == "rejected"
    assert verdict(ready.max_tokens(860), good_record()).verdict == "accepted"


def test_true_is_no_number():
    record = good_record(output={"amount_cents": True})
    assert verdict(ready.shaped(amount_cents=int), record).verdict == "rejected"
    calls = [{"name": "pay", "arguments": {"n": True}}]
    assert verdict(ready.arguments_equal("pay", n=1), good_record(tool_calls=calls)).verdict == "rejected"


def test_an_output_that_is_json_in_a_text_is_read_as_such():
    record = good_record(output='{"amount_cents": 4200}')
    assert verdict(ready.shaped(amount_cents=int), record).verdict == "accepted"
    assert verdict(ready.parses(), good_record(output="It is done.")).verdict == "rejected"


def test_a_value_that_the_case_does_not_hold_is_no_pass():
    body = ready.arguments_equal("issue_refund", order_id=of_case("not_there"))
    assert verdict(body, good_record()).verdict == "error"


def test_ids_hold_no_bound_and_no_value():
    assert ready.max_tokens(10).id == ready.max_tokens(20).id == "max_tokens:total_tokens"
    assert ready.calls_exactly(1, "issue_refund").id == "calls_exactly:issue_refund"
    assert (
        ready.arguments_equal("issue_refund", order_id="a", amount_cents=2).id
        == "arguments_equal:issue_refund:order_id+amount_cents"
    )
    assert ready.forbids("no risk", named="promises").id == "promises"
    assert ready.forbids("no risk").id != ready.forbids("no-risk").id


@pytest.mark.parametrize(
    "make",
    [
        ready.forbids, ready.requires, ready.shaped, ready.calls_only, lambda: ready.arguments_equal("pay"),
        lambda: ready.calls_at_least(0, "pay"), lambda: ready.min_length(0), lambda: at_least(0, []),
    ],
)  # fmt: skip
def test_a_check_that_cannot_fail_is_not_made(make):
    with pytest.raises(ValueError):
        make()


def test_ready_checks_are_declared_by_standing_in_a_module(tmp_path, monkeypatch):
    (tmp_path / "ready_shop.py").write_text(
        "from extractor.checks.ready import calls_exactly, forbids\n"
        "refunded = calls_exactly(1, 'issue_refund')\npromises = forbids('no risk', named='promises')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [each.id for each in checks_of(["ready_shop"])] == ["calls_exactly:issue_refund", "promises"]


def test_exactly_and_at_least_name_the_list():
    """S95."""
    record = good_record()
    exactly(2, record.tool_calls)
    at_least(1, record.citations)
    for count, items, path in ((1, record.tool_calls, "tool_calls"), (2, record.citations, "citations")):
        with pytest.raises(Rejected, match=rf"len\({path}\) is {len(items)}, exactly {count} wanted") as told:
            exactly(count, items)
        assert (told.value.reason, told.value.path) == (path, path)
    empty = RunRecord({**RUN, "documents": []})
    with pytest.raises(Rejected) as told:
        at_least(1, empty.documents)
    assert told.value.reason == "documents"
    with pytest.raises(Rejected) as told:
        exactly(1, [call for call in record.tool_calls if call.name == "close"], of="tool_calls")
    assert told.value.reason == "tool_calls"
