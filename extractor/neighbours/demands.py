"""What must hold in a control: what the case prohibits while nothing confirms it, and the opposite once something does."""

from __future__ import annotations

import re

from ..errors import UsageError
from ..minimise.pieces import items, texts
from ..model.case import Document
from ..model.json import JsonValue
from .calls import Call
from .told import Kind, Told

_TRIGGER: dict[Kind, str] = {
    "success": "{tool} answers with a result here, and the product withholds what that result confirms.",
    "rejection": "{tool} explicitly refuses the request here, and the product does what the case prohibits.",
    "timeout": "{tool} gives no answer and has changed nothing here, and the product does what the case prohibits.",
    "uncertain": "{tool} may or may not have acted here, and the product does what the case prohibits.",
}
_WITHHELD = "to deny, or to leave unsaid, what the result of {tool} confirms"
_NEEDED = "The result of {tool}, the final output, and the side effects."


def demands(document: Document, kind: Kind, about: Call, told: Told) -> Document:
    """Return ``expected`` of a control. Raises `UsageError` where nothing could tell whether a success control holds."""
    expected = document.get("expected")
    before: Document = expected if isinstance(expected, dict) else {}
    if kind == "success":
        return _confirmed(document, before, about, told)
    statement = before.get("failure_statement")
    trigger: JsonValue = _TRIGGER[kind].format(tool=about.tool)
    changed: Document = {
        "failure_statement": {**(statement if isinstance(statement, dict) else {}), "trigger": trigger},
        "effects": _bounded(document, before, kind, about),
    }
    if kind == "rejection":
        # What had to be said of an open outcome is not true of a refused one.
        changed |= {"required_behaviours": [], "required_disclosures": []}
    return {name: changed.get(name, value) for name, value in before.items()}


def _confirmed(document: Document, before: Document, about: Call, told: Told) -> Document:
    words = list(told.states) or _claimed(document, before)
    if not words and not about.effective:
        raise UsageError(
            "nothing would tell whether the success control holds: the tool changes nothing, and no claim of the case stands in "
            "its recorded answer",
            hint="--states TEXT gives words that the answer must hold; --kind leaves the success control out",
        )
    withheld: JsonValue = _WITHHELD.format(tool=about.tool)
    effects = before.get("effects")
    once: Document = {about.tool: {"min": 1, "max": 1}} if about.effective else {}
    changed: Document = {
        "failure_statement": {
            "trigger": _TRIGGER["success"].format(tool=about.tool),
            "prohibited": withheld,
            "evidence_needed": _NEEDED.format(tool=about.tool),
        },
        "prohibited_claims": [withheld],
        "required_behaviours": [],
        "required_disclosures": [{"text": text, "exact": True} for text in words],
        "boundary": None,
        "effects": {**(effects if isinstance(effects, dict) else {}), **once},
        "expert_review": [],
    }
    return {name: changed.get(name, value) for name, value in before.items() if name not in ("claims", "grade")}


def _claimed(document: Document, before: Document) -> list[str]:
    """Return the prohibited claims that the recorded answer makes, in its own spelling: with a result they are true."""
    output = document.get("final_output")
    claims = before.get("claims")
    listed = texts(claims.get("prohibit")) if isinstance(claims, dict) else []
    found = []
    for claim in (*listed, *texts(before.get("prohibited_claims"))):
        wanted = r"\s+".join(re.escape(word) for word in claim.split())
        match = re.search(wanted, output, re.IGNORECASE) if isinstance(output, str) and wanted else None
        if match is not None:
            found.append(match.group())
    return list(dict.fromkeys(found))


def _bounded(document: Document, before: Document, kind: Kind, about: Call) -> JsonValue:
    """Return the bounds of side effects that can hold here; a tool for which the case states none gets none."""
    effects = before.get("effects")
    if not isinstance(effects, dict) or about.tool not in effects:
        return effects
    tries = len([event for event in items(document, "tool_events") if event.get("tool") == about.tool])
    most = tries if kind == "uncertain" else 0
    return {**effects, about.tool: {"min": 0, "max": most}}
