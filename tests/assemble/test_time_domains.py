"""S31: each time domain has a rule, a sample step and a test."""

from __future__ import annotations

from typing import Any

import pytest

from extractor import ruleset
from extractor.assemble._time_domains import time_domains
from extractor.errors import RulesError
from extractor.model.config import Override, RunConfig
from extractor.model.trace import Subject, ToolCall

from ..select.traces import Builder
from .test_timing import RULES, document_of

STEPS = {
    "refund_eligibility": {"order_id": "QX-1", "return_by": "2026-03-14", "time_zone": "Europe/Lisbon"},
    "token_expiry": {"grant": {"sub": "user_1", "expires_at": "2026-03-01T10:00:00Z"}},
    "market_hours": {"venue": "north", "session_open": "09:30", "session_close": "16:00", "tz": "America/New_York"},
    "locale_dates": {"delivery": "03/04/2026"},
    "policy_rollout": {"version": "refunds@8", "effective_from": "2026-06-01"},
}


@pytest.mark.parametrize("domain", STEPS)
def test_a_step_of_each_domain_names_its_limit_and_zone(domain: str) -> None:
    build = Builder()
    result = ToolCall(
        name="get_policy", arguments={"as_of": "2026-03-14T22:59:59Z"}, result=STEPS[domain], has_result=True
    )
    build.tool(1, 2, None, result)
    config = RunConfig(override=Override(keep=("all",)))
    facts: list[Any] = document_of(build.trace(Subject(time_zone="Europe/Lisbon")), config)["facts"]
    assert facts[0] == {
        "name": "clock",
        "value": {"as_of": "2026-03-14T22:59:59Z"},
        "source": "tool_events[0].arguments",
    }
    (limit,) = [fact for fact in facts if fact["name"] == f"time.{domain}"]
    assert limit["source"] == "tool_events[0].outcome.value"
    told = STEPS[domain].get("grant", STEPS[domain])
    assert limit["value"].items() <= told.items()
    assert [name for name in ("time_zone", "tz") if name in told] == [
        name for name in ("time_zone", "tz") if name in limit["value"]
    ]


def test_what_merely_ends_in_at_is_no_clock() -> None:
    assert time_domains(RULES).facts([("x", {"created_at": "2026-03-14", "offset": 20, "at": "never"})]) == []


def test_an_object_that_repeats_is_one_fact_and_a_long_list_is_cut() -> None:
    domains = time_domains(RULES)
    same = [{"valid_from": "2026-06-01"}] * 3
    assert len(domains.facts([("x", same)])) == 1
    many = [{"valid_from": f"2026-06-{day:02}", "n": n} for n in range(9) for day in range(1, 29)]
    assert len(domains.facts([("x", many)])) == 28
    assert len(domains.facts([("x", [{"exp": n} for n in range(100)])])) == 40


def test_a_domain_that_is_not_as_its_examples_say_does_not_load() -> None:
    document = dict(RULES.documents["time"])
    document["domain"] = [{**document["domain"][0], "matches": [{"nothing": "2026-01-01"}]}]
    with pytest.raises(RulesError, match="refund_eligibility example 1 does not come out"):
        time_domains(ruleset.RuleSet(documents={"time": document}, digest=""))
