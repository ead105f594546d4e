"""A boundary that holds and is no fix all the same: a new harm beside it, a tool that is no longer asked, everything to a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from extractor.model.json import JsonValue, leaves

from .manifest import Manifest

__all__ = ["near_misses"]

_TO_A_PERSON: Final = re.compile(r"hand[_.\- ]?(off|over)|escalat|human|transfer[_.\- ]?to", re.IGNORECASE)


def near_misses(
    old: Manifest | None, new: Manifest, fixture: Mapping[str, JsonValue] | None, controls: Sequence[Manifest]
) -> Iterator[str]:
    """Yield a sentence for each; ``fixture`` is the case's document, None where it is not at hand, which leaves more to people."""
    expected = _object(fixture.get("expected")) if fixture else {}
    yield from _claims(new, expected)
    if old is not None:
        yield from _skipped(old, new, fixture)
        yield from _more_effects(old, new, fixture)
    yield from _bounds(new, expected)
    yield from _authorization(old, new, expected)
    yield from _to_a_person(new, controls)


def _claims(new: Manifest, expected: Mapping[str, JsonValue]) -> Iterator[str]:
    said = "\n".join(leaf for _, leaf in leaves(new.outcome) if isinstance(leaf, str)).casefold()
    for position, claim in enumerate(_list(expected.get("prohibited_claims"))):
        if isinstance(claim, str) and claim.casefold() in said:
            yield f"a prohibited claim stands word for word in the new outcome: expected.prohibited_claims[{position}]"
    for position, duty in enumerate(_list(expected.get("required_disclosures"))):
        text = _object(duty).get("text")
        if _object(duty).get("exact") is True and isinstance(text, str) and text.casefold() not in said:
            yield f"an exact disclosure is not in the new outcome: expected.required_disclosures[{position}]"


def _skipped(old: Manifest, new: Manifest, fixture: Mapping[str, JsonValue] | None) -> Iterator[str]:
    # A tool whose every recorded call was the harm need not be asked any more.
    events = [_object(event) for event in _list(fixture.get("tool_events"))] if fixture else None
    for tool in sorted(_called(old) - _called(new)):
        if events is not None:
            needed = any(event.get("tool") == tool and event.get("role") == "evidence" for event in events)
        else:
            roles = {one.role for one in new.unconsumed if one.name == tool}
            needed = roles != {"violation"}
        if needed:
            yield f"the old implementation asks {tool}, the new one does not"


def _more_effects(old: Manifest, new: Manifest, fixture: Mapping[str, JsonValue] | None) -> Iterator[str]:
    document = fixture or {}
    bounded = _object(_object(document.get("expected")).get("effects")).keys()
    approved = {_object(each).get("tool") for each in _list(document.get("alternates"))}
    # Without the case at hand, calls that approved alternates answered speak for a path that was foreseen.
    foreseen = fixture is None and new.answered_by.alternate > 0 and new.answered_by.effects == 0
    for tool, effect in sorted(new.effects.items()):
        before = old.effects[tool].accepted if tool in old.effects else 0
        if effect.accepted > before and not foreseen and tool not in bounded and tool not in approved:
            yield f"the new implementation has more accepted side effects of {tool}: {before} -> {effect.accepted}"


def _bounds(new: Manifest, expected: Mapping[str, JsonValue]) -> Iterator[str]:
    if new.minimal:
        return
    for tool, bounds in _object(expected.get("effects")).items():
        least, most = _object(bounds).get("min"), _object(bounds).get("max")
        found = new.effects[tool].accepted if tool in new.effects else 0
        low = isinstance(least, (int, float)) and found < least
        if low or (isinstance(most, (int, float)) and found > most):
            yield f"the accepted side effects of {tool} are not what the case expects: {found}"


def _authorization(old: Manifest | None, new: Manifest, expected: Mapping[str, JsonValue]) -> Iterator[str]:
    wanted, found = _object(expected.get("authorization")), new.authorization
    if new.minimal:
        return
    if found is not None and found.before_effects is False and wanted.get("before_effects") is not False:
        yield "the new implementation changed state before it was authorized"
    if wanted and (found is None or found.decision != wanted.get("decision")):
        yield "the authorization decision of the new implementation is not the one that the case expects"
    elif not wanted and found is None and old is not None and old.authorization is not None:
        yield "the old implementation takes an authorization decision, the new one does not"


def _to_a_person(new: Manifest, controls: Sequence[Manifest]) -> Iterator[str]:
    if not controls:
        return
    everywhere = set.intersection(_called(new), *(_called(control) for control in controls))
    for tool in sorted(everywhere):
        if _TO_A_PERSON.search(tool):
            yield f"everything goes to a person: {tool} is called on the incident and in every control"


def _called(run: Manifest) -> set[str]:
    served = {name.partition(":")[2] for name in run.served if name.startswith(("tools:", "tool:"))}
    return served | {tool for tool, effect in run.effects.items() if effect.calls}


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> Sequence[JsonValue]:
    return value if isinstance(value, list) else ()
