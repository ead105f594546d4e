"""Tracely's recordings: fixture bundles (versions 1 and 2) and case artifacts. Calls by kind and position, without times."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import ClassVar, Literal, TypeAlias

from extractor.model.json import JsonValue, MalformedJson, compact, leaves, parse, quote
from extractor.model.span import Attributes, Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .values import members, objects, string

_Kind: TypeAlias = Literal["tools", "llm"]
_KINDS: tuple[_Kind, ...] = ("tools", "llm")
_OURS = "x_fixture"
_BUNDLE, _ARTIFACT = 2, 1  # the newest formats that are known
_OF_A_BUNDLE = frozenset({"version", "tools", "llm", _OURS})
_OF_A_CALL = frozenset({"args", "input", "output", "error"})
_OF_A_MESSAGE = frozenset({"role", "content", "parts", "tool_calls", "choices", "message"})
_PLACE = re.compile(r"(tools|llm)\[(\d{1,6})\]")
_STEP_NS = 1_000
_SCOPE = Scope(name="tracely")


class Tracely(JsonContainer):
    """A bundle, or an artifact that holds one; each is one trace, under ids of its content.

    A bundle keeps the order within tools and within model calls, no time, and no order between the two: what could not be
    told is reported (``order_between_kinds_not_recorded``, ``times_not_recorded``). The order that an export of ours left
    in ``x_fixture`` is taken over.
    """

    name: ClassVar[str] = "tracely"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is an artifact, or a bundle that can be nothing else: a list of tools alone is no sign."""
        return _is_artifact(record) or _is_bundle(record)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the run as a root and each call as a span. Raises `RefusedError`: ``wrong_shape``, ``newer_format``, ``no_calls``."""
        bundle, said = _opened(record)
        calls = [call for kind in _KINDS for call in _section(bundle.get(kind), kind)]
        ours = members(bundle, _OURS)
        _with_classes(calls, ours)
        if not calls and said is None:
            raise RefusedError("no_calls")
        ordered = _ordered(calls, ours, report)
        trace_id, _ = ids.of_content(record)
        base = _instant(ours.get("frozen_at"))
        if base is None:
            report("times_not_recorded")
        places = iter(range(1, len(ordered) + 3))
        yield _span(
            trace_id, "run", "invoke_agent", (base or 0) + next(places) * _STEP_NS, (_operation("invoke_agent"),)
        )
        # A turn that was told it holds it in its place in the conversation.
        if said is not None and not any(said in _texts(call.given) for call in calls if call.kind == "llm"):
            start = (base or 0) + next(places) * _STEP_NS
            yield _span(trace_id, "input", "input", start, (("tracely.input", said),), root=False)
        for call in ordered:
            start = (base or 0) + next(places) * _STEP_NS
            yield (
                _of_tool(trace_id, call, start, report)
                if call.kind == "tools"
                else _of_model(trace_id, call, start, report)
            )


@dataclass(slots=True, kw_only=True)
class _Call:
    """One entry of a bundle. ``typed`` says that its values were written as what they are, so that texts are texts."""

    kind: _Kind
    index: int
    name: str
    given: JsonValue = field(repr=False)
    output: JsonValue = field(repr=False)
    error: str | None = field(repr=False)
    call_id: str = ""
    error_type: str = ""
    typed: bool = False
    recorded: bool = True

    @property
    def place(self) -> str:
        return f"{self.kind}[{self.index}]"


def _is_artifact(record: dict[str, JsonValue]) -> bool:
    if "fixtures" not in record or "input" not in record:
        return False
    return "format_version" in record and ("case_id" in record or "execution" in record)


def _is_bundle(record: dict[str, JsonValue]) -> bool:
    held = [record[kind] for kind in _KINDS if kind in record]
    if not held or not all(isinstance(section, list | dict) for section in held):
        return False
    if _OURS in record:
        return True
    if _is_count(record.get("version")):
        return all(_looks_called(section) for section in held)
    # Version 1 does not say what it is: both kinds, and nothing else, as names of calls.
    return record.keys() <= _OF_A_BUNDLE and len(held) == len(_KINDS) and all(_looks_called(one) for one in held)


def _looks_called(section: JsonValue) -> bool:
    """Return whether a section can hold calls, and no definitions of tools."""
    if isinstance(section, list):
        return all(isinstance(item, dict) and bool(_OF_A_CALL & item.keys()) for item in section)
    return isinstance(section, dict)


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _opened(record: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], str | None]:
    """Return the bundle and, of an artifact, the text of its input."""
    if "fixtures" not in record:
        _refuse_newer(record.get("version"), _BUNDLE)
        if not any(kind in record for kind in _KINDS):
            raise RefusedError("wrong_shape")
        return record, None
    _refuse_newer(record.get("format_version"), _ARTIFACT)
    bundle, given = record["fixtures"], record.get("input")
    if not isinstance(bundle, dict) or "input" not in record:
        raise RefusedError("wrong_shape")
    said = given.get("value") if isinstance(given, dict) else given
    if not isinstance(said, str) or not said:
        raise RefusedError("wrong_shape")
    _refuse_newer(bundle.get("version"), _BUNDLE)
    return bundle, said


def _refuse_newer(version: JsonValue, known: int) -> None:
    if version is None:
        return
    if not _is_count(version) or not isinstance(version, int) or version < 1:
        raise RefusedError("wrong_shape")
    if version > known:
        raise RefusedError("newer_format")


def _section(value: JsonValue, kind: _Kind) -> Iterator[_Call]:
    if isinstance(value, dict):
        for index, (name, output) in enumerate(value.items()):
            yield _Call(kind=kind, index=index, name=name, given=None, output=output, error=None)
        return
    if value is not None and not isinstance(value, list):
        raise RefusedError("wrong_shape")
    for index, item in enumerate(value or ()):
        if not isinstance(item, dict):
            raise RefusedError("wrong_shape")
        yield _Call(
            kind=kind,
            index=index,
            name=string(item.get("name")) if kind == "tools" else string(item.get("model")) or string(item.get("name")),
            given=item.get("args") if kind == "tools" else item["input"] if "input" in item else item.get("args"),
            output=item.get("output"),
            error=_error(item),
            call_id=string(item.get("tool_call_id")),
            recorded="output" in item,
        )


def _error(item: dict[str, JsonValue]) -> str | None:
    """Return the text of a failure, None where there is none; an empty one is a span that failed without a message."""
    error = item.get("error")
    if error is None or error is False:
        return "" if item.get("level") == "ERROR" else None
    return error if isinstance(error, str) else compact(error)


def _with_classes(calls: Sequence[_Call], ours: dict[str, JsonValue]) -> None:
    """Add what an export of ours says of the calls: that values are typed, and the classes of errors."""
    typed = ours.get("values") == "typed"
    attempts = objects(ours, "attempts")
    for call in calls:
        call.typed = typed
        if call.kind == "tools" and call.index < len(attempts):
            call.error_type = string(attempts[call.index].get("error_type"))


def _ordered(calls: Sequence[_Call], ours: dict[str, JsonValue], report: Report) -> list[_Call]:
    """Return the calls in one order: the recorded one, else what call ids and the order within each kind allow."""
    by_place = {call.place: call for call in calls}
    order = ours.get("order")
    places = (
        [item for item in order if isinstance(item, str) and _PLACE.fullmatch(item)] if isinstance(order, list) else []
    )
    if len(places) == len(by_place) and set(places) == by_place.keys():
        return [by_place[place] for place in places]
    tools, models = ([call for call in calls if call.kind == kind] for kind in _KINDS)
    if tools and models:
        report("order_between_kinds_not_recorded")
    return _merged(tools, models)


def _merged(tools: list[_Call], models: list[_Call]) -> list[_Call]:
    """Return both kinds as one: a tool before the turn that was told its result, after the turn that asked for it.

    Tools that no turn speaks of stand before the last turn, which is the answer.
    """
    ordered: list[_Call] = []
    waiting = list(tools)
    for number, model in enumerate(models):
        told, asked = _texts(model.given), _texts(model.output)
        last = max((index for index, tool in enumerate(waiting) if tool.call_id and tool.call_id in told), default=-1)
        if number == len(models) - 1 and not any(_is_asked(tool, asked) for tool in waiting):
            last = len(waiting) - 1
        ordered += [*waiting[: last + 1], model]
        del waiting[: last + 1]
        while waiting and _is_asked(waiting[0], asked):
            ordered.append(waiting.pop(0))
    return [*ordered, *waiting]


def _is_asked(tool: _Call, texts: frozenset[str]) -> bool:
    return (tool.call_id or tool.name) in texts


def _texts(value: JsonValue) -> frozenset[str]:
    return frozenset(leaf for _, leaf in leaves(_decoded(value)) if isinstance(leaf, str))


def _decoded(value: JsonValue) -> JsonValue:
    """Return what a text holds as JSON, any other value as it is."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value.encode("utf-8", "surrogatepass"), non_finite_as_text=True)
    except MalformedJson:
        return value


def _of_tool(trace_id: str, call: _Call, start: int, report: Report) -> Span:
    found = [_operation("execute_tool")]
    if call.name:
        found.append(("gen_ai.tool.name", call.name))
    if call.call_id:
        found.append(("gen_ai.tool.call.id", call.call_id))
    _report_decoded(call, report)
    if call.given is not None:
        found.append(("gen_ai.tool.call.arguments", _payload(call.given, call)))
    elif call.error is None or call.recorded:
        report("arguments_not_recorded")
    if call.error is None and call.recorded:
        # The text "null" is a result; an absent value would be none.
        found.append(("gen_ai.tool.call.result", "null" if call.output is None else _payload(call.output, call)))
    return _called(trace_id, call, f"execute_tool {call.name}".strip(), start, tuple(found), report)


def _payload(value: JsonValue, call: _Call) -> JsonValue:
    """Return a value as a reader of OTLP attributes takes it: there a text that is JSON stands for its value."""
    return quote(value) if call.typed and isinstance(value, str) and _decoded(value) is not value else value


def _of_model(trace_id: str, call: _Call, start: int, report: Report) -> Span:
    found = [_operation("chat")]
    if call.name:
        found.append(("gen_ai.request.model", call.name))
    _report_decoded(call, report)
    given = call.given if call.typed else _decoded(call.given)
    if isinstance(given, dict) and isinstance(given.get("messages"), list):
        if given.get("system") is not None:
            found.append(("gen_ai.system_instructions", _spoken(given["system"], call)))
        given = given["messages"]
    for key, value in (("gen_ai.input.messages", given), ("gen_ai.output.messages", call.output)):
        if value is not None:
            found.append((key, _spoken(value, call)))
    return _called(trace_id, call, f"chat {call.name}".strip(), start, tuple(found), report)


def _spoken(value: JsonValue, call: _Call) -> JsonValue:
    """Return messages as messages and everything else as the text that it is: JSON may be what a model said."""
    decoded = value if call.typed else _decoded(value)
    first = decoded[0] if isinstance(decoded, list) and decoded else decoded
    if isinstance(first, dict) and (_OF_A_MESSAGE & first.keys() or isinstance(first.get("type"), str)):
        return decoded
    return quote(value if isinstance(value, str) else compact(value))


def _report_decoded(call: _Call, report: Report) -> None:
    if not call.typed and any(_decoded(value) is not value for value in (call.given, call.output)):
        report("decoded_from_string")


def _called(trace_id: str, call: _Call, name: str, start: int, attributes: Attributes, report: Report) -> Span:
    if call.error is not None and not call.error:
        report("error_without_text")
    if call.error is not None and call.output is not None:
        report("output_beside_error")
    if call.error_type and call.error is not None:
        attributes = (*attributes, ("error.type", call.error_type))
    return _span(trace_id, call.place, name, start, attributes, error=call.error, root=False)


def _span(
    trace_id: str,
    place: str,
    name: str,
    start: int,
    attributes: Attributes,
    *,
    error: str | None = None,
    root: bool = True,
) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=_id(trace_id, place),
        parent_id=None if root else _id(trace_id, "run"),
        name=name,
        kind="internal",
        start_ns=start,
        end_ns=None,
        attributes=attributes,
        status_code="unset" if error is None else "error",
        status_message=error or "",
        scope=_SCOPE,
    )


def _operation(name: str) -> tuple[str, JsonValue]:
    return ("gen_ai.operation.name", name)


def _id(trace_id: str, place: str) -> str:
    return sha256(f"{trace_id}/{place}".encode()).hexdigest()[: ids.SPAN_DIGITS]


def _instant(value: JsonValue) -> int | None:
    """Return an instant with its offset as nanoseconds, None for anything else."""
    try:
        moment = datetime.fromisoformat(string(value))
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    whole = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    passed = (whole.days * 86_400 + whole.seconds) * 10**9 + whole.microseconds * 1_000
    return passed if passed > 0 else None
