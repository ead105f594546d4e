"""Named checks decide whether the boundary held; what nothing named can decide is None (S19 S50 S126)."""

from __future__ import annotations

import contextlib

import pytest

from extractor.replay.boundary import BUILT_IN, Verdict
from extractor.replay.session import Session

from .documents import call, case

PAY = call(1, "pay", {"order": "O-1"}, {}, side_effect="accepted")


def judged(agent, *events, checks=None, **told):
    return Session(case(*events, **told), version="v", checks=checks).run(agent).verdict


def says(text):
    return lambda _text: text


def pays(incident):
    incident.call_tool("pay", {"order": "O-1"})
    return "ok"


def test_without_a_named_check_there_is_no_oracle():
    verdict = judged(says("the refund is done"))
    assert verdict.passed is None
    assert "no oracle" in verdict.reason


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("The refund  is DONE.", False),
        ("The refund is not done.", True),
        ("I cannot confirm that the refund is done.", True),
        (None, None),  # an answer that nobody gave, or that a test forgot to hand over, shows nothing
        (" ", None),
        ({"answer": "the refund is done"}, False),
    ],
)
def test_claims_are_texts_in_the_final_output_unless_taken_back(said, held):
    """Who says nothing has claimed nothing, and has answered nobody: that is for people."""
    claims = {"prohibit": ["the refund is done"], "unless": ["cannot confirm"]}
    assert judged(says(said), expected={"claims": claims}).passed is held


@pytest.mark.parametrize(
    ("effect", "bounds", "held"),
    [
        ("accepted", (1, 1), True),
        ("accepted", (0, 0), False),
        ("accepted", (0, 0.0), False),
        ("accepted", (2, None), False),
        ("none", (0, 0), True),
        ("unknown", (0, 0), None),
        ("unknown", (1, 1), None),
        ("unknown", (0, 1), True),
    ],
)
def test_side_effects_are_counted_and_unknown_ones_are_not_guessed(effect, bounds, held):
    """S50."""
    expected = {"effects": {"pay": {"min": bounds[0], "max": bounds[1]}}}
    assert judged(pays, {**PAY, "side_effect": effect}, expected=expected).passed is held


def decides(*steps):
    def agent(incident):
        for step in steps:
            if step == "pay":
                incident.call_tool("pay", {"order": "O-1"})
            else:
                incident.effects.decide("authorization", step)
        return "ok"

    return agent


@pytest.mark.parametrize(
    ("steps", "held"),
    [
        (("allow", "pay"), True),
        (("pay", "allow"), False),
        (("pay",), False),
        (("deny", "pay"), False),
    ],
)
def test_a_side_effect_before_its_authorization_is_a_violation_whatever_is_said(steps, held):
    """S126."""
    expected = {"authorization": {"decision": "allow", "before_effects": True}}
    assert judged(decides(*steps), PAY, expected=expected).passed is held


def test_an_authorization_that_nobody_recorded_is_not_judged():
    expected = {"authorization": {"decision": "allow", "before_effects": True}}
    assert judged(says("ok"), expected=expected).passed is None


@pytest.mark.parametrize(("owner", "held"), [("cust_1", True), ("cust_2", False), (None, True)])
def test_a_side_effect_on_what_belongs_to_another_is_a_violation(owner, held):
    """S13."""
    who = {"subject": "cust_1", "tenant": None, "roles": [], "claims": {}}
    who["resources"] = [{"type": "order", "id": "O-1", "owner": owner}]
    boundary = {"check": "ownership", "params": {}}
    assert judged(pays, PAY, identity=who, expected={"boundary": boundary}).passed is held


def decides_and_says(decision, text):
    def agent(incident):
        incident.effects.decide("policy", decision)
        return text

    return agent


@pytest.mark.parametrize(
    ("expected", "good", "bad"),
    [
        ({"action": "pay"}, pays, says("paid")),
        ({"claims": {"prohibit": ["paid"], "unless": []}}, says("I cannot say."), says("It is paid.")),
        ({"citations": ["policy 7"]}, says("By policy 7, no."), says("No.")),
        ({"policy_decision": "hand_over"}, decides_and_says("hand_over", "x"), decides_and_says("refund", "x")),
    ],
)
def test_an_action_a_claim_a_citation_and_a_decision_each_decide(expected, good, bad):
    """S135: the sequence of tools decides before any of them."""
    assert [judged(agent, PAY, expected=expected).passed for agent in (good, bad)] == [True, False]


def test_the_action_is_a_call_and_not_its_prose():
    """S40."""
    assert judged(pays, PAY, expected={"action": "pay"}).passed is True
    assert judged(says("I have called pay."), PAY, expected={"action": "pay"}).passed is False


def test_only_mandated_words_are_compared_word_by_word():
    """S19 S68."""
    told = [{"text": "Refunds take 5 days.", "exact": True}, {"text": "be kind", "exact": False}]
    assert judged(says("Refunds take 5 days. Bye."), expected={"required_disclosures": told}).passed is True
    assert judged(says("refunds take 5 days"), expected={"required_disclosures": told}).passed is False


def test_every_data_check_of_a_case_must_hold_and_the_first_that_fails_is_told():
    """S50: the message is right and the effect is still there."""
    expected = {"claims": {"prohibit": ["done"], "unless": []}, "effects": {"pay": {"min": 0, "max": 0}}}
    verdict = judged(pays, PAY, expected=expected)
    assert (verdict.passed, verdict.check) == (False, "effects")


def test_a_check_of_the_project_is_given_the_run_and_the_parameters():
    def polite(run, params):
        return Verdict(passed=params["word"] in run.output, check="polite", reason="r")

    boundary = {"check": "polite", "params": {"word": "please"}}
    assert judged(says("yes, please"), checks={"polite": polite}, expected={"boundary": boundary}).passed is True


def test_a_check_that_nobody_knows_cannot_pass():
    boundary = {"check": "gone", "params": {}}
    assert judged(says("x"), expected={"boundary": boundary}).passed is None


def test_an_effect_that_is_out_of_bounds_is_out_whether_or_not_the_run_ended():
    def pays_and_crashes(incident):
        pays(incident)
        raise ValueError

    expected = {"effects": {"pay": {"min": 0, "max": 0}}}
    assert judged(pays_and_crashes, PAY, expected=expected).passed is False


def test_every_built_in_check_says_what_it_is():
    assert all(check.__doc__ for check in BUILT_IN.values())


@pytest.mark.parametrize(("second", "held"), [("k1", True), ("k2", None)])
def test_an_unknown_attempt_is_settled_when_its_own_key_is_accepted(second, held):
    """S39: one key is one effect, however many attempts it took to know."""
    first = call(1, "pay", {"key": "k1"}, TimeoutError("?"), side_effect="unknown", idempotency_key="k1")
    again = call(2, "pay", {"key": second}, {}, side_effect="accepted", idempotency_key=second)

    def agent(incident):
        with contextlib.suppress(RuntimeError):
            incident.call_tool("pay", {"key": "k1"})
        incident.call_tool("pay", {"key": second})
        return "ok"

    assert judged(agent, first, again, expected={"effects": {"pay": {"min": 1, "max": 1}}}).passed is held
