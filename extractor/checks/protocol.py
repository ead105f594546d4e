"""Red first: what the history of a suite says of the order in which fixtures, checks and fixes came.

A reject fixture is committed while it fails; then its check is written until it is rejected for the stated reason and nothing
else changes; then the fix lands, and the accept twin after it. A check that was written beside its fixture in one commit was
perhaps written to fit it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

Standing: TypeAlias = Literal["red", "green", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A fixture at one commit. ``digest`` is of its record's bytes, ``demanded`` of its case, and of verdict, check and reason that
    it demands; what checks said is None where there were none yet.
    """

    expected: str | None
    held: bool
    digest: str
    demanded: str = ""
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


def courses(history: Sequence[Commit], known: Mapping[str, Seen] | None = None) -> tuple[Course, ...]:
    """Return the course of each reject fixture that came within a history, parents before children, by name.

    ``known`` are fixtures that stood before it, by name: when they came cannot be judged. Manufactured fixtures have no incident to
    be red for, and are left out. A fixture is followed through other names by its record.
    """
    last = history[-1].fixtures if history else {}
    before = known or {}
    stood = {seen.digest for seen in before.values() if seen.expected == "reject"}
    rejecting = sorted(
        name
        for name, seen in last.items()
        if seen.expected == "reject" and not seen.manufactured and name not in before and seen.digest not in stood
    )
    ancestors = _ancestors(history)
    return tuple(_course(name, _under_one_name(name, history, ancestors), ancestors) for name in rejecting)


def _came(name: str, history: Sequence[Commit]) -> Commit:
    """Return the first commit where a fixture demands to be rejected: what it was before, a good run or unreadable, is not it."""
    return next(commit for commit in history if name in commit.fixtures and commit.fixtures[name].expected == "reject")


def _under_one_name(name: str, history: Sequence[Commit], ancestors: Mapping[str, frozenset[str]]) -> Sequence[Commit]:
    """Return a history in which a fixture that was renamed is called as it is at the end."""
    came = _came(name, history)
    digest = came.fixtures[name].digest
    for commit in history:
        if commit.id not in ancestors[came.id]:
            continue
        for other, seen in commit.fixtures.items():
            if seen.digest == digest and seen.expected == "reject" and other not in came.fixtures:
                made = [_renamed(each, other, name) for each in history]
                return _under_one_name(name, made, ancestors)
    return history


def _renamed(commit: Commit, old: str, new: str) -> Commit:
    if old not in commit.fixtures or new in commit.fixtures:
        return commit
    fixtures = {new if name == old else name: seen for name, seen in commit.fixtures.items()}
    return replace(commit, fixtures=fixtures)


def _course(name: str, history: Sequence[Commit], ancestors: Mapping[str, frozenset[str]]) -> Course:
    came = _came(name, history)
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
    if green.fixtures[name].demanded != came.fixtures[name].demanded:
        faults.append("has another case or expectation than the one that was red")
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
