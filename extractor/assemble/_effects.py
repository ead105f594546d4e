"""What each attempt changed in the world: from its tool's nature, its evidence, and what later attempts show of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model.calls import Call, logical_key
from ..model.evidence import Evidence
from ..model.json import JsonValue, leaves
from ._nature import Nature
from ._policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """``kind`` is none, accepted, rejected or unknown; ``lacks`` the code of what is missing when it is unknown."""

    kind: str
    lacks: str | None = None


_NONE, _ACCEPTED, _REJECTED = Effect(kind="none"), Effect(kind="accepted"), Effect(kind="rejected")
_UNKNOWN = Effect(kind="unknown", lacks="effect_unknown")


def effects(calls: Sequence[Call], evidence: Sequence[Evidence], nature: Nature, tables: Policy) -> list[Effect]:
    """Return the side effect of each attempt.

    A replayed answer, a refusal because the object exists already, and a later read that shows the key prove that an
    earlier attempt took effect.
    """
    found = [
        _alone(call, seen, nature.changes(call.tool.name), tables) for call, seen in zip(calls, evidence, strict=True)
    ]
    groups: dict[tuple[str, str], list[int]] = {}
    for index, (call, seen) in enumerate(zip(calls, evidence, strict=True)):
        earlier = groups.setdefault(logical_key(call.tool), [])
        accepted = any(found[each].kind == "accepted" for each in earlier)
        if seen.replayed:
            found[index] = _NONE
        elif found[index].kind == "accepted" and accepted and call.tool.idempotency_key is not None:
            # With one key a service should answer again without acting again; nothing here shows that it did.
            found[index] = Effect(kind="unknown", lacks="effect_repeated")
        if (seen.replayed or _twin(call, seen, tables)) and not accepted:
            _settle(found, earlier)
        earlier.append(index)
    for index, call in enumerate(calls):
        if found[index].kind == "unknown" and _shown_later(call, calls[index + 1 :], nature):
            found[index] = _ACCEPTED
    return found


def succeeded(call: Call, seen: Evidence) -> bool:
    """Return whether the attempt came back without an error, its result recorded or not."""
    failed = call.own and (call.step.error_type is not None or call.step.span.status_code == "error")
    return call.tool.error is None and (call.tool.has_result or (not failed and seen.ended_by == "response"))


def _alone(call: Call, seen: Evidence, changes: bool | None, tables: Policy) -> Effect:  # one line a rule
    if changes is None and tables.methods & set(seen.methods):
        changes = True
    if changes is None and seen.methods and tables.safe_methods.issuperset(seen.methods):
        changes = False
    if changes is False:
        return _NONE
    if changes is None:
        return _UNKNOWN
    if seen.refused:
        return _REJECTED
    if seen.completed.answer == "yes":
        return _ACCEPTED
    if seen.dispatched.answer == "no":
        return _NONE
    if succeeded(call, seen):
        return _UNKNOWN if tables.denies(call.tool.result) else _ACCEPTED
    return _UNKNOWN


def _twin(call: Call, seen: Evidence, tables: Policy) -> bool:
    """Return whether the dependency declined an attempt because an earlier one of the same key had taken effect."""
    if not seen.refused or call.tool.idempotency_key is None:
        return False
    told = [
        call.tool.error,
        call.step.error_message,
        *(leaf for _, leaf in leaves(call.tool.result) if isinstance(leaf, str)),
    ]
    return any(tables.says("duplicate", text) for text in told)


def _settle(found: list[Effect], earlier: Sequence[int]) -> None:
    """Take the first open attempt as the one that took effect."""
    first = next((each for each in earlier if found[each].kind == "unknown"), None)
    if first is not None:
        found[first] = _ACCEPTED


def _shown_later(call: Call, later: Sequence[Call], nature: Nature) -> bool:
    """Return whether a later read shows an object that carries the attempt's own key."""
    key = call.tool.idempotency_key
    if key is None or nature.changes(call.tool.name) is False:
        return False
    return any(nature.changes(each.tool.name) is False and _holds(each.tool.result, key) for each in later)


def _holds(result: JsonValue, key: str) -> bool:
    return any(leaf == key for _, leaf in leaves(result))
