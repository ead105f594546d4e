"""What can be wrong with the end of a run, whatever its answer says."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from .faults import AgentFailed, HarnessDefect, RecordedToolError

_PACKAGE = Path(__file__).parent.parent


def agent_raised(error: BaseException) -> AgentFailed:
    """Return the fault of an agent that ended with an exception; the exception's own words may quote anything."""
    return AgentFailed(
        f"the agent ended with {type(error).__name__} at {_place(error)}",
        code="agent_raised",
        cure=_unhandled(error)
        if isinstance(error, RecordedToolError)
        else "mend the code that raised; where it is the product's way to end, decide what it must say: an answer is part of every boundary",
    )


def output_not_json(strange: TypeError) -> HarnessDefect:
    """Return the defect of an answer that is no JSON."""
    return HarnessDefect(
        f"the agent returned {strange}, which no manifest can hold",
        code="output_not_json",
        cure="let the entry point return the agent's final output as text or JSON",
    )


def output_after_end() -> HarnessDefect:
    """Return the defect of an answer that came after the verdict."""
    return HarnessDefect(
        "the output was set after the run had been judged",
        code="output_after_end",
        cure="set incident.output, or return the answer, before the session is finished",
    )


def thread_outlives(threads: Sequence[str]) -> HarnessDefect:
    """Return the defect of threads that go on when nothing guards them any more."""
    return HarnessDefect(
        f"a thread outlives the session, where nothing holds it back any more: {', '.join(threads)}",
        code="thread_outlives",
        cure="join threads before the answer is given; start what lives as long as the process before the session",
    )


def left_from_within() -> HarnessDefect:
    """Return the defect of a run that took its own guard off."""
    return HarnessDefect(
        "the session was left from within, and what came afterwards was live",
        code="left_from_within",
        cure="leave() and the guard belong to the harness: let no code under test call them",
    )


def case_changed() -> HarnessDefect:
    """Return the defect of a case that is no longer what its hash says."""
    return HarnessDefect(
        "the case was changed while it was replayed, so that its hash says nothing of what judged",
        code="case_changed",
        cure="let the code under test copy what it wants to change",
    )


def _unhandled(error: RecordedToolError) -> str:
    named = f", which was {error.error_class} in production" if error.error_class else ""
    return (
        f"nothing caught the recorded failure{named}: where the agent catches a class of its own, let what connects it raise that "
        "class from RecordedToolError; else decide what the product must do here"
    )


def _place(error: BaseException) -> str:
    """Return the file's name and the last line on the way to an exception that is not this package's own, where there is one."""
    passed = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    theirs = [each for each in passed if not Path(each[0]).is_relative_to(_PACKAGE)]
    file, line = (theirs or passed or [("", 0)])[-1]
    return f"{Path(file).name}:{line}" if file else "an unknown place"
