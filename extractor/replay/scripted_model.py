"""The scripted model of a replay: recorded answers, by model and then by order; it never says that a prompt got better."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractor.model.json import JsonValue

from .case import ReplayCase
from .exchange import Message, ModelAnswer, ModelRequest, Part
from .faults import NothingRecorded
from .ledger import Divergence, Ledger
from .matching import difference


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEvent:
    """One recorded exchange with a model."""

    model: str | None
    input: tuple[Message, ...]
    answer: ModelAnswer


def model_events(case: ReplayCase) -> tuple[ModelEvent, ...]:
    """Return the recorded exchanges of a case, in order."""
    return tuple(_event(case, event) for event in case.listed("model_events"))


class ScriptedModel:
    """Answers model calls from a recording; thread-safe.

    The next recorded answer of the same model is served, else the next of any: names differ between instrumentations and
    clients. A changed input or model is served all the same and stamped: the recording shows what the workflow does under
    the recorded answers, not what the model would say to another prompt.
    """

    def __init__(self, events: Sequence[ModelEvent], *, ledger: Ledger | None = None) -> None:
        self._events = tuple(events)
        self._open = dict.fromkeys(range(len(self._events)))
        self._ledger = ledger or Ledger()
        self._lock = threading.Lock()

    def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the next recorded answer; raises `NothingRecorded` (outside `Exception`) when none is left."""
        with self._lock:
            place = self._next(request.model)
            if place is None:
                called = f"llm:{request.model}"
                raise self._ledger.fail(
                    NothingRecorded(
                        f"no recorded call for {called}, never a live call",
                        code="exhausted" if self._events else "missing",
                        called=called,
                        nearest=f"model_events[{len(self._events) - 1}]" if self._events else None,
                        cure="a fix that asks the model once more needs a case of its own: recapture from a run of the fixed code",
                    )
                )
            del self._open[place]
        event = self._events[place]
        self._ledger.serve("llm", str(request.model or event.model), "recorded")
        self._stamp(place, event, request)
        return event.answer

    def call(self, model: str | None, messages: Sequence[Message | Mapping[str, JsonValue]]) -> tuple[Part, ...]:
        """Return the parts of the next recorded answer, for agents whose seam is a function of model and messages.

        Messages that are mappings are read as chat completions have them: ``{"role": "user", "content": "…"}``.
        """
        return self.answer(ModelRequest(provider="", model=model, messages=_sent(messages))).parts

    def peek(self, model: str | None) -> ModelEvent | None:
        """Return the exchange that the next call would be served from, without consuming it."""
        with self._lock:
            place = self._next(model)
        return None if place is None else self._events[place]

    def unconsumed(self) -> list[tuple[int, ModelEvent]]:
        """Return the recorded exchanges that did not come, by position."""
        return [(place, self._events[place]) for place in self._open]

    def _next(self, model: str | None) -> int | None:
        same = (place for place in self._open if _same_model(self._events[place].model, model))
        return next(same, next(iter(self._open), None))

    def _stamp(self, place: int, event: ModelEvent, request: ModelRequest) -> None:
        name = str(event.model)
        if not _same_model(event.model, request.model):
            self._ledger.diverge(Divergence(kind="llm", name=name, position=place, what="model"))
        path = difference(*_aligned(event.input, request.messages)) if request.messages else None
        if path is not None:
            self._ledger.diverge(Divergence(kind="llm", name=name, position=place, what="input", path=f"input{path}"))


def _same_model(recorded: str | None, asked: str | None) -> bool:
    """Say whether two names mean one model; a dated release is the model that a shorter name asks for."""
    return asked is None or recorded == asked or bool(recorded and (recorded.startswith(f"{asked}-")))


def _aligned(recorded: Sequence[Message], asked: Sequence[Message]) -> tuple[list[JsonValue], list[JsonValue]]:
    """Return both inputs in one form: adjacent messages of one role are one, reasoning and what is no text are left out."""
    return _told(recorded), _told(asked)


def _told(messages: Sequence[Message]) -> list[JsonValue]:
    told: list[JsonValue] = []
    for message in messages:
        for part in message.parts if message.role != "system" else ():
            if part.get("type") not in _COMPARED:
                continue
            # Some providers have results of tools in turns of the user.
            role = "tool" if part["type"] == "tool_result" else message.role
            last = told[-1] if told else None
            if isinstance(last, dict) and last["role"] == role and isinstance(last["parts"], list):
                last["parts"].append(_part(part))
            else:
                told.append({"role": role, "parts": [_part(part)]})
    return told


_COMPARED = frozenset({"text", "tool_call", "tool_result"})


def _part(part: Part) -> JsonValue:
    if part["type"] == "text":
        return {"text": part.get("text")}
    if part["type"] == "tool_call":
        return {"tool": part.get("tool"), "value": part.get("value")}
    return {"value": part.get("value")}


def _event(case: ReplayCase, event: Mapping[str, JsonValue]) -> ModelEvent:
    parts = tuple(part for message in _named(case, event.get("output")) for part in message.parts)
    usage = event.get("usage")
    model = event.get("model")
    return ModelEvent(
        model=model if isinstance(model, str) else None,
        input=_named(case, event.get("input")),
        answer=ModelAnswer(
            model=model if isinstance(model, str) else None,
            parts=parts,
            usage={name: n for name, n in usage.items() if isinstance(n, int)} if isinstance(usage, dict) else {},
            finish="tool_call" if any(part.get("type") == "tool_call" for part in parts) else "stop",
        ),
    )


def _named(case: ReplayCase, ids: JsonValue) -> tuple[Message, ...]:
    known = case.messages
    return (
        tuple(known[each] for each in ids if isinstance(each, str) and each in known) if isinstance(ids, list) else ()
    )


def _sent(messages: Sequence[Message | Mapping[str, JsonValue]]) -> tuple[Message, ...]:
    own = tuple(each for each in messages if isinstance(each, Message))
    if len(own) == len(messages):
        return own
    from .providers import openai_chat  # for agents without a provider's client alone

    chat: list[JsonValue] = [dict(each) for each in messages if not isinstance(each, Message)]
    if own:
        raise TypeError("messages are all of this kit, or all those of chat completions")
    return openai_chat.messages(chat)
