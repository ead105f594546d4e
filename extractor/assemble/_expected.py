"""What people say the product must and must not do; empty until somebody says it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..errors import UsageError
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
    """Return the ``expected`` member; unsaid parts are null or empty. Raises `UsageError` as `restated` does."""
    unsaid: dict[str, JsonValue] = {
        "failure_statement": {"trigger": None, "prohibited": None, "evidence_needed": None},
        "prohibited_claims": [],
        "required_behaviours": [],
        "required_disclosures": [],
        "boundary": None,
        "effects": {},
        "expert_review": [],
    }
    return restated(unsaid, demanded(statement))


def demanded(statement: Statement) -> dict[str, JsonValue]:
    """Return the members of ``expected`` that a statement says, each with the parts that are said."""
    failure: dict[str, JsonValue] = {
        "trigger": statement.failure,
        "prohibited": "; ".join(statement.prohibit) or None,
        "evidence_needed": statement.evidence_needed,
    }
    disclosures = ((statement.disclosures, False), (statement.exact_disclosures, True))
    said: dict[str, JsonValue] = {
        "failure_statement": _said(failure),
        "prohibited_claims": list(statement.prohibit),
        "required_behaviours": list(statement.behaviours),
        "required_disclosures": [{"text": text, "exact": exact} for texts, exact in disclosures for text in texts],
        "boundary": _said({"check": statement.boundary, "params": dict(statement.boundary_params)}),
        "claims": _said({"prohibit": list(statement.claims), "unless": list(statement.unless)}),
        "action": statement.action,
        "policy_decision": statement.policy_decision,
        "effects": {tool: {"min": least, "max": most} for tool, (least, most) in statement.effects.items()},
        # Counts alone do not see an effect that came first (S126).
        "authorization": {"decision": statement.authorization, "before_effects": True}
        if statement.authorization
        else None,
    }
    return _said(said)


def restated(standing: Mapping[str, JsonValue], told: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return ``expected`` with what is told put in; parts of a member that are untold stay as they stand.

    Raises `UsageError` for what no replay could judge: two oracles at once, parameters of no check, exceptions to no claim.
    """
    merged = {**standing, **told}
    for name in ("failure_statement", "boundary", "claims"):
        if isinstance(parts := told.get(name), dict):
            was = standing.get(name)
            merged[name] = {**_PARTS.get(name, {}), **(was if isinstance(was, dict) else {}), **parts}
    if isinstance(said := told.get("required_disclosures"), list):
        was = standing.get("required_disclosures")
        kinds = {_exact(each) for each in said}
        merged["required_disclosures"] = [
            *(each for each in (was if isinstance(was, list) else []) if _exact(each) not in kinds),
            *said,
        ]
    _hold(merged)
    return {
        name: merged[name] for name in (*_ORDER, *(each for each in merged if each not in _ORDER)) if name in merged
    }


_PARTS: Mapping[str, Mapping[str, JsonValue]] = {
    "boundary": {"check": None, "params": {}},
    "claims": {"prohibit": [], "unless": []},
}
_ORDER = (
    *("failure_statement", "prohibited_claims", "required_behaviours", "required_disclosures", "boundary", "claims"),
    *("action", "citations", "policy_decision", "effects", "authorization", "grade", "expert_review"),
)


def _hold(merged: Mapping[str, JsonValue]) -> None:
    boundary, claims = merged.get("boundary"), merged.get("claims")
    if isinstance(boundary, dict) and isinstance(claims, dict):
        raise UsageError("a case is decided by --boundary or by --claim, not by both")
    if isinstance(boundary, dict) and not boundary.get("check"):
        raise UsageError("--boundary-params are given to a check: name it with --boundary")
    if isinstance(claims, dict) and not claims.get("prohibit"):
        raise UsageError("--unless takes a claim back: say which with --claim")


def _said(parts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in parts.items() if value}


def _exact(disclosure: JsonValue) -> bool:
    return isinstance(disclosure, dict) and disclosure.get("exact") is True


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
