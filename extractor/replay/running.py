"""Run an agent through every turn of a case, and say what came of it; whatever the agent does, a session comes back."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from extractor.errors import UsageError

from .faults import fault_within

if TYPE_CHECKING:
    from .session import Session

_OWN = ("incident", "session")


def run(session: Session, agent: Callable[..., Any]) -> Session:
    """Run ``agent`` once a turn within the session and finish it with the last turn's answer.

    An agent is given what the user said; one whose first parameter is called ``incident`` is given the session itself.
    Coroutine functions are awaited, all turns in one event loop. Faults end up in the ledger and are not raised here:
    `Session.hold` does that. Raises `UsageError` for a generator, which would not have run at all.
    """
    refuse_generator(agent)
    output: object = None
    failure: BaseException | None = None
    with _loop() if inspect.iscoroutinefunction(agent) else _Direct() as runner:
        try:
            with session.opened():
                for turn in session.turns:
                    session.turn, session.ledger.turn = turn, turn.number
                    output = runner.run(agent(session if _wants_session(agent) else turn.text))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # the agent's own end: an exit, a cancellation, a group of faults
            failure = error
            fault = fault_within(error)
            if fault is not None:
                session.ledger.report(fault)
    session.finish(output if failure is None else None, error=failure)
    return session


def refuse_generator(agent: Callable[..., Any]) -> None:
    """Raise `UsageError` for an agent that would not run at all when it is called."""
    if inspect.isgeneratorfunction(agent) or inspect.isasyncgenfunction(agent):
        raise UsageError("an entry point that is a generator does nothing when it is called: return the answer")


def _wants_session(agent: Callable[..., Any]) -> bool:
    try:
        first = next(iter(inspect.signature(agent).parameters.values()), None)
    except (TypeError, ValueError):
        return False
    return first is not None and (
        first.name in _OWN or getattr(first.annotation, "__name__", first.annotation) == "Session"
    )


def _loop() -> Any:  # noqa: ANN401  # asyncio.Runner, by a name that is imported here
    import asyncio  # takes longer to import than all of replay, and most agents do without

    return asyncio.Runner()


class _Direct:
    """Stands where an event loop would: the answer is there already."""

    def __enter__(self) -> _Direct:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, answer: object) -> object:
        return answer
