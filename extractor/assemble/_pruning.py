"""Which messages of a kept turn's history stand in the case: not those that dropped spans put there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..model.calls import tool_calls
from ..model.trace import Message, Trace
from ._messages import users


class Pruning:
    """Tells a history's messages apart; a message stays whole or is dropped whole.

    What the user and the instructions say always stays, and so does what no span of the trace put there: nobody can
    say that it changed nothing.
    """

    def __init__(self, trace: Trace, kept: AbstractSet[str]) -> None:
        spoken: dict[bool, set[str]] = {True: set(), False: set()}
        asked: dict[bool, set[str]] = {True: set(), False: set()}
        returned: dict[bool, set[str]] = {True: set(), False: set()}
        for step in trace.steps:
            if step.model is not None:
                stays = step.span.span_id in kept
                spoken[stays].update(map(_texts, step.model.output))
                asked[stays].update(_call_ids(step.model.output, "tool_call"))
        for call in tool_calls(trace):
            if call.tool.call_id is not None:
                returned[call.step.span.span_id in kept].add(call.tool.call_id)
        self._spoken = spoken[False] - spoken[True]
        self._asked = asked[False] - asked[True]
        self._returned = returned[False] - returned[True]

    def stands(self, message: Message) -> bool:
        """Return whether a message of a history stands in the case."""
        if message.role == "system" or users(message):
            return True
        asked, returned = set(_call_ids((message,), "tool_call")), set(_call_ids((message,), "tool_result"))
        if asked or returned:
            return not (asked <= self._asked and returned <= self._returned)
        said = _texts(message)
        return not said or said not in self._spoken

    def pruned(self, history: Iterable[Message]) -> Sequence[Message]:
        """Return the messages of a history that stand, in their order."""
        return [message for message in history if self.stands(message)]


def _call_ids(messages: Iterable[Message], kind: str) -> Iterable[str]:
    return (
        part.call_id for message in messages for part in message.parts if part.type == kind and part.call_id is not None
    )


def _texts(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if part.type == "text" and part.text).strip()
