"""The evidence in the order in which it happened: what was said, which calls were tried, how each ended, the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ...model.json import JsonValue, MalformedJson, parse, pretty
from . import words
from .lenient import Members, count, items, members, text, texts
from .runs import Marker, Run

Who: TypeAlias = Literal["user", "assistant", "tool", "system", "other"]
_WHO: Mapping[str, Who] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
_TIMES = (
    ("budget_start_ms", "budget began"),
    ("dispatch_ms", "sent"),
    ("receipt_ms", "received there"),
    ("response_ms", "answered"),
    ("end_ms", "over"),
    ("deadline_ms", "deadline"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A text or payload of an entry, under a label of ours; ``code`` tells that it is data, not speech."""

    label: str = ""
    runs: Sequence[Run]
    code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """When an attempt was under way, in thousandths of the case's length; None where it is not known."""

    start: int
    end: int
    received: int | None = None
    deadline: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Something that was said. ``places`` are its paths in the fixture, ``answer`` that it is the last word."""

    who: Who
    places: Sequence[str]
    parts: Sequence[Part]
    answer: bool = False
    kind: Literal["turn"] = "turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try of one call: what was asked, how it ended, what it changed, and when, in words."""

    number: int
    tool: Sequence[Run]
    places: Sequence[str]
    of: str
    violation: bool
    failed: bool
    parts: Sequence[Part]
    ended: str
    effect: str
    effect_code: str
    times: Sequence[tuple[str, str]]
    bar: Bar | None = None
    kind: Literal["attempt"] = "attempt"


Entry: TypeAlias = Turn | Attempt


def timeline(document: Members, marker: Marker) -> tuple[Entry, ...]:
    """Return the entries of a fixture in order; an attempt stands where its call was asked for, or at the end."""
    return tuple(_Timeline(document, marker).entries())


@dataclass(slots=True)
class _Timeline:
    document: Members
    marker: Marker
    _told: set[int] = field(default_factory=set)

    def entries(self) -> Iterator[Entry]:
        events = items(self.document.get("tool_events"))
        placed = self._messages()
        final = self._final()
        answer = next((name for name in reversed(texts(self.document.get("conversation"))) if name in placed), None)
        said = bool(final) and answer is not None and _said(placed[answer][1]) == final
        for name in [*texts(self.document.get("conversation")), *self._unheard(placed)]:
            if name not in placed:
                continue
            place, message = placed[name]
            calls = [text(part.get("call_id")) for part in items(message.get("parts"))]
            if turn := self._turn(place, message, answer=said and name == answer):
                yield turn
            if message.get("role") != "tool":
                yield from self._attempts(events, calls)
        yield from self._attempts(events, None)
        if final and not said:
            yield Turn(
                who="assistant", places=("final_output",), parts=(Part(runs=self.marker.runs(final)),), answer=True
            )

    def _messages(self) -> dict[str, tuple[str, Members]]:
        listed = [
            (f"{path}[{index}]", message)
            for path, messages in (
                ("input.messages", items(members(self.document.get("input")).get("messages"))),
                ("messages", items(self.document.get("messages"))),
            )
            for index, message in enumerate(messages)
        ]
        return {text(message.get("id")): (place, message) for place, message in listed}

    def _unheard(self, placed: Mapping[str, tuple[str, Members]]) -> Iterator[str]:
        """Yield what the user said outside the conversation: nothing of it may go unseen."""
        heard = set(texts(self.document.get("conversation")))
        yield from (
            name for name, (_, message) in placed.items() if name not in heard and message.get("role") != "system"
        )

    def _final(self) -> str:
        final = self.document.get("final_output")
        return final if isinstance(final, str) else _said(members(final)) or ("" if final is None else pretty(final))

    def _turn(self, place: str, message: Members, *, answer: bool) -> Turn | None:
        parts = list(self._parts(message))
        if not parts:
            return None
        places = (place, "final_output") if answer else (place,)
        return Turn(who=_WHO.get(text(message.get("role")), "other"), places=places, parts=parts, answer=answer)

    def _parts(self, message: Members) -> Iterator[Part]:
        """Yield what of a message stands nowhere else: calls and results are told by their attempts."""
        known = {text(event.get("call_id")) for event in items(self.document.get("tool_events"))} - {""}
        for part in items(message.get("parts")):
            kind, call = text(part.get("type")), text(part.get("call_id"))
            if kind in ("tool_call", "tool_result") and call in known:
                continue
            if isinstance(part.get("text"), str):
                yield Part(
                    runs=self.marker.runs(text(part.get("text"))), label="" if kind == "text" else words.plain(kind)
                )
            elif members(part.get("value")).get("template") is None or len(members(part.get("value"))) > 1:
                label = " ".join(filter(None, (words.plain(kind), text(part.get("tool")))))
                yield Part(runs=self.marker.runs(_shown(part.get("value"))), label=label, code=True)

    def _attempts(self, events: Sequence[Members], calls: Sequence[str] | None) -> Iterator[Attempt]:
        for index, event in enumerate(events):
            wanted = calls is None or (text(event.get("call_id")) in calls and text(event.get("call_id")))
            if wanted and index not in self._told:
                self._told.add(index)
                yield self._attempt(index, event)

    def _attempt(self, index: int, event: Members) -> Attempt:
        outcome, timing = members(event.get("outcome")), members(event.get("timing"))
        failed = outcome.get("type") == "error"
        of = f"try {count(event.get('try')) or 1} of this call"
        if event.get("retry_of") is not None:
            of += f", after attempt {text(event.get('retry_of'))}"
        ended = text(outcome.get("ended_by"))
        return Attempt(
            number=count(event.get("attempt")) or index + 1,
            tool=self.marker.runs(text(event.get("tool"))),
            places=(f"tool_events[{index}]",),
            of=of,
            violation=event.get("role") == "violation",
            failed=failed,
            parts=tuple(self._payloads(event, outcome, failed=failed)),
            ended=words.ENDED.get(ended, words.plain(ended)),
            effect=words.EFFECT.get(text(event.get("side_effect")), ""),
            effect_code=text(event.get("side_effect")),
            times=tuple((label, at) for name, label in _TIMES if (at := words.instant(timing.get(name)))),
            bar=_bar(timing, self._length()),
        )

    def _payloads(self, event: Members, outcome: Members, *, failed: bool) -> Iterator[Part]:
        yield Part(label="asked", runs=self.marker.runs(_shown(event.get("arguments"))), code=True)
        key = event.get("idempotency_key")
        if isinstance(key, str) and key not in _leaves(event.get("arguments")):
            yield Part(label="idempotency key", runs=self.marker.runs(key), code=True)
        if kind := text(outcome.get("error_type")):
            yield Part(label="error", runs=self.marker.runs(kind), code=True)
        if (error := outcome.get("error")) is not None:
            yield Part(label="error said", runs=self.marker.runs(_shown(error)), code=not isinstance(error, str))
        value, told = outcome.get("value"), outcome.get("value_text")
        if value is not None:
            yield Part(label="error told" if failed else "result", runs=self.marker.runs(_shown(value)), code=True)
        if isinstance(told, str) and not _same(told, value):
            yield Part(label="as the application saw it", runs=self.marker.runs(told), code=True)

    def _length(self) -> float:
        """Return when the last of the attempts was over, in ms."""
        timings = [members(event.get("timing")) for event in items(self.document.get("tool_events"))]
        ends = [_number(timing.get(name)) for timing in timings for name in ("end_ms", "response_ms", "receipt_ms")]
        return max((end for end in ends if end is not None), default=0.0)


def _bar(timing: Members, length: float) -> Bar | None:
    end = _number(timing.get("end_ms"))
    start = _number(timing.get("dispatch_ms"))
    if start is None:
        start = _number(timing.get("budget_start_ms"))
    if length <= 0 or start is None or end is None:
        return None
    received, deadline = _number(timing.get("receipt_ms")), _number(timing.get("deadline_ms"))

    def scaled(at: float) -> int:
        return max(0, min(1_000, round(1_000 * at / length)))

    return Bar(
        start=scaled(start),
        end=max(scaled(end), scaled(start) + 4),
        received=None if received is None else scaled(received),
        deadline=None if deadline is None or deadline > length else scaled(deadline),
    )


def _said(message: Members) -> str:
    return " ".join(text(part.get("text")) for part in items(message.get("parts")) if part.get("text") is not None)


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) else pretty(value).rstrip("\n")


def _same(told: str, value: JsonValue) -> bool:
    try:
        return parse(told) == value
    except MalformedJson:
        return told == value


def _leaves(value: JsonValue) -> Sequence[str]:
    return [each for each in members(value).values() if isinstance(each, str)]


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
