"""S54 S58: only a case that answers from its recording alone may block."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.assemble import hold_lane
from extractor.errors import UsageError

WHOLE: dict[str, Any] = {
    "lane": "gate",
    "expected": {"prohibited_claims": ["The refund is complete"]},
    "model_events": [{"input": ["m1"], "output": ["m2"]}],
    "missing_evidence": [{"field": "locale", "code": "not_in_trace"}],
}


def test_a_complete_case_with_an_answer_for_every_model_call_may_be_a_gate() -> None:
    hold_lane(WHOLE)
    hold_lane({**WHOLE, "model_events": []})  # a workflow without a model is deterministic


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"expected": {"prohibited_claims": []}}, "incomplete"),
        ({"missing_evidence": [{"field": "input.messages", "code": "no_input"}]}, "cannot be replayed"),
        ({"model_events": [*WHOLE["model_events"], {"input": ["m1"], "output": []}]}, "no recorded answer"),
    ],
)
def test_any_other_is_no_gate_and_may_stand_in_the_other_lanes(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        hold_lane({**WHOLE, **changed})
    for lane in ("shadow", "provider"):
        hold_lane({**WHOLE, **changed, "lane": lane})
