"""What people say the product must and must not do; empty until somebody says it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model.config import Statement
from ..model.json import JsonValue

_WORD = re.compile(r"\w+")
# Words that judge, or name the answer itself, without saying what could be seen.
_JUDGEMENTS = frozenset(
    (
        "a",
        "agent",
        "all",
        "and",
        "answer",
        "answers",
        "assistant",
        "at",
        "awful",
        "bad",
        "badly",
        "bot",
        "broken",
        "bug",
        "did",
        "didn",
        "does",
        "doesn",
        "failed",
        "failure",
        "fault",
        "good",
        "happened",
        "have",
        "incorrect",
        "is",
        "issue",
        "it",
        "made",
        "model",
        "not",
        "of",
        "off",
        "output",
        "poor",
        "problem",
        "quality",
        "really",
        "reply",
        "response",
        "right",
        "so",
        "something",
        "terrible",
        "that",
        "the",
        "there",
        "this",
        "to",
        "unhelpful",
        "very",
        "was",
        "wasn",
        "weird",
        "went",
        "were",
        "with",
        "work",
        "working",
        "wrong",
    )
)


def expected(statement: Statement) -> dict[str, JsonValue]:
    """Return the ``expected`` member; unsaid parts are null or empty."""
    demands: dict[str, JsonValue] = {
        "failure_statement": {
            "trigger": statement.failure,
            "prohibited": "; ".join(statement.prohibit) or None,
            "evidence_needed": statement.evidence_needed,
        },
        "prohibited_claims": list(statement.prohibit),
        "required_behaviours": list(statement.behaviours),
        "required_disclosures": [{"text": text, "exact": True} for text in statement.disclosures],
        "boundary": {"check": statement.boundary, "params": {}} if statement.boundary else None,
        "effects": effects(statement),
    }
    if statement.authorization is not None:
        demands["authorization"] = authorization(statement)
    demands["expert_review"] = []
    return demands


def effects(statement: Statement) -> dict[str, JsonValue]:
    """Return how many accepted side effects each tool must have, as the fixture holds it."""
    return {tool: {"min": least, "max": most} for tool, (least, most) in statement.effects.items()}


def authorization(statement: Statement) -> JsonValue:
    """Return the decision that must stand before any effect: counts alone do not see an effect that came first (S126)."""
    return {"decision": statement.authorization, "before_effects": True} if statement.authorization else None


def vague(statement: Statement) -> Sequence[str]:
    """Return which parts of a given failure statement name nothing that can be observed (S6).

    Parts are trigger, prohibited and evidence_needed. A part that was not given is not vague: it is missing.
    """
    parts = {
        "trigger": (statement.failure,),
        "prohibited": statement.prohibit,
        "evidence_needed": (statement.evidence_needed,),
    }
    return tuple(
        name for name, texts in parts.items() if any(text is not None and not _observable(text) for text in texts)
    )


def _observable(text: str) -> bool:
    """Return whether a text says more than a judgement: at least two words beyond good, bad and the answer."""
    return len({word for word in _WORD.findall(text.lower()) if len(word) > 1} - _JUDGEMENTS) >= 2
