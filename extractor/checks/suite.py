"""A suite: all fixtures below some places, judged by a project's checks, pair by pair."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from extractor.errors import InputUnreadable, UsageError

from .declaring import Check
from .isolation import isolated
from .loading import WANTED, CheckFixture, Found, find, load_fixture, name_of
from .pairs import Pair, Pairing, pair_up
from .project import project_checks
from .running import Outcome
from .verdicts import Judgement, judge

Sink: TypeAlias = Callable[[CheckFixture, Outcome], None]
"""Hears what each check said of each fixture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a suite: a judgement a fixture by name, pairs, fixtures without twin, seconds a run by check, how many cases
    were skipped as retired.
    """

    judgements: tuple[Judgement, ...]
    pairs: tuple[Pair, ...]
    without_twin: tuple[str, ...]
    without_expectation: int
    seconds: Mapping[str, float]
    retired: int = 0

    @property
    def held(self) -> bool:
        """Whether every fixture holds."""
        return all(each.held for each in self.judgements)

    @property
    def turned(self) -> bool:
        """Whether every rejection is shown to turn on its property alone."""
        return all(each.proof == "turned" for each in self.judgements if each.expected == "reject")

    @property
    def unreadable(self) -> bool:
        """Whether a fixture could not be read at all."""
        return any(each.unreadable for each in self.judgements)


class Suite:
    """Fixtures and the checks that they test. ``folders`` are those of the fixtures, by name."""

    def __init__(self, found: Found, checks: Sequence[Check]) -> None:
        self._found = found
        self.checks = tuple(checks)

    @classmethod
    def at(cls, *places: str | Path, checks: Sequence[Check] | None = None) -> Suite:
        """Return the suite below places; without checks, those of the project at the first place, else of the working folder.

        Raises `UsageError` where there is no fixture, or no check: an empty suite is never a pass.
        """
        folders = [Path(each) for each in places]
        found = find(folders)
        if not found.folders:
            raise UsageError("there is no fixture with an expect.yaml: an empty suite is never a pass", hint=WANTED)
        given = project_checks(folders[0], Path.cwd()) if checks is None else checks
        if not given:
            raise UsageError("no check was given: an empty suite is never a pass")
        return cls(found, given)

    @property
    def folders(self) -> list[Path]:
        """The folders of all fixtures, by name."""
        return list(self._found.folders)

    def judged(self, sink: Sink | None = None) -> Report:
        """Return what came of every fixture."""
        loaded, judgements = self._loaded
        timed: dict[str, list[float]] = defaultdict(list)
        made: dict[Path, Judgement] = dict(judgements)
        with isolated():
            for folder, fixture in loaded.items():
                made[folder] = self._judge(fixture)
        for folder, fixture in loaded.items():
            result = made[folder].result
            for outcome in result.outcomes if result else ():
                timed[outcome.check].append(outcome.seconds)
                if sink is not None:
                    sink(fixture, outcome)
        return Report(
            judgements=tuple(made[folder] for folder in self._found.folders),
            pairs=self._pairing.pairs,
            without_twin=self._pairing.without_twin,
            without_expectation=self._found.without_expectation,
            retired=self._found.retired,
            seconds={check: statistics.median(each) for check, each in timed.items()},
        )

    def hold(self, folder: str | Path) -> None:
        """Raise `AssertionError` with the sentences of a fixture that does not hold."""
        loaded, judgements = self._loaded
        place = Path(folder)
        judgement = judgements[place] if place in judgements else self._judge(loaded[place])
        if not judgement.held:
            raise AssertionError("; ".join(judgement.faults))

    def _judge(self, fixture: CheckFixture) -> Judgement:
        return judge(fixture, self.checks, self._pairing.twins.get(fixture.folder))

    @cached_property
    def _loaded(self) -> tuple[dict[Path, CheckFixture], dict[Path, Judgement]]:
        loaded: dict[Path, CheckFixture] = {}
        refused: dict[Path, Judgement] = {}
        for folder in self._found.folders:
            try:
                loaded[folder] = load_fixture(folder)
            except InputUnreadable as error:
                refused[folder] = Judgement(
                    name=name_of(folder),
                    expected=None,
                    by=None,
                    reason=None,
                    faults=(error.message,),
                    unreadable=True,
                )
        return loaded, refused

    @cached_property
    def _pairing(self) -> Pairing:
        return pair_up(list(self._loaded[0].values()))
