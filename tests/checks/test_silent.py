"""Loops that never ran, and ``all([])``, while checks looked at real records (S94)."""

from __future__ import annotations

import itertools
import sys
import textwrap

import pytest

from extractor.checks.case import CheckCase
from extractor.checks.record import RunRecord
from extractor.checks.silent import silent
from extractor.errors import UsageError

NUMBERS = itertools.count()
REFUND = {"name": "issue_refund", "arguments": {"order_id": "O-1"}}
CASE = CheckCase(name="case", now=None, expectations={"order_id": "O-1"})
CHAPTER = """
    def assert_refund(record, case):
        for call in record.tool_calls:
            assert call.name == "issue_refund"
            assert call.arguments_parsed["order_id"] == case.order_id
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def made(source):
        name = f"checks_{next(NUMBERS)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source))
        return name

    return made


def runs(**records):
    return [(name, RunRecord({"tool_calls": calls, "output": "done"}), CASE) for name, calls in records.items()]


def told(name, **records):
    return [(each.line, each.check, each.ran, each.records) for each in silent([name], runs(**records))]


def test_a_loop_that_never_ran_is_named_with_the_records_that_its_check_let_pass(module):
    (found,) = silent([module(CHAPTER)], runs(empty=[], also=[]))
    assert (found.line, found.check, found.ran, found.records) == (3, "assert_refund", 0, ("empty", "also"))
    assert found.text().endswith(
        ".py:3: the loop over record.tool_calls never ran, in 2 records; assert_refund accepted 2 of them without it: empty, also"
    )


def test_a_run_with_calls_makes_the_empty_one_no_better(module):
    name = module(CHAPTER)
    assert told(name, good=[REFUND]) == []
    assert told(name, good=[REFUND], empty=[]) == [(3, "assert_refund", 1, ("empty",))]


def test_a_check_that_says_how_many_there_are_is_not_named(module):
    mended = CHAPTER.replace("        for", "        assert len(record.tool_calls) == 1\n        for")
    assert told(module(mended), good=[REFUND], empty=[]) == []
    after = CHAPTER + "        assert record.tool_calls\n"
    assert told(module(after), good=[REFUND], empty=[]) == []


@pytest.mark.parametrize(
    "claim",
    [
        "assert all(call.name for call in record.tool_calls)",
        "assert all([call.name for call in record.tool_calls])",
        "assert not any(call.name != 'issue_refund' for call in record.tool_calls)",
        "return all(call.name for call in record.tool_calls)",
        "names = [call.name for call in record.tool_calls]; assert all(names)",
        "calls = list(record.tool_calls)\n        while calls:\n            assert calls.pop()",
    ],
)
def test_all_of_nothing_and_loops_by_other_words_are_named(module, claim):
    name = module(f"""
    def assert_it(record, case):
        {claim}
    """)
    assert told(name, good=[REFUND]) == []
    ((line, check, ran, records),) = told(name, good=[REFUND], empty=[])
    assert (check, ran, records) == ("assert_it", 1, ("empty",))
    assert line in (3, 4)


def test_loops_that_judge_nothing_and_checks_that_do_not_apply_are_not_named(module):
    name = module("""
    from extractor.checks.declaring import NotApplicable

    def assert_first(record, case):
        for call in record.tool_calls:
            print(call.name)

    def assert_second(record, case):
        if not record.tool_calls:
            raise NotApplicable
        for call in record.tool_calls:
            assert call.name
    """)
    assert told(name, empty=[]) == []


def test_a_check_answers_and_is_told_where_it_stopped_as_ever(module):
    """What is watched judges as what is not: laziness, order and errors are those of the source."""
    name = module("""
    def assert_first(record, case):
        numbers = (1 / number for number in (1, 0))
        assert not all(each < 1 for each in numbers)

    def assert_any(record, case):
        assert any(call.name == "issue_refund" for call in record.tool_calls)
    """)
    assert told(name, good=[REFUND], empty=[]) == []


def test_modules_that_are_not_named_and_what_was_loaded_before_stay_as_they_are(module):
    name = module(CHAPTER)
    loaded = __import__(name)
    assert told(name, empty=[]) != []
    assert sys.modules[name] is loaded
    assert "@" not in "".join(vars(loaded))
    absent = module(CHAPTER)
    assert told(absent, empty=[]) != []
    assert absent not in sys.modules


def test_no_record_and_no_check_are_no_result(module):
    with pytest.raises(UsageError):
        silent([module(CHAPTER)], [])
    with pytest.raises(UsageError):
        silent([module("x = 1")], runs(empty=[]))
    with pytest.raises(UsageError):
        silent(["checks_absent"], runs(empty=[]))


def test_a_loop_that_leaves_the_claim_to_a_function_is_watched_too(module):
    source = """
        def hold(call):
            assert call.name == "issue_refund"

        def assert_refund(record, case):
            for call in record.tool_calls:
                hold(call)
    """
    assert told(module(source), good=[REFUND], empty=[]) == [(6, "assert_refund", 1, ("empty",))]
