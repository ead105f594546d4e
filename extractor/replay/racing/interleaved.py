"""A concurrent case run in many orders of its calls, and the one manifest that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..case import ReplayCase
from ..results.labels import first_of
from ..results.manifest import Interleavings, Manifest
from ..results.telling import finished
from ..session import Expect, Session
from .concurrency import section_of
from .explore import Exploration, explore
from .schedule import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleaved:
    """What was explored: a session for each order, and what its run raised, None where it came to its end."""

    exploration: Exploration
    sessions: tuple[Session, ...]
    raised: tuple[BaseException | None, ...]

    @property
    def label(self) -> str | None:
        """The label that is told first; one order is enough for a red run, and for no other."""
        found = {label for session in self.sessions for label in session.labels()}
        found |= {label for each in self.exploration.interleavings for label in each.labels}
        if self.sessions[0].expect != "red" and self.exploration.label is not None:
            found.add(self.exploration.label)
        return first_of(found)

    @property
    def boundary_passed(self) -> bool | None:
        """Whether the boundary held in every order: False when it broke in any, None when any could not tell."""
        verdicts = {session.verdict.passed if session.verdict else None for session in self.sessions}
        return False if False in verdicts else (None if None in verdicts else True)

    def manifest(self) -> Manifest:
        """Return the manifest of all orders; its calls and effects are those of the first order that failed."""
        return replace(
            finished(self.told()),
            label=self.label,
            boundary_passed=self.boundary_passed,
            interleavings=Interleavings(tried=self.exploration.tried, failed=self.exploration.failed),
        )

    def told(self) -> Session:
        """Return the session that speaks for all: the first one with the label, else the first that broke, else the first."""
        labelled = [each for each in self.sessions if self.label in each.labels()]
        broken = [each for each in self.sessions if each.verdict is not None and each.verdict.passed is False]
        return (*labelled, *broken, *self.sessions)[0]


def concurrent(case: ReplayCase) -> bool:
    """Say whether calls of a case overlapped in production and changed something."""
    return bool(section_of(case.tool_events))


def interleave(
    make: Callable[[Schedule], Session],
    run: Callable[[Session], object],
    *,
    limit: int,
    expect: Expect | None = None,
) -> Interleaved:
    """Run every order of a concurrent case's calls, at most ``limit``, each in a fresh session that ``make`` returns.

    ``run`` runs the agent in the session it is given and finishes it. A red run is made in the recorded order alone.
    """
    sessions: list[Session] = []
    raised: list[BaseException | None] = []

    def one(schedule: Schedule) -> Session:
        session = make(schedule)
        sessions.append(session)
        raised.append(None)
        try:
            run(session)
        except BaseException as error:
            raised[-1] = error
            raise
        return session

    exploration = explore(one, limit=1 if expect == "red" else limit)
    return Interleaved(exploration=exploration, sessions=tuple(sessions), raised=tuple(raised))
