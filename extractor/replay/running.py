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
    `Session.hold` does that. Raises `UsageError` for a generator, which would not have run at all, and for what wants more than that.
    """
    refuse_generator(agent)
    refuse_signature(agent)
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


def refuse_signature(agent: Callable[..., Any], place: str | None = None) -> None:
    """Raise `UsageError`, which calls it by its ``place``, for an agent that cannot be called with the one thing that it is given."""
    try:
        # What stands in front may inject the rest: a decorator's own signature is the one that is called.
        signature = inspect.signature(agent, follow_wrapped=False)
    except (TypeError, ValueError):
        return  # written in C: its call will tell
    try:
        signature.bind(None)
    except TypeError:
        name = place or str(getattr(agent, "__qualname__", type(agent).__qualname__))
        own = name.replace(":", ".").rpartition(".")[2]
        raise UsageError(
            f"{name} {_needs(signature)}; an entry point takes the session (def {own}(incident)) or the user's text",
            hint='write a function that builds the rest out of the session: docs/replay.md, "What an agent is given"',
        ) from None


def _needs(signature: inspect.Signature) -> str:
    """Say what a call with one argument leaves out, by the names of parameters."""
    wanted = [each for each in signature.parameters.values() if each.default is each.empty]
    by_place = [each.name for each in wanted if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    by_name = [each.name for each in wanted if each.kind is each.KEYWORD_ONLY]
    if by_place:
        return f"needs {', '.join([*by_place[1:], *by_name])}"
    return f"needs {', '.join(by_name)} by name" if by_name else "takes nothing"


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
