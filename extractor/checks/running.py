"""Run checks over one record, with no network and no model, and say which rejected it, why, and what it had read."""

from __future__ import annotations

import inspect
import re
import sys
import time
import traceback
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from .case import CheckCase
from .declaring import Check, NotApplicable, Rejected
from .isolation import Isolation, isolated
from .project import project_checks
from .record import RunRecord

NO_PROPERTY: Final = "(no property)"
"""What is told instead of a check's word that names none."""

_PROPERTY: Final = re.compile(r"[^\W\d][\w.\[\]-]{0,99}")

Verdict: TypeAlias = Literal["accepted", "rejected", "not_applicable", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one check said of one record. ``reason`` is the property that it rejected for: its own word, else the last one that
    it read; ``path`` the field path of that reading. ``told`` says that the reason is its own word. ``line`` is where it stopped, in
    its own module. ``seconds`` is wall time.
    """

    check: str
    verdict: Verdict
    reason: str | None = None
    path: str | None = None
    reads: tuple[str, ...] = ()
    line: int | None = None
    seconds: float = 0.0
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What all checks said of one record: the first that rejected it, its reason, and every outcome."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether no check rejected the record, and none broke."""
        return self._failed is None

    @property
    def failed_check(self) -> str | None:
        """The id of the first check that rejected the record or broke."""
        return self._failed.check if self._failed else None

    @property
    def reason(self) -> str | None:
        """The property that it was rejected for."""
        return self._failed.reason if self._failed else None

    @property
    def path(self) -> str | None:
        """The field path of that property."""
        return self._failed.path if self._failed else None

    @property
    def _failed(self) -> Outcome | None:
        return next((each for each in self.outcomes if each.verdict in ("rejected", "error")), None)


def run_all_checks(
    record: RunRecord,
    case: CheckCase,
    checks: Sequence[Check] | None = None,
    *,
    clocks_of: Container[str] | None = None,
) -> Result:
    """Return what each check says of a record; later ones run whatever earlier ones say. Raises `ValueError` for no check.

    A check that reaches outside, or asks a clock, breaks by that, whatever it swallows; ``clocks_of`` are the checks whose clocks are
    watched, None for all.

    Without ``checks``, those of the project in the working folder are run; raises `UsageError` where none is said.
    """
    if checks is None:
        checks = project_checks()
    if not checks:
        raise ValueError("no check was given: an empty suite is never a pass")
    with isolated() as isolation:
        return Result(outcomes=tuple(_outcomes(record, case, checks, isolation, clocks_of)))


def _outcomes(
    record: RunRecord,
    case: CheckCase,
    checks: Sequence[Check],
    isolation: Isolation,
    clocks_of: Container[str] | None,
) -> Iterator[Outcome]:
    for each in checks:
        record.reads.clear()
        with isolation.of_one(clock=clocks_of is None or each.id in clocks_of), record.reads.judged():
            start = time.perf_counter()
            verdict, reason, path, line = _one(record, case, each)
            seconds = time.perf_counter() - start
        if isolation.fault is not None:
            verdict, reason, path = "error", isolation.fault.code, None
        reads = record.reads.paths()
        told = verdict == "rejected" and reason is not None
        if verdict == "rejected" and reason is None:
            path = path or (reads[-1] if reads else None)
            reason = None if path is None else property_of(path)
        yield Outcome(
            check=each.id,
            verdict=verdict,
            reason=reason,
            path=path,
            reads=reads,
            line=line,
            seconds=seconds,
            told=told,
        )


def _one(record: RunRecord, case: CheckCase, each: Check) -> tuple[Verdict, str | None, str | None, int | None]:
    try:
        found = each.body(record, case)
    except NotApplicable:
        return "not_applicable", None, None, None
    except Rejected as rejection:
        return "rejected", _word(rejection.reason), rejection.path, _line(rejection, each)
    except AssertionError as rejection:
        return "rejected", None, None, _line(rejection, each)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a check that breaks, or pytest.fail, has judged nothing, and is no pass
        return "error", type(error).__name__, None, _line(error, each)
    if inspect.iscoroutine(found):
        found.close()  # its body never ran
    if found is not None and not isinstance(found, bool):  # a generator, an empty list of `calls and …`: no verdict
        return "error", type(found).__name__, None, each.line
    return ("rejected" if found is False else "accepted"), None, None, None


def _word(reason: object) -> str:
    """Return a check's word for its reason, where it can be a property's name: another text may quote what the run holds."""
    return reason if isinstance(reason, str) and _PROPERTY.fullmatch(reason) else NO_PROPERTY


def property_of(path: str) -> str:
    """Return the property that a field path names: its last member (``tool_calls[0].arguments.amount_cents``)."""
    return path.rpartition(".")[2].partition("[")[0]


def _line(error: BaseException, each: Check) -> int | None:
    """Return the last line of the check's own module that an error came through; a line of what it called names no file."""
    code = getattr(each.body, "__code__", None)
    own = {getattr(sys.modules.get(each.module), "__file__", None), code.co_filename if code else None} - {None}
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename in own]
    return lines[-1] if lines else None
