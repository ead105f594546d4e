"""Ready checks of the eight classes that most suites need (S115), each with the mutation that it must reject.

``refunded = calls_exactly(1, "issue_refund")`` in a module of checks declares one. Ids hold no bound and no value, so that a
check keeps its id, and its row in the audit, when it is tuned; ``named`` gives another.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from .case import CheckCase
from .counting import at_least, exactly
from .declaring import Body, Rejected
from .patterns import opened
from .record import RunRecord, ToolCall
from .running import property_of

Kind: TypeAlias = Literal[
    "parse",
    "schema",
    "required_fields",
    "forbidden_strings",
    "tool_identity",
    "tool_arguments",
    "token_budget",
    "completion_length",
]
Types: TypeAlias = type | tuple[type, ...]

_UNSAYABLE = re.compile(r"[^a-z0-9_.]+")
_CUT: Final = frozenset({"length", "max_tokens", "MAX_TOKENS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A declared check of one of the eight classes. ``mutation`` is what it must reject, by name; ``phrases`` and ``tools`` are
    what it forbids, for mutations to try.
    """

    id: str
    kind: Kind
    mutation: str
    body: Body
    phrases: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    def __call__(self, record: RunRecord, case: CheckCase) -> object:
        """Judge a run: raises `Rejected`."""
        return self.body(record, case)

    @property
    def _extract_fixture_check(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class OfCase:
    """A value that stands in each case under a name."""

    name: str

    def among(self, case: CheckCase) -> object:
        """Return the case's value. Raises `AttributeError` where it has none."""
        return getattr(case, self.name)


def of_case(name: str) -> OfCase:
    """Return what stands for the expectation or fact of that name of the case at hand."""
    return OfCase(name)


def parses(*, named: str = "parses") -> Ready:
    """The output is a JSON object or list, or a text that holds one."""

    def body(record: RunRecord, _case: CheckCase) -> None:
        if not isinstance(opened(record.output), dict | list):
            raise Rejected("output", "the output does not parse as a JSON object or list", path="output")

    return Ready(id=named, kind="parse", mutation="malformed_output", body=body)


def shaped(types: Mapping[str, Types] | None = None, /, *, named: str | None = None, **more: Types) -> Ready:
    """Members of the output are there and of these types; ``bool`` is no ``int``, and null is ``type(None)``."""
    table = _some({**(types or {}), **more})

    def body(record: RunRecord, _case: CheckCase) -> None:
        _hold(_object(record), table, "output")

    return Ready(id=named or _id("shaped", *table), kind="schema", mutation="changed_type", body=body)


def arguments_shaped(
    tool: str, types: Mapping[str, Types] | None = None, /, *, named: str | None = None, **more: Types
) -> Ready:
    """A tool is called, and its arguments are there and of these types."""
    table = _some({**(types or {}), **more})

    def body(record: RunRecord, _case: CheckCase) -> None:
        for place, call in _called(record, tool):
            _hold(call.arguments_parsed, table, f"tool_calls[{place}].arguments")

    return Ready(id=named or _id("arguments_shaped", tool, *table), kind="schema", mutation="changed_type", body=body)


def requires(*names: str, named: str | None = None) -> Ready:
    """The output has these members."""
    _some(names)

    def body(record: RunRecord, _case: CheckCase) -> None:
        _present(_object(record), names, "output")

    return Ready(id=named or _id("requires", *names), kind="required_fields", mutation="dropped_field", body=body)


def requires_arguments(tool: str, *names: str, named: str | None = None) -> Ready:
    """A tool is called, each time with these arguments."""
    _some(names)

    def body(record: RunRecord, _case: CheckCase) -> None:
        for place, call in _called(record, tool):
            _present(call.arguments_parsed, names, f"tool_calls[{place}].arguments")

    made = named or _id("requires_arguments", tool, *names)
    return Ready(id=made, kind="required_fields", mutation="dropped_field", body=body)


def forbids(*phrases: str, named: str | None = None) -> Ready:
    """No text of the output holds one of these phrases, in any case."""
    wanted = tuple(each.casefold() for each in _some(phrases))

    def body(record: RunRecord, _case: CheckCase) -> None:
        for path, text in _texts(record.output, "output"):
            if any(each in text.casefold() for each in wanted):
                raise Rejected(property_of(path), "the output holds a forbidden phrase", path=path)

    made = named or _id("forbids", *phrases)
    return Ready(id=made, kind="forbidden_strings", mutation="forbidden_phrase", body=body, phrases=phrases)


def calls_exactly(number: int, tool: str, *, named: str | None = None) -> Ready:
    """A tool is called so many times; 0 says that it is never called."""

    def body(record: RunRecord, _case: CheckCase) -> None:
        exactly(number, _calls(record, tool), of="tool_calls")

    return Ready(
        id=named or _id("calls_exactly", tool),
        kind="tool_identity",
        mutation="wrong_tool_name" if number else "forbidden_tool",
        body=body,
        tools=() if number else (tool,),
    )


def calls_at_least(number: int, tool: str, *, named: str | None = None) -> Ready:
    """A tool is called so many times or more."""
    if number < 1:
        raise ValueError("every run has at least no call: such a check cannot fail")

    def body(record: RunRecord, _case: CheckCase) -> None:
        at_least(number, _calls(record, tool), of="tool_calls")

    return Ready(id=named or _id("calls_at_least", tool), kind="tool_identity", mutation="wrong_tool_name", body=body)


def calls_only(*tools: str, named: str | None = None) -> Ready:
    """Something is called, and nothing but these tools."""
    _some(tools)

    def body(record: RunRecord, _case: CheckCase) -> None:
        calls = record.tool_calls
        at_least(1, calls)
        for place, call in enumerate(calls):
            if getattr(call, "name", None) not in tools:
                raise Rejected("name", "another tool was called", path=f"tool_calls[{place}].name")

    return Ready(id=named or _id("calls_only", *tools), kind="tool_identity", mutation="wrong_tool_name", body=body)


def arguments_equal(
    tool: str, values: Mapping[str, object] | None = None, /, *, named: str | None = None, **more: object
) -> Ready:
    """A tool is called, each time with these arguments; `of_case` takes a value from the case."""
    table = _some({**(values or {}), **more})

    def body(record: RunRecord, case: CheckCase) -> None:
        for place, call in _called(record, tool):
            given = call.arguments_parsed
            for name, value in table.items():
                wanted = value.among(case) if isinstance(value, OfCase) else value
                told = given.get(name) if isinstance(given, dict) else None
                if told != wanted or isinstance(told, bool) is not isinstance(wanted, bool):
                    path = f"tool_calls[{place}].arguments.{name}"
                    raise Rejected(name, f"{path} is another value", path=path)

    numbers = any(isinstance(each, int | float) and not isinstance(each, bool) for each in table.values())
    return Ready(
        id=named or _id("arguments_equal", tool, *table),
        kind="tool_arguments",
        mutation="wrong_argument" if numbers else "other_argument",
        body=body,
    )


def max_tokens(number: int, of: str = "total_tokens", *, named: str | None = None) -> Ready:
    """A count of tokens is there and at most so large; a total that was not counted is the sum of input and output."""

    def body(record: RunRecord, _case: CheckCase) -> None:
        used = _used(record, of)
        if used is None:
            raise Rejected(of, "the run did not count these tokens: no budget can be held", path=f"usage.{of}")
        if used > number:
            raise Rejected(of, f"usage.{of} is over {number}", path=f"usage.{of}")

    return Ready(id=named or _id("max_tokens", of), kind="token_budget", mutation="token_budget", body=body)


def max_length(characters: int, *, named: str = "max_length") -> Ready:
    """The output, spelled as text, has something in it and at most so many characters."""

    def body(record: RunRecord, _case: CheckCase) -> None:
        length = 0 if record.output is None else len(record.output_text)
        if not 0 < length <= characters:
            raise Rejected("output", f"the output has no text, or over {characters} characters", path="output")

    return Ready(id=named, kind="completion_length", mutation="completion_too_long", body=body)


def min_length(characters: int, *, named: str = "min_length") -> Ready:
    """The output, spelled as text, has so many characters or more."""
    if characters < 1:
        raise ValueError("every text has at least no character: such a check cannot fail")

    def body(record: RunRecord, _case: CheckCase) -> None:
        if record.output is None or len(record.output_text) < characters:
            raise Rejected("output", f"the output has under {characters} characters", path="output")

    return Ready(id=named, kind="completion_length", mutation="completion_truncated", body=body)


def finished(*, named: str = "finished") -> Ready:
    """The model ended by itself, not at its limit."""

    def body(record: RunRecord, _case: CheckCase) -> None:
        ended = record.finish_reason
        if ended is None or ended in _CUT:
            raise Rejected(
                "finish_reason", "the completion was cut off, or nobody recorded why it ended", path="finish_reason"
            )

    return Ready(id=named, kind="completion_length", mutation="cut_off", body=body)


def _some(items: Any) -> Any:  # noqa: ANN401  # a table or a tuple, returned as it came
    if not items:
        raise ValueError("a check of nothing cannot fail")
    return items


def _id(kind: str, *parts: str) -> str:
    """Return a stable id: the parts in plain letters, a digest of them where plain letters tell too little."""
    plain = [_UNSAYABLE.sub("-", part.casefold()).strip("-") for part in parts]
    told = ":".join((kind, plain[0], *(["+".join(plain[1:])] if plain[1:] else [])))
    exact = len(told) <= 80 and all(_sayable(part) for part in parts)
    return told if exact else f"{told[:60]}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:8]}"


def _sayable(part: str) -> bool:
    return re.fullmatch(r"[a-z0-9_.]+", part, re.ASCII) is not None


def _object(record: RunRecord) -> Any:  # noqa: ANN401  # JSON
    output = record.output
    inner = opened(output) if isinstance(output, str) else output
    if not isinstance(inner, dict):
        raise Rejected("output", "the output is no JSON object", path="output")
    return inner


def _calls(record: RunRecord, tool: str) -> list[tuple[int, ToolCall]]:
    return [(place, call) for place, call in enumerate(record.tool_calls) if getattr(call, "name", None) == tool]


def _called(record: RunRecord, tool: str) -> list[tuple[int, ToolCall]]:
    calls = _calls(record, tool)
    at_least(1, calls, of="tool_calls")
    return calls


def _present(given: object, names: tuple[str, ...], path: str) -> None:
    for name in names:
        if not isinstance(given, dict) or given.get(name) is None:
            raise Rejected(name, f"{path}.{name} is absent", path=f"{path}.{name}")


def _hold(given: object, table: Mapping[str, Types], path: str) -> None:
    for name, types in table.items():
        where = f"{path}.{name}"
        if not isinstance(given, dict) or name not in given:
            raise Rejected(name, f"{where} is absent", path=where)
        value = given[name]
        wanted = types if isinstance(types, tuple) else (types,)
        fits = bool in wanted if isinstance(value, bool) else isinstance(value, wanted)
        if not fits:
            raise Rejected(name, f"{where} has another type", path=where)


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from _texts(member, f"{path}.{name}")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, f"{path}[{place}]")


def _used(record: RunRecord, of: str) -> float | None:
    told = record.usage.get(of)
    if told is None and of == "total_tokens":
        parts = [_number(record.usage.get(each)) for each in ("input_tokens", "output_tokens")]
        counted = [each for each in parts if each is not None]
        return sum(counted) if len(counted) == len(parts) else None
    return _number(told)


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
