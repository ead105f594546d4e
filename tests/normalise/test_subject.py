"""Who the run was for, and under which versions."""

from __future__ import annotations

from .conftest import codes, span, tool


def test_the_root_speaks_before_spans_that_started_earlier(trace):
    dependency = span(1, {"enduser.id": "svc-account"}, parent=9)
    root = span(9, {"enduser.id": "cus_1", "session.id": "s-1"})
    assert trace(dependency, root).subject.user == "cus_1"


def test_what_the_root_leaves_open_a_span_below_says(trace):
    subject = trace(span(1, {"user.id": "cus_1"}), tool(2, parent=1, more={"gen_ai.conversation.id": "s-1"})).subject
    assert (subject.user, subject.session) == ("cus_1", "s-1")


def test_versions_flags_and_claims_are_read(trace):
    attributes = {
        "app.workflow.version": "2026.1",
        "gen_ai.prompt.version": 7,
        "user.roles": "customer, supervisor",
        "app.claims.refund_limit": 100,
        "feature_flag.key": "new-refunds",
        "feature_flag.result.variant": "on",
        "eval.reward": 0.0,
        "metadata": '{"tenant": "acme", "policy_version": "refunds-v7"}',
    }
    flag = ("feature_flag.evaluation", {"feature_flag.key": "fast-path", "feature_flag.variant": "off"})
    verdict = {"gen_ai.evaluation.name": "truthful", "gen_ai.evaluation.score.value": 0.2}
    subject = trace(span(1, attributes, events=[flag, ("gen_ai.evaluation.result", verdict)], service="shop")).subject
    assert (subject.workflow_version, subject.prompt_version) == ("2026.1", "7")
    assert subject.roles == ("customer", "supervisor")
    assert subject.claims == {"refund_limit": 100}
    assert subject.flags == {"new-refunds": "on", "fast-path": "off"}
    assert (subject.tenant, subject.service, subject.policy_version) == ("acme", "shop", "refunds-v7")


def test_a_scrubbed_session_is_no_session(trace):
    told = trace(span(1, {"session.id": "[Scrubbed due to 'session']"}))
    assert told.subject.session is None
    assert codes(told) == {"masked_value": 1}


def test_nothing_is_invented(trace):
    subject = trace(span(1)).subject
    assert (subject.user, subject.roles, subject.service) == (None, (), None)
