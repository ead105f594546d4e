"""What every format asks of a case: its acts in one order, its messages by id, and which calls were concurrent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..model.json import JsonValue, MalformedJson, compact, parse, quote

Members: TypeAlias = Mapping[str, JsonValue]
Kind: TypeAlias = Literal["tools", "llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A case that is written in another format: the members of its fixture.json, the SHA-256 of that file, its standing."""

    document: Members = field(repr=False)
    fixture_hash: str
    approved: bool

    @property
    def case_id(self) -> str:
        """The case's id."""
        return text(self.document.get("case_id"))

    @property
    def standing(self) -> str:
        """How a copy says whether people approved it."""
        return "approved" if self.approved else NOT_APPROVED

    @property
    def tools(self) -> list[Members]:
        """The attempts, in the order of the case."""
        return items(self.document.get("tool_events"))

    @property
    def models(self) -> list[Members]:
        """The turns of models, in the order of the case."""
        return items(self.document.get("model_events"))

    @property
    def said(self) -> list[Members]:
        """What the user said."""
        return items(members(self.document.get("input")).get("messages"))

    @property
    def expected(self) -> Members:
        """What people say must hold."""
        return members(self.document.get("expected"))


NOT_APPROVED = "NOT APPROVED"


def items(value: JsonValue) -> list[Members]:
    """Return the objects of a list, none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def members(value: JsonValue) -> Members:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text(value: JsonValue) -> str:
    """Return a text, an empty one for anything else."""
    return value if isinstance(value, str) else ""


def texts(value: JsonValue) -> list[str]:
    """Return the texts of a list, none for anything else."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def numbers(value: JsonValue) -> list[int]:
    """Return the integers of a list, none for anything else."""
    return [item for item in value if isinstance(item, int)] if isinstance(value, list) else []


def in_order(source: Source) -> list[tuple[Kind, int]]:
    """Return tools and turns in one order, each by its position in its own list.

    A turn stands behind the last attempt that had ended before it began, and behind the turn before it.
    """
    found: list[tuple[Kind, int]] = []
    done = 0
    for index, turn in enumerate(source.models):
        last = min(max(numbers(turn.get("after")), default=0), len(source.tools))
        found += [("tools", place) for place in range(done, last)]
        done = max(done, last)
        found.append(("llm", index))
    return [*found, *(("tools", place) for place in range(done, len(source.tools)))]


def concurrent(source: Source) -> list[int]:
    """Return the positions of attempts that began before some earlier attempt had ended."""
    before: list[set[int]] = []
    for event in source.tools:
        reached: set[int] = set()
        for attempt in numbers(event.get("after")):
            if 0 < attempt <= len(before):
                reached |= {attempt} | before[attempt - 1]
        before.append(reached)
    return [index for index, reached in enumerate(before) if len(reached) < index]


def by_id(source: Source) -> Mapping[str, Members]:
    """Return every message by its id."""
    found = (*source.said, *items(source.document.get("messages")))
    return {text(message.get("id")): message for message in found}


def template(source: Source, part: Members) -> str | None:
    """Return the text of the template that a system message's part names; None where it names none."""
    number = members(part.get("value")).get("template")
    templates = items(source.document.get("templates"))
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(templates):
        return None
    return text(templates[number].get("content")) or text(templates[number].get("ref"))


def answer(source: Source, part: Members) -> str:
    """Return a tool's result as the text that a model reads; one that a tool event holds is not written twice in a case."""
    if "value" in part or "value_text" in part:
        return written(part)
    for event in reversed(source.tools):
        outcome = members(event.get("outcome"))
        if event.get("call_id") == part.get("call_id") and outcome.get("type") == "result":
            return written(outcome)
    return ""


def written(holder: Members) -> str:
    """Return a value as the text that stands for it: the one that the application saw, else one that reads back equal."""
    if isinstance(seen := holder.get("value_text"), str):
        return seen
    value = holder.get("value")
    if not isinstance(value, str):
        return compact(value)
    try:
        parse(value)
    except MalformedJson:
        return value
    return quote(value)


def words(parts: Sequence[Members]) -> str:
    """Return the text of parts, by lines."""
    return "\n".join(text(part.get("text")) for part in parts if part.get("type") == "text")
