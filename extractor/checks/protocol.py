"""Red first: what the history of a suite says of the order in which fixtures, checks and fixes came.

A reject fixture is committed while it fails; then its check is written until it is rejected for the stated reason and nothing
else changes; then the fix lands, and the accept twin after it. A check that was written beside its fixture in one commit was
perhaps written to fit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Standing: TypeAlias = Literal["red", "green", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A fixture at one commit. ``digest`` is of its record's bytes; what checks said is None where there were none yet."""

    expected: str | None
    held: bool
    digest: str
    passed: bool | None = None
    failed_check: str | None = None
    reason: str | None = None
    twin: str | None = None
    manufactured: bool = False

    @property
    def said(self) -> tuple[bool | None, str | None, str | None]:
        """Verdict, failed check and reason."""
        return self.passed, self.failed_check, self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit of the history: its id, its parents in this history, and the fixtures by name."""

    id: str
    parents: tuple[str, ...]
    fixtures: Mapping[str, Seen] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The course of one reject fixture: the commits where it was first red and first green, and what broke the protocol."""

    name: str
    red: str | None
    green: str | None
    faults: tuple[str, ...]


def courses(history: Sequence[Commit], known: frozenset[str] = frozenset()) -> tuple[Course, ...]:
    """Return the course of each reject fixture that came within a history, parents before children, by name.

    ``known`` are fixtures that stood before it: when they came cannot be judged. Manufactured fixtures have no incident to be
    red for, and are left out.
    """
    last = history[-1].fixtures if history else {}
    rejecting = sorted(
        name for name, seen in last.items() if seen.expected == "reject" and not seen.manufactured and name not in known
    )
    ancestors = _ancestors(history)
    return tuple(_course(name, history, ancestors) for name in rejecting)


def _course(name: str, history: Sequence[Commit], ancestors: Mapping[str, frozenset[str]]) -> Course:
    came = next(commit for commit in history if name in commit.fixtures)
    if came.fixtures[name].held:
        fault = "was committed with a check that already rejects it: it was never seen red"
        return Course(name=name, red=None, green=came.id, faults=(fault,))
    after = [commit for commit in history if came.id in ancestors[commit.id] and name in commit.fixtures]
    green = next((commit for commit in after if commit.fixtures[name].held), None)
    if green is None:
        return Course(name=name, red=came.id, green=None, faults=("is still red",))
    between = [each for each in after if each.id == green.id or each.id in ancestors[green.id]]
    faults = list(dict.fromkeys(_changed(name, between, {each.id: each for each in history})))
    if green.fixtures[name].digest != came.fixtures[name].digest:
        faults.append("has another record than the one that was red")
    faults += _early(green, history, ancestors, green_twin=_twin(name, history))
    return Course(name=name, red=came.id, green=green.id, faults=tuple(faults))


def _changed(name: str, between: Sequence[Commit], known: Mapping[str, Commit]) -> Iterator[str]:
    """Tell which other fixtures were judged otherwise on the way from red to green; one that turned green itself may."""
    for commit in between:
        for before in (known[each] for each in commit.parents if each in known):
            for other, was in before.fixtures.items():
                now = commit.fixtures.get(other)
                if other == name or now is None or now.said == was.said or (now.held and not was.held):
                    continue
                yield f"turned green while {other} changed its verdict, check or reason"


def _twin(name: str, history: Sequence[Commit]) -> str | None:
    return next((seen.twin for commit in reversed(history) if (seen := commit.fixtures.get(name)) and seen.twin), None)


def _early(
    green: Commit, history: Sequence[Commit], ancestors: Mapping[str, frozenset[str]], *, green_twin: str | None
) -> list[str]:
    if green_twin is None:
        return []
    came = next((commit for commit in history if green_twin in commit.fixtures), None)
    if came is None or green.id in ancestors[came.id]:
        return []
    return [f"has an accept twin, {green_twin}, that came before its check: not a run of the fix"]


def _ancestors(history: Sequence[Commit]) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for commit in history:
        parents = [each for each in commit.parents if each in found]
        found[commit.id] = frozenset(parents).union(*(found[each] for each in parents))
    return found
