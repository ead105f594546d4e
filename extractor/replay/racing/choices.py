"""One interleaving as a sequence of choices, and what there was to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..faults import HarnessDefect

_CURE = "make the run depend on the order of its calls and on the session alone, then try again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A moment at which more than one call could go: ``ready`` are they (``2:refund.find``), ``chosen`` the index of the one."""

    ready: tuple[str, ...]
    chosen: int


class Choices:
    """Makes the given choices, then the first one at each further point; ``expected`` are points that an earlier run met."""

    def __init__(self, given: Sequence[int], expected: Sequence[Point]) -> None:
        self.given = tuple(given)
        self.points: list[Point] = []
        self._expected = tuple(expected)

    def choose(self, ready: tuple[str, ...]) -> int:
        """Return the index of the call that goes; raises `HarnessDefect` when these calls were not to be expected."""
        if len(ready) == 1:
            return 0
        at = len(self.points)
        if at < len(self._expected) and self._expected[at].ready != ready:
            raise self._diverged()
        chosen = self.given[at] if at < len(self.given) else 0
        if not 0 <= chosen < len(ready):
            raise HarnessDefect(
                "the interleaving names a call that was not there to be chosen",
                code="schedule_choice",
                cure="take the choices of an interleaving that explore told of this very run",
            )
        self.points.append(Point(ready=ready, chosen=chosen))
        return chosen

    def unmet(self) -> HarnessDefect | None:
        """Return the defect of a run that ended before all given choices could be made, None for any other."""
        return self._diverged() if len(self.points) < len(self.given) else None

    def _diverged(self) -> HarnessDefect:
        return HarnessDefect(
            "the agent's workers met other calls under the same interleaving: something else than the order of calls decides",
            code="schedule_diverged",
            cure=_CURE,
        )
