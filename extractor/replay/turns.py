"""The turns of a conversation that a replay runs again, and what had been said before each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractor.model.json import JsonValue

from .case import ReplayCase
from .exchange import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of the user: ``text`` is what they said, ``history`` every message before it; ``number`` counts from 1."""

    number: int
    text: str
    message: Message
    history: tuple[Message, ...] = ()


def turns(case: ReplayCase) -> tuple[Turn, ...]:
    """Return the user's turns that the recording can answer, at least the last one.

    A turn is answered when a recorded exchange with a model has it as its last word of the user; earlier ones are history.
    Adjacent messages of the user are separate turns only if each was answered.
    """
    order = _order(case)
    said = [place for place, (_, message) in enumerate(order) if _users(message)]
    answered = _answered(case)
    chosen = [place for place in said if order[place][0] in answered] or said[-1:]
    return tuple(
        Turn(
            number=number,
            text=text_of(order[place][1]),
            message=order[place][1],
            history=tuple(message for _, message in order[:place]),
        )
        for number, place in enumerate(chosen, start=1)
    )


def text_of(message: Message) -> str:
    """Return the text parts of a message, a line each."""
    return "\n".join(str(part["text"]) for part in message.parts if part.get("type") == "text" and part.get("text"))


def _order(case: ReplayCase) -> list[tuple[str, Message]]:
    known = case.messages
    told = case.document.get("conversation")
    ids = [each for each in told if isinstance(each, str) and each in known] if isinstance(told, list) else []
    asked = [str(each["id"]) for each in _objects(case.members("input").get("messages"))]
    return [(each, known[each]) for each in [*ids, *(each for each in asked if each not in ids)]]


def _answered(case: ReplayCase) -> set[str]:
    """Return the ids of the user's messages that were the last ones when a model was asked."""
    found = set()
    for event in case.listed("model_events"):
        told = event.get("input")
        users = [
            each
            for each in (told if isinstance(told, list) else [])
            if isinstance(each, str) and each in case.messages and _users(case.messages[each])
        ]
        found.update(users[-1:])
    return found


def _users(message: Message) -> bool:
    """Say whether the user said it; some providers send tool results under the user's role."""
    return message.role == "user" and any(part.get("type") != "tool_result" for part in message.parts)


def _objects(value: JsonValue) -> Sequence[Mapping[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
