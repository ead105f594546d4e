"""Contract drift: what frozen cases say of tools, against the tools that the product has now (S118, S120, S121).

A record is frozen and its expectations were written to fit it: when a tool is retired, nothing inside that loop can notice. So
each event and each expectation that names a tool or a parameter is held to the live definitions, and what they no longer know
is found, until people update the case or retire it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from extractor.errors import InputUnreadable, UsageError
from extractor.model import layout
from extractor.model.json import JsonValue, MalformedJson, parse

from .documents import json_object
from .expectation import expectation
from .loading import is_retired, name_of
from .passing import load_run, runs_below
from .shapes import Shape, Tool, spelled

Kind: TypeAlias = Literal["tool_gone", "parameter_gone", "required_missing", "type_changed", "value_gone"]

_SAID: Final[Mapping[Kind, str]] = {
    "tool_gone": "there is no tool called {tool}",
    "parameter_gone": "{tool} has no such parameter",
    "required_missing": "{tool} requires a parameter that is not here",
    "type_changed": "{tool} takes this parameter in another type",
    "value_gone": "{tool} takes no such value of this parameter",
}
_CURE: Final = "update the case (recapture), or retire it with a reason: extract-fixture retire"
_CURE_OF_A_FOLDER: Final = (
    "update the case (recapture), or retire it with a reason: its folder into retired/, the reason into its README.md"
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_./:-]{0,99}", re.ASCII)
_TOOL_MEMBERS: Final = ("tool", "tool_name")
_CALLS: Final = ("tool_calls",)
_TOOL_LISTS: Final = ("effects", "tools")
_ARGUMENTS: Final = ("arguments", "args", "params", "parameters")
_BOUNDS: Final = frozenset({"min", "max"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A call that a record holds, at a field path below which ``tool_member`` names the tool; ``arguments`` may be JSON text."""

    path: str
    tool_member: str
    tool: str
    arguments: JsonValue = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What of a case is held to the tools: events of its record, and expectations by the field path where they stand.

    ``plain`` is a folder with case.yaml, which no command retires.
    """

    name: str
    events: tuple[Event, ...]
    expectations: Mapping[str, JsonValue] = field(repr=False)
    retired: bool = False
    manufactured: bool = False
    plain: bool = False

    @classmethod
    def of_fixture(
        cls, name: str, fixture: Mapping[str, JsonValue], *, retired: bool = False, manufactured: bool = False
    ) -> Subject:
        """Return the subject that a fixture of ours is. The calls of a ``manufactured`` record are wrong on purpose."""
        expected = fixture.get("expected")
        return cls(
            name=name,
            events=(*_events(fixture, "tool_events", "tool"), *_events(fixture, "alternates", "tool")),
            expectations={"expected": expected} if isinstance(expected, dict) else {},
            retired=retired,
            manufactured=manufactured,
        )

    @classmethod
    def of_chapter(
        cls,
        name: str,
        record: Mapping[str, JsonValue],
        expectations: Mapping[str, JsonValue],
        *,
        retired: bool = False,
        manufactured: bool = False,
    ) -> Subject:
        """Return the subject that a record.json with the expectations of its case.yaml is."""
        return cls(
            name=name,
            events=tuple(_events(record, "tool_calls", "name")),
            expectations={"expectations": dict(expectations)},
            retired=retired,
            manufactured=manufactured,
            plain=True,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place of a case that names what the product no longer has. It holds names of tools and paths, no value."""

    case: str
    path: str
    kind: Kind
    tool: str
    plain: bool = False

    def text(self) -> str:
        """Return one line for people: where, what, and what to do."""
        return f"{self.case}: {self.told()}"

    def told(self) -> str:
        """Return the same without the case."""
        return f"{self.path}: {_SAID[self.kind].format(tool=self.tool)}; {_CURE_OF_A_FOLDER if self.plain else _CURE}"

    def members(self) -> dict[str, JsonValue]:
        """Return the finding as JSON."""
        return {"case": self.case, "path": self.path, "kind": self.kind, "tool": self.tool}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was found, how many cases were ``checked``, how many were skipped as ``retired``, how many findings are ``known``."""

    findings: tuple[Finding, ...]
    checked: int
    retired: int
    known: int


def members(report: Report) -> dict[str, JsonValue]:
    """Return a report as JSON: ``findings``, and the counts ``checked``, ``retired``, ``known``."""
    return {
        "findings": [each.members() for each in report.findings],
        "checked": report.checked,
        "retired": report.retired,
        "known": report.known,
    }


def subjects_below(places: Sequence[Path]) -> list[Subject]:
    """Return the subjects of the cases at or below places, ours and the chapter's, whatever they expect of checks.

    Raises `UsageError` for none, `InputUnreadable` for one that cannot be read.
    """
    return [_subject(folder) for folder in runs_below(places)]


def _subject(folder: Path) -> Subject:
    retired = is_retired(folder)
    if not (folder / layout.FIXTURE).is_file():
        run = load_run(folder)
        made = bool(run.expectation and run.expectation.manufactured)
        return Subject.of_chapter(
            run.name, run.record.document, run.case.expectations, retired=retired, manufactured=made
        )
    expect = folder / layout.EXPECT
    try:
        told = expectation(expect.read_bytes()) if expect.is_file() else None
        fixture = json_object((folder / layout.FIXTURE).read_bytes(), "fixture")
    except ValueError as fault:
        raise InputUnreadable(f"a case cannot be read: {fault}") from None
    return Subject.of_fixture(name_of(folder), fixture, retired=retired, manufactured=bool(told and told.manufactured))


def drift(
    subjects: Sequence[Subject], tools: Mapping[str, Tool], *, known: Collection[tuple[str, str]] = frozenset()
) -> Report:
    """Hold cases to tools. ``known`` are pairs of case and path that people have looked at: the incident may be just that call.

    Raises `UsageError` for no case: an empty suite is never a pass.
    """
    if not subjects:
        raise UsageError("there is no case to hold to the tools: an empty suite is never a pass")
    standing = [each for each in subjects if not each.retired]
    found = [finding for each in standing for finding in _of(each, tools)]
    told = [each for each in found if (each.case, each.path) not in known]
    return Report(
        findings=tuple(told),
        checked=len(standing),
        retired=len(subjects) - len(standing),
        known=len(found) - len(told),
    )


def _of(subject: Subject, tools: Mapping[str, Tool]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for path, kind, tool in (*_recorded(subject, tools), *_expected(subject, tools)):
        if (path, kind) not in seen:
            seen.add((path, kind))
            shown = _shown(tool) or "(no plain name)"
            yield Finding(case=subject.name, path=path, kind=kind, tool=shown, plain=subject.plain)


_Place: TypeAlias = tuple[str, Kind, str]


def _recorded(subject: Subject, tools: Mapping[str, Tool]) -> Iterator[_Place]:
    for event in () if subject.manufactured else subject.events:
        tool = tools.get(event.tool)
        if tool is None:
            yield f"{event.path}.{event.tool_member}", "tool_gone", event.tool
        elif event.arguments is not None:
            for path, kind in _compared(event.arguments, tool.shape, f"{event.path}.arguments", whole=True):
                yield path, kind, event.tool


def _expected(subject: Subject, tools: Mapping[str, Tool]) -> Iterator[_Place]:
    """Yield what expectations name: tools, arguments of tools, and names that recorded calls gave to their arguments."""
    recorded: dict[str, set[str]] = defaultdict(set)
    for event in subject.events:
        for name in event.arguments if isinstance(event.arguments, dict) else ():
            recorded[name].add(event.tool)
    walk = _Walk(tools, recorded)
    for path, value in subject.expectations.items():
        yield from walk.expectation(value, path)


class _Walk:
    def __init__(self, tools: Mapping[str, Tool], recorded: Mapping[str, set[str]]) -> None:
        self._tools = tools
        self._recorded = recorded

    def expectation(self, value: JsonValue, path: str) -> Iterator[_Place]:
        """Yield findings of an expectation and all that it holds."""
        if isinstance(value, list):
            for number, each in enumerate(value):
                yield from self.expectation(each, f"{path}[{number}]")
        if not isinstance(value, dict):
            return
        names, arguments = _naming(value)
        tool = value.get(names or "")
        if isinstance(tool, str) and tool not in self._tools:
            yield f"{path}.{names}", "tool_gone", tool
        for position, (name, member) in enumerate(value.items()):
            place = _member(path, name, position)
            if name == arguments:
                found = self._tools.get(str(tool))
                for inner, kind in _compared(member, found.shape, place, whole=False) if found else ():
                    yield inner, kind, found.name if found else ""
            elif name in _TOOL_LISTS or (name in _CALLS and isinstance(member, list)) or _bounded(value):
                yield from self._several(name, member, value, place)
            elif name == "action" or (name in _CALLS and isinstance(member, str)):
                yield from self._tool(member, place)
            else:
                yield from self._flat(name, place)
                yield from self.expectation(member, place)

    def _several(self, name: str, member: JsonValue, holder: Mapping[str, JsonValue], place: str) -> Iterator[_Place]:
        if _bounded(holder):
            yield from self._tool(name, place)
        elif isinstance(member, list):
            for number, each in enumerate(member):
                yield from self._tool(each, f"{place}[{number}]")
            yield from self.expectation(member, place)
        elif isinstance(member, dict):
            for position, each in enumerate(member):
                yield from self._tool(each, _member(place, each, position))

    def _tool(self, name: JsonValue, place: str) -> Iterator[_Place]:
        if isinstance(name, str) and name not in self._tools:
            yield place, "tool_gone", name

    def _flat(self, name: str, place: str) -> Iterator[_Place]:
        """Yield an expectation by the name of a parameter that no tool which was called with it has any more."""
        called = [self._tools[tool] for tool in sorted(self._recorded.get(name, ())) if tool in self._tools]
        if called and not any(name in tool.shape.members or tool.shape.open for tool in called):
            yield place, "parameter_gone", called[0].name


def _naming(value: Mapping[str, JsonValue]) -> tuple[str | None, str | None]:
    """Return the member that names a tool, and the one that holds arguments of it; ``name`` names one beside arguments alone."""
    arguments = next((each for each in _ARGUMENTS if isinstance(value.get(each), dict)), None)
    names = (*_TOOL_MEMBERS, *(("name",) if arguments else ()))
    member = next((each for each in names if isinstance(value.get(each), str)), None)
    return member, arguments if member else None


def _compared(value: JsonValue, shape: Shape, path: str, *, whole: bool) -> Iterator[tuple[str, Kind]]:
    """Yield where a value does not fit; of a part (not ``whole``) nothing is missing."""
    if shape.types is not None and not _types(value) & shape.types:
        yield path, "type_changed"
        return
    if shape.values is not None and spelled(value) not in shape.values:
        yield path, "value_gone"
        return
    if isinstance(value, dict):
        for position, (name, member) in enumerate(value.items()):
            place = _member(path, name, position)
            if name in shape.members:
                yield from _compared(member, shape.members[name], place, whole=whole)
            elif not shape.open:
                yield place, "parameter_gone"
            elif shape.others is not None:
                yield from _compared(member, shape.others, place, whole=whole)
        for name in sorted(shape.required - value.keys()) if whole else ():
            yield f"{path}.{name}", "required_missing"
    elif isinstance(value, list) and shape.items is not None:
        for number, each in enumerate(value):
            yield from _compared(each, shape.items, f"{path}[{number}]", whole=whole)


def _types(value: JsonValue) -> set[str]:
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int():
            return {"integer", "number"}
        case float():
            return {"number", *(("integer",) if value.is_integer() else ())}
        case str():
            return {"string"}
        case list():
            return {"array"}
        case _:
            return {"object"}


def _bounded(value: Mapping[str, JsonValue]) -> bool:
    """Say whether an object gives bounds to names: ``{tool: {min, max}}``."""
    return bool(value) and all(isinstance(each, dict) and each and each.keys() <= _BOUNDS for each in value.values())


def _events(document: Mapping[str, JsonValue], name: str, member: str) -> Iterator[Event]:
    listed = document.get(name)
    for number, each in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(each, dict) and isinstance(each.get(member), str):
            yield Event(
                path=f"{name}[{number}]",
                tool_member=member,
                tool=str(each[member]),
                arguments=_opened(each.get("arguments")),
            )


def _opened(arguments: JsonValue) -> JsonValue:
    """Return arguments as JSON; a text that is none stays one, and its type is what does not fit."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse(arguments)
    except MalformedJson:
        return None  # a call whose arguments could not be parsed names no parameter


def _member(path: str, name: str, position: int) -> str:
    """Return the path of a member; a name that may be data is told by its position."""
    shown = _shown(name)
    return f"{path}[{position}]" if shown is None else f"{path}.{shown}"


def _shown(name: str) -> str | None:
    return name if _NAME.fullmatch(name) else None
