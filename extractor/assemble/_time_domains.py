"""The limits that a decision read together with a clock, and the clock values beside them, as facts of the case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import RulesError
from ..model.calls import words
from ..model.json import JsonValue
from ..ruleset import RuleSet

_MOST = 40
"""Facts of one domain in a case: a list of a hundred orders says nothing more with each of them."""

_EITHER_WAY = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(?:\d{4}|\d{2})")
_TIME = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """Members of one kind of limit; ``ambiguous_dates`` finds by value instead of by name."""

    id: str
    members: frozenset[str]
    ambiguous_dates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDomains:
    """All domains, the names of clock values and of zones; see the comments in rules/time.toml."""

    domains: tuple[Domain, ...]
    clock_members: frozenset[str]
    zones: frozenset[str]
    within_ns: int

    def clocks(self, trees: Sequence[JsonValue]) -> list[JsonValue]:
        """Return what the clock members of any object say, in the order of the trees."""
        return [value for tree in trees for node in _objects(tree) for value in self._clock(node).values()]

    def facts(self, trees: Sequence[tuple[str, JsonValue]]) -> list[JsonValue]:
        """Return a fact for each object that holds a limit or a clock value; ``trees`` are payloads by their place."""
        found: list[JsonValue] = []
        counts: dict[str, int] = {}
        said: set[str] = set()
        for place, tree in trees:
            for node in _objects(tree):
                for name, value in self._of(node):
                    counts[name] = counts.get(name, 0) + 1
                    told = repr((name, value))
                    if counts[name] <= _MOST and told not in said:
                        said.add(told)
                        found.append({"name": name, "value": value, "source": place})
        return found

    def _of(self, node: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
        beside = {name: value for name, value in node.items() if _named(name, self.zones) and isinstance(value, str)}
        if clocks := self._clock(node):
            yield "clock", {**clocks, **beside}
        for domain in self.domains:
            limits = {name: value for name, value in node.items() if _limits(domain, name, value)}
            if limits:
                yield f"time.{domain.id}", {**limits, **beside}

    def _clock(self, node: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {name: value for name, value in node.items() if _named(name, self.clock_members) and _instant(value)}


def time_domains(rules: RuleSet) -> TimeDomains:
    """Return the domains of ``rules/time.toml``. Raises `RulesError` for one that is not as its examples say."""
    try:
        document: Mapping[str, Any] = rules.documents["time"]
        made = TimeDomains(
            domains=tuple(
                Domain(
                    id=entry["id"],
                    members=frozenset(entry["members"]),
                    ambiguous_dates=entry.get("ambiguous_dates", False),
                )
                for entry in document["domain"]
            ),
            clock_members=frozenset(document["clock"]["members"]),
            zones=frozenset(document["clock"]["zones"]),
            within_ns=document["clock"]["within_s"] * 1_000_000_000,
        )
        faults = [fault for entry in document["domain"] for fault in _unfit(entry, made)]
    except KeyError as missing:
        raise RulesError([f"time: no member {missing}"]) from None
    if faults:
        raise RulesError(faults)
    return made


def _unfit(entry: Mapping[str, Any], made: TimeDomains) -> Iterator[str]:
    name = f"time.{entry['id']}"
    for wanted, examples in ((True, entry["matches"]), (False, entry["non_matches"])):
        for number, example in enumerate(examples, start=1):
            facts = made.facts([("example", example)])
            if wanted is not any(isinstance(fact, dict) and fact["name"] == name for fact in facts):
                yield f"time: {entry['id']} {'example' if wanted else 'counter-example'} {number} does not come out as it says"


def _limits(domain: Domain, name: str, value: JsonValue) -> bool:
    if domain.ambiguous_dates:
        match = _EITHER_WAY.fullmatch(value) if isinstance(value, str) else None
        return match is not None and 1 <= int(match.group(1)) <= 12 and 1 <= int(match.group(3)) <= 12
    return _named(name, domain.members) and _instant(value)


def _named(name: str, members: frozenset[str]) -> bool:
    """Return whether a member has one of the names, or a longer one that ends in a name of several words."""
    parts = words(name)
    return "_".join(parts) in members or any("_".join(parts[start:]) in members for start in range(1, len(parts) - 1))


def _instant(value: JsonValue) -> bool:
    """Return whether a value may be an instant, a time of day or a length of time."""
    if isinstance(value, str):
        return len(value) <= 40 and _TIME.search(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _objects(tree: JsonValue) -> Iterator[dict[str, JsonValue]]:
    stack: list[JsonValue] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            stack.extend(reversed(node))
