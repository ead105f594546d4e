"""What the parts of the plugin keep for each other, and how a test fails by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from ..replay.project import Project
from ..replay.results.journal import Journal
from ..replay.session import Session

if TYPE_CHECKING:  # it imports asyncio, which takes longer than all of replay
    from ..replay.racing.interleaved import Interleaved

PROJECT: pytest.StashKey[Project] = pytest.StashKey()
JOURNAL: pytest.StashKey[Journal] = pytest.StashKey()
SESSION: pytest.StashKey[Session] = pytest.StashKey()
MAKE: pytest.StashKey[Callable[..., Session]] = pytest.StashKey()
ORDERS: pytest.StashKey[Interleaved] = pytest.StashKey()
FOLDERS: pytest.StashKey[set[Path]] = pytest.StashKey()
LINTED: pytest.StashKey[list[str]] = pytest.StashKey()

NO_VERDICT: Final = (pytest.skip.Exception, pytest.xfail.Exception)
OF_THE_TEST: Final = (AssertionError, pytest.fail.Exception, *NO_VERDICT)
"""What a test ends with by its own word; a fault that came before it says more."""


@dataclass(frozen=True, slots=True)
class NoCase:
    """Stands where a case would, for a test that has none: it fails by itself and stops no other test."""

    why: str


class BoundaryViolated(AssertionError):
    """The run had no fault, and its boundary did not hold."""


class NotJudged(AssertionError):
    """The case names what must hold, and nothing could tell whether it did: that is no pass."""


class WholeAnswerWarning(UserWarning):
    """A test wants one whole answer, where the boundary is meant."""


class NotReproduced(AssertionError):
    """The affected version was expected to violate the boundary, and did not."""
