"""A case as promptfoo's test list: what the user said as variables, what must not be and must be said as assertions.

No assertion runs code. promptfoo renders texts as Nunjucks templates and loads what begins with ``file://``: texts of a
case are written so that they are neither.
"""

from __future__ import annotations

import re
from typing import Final

from ..model.json import JsonValue, compact
from ._chat import chat, user_text
from ._document import Source, items, members, text, texts
from ._exported import Exported, Warned
from ._losses import losses
from ._yaml import yaml

_LOST: Final = (
    "tool_events", "model_events", "clock", "locale", "identity", "versions", "templates", "facts", "documents",
    "final_output", "alternates", "own_checks", "unless", "inexact_disclosures", "statements", "missing_evidence",
)  # fmt: skip
_TEMPLATE = re.compile(r"\{[{%#]")
_LOADED = re.compile(r"(?:file|package|exec|python|javascript|https?)[:/]", re.IGNORECASE)


def promptfoo(source: Source) -> Exported:
    """Return a list of one test. A claim is asserted where ``expected.claims`` prohibits it without an exception."""
    said: JsonValue = compact(chat(source, [message.get("id") for message in source.said]))
    asserted = [*_prohibited(source), *_required(source)]
    test: dict[str, JsonValue] = {
        "description": source.case_id,
        "vars": {"input": _inert(user_text(source)), "messages": _inert(text(said))},
        "assert": asserted,
        "metadata": {
            "case_id": source.case_id,
            "fixture_hash": source.fixture_hash,
            "standing": source.standing,
        },
    }
    return Exported(
        text=yaml([test], comments=(f"{source.case_id}: {source.standing}",)),
        losses=losses(source, _LOST),
        warnings=() if asserted else (Warned(code="no_assertion", place="expected"),),
    )


def _prohibited(source: Source) -> list[JsonValue]:
    claims = members(source.expected.get("claims"))
    if claims.get("unless"):
        return []
    return [{"type": "not-icontains", "value": _inert(claim)} for claim in texts(claims.get("prohibit"))]


def _required(source: Source) -> list[JsonValue]:
    disclosures = items(source.expected.get("required_disclosures"))
    exact = [text(item.get("text")) for item in disclosures if item.get("exact") is True]
    return [{"type": "contains", "value": _inert(said)} for said in exact]


def _inert(said: str) -> str:
    """Return a text that renders as itself: openings of templates as expressions of their own, nothing to load in front."""
    made = _TEMPLATE.sub(lambda opening: f"{{{{ '{opening.group()}' }}}}", said)
    return f"{{{{ '' }}}}{made}" if _LOADED.match(made) else made
