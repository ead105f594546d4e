"""Whether a tool reads or changes something: by its annotations, by its definition in the trace, by its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..model.json import JsonValue, MalformedJson, parse
from ..model.span import Span
from ._policy import Policy

_READS, _DESTROYS = "readonlyhint", "destructivehint"


class Nature:
    """The tools of one trace. A hint of its author (Model Context Protocol, tool annotations) wins over its name."""

    def __init__(self, spans: Sequence[Span], tool_of: dict[str, str], tables: Policy) -> None:
        """``tool_of`` names the tool of each span that is a call of one."""
        self._tables = tables
        self._hints: dict[str, bool] = {}
        for span in spans:
            for name, value in span.attributes:
                if span.span_id in tool_of:
                    self._hint(tool_of[span.span_id], name.rpartition(".")[2], value)
                if any(name == key or name.startswith(key + ".") for key in tables.definition_keys):
                    for tool, member, hint in _annotated(value):
                        self._hint(tool, member, hint)

    def changes(self, tool: str) -> bool | None:
        """Return whether a tool has side effects, None when nothing says so."""
        hinted = self._hints.get(tool)
        return hinted if hinted is not None else self._tables.changes(tool)

    def _hint(self, tool: str, member: str, value: JsonValue) -> None:
        said = _plain(member)
        if not isinstance(value, bool):
            return
        if said == _READS:
            self._hints[tool] = not value
        elif said == _DESTROYS and value:
            self._hints.setdefault(tool, True)


def _annotated(value: JsonValue) -> Iterator[tuple[str, str, bool]]:
    """Yield tool, member and value of every hint that stands in tool definitions, parsed or as JSON text."""
    if isinstance(value, str):
        try:
            value = parse(value)
        except MalformedJson:
            return
    stack: list[tuple[str | None, JsonValue]] = [(None, value)]
    while stack:
        tool, node = stack.pop()
        if isinstance(node, list):
            stack.extend((tool, child) for child in node)
        elif isinstance(node, dict):
            named = node.get("name")
            tool = named if isinstance(named, str) else tool
            for member, child in node.items():
                if isinstance(child, bool) and tool is not None and _plain(member) in (_READS, _DESTROYS):
                    yield tool, member, child
                elif member != "parameters":
                    stack.append((tool, child))


def _plain(member: str) -> str:
    return member.replace("_", "").replace("-", "").lower()
