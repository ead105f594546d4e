"""What a single step did: whether it answered somebody, failed, or stated a figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from ..model.trace import Message, Step

# A figure in prose; the number of a list's entry is none.
_FIGURE = re.compile(r"(?<![\w.,-])\d+(?!\w)", re.ASCII)
_ENTRY = re.compile(r"^[\s*_#-]*\d{1,3}[.)]\s", re.MULTILINE)


def answers(step: Step) -> bool:
    """Return whether a model turn or assistant message says something in words."""
    return bool(said(step))


def said(step: Step) -> str:
    """Return what a model turn or assistant message says in words, empty when it only calls tools."""
    if step.model is None:
        return ""
    return "\n".join(filter(None, (texts(message) for message in step.model.output)))


def texts(message: Message) -> str:
    """Return what a message says in words, empty when it only calls tools."""
    return "\n".join(part.text for part in message.parts if part.type == "text" and part.text).strip()


def failed(step: Step) -> bool:
    """Return whether a step ended in an error, in its span or in what the application saw."""
    return (
        step.error_type is not None
        or step.span.status_code == "error"
        or (step.tool is not None and step.tool.error is not None)
    )


def states_figure(step: Step, common: AbstractSet[str]) -> bool:
    """Return whether an answer states a number, however small (a count, a sum, a date), that is not a common one."""
    return any(figure not in common for figure in _FIGURE.findall(_ENTRY.sub("", said(step))))


def last_answer(steps: Sequence[Step]) -> int:
    """Return the position of the last answer, else of the last act, else of the last step."""
    backwards = range(len(steps) - 1, -1, -1)
    spoken = (index for index in backwards if answers(steps[index]) or steps[index].kind == "assistant_message")
    acts = (index for index in backwards if steps[index].kind in ("model_call", "tool_call", "retrieval", "handoff"))
    return next(spoken, next(acts, len(steps) - 1))
