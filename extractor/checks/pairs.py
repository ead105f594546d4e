"""Pairs: one run that must be rejected and one nearly identical that must be accepted; how near they are is measured.

Any check that rejects the first and accepts the second reads something in which they differ: one differing field pins the check,
twenty leave nineteen others that it may be keyed on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

from extractor.model import layout
from extractor.model.json import JsonValue, MalformedJson, parse

from .loading import CheckFixture

FEW: Final = 5
"""Up to so many differing fields a pair is near."""

_MOST = 20
"""So many candidates of one incident are measured: an incident with hundreds of runs must not take minutes."""

_SUFFIXES = ("-reject", "-accept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The two halves by name, and the field paths in which they differ; those of the case begin with ``case.``."""

    reject: str
    accept: str
    differing: tuple[str, ...]

    @property
    def near(self) -> bool:
        """Whether the halves differ in few fields, and in any at all."""
        return 0 < len(self.differing) <= FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """All pairs, the other half of each fixture by its folder, and the fixtures that have none."""

    pairs: tuple[Pair, ...]
    twins: Mapping[Path, CheckFixture]
    without_twin: tuple[str, ...]


def pair_up(fixtures: Sequence[CheckFixture]) -> Pairing:
    """Return who is whose twin: by ``twin`` in expect.yaml, ``control_of``, one incident, or names that differ in their ending.

    Of several, one of the same check is taken, then the nearest.
    """
    related = _Related(fixtures)
    twins: dict[Path, CheckFixture] = {}
    pairs: list[Pair] = []
    known: dict[frozenset[Path], tuple[str, ...]] = {}

    def apart_of(one: CheckFixture, other: CheckFixture) -> tuple[str, ...]:
        both = frozenset((one.folder, other.folder))  # each is the other's candidate
        if both not in known:
            known[both] = differing(one, other)
        return known[both]

    for fixture in fixtures:
        others = [each for each in related.to(fixture) if each.expectation.verdict != fixture.expectation.verdict]
        same = [each for each in others if each.expectation.by in (None, fixture.expectation.by)] or others
        measured = [(apart_of(fixture, each), each) for each in same[:_MOST]]
        if not measured:
            continue
        apart, twin = min(measured, key=lambda each: (len(each[0]), each[1].name))
        twins[fixture.folder] = twin
        if fixture.expectation.verdict == "reject":
            pairs.append(Pair(reject=fixture.name, accept=twin.name, differing=apart))
    lonely = tuple(each.name for each in fixtures if each.folder not in twins)
    return Pairing(pairs=tuple(pairs), twins=twins, without_twin=lonely)


class _Related:
    def __init__(self, fixtures: Sequence[CheckFixture]) -> None:
        self._by: dict[tuple[str, str], list[CheckFixture]] = defaultdict(list)
        for each in fixtures:
            for key in _keys(each):
                self._by[key].append(each)

    def to(self, fixture: CheckFixture) -> list[CheckFixture]:
        """Return the related fixtures of the strongest tie that there is."""
        told = fixture.expectation.twin
        if told is not None:
            return _nearest([each for each in self._by[("name", told)] if each is not fixture], fixture)
        for key in _keys(fixture):
            found = self._by[("twin", fixture.name)] if key[0] == "name" else self._by[key]
            others = [
                each
                for each in found
                if each is not fixture and each.expectation.verdict != fixture.expectation.verdict
            ]
            if others:
                return others if key[0] == "incident" else _nearest(others, fixture)
        return []


def _nearest(others: Sequence[CheckFixture], fixture: CheckFixture) -> list[CheckFixture]:
    """Return those that stand in the same folder, or share most of the way to it: names are given again in other folders."""
    here = _home(fixture)
    shared = {
        each.folder: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(_home(each), here, strict=False)))
        for each in others
    }
    return [each for each in others if shared[each.folder] == max(shared.values())]


def _home(fixture: CheckFixture) -> tuple[str, ...]:
    """Return the way to the folder where a fixture, or the case that it is a control of, stands."""
    place = fixture.folder.parent
    return (place.parent.parent if place.name == layout.CONTROLS else place).parts


def _keys(fixture: CheckFixture) -> Iterator[tuple[str, str]]:
    yield "name", fixture.name
    if fixture.expectation.twin is not None:
        yield "twin", fixture.expectation.twin
    yield "case", fixture.control_of or fixture.case_id
    base = next((fixture.name.removesuffix(end) for end in _SUFFIXES if fixture.name.endswith(end)), fixture.name)
    yield "stem", base
    if fixture.incident_id is not None:
        yield "incident", fixture.incident_id


def differing(one: CheckFixture, other: CheckFixture) -> tuple[str, ...]:
    """Return the field paths in which two fixtures differ: records first, then their cases."""
    return (
        *_apart(one.record.document, other.record.document, ""),
        *_apart(_told(one), _told(other), "case"),
    )


def _told(fixture: CheckFixture) -> dict[str, JsonValue]:
    case = fixture.case
    now = case.now.isoformat() if case.now else None
    plain: dict[str, JsonValue] = {"input": case.input, "now": now}
    return plain | {"expectations": case.expectations, "facts": case.facts}


def _is_spelling(value: dict[str, JsonValue], name: str) -> bool:
    """Say whether a member is the text of the member beside it: ``arguments_text``, ``output_text``."""
    base, text = name.removesuffix("_text"), dict.get(value, name)
    if base == name or not dict.__contains__(value, base) or not isinstance(text, str):
        return False
    meant = dict.__getitem__(value, base)
    try:
        return text == meant or not any(_apart(parse(text), meant, ""))
    except MalformedJson:
        return False


def _apart(one: JsonValue, other: JsonValue, path: str) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in dict.fromkeys([*dict.keys(one), *dict.keys(other)]):
            if _is_spelling(one, name) and _is_spelling(other, name):
                continue  # of what differs already
            below = f"{path}.{name}" if path else name
            if dict.__contains__(one, name) and dict.__contains__(other, name):
                yield from _apart(dict.__getitem__(one, name), dict.__getitem__(other, name), below)
            else:
                yield below
    elif isinstance(one, list) and isinstance(other, list):
        for place in range(max(list.__len__(one), list.__len__(other))):
            below = f"{path}[{place}]"
            if place < list.__len__(one) and place < list.__len__(other):
                yield from _apart(list.__getitem__(one, place), list.__getitem__(other, place), below)
            else:
                yield below
    elif type(one) is not type(other) or one != other:
        yield path
