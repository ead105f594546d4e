"""What checks say of a record: a verdict each, the reason, and where it was read."""

from __future__ import annotations

import asyncio
import sys
import types

import pytest

from extractor.checks.case import CheckCase
from extractor.checks.counting import exactly
from extractor.checks.declaring import Check, NotApplicable, Rejected, check, checks_of
from extractor.checks.ready import calls_exactly
from extractor.checks.record import RunRecord
from extractor.checks.running import property_of, run_all_checks
from extractor.errors import UsageError

CASE = CheckCase(name="c", now=None, expectations={"amount_cents": 4200})


def record(amount=42):
    return RunRecord(
        {"tool_calls": [{"name": "issue_refund", "arguments": {"order_id": "A-7741", "amount_cents": amount}}]}
    )


def named(body, identity=None):
    return Check(id=identity or body.__name__, body=body, module="m", line=1)


def run(body, amount=42):
    return run_all_checks(record(amount), CASE, [named(body)])


def assert_refund(record, case):
    (call,) = record.tool_calls
    assert call.arguments_parsed["amount_cents"] == case.amount_cents


def test_an_assertion_rejects_for_the_property_that_it_read_last():
    result = run(assert_refund)
    assert not result.passed
    assert (result.failed_check, result.reason) == ("assert_refund", "amount_cents")
    assert result.path == "tool_calls[0].arguments.amount_cents"
    assert result.outcomes[0].line is not None
    assert not result.outcomes[0].told
    assert run(assert_refund, 4200).passed


def test_the_word_of_a_check_for_its_reason_is_kept():
    def body(record, case):
        raise Rejected("amount_cents", path="tool_calls[0].arguments.amount_cents")

    result = run(body)
    assert (result.reason, result.outcomes[0].told) == ("amount_cents", True)


def test_false_rejects_and_nothing_or_true_accepts():
    assert run(lambda record, case: record.tool_calls[0].name == "x").reason == "name"
    assert run(lambda record, case: None).passed
    assert run(lambda record, case: True).passed


def test_any_other_answer_is_no_verdict():
    class Judging:
        def __init__(self, record, case):
            pass

    async def later(record, case):
        yield record

    for body in (
        lambda _, __: 0,
        lambda _, __: "",
        lambda record, _: record.tool_calls and record.tool_calls[9:],
        Judging,
        later,
    ):
        assert run(body).outcomes[0].verdict == "error"


def test_a_check_that_breaks_is_no_pass_and_no_rejection():
    def body(record, case):
        return record.tool_calls[0].arguments_parsed["missing"]

    result = run(body)
    assert not result.passed
    assert result.outcomes[0].verdict == "error"
    assert result.reason == "KeyError"


def test_where_a_check_stopped_is_a_line_of_its_own_module():
    def body(record, case):
        return record.tool_calls[0].no_such_member

    def counted(record, case):
        exactly(9, record.tool_calls)

    for each in (body, counted):
        assert run(each).outcomes[0].line == each.__code__.co_firstlineno + 1
    ready = run_all_checks(record(), CASE, [named(calls_exactly(7, "x"), "ready")])
    assert (ready.outcomes[0].verdict, ready.outcomes[0].line) == ("rejected", None)


def test_a_check_that_ends_the_interpreter_ends_only_itself():
    assert run(lambda record, case: sys.exit(0)).outcomes[0].verdict == "error"


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit, pytest.fail.Exception, pytest.skip.Exception])
def test_what_is_no_exception_of_the_ordinary_kind_breaks_the_check_alone(error):
    def body(record, case):
        raise error(str(record.output))

    result = run_all_checks(record(), CASE, [named(body), named(assert_refund)])
    assert [each.verdict for each in result.outcomes] == ["error", "rejected"]
    assert result.reason == error.__name__


def test_who_interrupts_is_heard():
    def body(record, case):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(body)


def test_a_value_that_is_only_looked_at_for_what_it_is_was_read():
    run_of = RunRecord({"tool_calls": [{"name": "refund", "error": {"code": "declined"}, "result": {"ok": True}}]})

    def body(record, case):
        assert record.tool_calls[0].result["ok"]
        assert record.tool_calls[0].error is None

    outcome = run_all_checks(run_of, CASE, [named(body)]).outcomes[0]
    assert "tool_calls[0].error" in outcome.reads
    assert "tool_calls[0].result" not in outcome.reads  # only the way to what was read


def test_the_document_of_a_record_is_as_frozen_and_as_watched_as_the_rest_while_a_check_judges():
    def emptied(record, case):
        record.document["tool_calls"].clear()

    def behind(record, case):
        assert record.document["tool_calls"][0]["arguments"]["amount_cents"] == case.amount_cents

    judged = record()
    result = run_all_checks(judged, CASE, [named(emptied), named(behind), named(assert_refund)])
    assert [each.verdict for each in result.outcomes] == ["error", "rejected", "rejected"]
    assert result.outcomes[1].path == "tool_calls[0].arguments.amount_cents"
    assert type(judged.document) is dict


def test_a_body_that_never_ran_is_no_pass():
    async def later(record, case):
        raise AssertionError

    def lazy(record, case):
        yield record.tool_calls
        raise AssertionError

    assert run(later).outcomes[0].verdict == "error"
    assert run(lazy).outcomes[0].verdict == "error"


def test_a_check_that_does_not_apply_says_so():
    def body(record, case):
        raise NotApplicable

    assert run(body).passed
    assert run(body).outcomes[0].verdict == "not_applicable"


def test_every_check_runs_and_the_first_that_rejects_names_the_result():
    def no(record, case):
        return record.tool_calls[0].name == "no"

    result = run_all_checks(record(), CASE, [named(no), named(assert_refund), named(no, "again")])
    assert result.failed_check == "no"
    assert [each.verdict for each in result.outcomes] == ["rejected"] * 3


def test_readings_of_one_check_are_not_those_of_the_next():
    result = run_all_checks(record(), CASE, [named(assert_refund), named(lambda record, case: None, "idle")])
    assert result.outcomes[1].reads == ()


def test_no_check_at_all_is_never_a_pass():
    with pytest.raises(ValueError, match="empty suite"):
        run_all_checks(record(), CASE, [])


@pytest.mark.parametrize(
    ("path", "name"),
    [("tool_calls[0].arguments.amount_cents", "amount_cents"), ("tool_calls", "tool_calls"), ("a.tags[3]", "tags")],
)
def test_a_property_is_the_last_name_of_a_path(path, name):
    assert property_of(path) == name


@pytest.fixture
def module(monkeypatch):
    def make(name, **members):
        made = types.ModuleType(name)
        for key, value in members.items():
            if callable(value) and value.__module__ == __name__:
                value.__module__ = name
            setattr(made, key, value)
        monkeypatch.setitem(sys.modules, name, made)
        return made

    return make


def test_checks_are_those_decorated_and_those_named_so(module):
    @check("refund-amount")
    def whatever(record, case):
        pass

    @check
    def plain(record, case):
        pass

    def check_order(record, case):
        pass

    def helper(record, case):
        pass

    module("shop_checks", whatever=whatever, plain=plain, check_order=check_order, helper=helper, check=check)
    assert [each.id for each in checks_of(["shop_checks"])] == ["refund-amount", "plain", "check_order"]


def test_one_id_twice_is_refused_and_one_check_seen_from_two_modules_is_one(module):
    first = check("same")(lambda record, case: None)
    second = check("same")(lambda record, case: None)
    module("one", a=first)
    module("two", a=first)
    module("three", a=second)
    assert len(checks_of(["one", "two"])) == 1
    with pytest.raises(UsageError, match="two checks"):
        checks_of(["one", "three"])


def test_no_check_and_no_module_are_refused(module):
    module("nothing")
    with pytest.raises(UsageError, match="no check is declared in nothing") as caught:
        checks_of(["nothing"])
    assert "assert_" in (caught.value.hint or "")
    with pytest.raises(UsageError, match="cannot be imported: there is no module no_such_module_of_checks"):
        checks_of(["no_such_module_of_checks"])


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import json\n\nimport no_such_dependency\n", "there is no module no_such_dependency"),
        ("x = 1\ndef broken(:\n", "SyntaxError, line 2"),
        ("x = 1\n\nint('a secret')\n", "ValueError, line 3"),
        ("import json\njson.loads('{secret')\n", "JSONDecodeError, line 2"),
    ],
)
def test_a_module_that_cannot_be_imported_says_what_is_missing_or_the_line_and_quotes_nothing(
    tmp_path, monkeypatch, source, why
):
    name = f"broken_{abs(hash((source, str(tmp_path))))}"
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError) as caught:
        checks_of([name])
    assert caught.value.message == f"the checks of {name} cannot be imported: {why}"


@pytest.mark.parametrize("error", [SystemExit, asyncio.CancelledError, pytest.skip.Exception])
def test_a_module_that_ends_the_interpreter_is_one_that_cannot_be_imported(tmp_path, monkeypatch, error):
    place = (
        f"from {error.__module__} import {error.__name__} as E" if error.__module__ != "builtins" else "E = SystemExit"
    )
    (tmp_path / "shop_that_leaves.py").write_text(f"{place}\nraise E(0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UsageError, match="cannot be imported"):
        checks_of(["shop_that_leaves"])


def test_a_reason_that_is_no_name_of_a_property_is_not_quoted():
    def body(record, case):
        raise Rejected(f"refunded {record.tool_calls[0].arguments_parsed['order_id']}")

    assert run(body).reason == "(no property)"
