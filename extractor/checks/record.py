"""One run as a check sees it: everything it may read, frozen, and nothing of the world outside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from extractor.model.json import JsonValue

from .documents import json_object
from .tracking import Reads, TrackedList, TrackedObject, leaves, tracked

_TEXTS = ("output_text", "finish_reason", "model")


class ToolCall:
    """One call of the agent: ``name``, ``arguments`` as it gave them, ``arguments_parsed``, and what came of it."""

    __slots__ = ("_call",)

    def __init__(self, call: TrackedObject) -> None:
        object.__setattr__(self, "_call", call)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a record is frozen: a check changes nothing")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # JSON of the call
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "arguments_parsed":
            return self._call.get("arguments")
        if name == "arguments":
            arguments = self._call.get("arguments")
            text = dict.get(self._call, "arguments_text")
            if not isinstance(text, str):
                return arguments
            repr(arguments)  # who reads the text reads every argument
            return self._call["arguments_text"]
        found = self._call.get(name, self)
        if found is self:
            raise AttributeError(f"a recorded call has no {name}")
        return found

    def __repr__(self) -> str:
        """Name the call without its values."""
        return "ToolCall()"

    def __eq__(self, other: object) -> bool:
        """Compare all that is recorded of two calls."""
        return self._call == other._call if isinstance(other, ToolCall) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as an object's of JSON: a set of calls would tell none from another

    def __copy__(self) -> ToolCall:
        """Return the call itself: it is frozen."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> ToolCall:
        """Return the call itself: it is frozen."""
        return self


class RunRecord:
    """A frozen run. Members: ``tool_calls``, ``messages``, ``output``, ``output_text``, ``usage``, ``documents``, ``citations``,
    ``model``, ``finish_reason``. Each reading is told to ``reads`` by its field path.

    ``now`` is not part of it: a check takes the case's, never the workstation's. ``document`` is for tools: the JSON as it is. To
    a check it is as frozen, and tells what is read, as all the rest.
    """

    __slots__ = ("_document", "reads")
    _document: dict[str, JsonValue]
    reads: Reads

    def __init__(self, document: Mapping[str, JsonValue]) -> None:
        object.__setattr__(self, "reads", Reads())
        object.__setattr__(self, "_document", dict(document))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a record is frozen: a check changes nothing")

    def __repr__(self) -> str:
        """Name the record without its values."""
        return "RunRecord()"

    def __copy__(self) -> RunRecord:
        """Return the record itself: it is frozen."""
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> RunRecord:
        """Return the record itself: it is frozen."""
        return self

    @property
    def document(self) -> dict[str, JsonValue]:
        """The record as JSON."""
        return TrackedObject(self._document, "", self.reads) if self.reads.judging else self._document

    @classmethod
    def of(cls, fixture: Mapping[str, JsonValue]) -> RunRecord:
        """Return the record that a fixture of ours holds."""
        return cls(_of_fixture(fixture))

    @classmethod
    def from_json(cls, text: str | bytes) -> RunRecord:
        """Return the record of a record.json. Raises `ValueError` for what is no JSON object, quoting nothing of it.

        Arguments that were recorded as the model's text are parsed; ``arguments_text`` keeps the text.
        """
        return cls(_recorded(json_object(text, "record")))

    def to_json(self) -> str:
        """Return the record as JSON, two spaces, a final newline."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    @property
    def tool_calls(self) -> Sequence[ToolCall]:
        """The calls of the agent, in order."""
        return _Calls(self._list("tool_calls"))

    @property
    def messages(self) -> Sequence[Any]:
        """The messages of the run."""
        return self._list("messages")

    @property
    def documents(self) -> Sequence[Any]:
        """What retrieval returned."""
        return self._list("documents")

    @property
    def citations(self) -> Sequence[Any]:
        """What the answer cites, beside it or in it."""
        output = self._document.get("output")
        if "citations" not in self._document and isinstance(output, dict) and isinstance(output.get("citations"), list):
            return self.output["citations"]  # type: ignore[no-any-return]  # JSON
        return self._list("citations")

    @property
    def usage(self) -> Mapping[str, Any]:
        """Token counts of the whole run."""
        value = self._document.get("usage")
        return TrackedObject(value if isinstance(value, dict) else {}, "usage", self.reads)

    @property
    def output(self) -> Any:  # noqa: ANN401  # whatever JSON the run ended with
        """The final output as it is: text or JSON."""
        return tracked(self._document.get("output"), "output", self.reads)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # a member of the record
        if name.startswith("_") or name == "reads":
            raise AttributeError(name)
        if name not in self._document and name not in _TEXTS:
            self.reads(name)
            raise AttributeError(f"the record has no {name}")
        if name == "output_text" and name not in self._document:
            self.reads(name)
            self.reads("output")  # who reads the text reads the whole output
            output = self.output
            return (
                output if isinstance(output, str) else "" if output is None else json.dumps(output, ensure_ascii=False)
            )
        return tracked(self._document.get(name), name, self.reads)

    def paths(self) -> tuple[str, ...]:
        """Return the field path of every leaf."""
        found = tuple(leaves(self._document, ""))
        for path in found if self.reads.judging else ():
            self.reads(path)
        return found

    def _list(self, name: str) -> TrackedList:
        value = self._document.get(name)
        return TrackedList(value if isinstance(value, list) else [], name, self.reads)


class _Calls(Sequence[ToolCall]):
    def __init__(self, calls: TrackedList) -> None:
        self._calls = calls

    @property
    def _path(self) -> str:
        return self._calls._path  # noqa: SLF001  # where the list of calls stands

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[ToolCall]:
        return (ToolCall(each) for each in self._calls)  # type: ignore[arg-type]  # from_json takes objects alone

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401  # a call, or a list of them
        found = self._calls[index]
        return [ToolCall(each) for each in found] if isinstance(index, slice) else ToolCall(found)  # type: ignore[attr-defined, arg-type]

    def __eq__(self, other: object) -> bool:
        return len(self) == 0 and other in ([], ())

    __hash__ = None  # type: ignore[assignment]  # as a list's


def _of_fixture(fixture: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    calls: list[JsonValue] = [_call(event) for event in _objects(fixture.get("tool_events"))]
    given = fixture.get("input")
    asked = _objects(given.get("messages")) if isinstance(given, dict) else []
    known = {str(each.get("id")): each for each in [*asked, *_objects(fixture.get("messages"))]}
    order = fixture.get("conversation")
    told = [known[each] for each in order if isinstance(each, str) and each in known] if isinstance(order, list) else []
    events = _objects(fixture.get("model_events"))
    usage: dict[str, int] = {}
    for event in events:
        counts = event.get("usage")
        for name, count in (counts if isinstance(counts, dict) else {}).items():
            if isinstance(count, int):
                usage[name] = usage.get(name, 0) + count
    members: dict[str, JsonValue] = {
        "tool_calls": calls,
        "messages": list(told),
        "output": fixture.get("final_output"),
        "usage": dict(usage),
        "documents": list(_objects(fixture.get("documents"))),
        "model": events[-1].get("model") if events else None,
    }
    return members


def _recorded(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a record.json in the one form that our fixtures have."""
    calls = document.get("tool_calls", [])
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise ValueError("the record's tool_calls is no list of objects")
    if not calls:
        return document
    return document | {"tool_calls": [_with_parsed(call) for call in calls if isinstance(call, dict)]}


def _with_parsed(call: dict[str, JsonValue]) -> dict[str, JsonValue]:
    text = call.get("arguments")
    if "arguments_parsed" in call:
        parsed = {"arguments": call["arguments_parsed"]}
    elif isinstance(text, str) and "arguments_text" not in call:
        try:
            parsed = {"arguments": json_object(text, "arguments")}
        except ValueError:
            parsed = {"arguments": None}
    else:
        return call
    told: dict[str, JsonValue] = {"arguments_text": text} if isinstance(text, str) else {}
    return {name: value for name, value in call.items() if name != "arguments_parsed"} | parsed | told


def _call(event: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    outcome = event.get("outcome")
    ended = outcome if isinstance(outcome, dict) else {}
    call: dict[str, JsonValue] = {
        "name": event.get("tool"),
        "arguments": event.get("arguments"),
        "call_id": event.get("call_id"),
        "attempt": event.get("attempt"),
        "idempotency_key": event.get("idempotency_key"),
        "side_effect": event.get("side_effect"),
        "result": ended.get("value"),
        "error": ended.get("error"),
    }
    if isinstance(event.get("arguments_text"), str):
        call["arguments_text"] = event["arguments_text"]
    return call


def _objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def instant(text: str) -> datetime:
    """Return an ISO 8601 instant; raises `ValueError` for one without an offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("an instant needs an offset")
    return moment
