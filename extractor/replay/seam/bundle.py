"""Tracely's fixture bundles, version 1 and 2, and its case artifacts: recorded tool and model outputs by name.

v2 lists ``{"tools": [{name, args, tool_call_id, output, error}], "llm": [{model, input, output, error}]}``, v1 maps names to
outputs. An output that its server wrote is a JSON text: objects and lists in it are opened, unless the bundle is ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from extractor.model.json import JsonValue

from .canonical import plain
from .errors import Unanswered

_BESIDE = frozenset({"version", "x_fixture"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One recorded call; ``args`` None means that any arguments fit. An error of ``""`` is an error."""

    name: str | None
    args: JsonValue = None
    output: JsonValue = field(default=None, repr=False)
    error: str | None = None
    side_effect: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The entries of a bundle; ``ordered`` where the tools were listed, so that their order says something."""

    tools: tuple[Entry, ...]
    llm: tuple[Entry, ...]
    ordered: bool


def bundle_of(value: Mapping[str, object]) -> Bundle:
    """Read a bundle; raises `ReplayError` (reason ``load``) for what is none: no agent runs on it."""
    inner = value.get("fixtures")
    if isinstance(inner, Mapping) and "tools" not in value and "llm" not in value:
        value = inner
    if value.keys().isdisjoint({"tools", "llm"}) and not value.keys() <= _BESIDE:
        raise _unloadable("it has neither tools nor llm")
    typed = "x_fixture" in value
    return Bundle(
        tools=tuple(_entries(value.get("tools"), "tools", typed=typed)),
        llm=tuple(_entries(value.get("llm"), "llm", typed=typed)),
        ordered=isinstance(value.get("tools"), list | tuple),
    )


def _entries(section: object, kind: str, *, typed: bool) -> Iterator[Entry]:
    if section is None:
        return
    if isinstance(section, Mapping):
        for name, output in section.items():
            yield Entry(name=str(name), output=_opened(output, typed=typed or kind == "llm"))
        return
    if not isinstance(section, list | tuple):
        raise _unloadable(f"its {kind} are neither a list nor an object")
    for position, entry in enumerate(section):
        if not isinstance(entry, Mapping):
            raise _unloadable(f"{kind}[{position}] is no object")
        yield _entry(entry, kind, typed=typed)


def _entry(entry: Mapping[str, object], kind: str, *, typed: bool) -> Entry:
    name = entry.get("name") if kind == "tools" else entry.get("model", entry.get("name"))
    args = entry.get("args") if kind == "tools" else entry.get("input", entry.get("args"))
    error = entry.get("error")
    side_effect = entry.get("side_effect")
    return Entry(
        name=name if isinstance(name, str) else None,
        args=plain(args),
        output=_opened(entry.get("output"), typed=typed or kind == "llm"),
        error=None if error is None else str(error),
        side_effect=side_effect if isinstance(side_effect, str) else "none",
    )


def _opened(output: object, *, typed: bool) -> JsonValue:
    if typed or not isinstance(output, str) or not output.lstrip().startswith(("{", "[")):
        return plain(output)
    try:
        return plain(json.loads(output))
    except (ValueError, RecursionError):
        return output


def _unloadable(why: str) -> Unanswered:
    return Unanswered(
        "load", None, None, f"the recording cannot be loaded: {why}", cure="record it again; without it no agent is run"
    )
