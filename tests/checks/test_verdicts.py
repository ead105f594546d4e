"""The chapter's distinctions: no teeth, another check, another property, a good run rejected, a check that is gone."""

from __future__ import annotations

import json

import pytest

from extractor.checks.declaring import NotApplicable, Rejected
from extractor.checks.loading import load_fixture
from extractor.checks.suite import Suite
from extractor.checks.verdicts import judge
from extractor.errors import UsageError

from .conftest import ACCEPT, REJECT, assert_refund, blanket, cited, document, named, vacuous, write


@pytest.fixture
def both(suite_folder):
    return load_fixture(suite_folder / "refund-reject"), load_fixture(suite_folder / "refund-accept")


def faults(fixture, *checks, twin=None):
    return list(judge(fixture, checks or [named(assert_refund)], twin).faults)


def test_a_check_that_separates_the_pair_on_the_amount_alone_holds(both):
    reject, accept = both
    judged = judge(reject, [named(assert_refund)], accept)
    assert (judged.faults, judged.proof, judged.twin) == ((), "turned", "refund-accept")
    assert judge(accept, [named(assert_refund)], reject).held


def test_without_a_twin_the_reason_is_only_known_to_be_read(both):
    assert judge(both[0], [named(assert_refund)]).proof == "read"


def test_a_check_without_teeth_is_caught_by_the_reject_fixture(both):
    """S106."""
    assert faults(both[0], named(vacuous)) == ["fixture was accepted; the check has no teeth"]
    assert faults(both[1], named(vacuous)) == []


def test_a_check_that_rejects_everything_is_caught_by_the_accept_fixture(both):
    """S106."""
    assert faults(both[1], named(blanket)) == ["good run rejected by assert_refund"]


def test_it_matters_which_check_rejects(both, tmp_path):
    """S100."""
    fixture = load_fixture(write(tmp_path / "uncited", expect=REJECT, record=document(citations=[])))
    told = faults(fixture, named(cited, "assert_cited"), named(assert_refund))
    assert told == ["rejected by assert_cited, expected assert_refund"]


def test_a_rejection_for_a_missing_citation_is_no_evidence_for_the_amount(both, tmp_path):
    fixture = load_fixture(write(tmp_path / "uncited", expect=REJECT, record=document(citations=[])))
    assert faults(fixture, named(cited)) == ["rejected for citations, expected amount_cents"]

    def plain(record, case):
        assert record.citations

    assert faults(fixture, named(plain)) == ["rejected for citations, expected amount_cents"]


def test_a_check_that_reads_the_amount_and_rejects_for_something_else_does_not_turn_on_it(both, tmp_path):
    """S100 S101."""

    def keyed(record, case):
        call = record.tool_calls[0]
        assert call.arguments_parsed["amount_cents"] > 0
        assert record.citations, "no citation"

    reject = load_fixture(write(tmp_path / "uncited", expect=REJECT, record=document(citations=[])))
    assert faults(reject, named(keyed), twin=both[1]) == ["the check does not turn on amount_cents"]


def test_a_check_that_says_the_reason_and_never_looked_is_found_out(both):
    def pretending(record, case):
        if record.output.startswith("Your refund"):
            raise Rejected("amount_cents")

    assert faults(both[0], named(pretending)) == ["assert_refund names amount_cents and never read it"]


def test_a_pair_with_one_amount_cannot_show_that_the_check_turns_on_it(both, tmp_path):
    def by_output(record, case):
        assert record.tool_calls[0].arguments_parsed["amount_cents"]
        assert record.output != "bad"

    reject = load_fixture(write(tmp_path / "same", expect=REJECT, record=document(4200, output="bad")))
    assert faults(reject, named(by_output), twin=both[1]) == ["the check does not turn on amount_cents"]


def test_the_message_of_an_assertion_may_read_what_it_likes(both):
    # conftest's own check reads the call's name last, in its message.
    result = judge(both[0], [named(assert_refund)]).result
    assert (result.reason, judge(both[0], [named(assert_refund)]).held) == ("name", True)


def test_a_missing_call_is_rejected_for_the_calls(both, tmp_path):
    expect = "verdict: reject\nby: assert_refund\nreason: tool_calls\n"
    reject = load_fixture(write(tmp_path / "idle", expect=expect, record=document(tool_calls=[])))
    judged = judge(reject, [named(assert_refund)], both[1])
    assert (judged.faults, judged.proof) == ((), "turned")


def test_arguments_that_are_kept_as_text_are_exchanged_as_text(tmp_path):
    def by_text(record, case):
        assert json.loads(record.tool_calls[0].arguments)["amount_cents"] == case.amount_cents

    def written(amount):
        return document(tool_calls=[{"name": "issue_refund", "arguments": json.dumps({"amount_cents": amount})}])

    reject = load_fixture(write(tmp_path / "a-reject", expect=REJECT, record=written(42)))
    accept = load_fixture(write(tmp_path / "a-accept", expect=ACCEPT, record=written(4200)))
    assert judge(reject, [named(by_text)], accept).proof == "turned"


@pytest.mark.parametrize("said", ["output", "output_text", None])
@pytest.mark.parametrize(("wrapped", "expected"), [(False, "output"), (False, "output_text"), (True, "output_text")])
def test_the_text_of_the_output_is_the_output_where_the_record_keeps_no_other(tmp_path, wrapped, said, expected):
    """``output_text`` is a member of every record: that it was read, and told as the reason, is not taken for a lie."""

    def claims(record, case):
        done = "is done" not in record.output_text
        if said is None:
            assert done
        elif not done:
            raise Rejected(said)

    def output(text):
        return document(output={"message": text, "code": 1} if wrapped else text)

    expect = f"verdict: reject\nby: claims\nreason: {expected}\n"
    reject = load_fixture(write(tmp_path / "a-reject", expect=expect, record=output("It is done.")))
    accept = load_fixture(
        write(tmp_path / "a-accept", expect="verdict: accept\nby: claims\n", record=output("Not yet."))
    )
    judged = judge(reject, [named(claims, "claims")], accept)
    assert (judged.faults, judged.proof) == ((), "turned")


def test_a_text_of_the_output_that_nothing_read_is_no_reason(tmp_path):
    def claims(record, case):
        if record.citations:
            raise Rejected("output_text")

    reject = load_fixture(write(tmp_path / "a", expect="verdict: reject\nby: claims\nreason: output_text\n"))
    assert faults(reject, named(claims, "claims")) == ["claims names output_text and never read it"]


@pytest.mark.parametrize("place", [0, 1])
def test_a_check_that_was_renamed_or_deleted_fails_both_halves(both, place):
    told = faults(both[place], named(assert_refund, "assert_money"))
    assert "no check is called assert_refund: it was renamed or deleted" in told


def test_a_weakened_check_is_caught(both):
    def weakened(record, case):
        assert record.tool_calls[0].arguments_parsed["amount_cents"] > 0

    assert faults(both[0], named(weakened)) == ["fixture was accepted; the check has no teeth"]


def test_a_check_that_breaks_has_rejected_nothing(both):
    def broken(record, case):
        return record.tool_calls[0].arguments_parsed["currency"]

    assert faults(both[0], named(broken))[0].startswith("assert_refund broke (KeyError, line ")
    assert faults(both[1], named(broken))[0].startswith("assert_refund broke on a good run (KeyError, line ")


def test_an_accept_fixture_names_a_check_that_says_something_of_it(both, tmp_path):
    def idle(record, case):
        raise NotApplicable

    assert faults(both[1], named(idle)) == ["assert_refund says nothing of this run: it is no evidence for the check"]
    unnamed = load_fixture(write(tmp_path / "unnamed", expect="verdict: accept\n", record=document(4200)))
    assert faults(unnamed)[0].startswith("no check is named")
    assert judge(unnamed, [named(assert_refund)], both[0]).by == "assert_refund"


def test_a_suite_judges_all_by_name_and_holds_a_folder(suite_folder):
    suite = Suite.at(suite_folder, checks=[named(assert_refund)])
    assert [each.name for each in suite.folders] == ["refund-accept", "refund-reject"]
    heard = []
    report = suite.judged(lambda fixture, outcome: heard.append((fixture.name, outcome.verdict)))
    assert report.held
    assert heard == [("refund-accept", "accepted"), ("refund-reject", "rejected")]
    assert report.seconds["assert_refund"] > 0
    for folder in suite.folders:
        suite.hold(folder)
    with pytest.raises(AssertionError, match="no teeth"):
        Suite.at(suite_folder, checks=[named(vacuous)]).hold(suite_folder / "refund-reject")


def test_one_fixture_that_cannot_be_read_hides_no_other(suite_folder):
    (suite_folder / "refund-accept" / "record.json").write_text("{")
    suite = Suite.at(suite_folder, checks=[named(vacuous)])
    report = suite.judged()
    assert [(each.name, each.unreadable, each.held) for each in report.judgements] == [
        ("refund-accept", True, False),
        ("refund-reject", False, False),
    ]
    with pytest.raises(AssertionError, match="not JSON"):
        suite.hold(suite_folder / "refund-accept")


def test_an_empty_suite_is_never_a_pass(tmp_path, suite_folder):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="no fixture"):
        Suite.at(empty, checks=[named(assert_refund)])
    with pytest.raises(UsageError, match="no check"):
        Suite.at(suite_folder, checks=[])


def test_a_check_that_does_not_say_the_same_of_the_same_run_proves_nothing(both):
    asked = []

    def now_and_then(record, case):
        asked.append(record.tool_calls[0].arguments_parsed["amount_cents"])
        assert len(asked) % 2 == 0

    assert faults(both[0], named(now_and_then)) == [
        "assert_refund says something else when it is asked again: what it says hangs on more than the run"
    ]
    asked.clear()
    asked.append(0)
    assert "asked again" in faults(both[1], named(now_and_then))[0]


@pytest.mark.parametrize("reason", ["output_text", "output", "message"])
def test_the_text_of_an_output_is_a_property_too(tmp_path, reason):
    def polite(record, case):
        assert "guaranteed" not in record.output_text

    expect = f"verdict: reject\nby: assert_refund\nreason: {reason}\n"
    bad = write(tmp_path / "a-reject", expect=expect, record=document(output={"message": "It is guaranteed."}))
    good = write(tmp_path / "a-accept", expect=ACCEPT, record=document(output={"message": "It is likely."}))
    judged = judge(load_fixture(bad), [named(polite)], load_fixture(good))
    assert (judged.faults, judged.proof) == ((), "turned")


def test_an_error_that_is_an_object_is_a_property_though_only_its_being_there_is_asked(tmp_path):
    def succeeded(record, case):
        if record.tool_calls[0].error is not None:
            raise Rejected("error")

    def ended(error):
        return document(tool_calls=[{"name": "issue_refund", "arguments": {}, "error": error}])

    expect = "verdict: reject\nby: assert_refund\nreason: error\n"
    bad = load_fixture(write(tmp_path / "a-reject", expect=expect, record=ended({"code": "declined"})))
    good = load_fixture(write(tmp_path / "a-accept", expect=ACCEPT, record=ended(None)))
    judged = judge(bad, [named(succeeded)], good)
    assert (judged.faults, judged.proof) == ((), "turned")
