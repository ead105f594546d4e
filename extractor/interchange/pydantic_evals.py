"""A case as a dataset of pydantic-evals: what the user said as inputs, the case's id and what people expect as metadata."""

from __future__ import annotations

from typing import Final

from ..model.json import JsonValue
from ._chat import chat
from ._document import Source, items, members, text, texts
from ._exported import Exported, Warned
from ._losses import losses
from ._yaml import yaml

_LOST: Final = (
    "tool_events", "model_events", "clock", "locale", "identity", "versions", "templates", "facts", "documents",
    "final_output", "alternates", "checks", "inexact_disclosures", "missing_evidence",
)  # fmt: skip


def pydantic_evals(source: Source) -> Exported:
    """Return a dataset of one case.

    It has no ``expected_output``: what the agent said last is the recorded failure. What must be said exactly is asserted by
    ``Contains``; no evaluator of the library's own asserts that something is absent.
    """
    disclosures = items(source.expected.get("required_disclosures"))
    exact = [text(item.get("text")) for item in disclosures if item.get("exact") is True]
    case: dict[str, JsonValue] = {
        "name": source.case_id,
        "inputs": {"messages": chat(source, [message.get("id") for message in source.said])},
        "metadata": {
            "case_id": source.case_id,
            "fixture_hash": source.fixture_hash,
            "standing": source.standing,
            "prohibited_claims": [*texts(source.expected.get("prohibited_claims"))],
            "prohibited_texts": [*texts(members(source.expected.get("claims")).get("prohibit"))],
            "required_behaviours": [*texts(source.expected.get("required_behaviours"))],
        },
    }
    if exact:
        case["evaluators"] = [{"Contains": {"value": said, "case_sensitive": True}} for said in exact]
    dataset: JsonValue = {"name": source.case_id, "cases": [case]}
    return Exported(
        text=yaml(dataset, comments=(f"{source.case_id}: {source.standing}",)),
        losses=losses(source, _LOST),
        warnings=() if exact else (Warned(code="no_assertion", place="expected"),),
    )
