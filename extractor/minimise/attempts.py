"""Attempts among those that stay: their numbers, whose retries they are, and after which others they came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.case import Document
from ..model.json import JsonValue
from .pieces import numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Staying:
    """The new numbers of attempts and logical calls that stay, and what led to those that went. Old numbers are keys."""

    attempts: Mapping[int, int]
    calls: Mapping[int, int]
    before: Mapping[int, Sequence[int]]
    retried: Mapping[int, int]

    def after(self, event: Document) -> Sequence[int]:
        """Return the attempts after which an event came; those before a dropped one take its place, unless implied."""
        listed = numbers(event.get("after"))
        if all(number in self.attempts for number in listed):
            return [self.attempts[number] for number in listed]
        standing = {reached for number in listed for reached in self._past(number)}
        implied = {
            number for number in standing if any(number in self._earlier(other) for other in standing - {number})
        }
        return sorted(self.attempts[number] for number in standing - implied)

    def retry_of(self, event: Document) -> int | None:
        """Return the nearest earlier try that stays."""
        number, seen = event.get("retry_of"), set[int]()
        while isinstance(number, int) and number not in self.attempts and number not in seen:
            seen.add(number)
            number = self.retried.get(number)
        return self.attempts.get(number) if isinstance(number, int) else None

    def _past(self, number: int) -> set[int]:
        """Return the first attempts that stay on the ways back from a dropped one."""
        found: set[int] = set()
        seen: set[int] = set()
        front = [number]
        while front:
            each = front.pop()
            if each in self.attempts:
                found.add(each)
            elif each not in seen:
                seen.add(each)
                front.extend(self.before.get(each, ()))
        return found

    def _earlier(self, number: int) -> set[int]:
        """Return every attempt that ended before one began."""
        seen: set[int] = set()
        front = list(self.before.get(number, ()))
        while front:
            each = front.pop()
            if each not in seen:
                seen.add(each)
                front.extend(self.before.get(each, ()))
        return seen


def standing_for(events: Sequence[Document], kept: Sequence[int]) -> Staying:
    """Return how the events that stay are numbered: in the order of their numbers before."""
    ordered = sorted(_number(events[index], "attempt") for index in kept)
    calls = sorted({_number(events[index], "logical_call") for index in kept})
    retried = {_number(event, "attempt"): event.get("retry_of") for event in events}
    return Staying(
        attempts={number: place for place, number in enumerate(ordered, start=1)},
        calls={number: place for place, number in enumerate(calls, start=1)},
        before={_number(event, "attempt"): numbers(event.get("after")) for event in events},
        retried={attempt: number for attempt, number in retried.items() if isinstance(number, int)},
    )


def renumbered(events: Sequence[Document], kept: Sequence[int], staying: Staying) -> Iterator[Document]:
    """Yield the events that stay, with their numbers among themselves."""
    tries: dict[int, list[int]] = {}
    for index in kept:
        tries.setdefault(_number(events[index], "logical_call"), []).append(_number(events[index], "try"))
    for index in kept:
        event = events[index]
        call = _number(event, "logical_call")
        changed: dict[str, JsonValue] = {
            "attempt": staying.attempts[_number(event, "attempt")],
            "logical_call": staying.calls[call],
            "try": sorted(tries[call]).index(_number(event, "try")) + 1,
            "retry_of": staying.retry_of(event),
            "after": list(staying.after(event)),
        }
        yield {
            name: changed.get(name, value)
            for name, value in event.items()
            if name != "retry_of" or changed["retry_of"] is not None
        }


def _number(event: Document, name: str) -> int:
    value = event.get(name)
    return value if isinstance(value, int) else 0
