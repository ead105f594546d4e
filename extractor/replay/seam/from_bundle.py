"""Answers out of an imported bundle, by Tracely's matching."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from extractor.model.json import JsonValue
from extractor.replay.matching import short

from .bundle import Bundle, Entry
from .canonical import differing, plain
from .errors import Kind, Mismatched, ReplayError, ToolError, Unanswered
from .source import ModelCall, Served, ToolCall

_RERECORD = "record again from a run of the changed code, or correct the code"


class BundleSource:
    """A `Source`. What Tracely serves in silence is served here too, and told as a divergence."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._tools = dict(enumerate(bundle.tools))
        self._llm = dict(enumerate(bundle.llm))
        self._lock = threading.Lock()

    def tool(self, call: ToolCall) -> Served:
        """Serve the first open entry that fits; an entry without arguments fits any, by order."""
        with self._lock:
            mine = [place for place, entry in self._tools.items() if entry.name == call.name]
            for place in mine:
                if call.args is None or self._tools[place].args is None:
                    untold = call.args is None and self._tools[place].args is not None
                    return self._take(place, "args" if untold else None)
                told = self._told(call, self._tools[place])
                if told is not None:
                    return self._take(place, told or None)
            raise self._miss(call, mine)

    def next_tool(self, call: ToolCall) -> Served | None:
        """Serve the next open entry of the name."""
        with self._lock:
            place = next((place for place, entry in self._tools.items() if entry.name == call.name), None)
            return None if place is None else self._take(place, "args")

    def model(self, call: ModelCall) -> Served:
        """Serve the next open entry of the model, else of any name."""
        with self._lock:
            same = (place for place, entry in self._llm.items() if entry.name == call.model)
            place = next(same, next(iter(self._llm), None))
            if place is None:
                raise Unanswered(
                    "exhausted" if self._bundle.llm else "missing",
                    "llm",
                    call.model,
                    f"no recorded call for llm:{call.model}, never a live call",
                    cure=_RERECORD,
                )
            entry = self._llm.pop(place)
        divergence = None if entry.name == call.model else "model"
        if entry.args is not None and differing(entry.args, call.input) is not None:
            divergence = "input"
        return _served(entry, divergence)

    def peek(self, kind: Kind, name: str) -> JsonValue:
        """Return the next output of a name; for a model none is left of, the next of any."""
        with self._lock:
            entries = list((self._tools if kind == "tools" else self._llm).values())
        found = next((entry for entry in entries if entry.name == name), None)
        if found is None and kind == "llm" and entries:
            found = entries[0]
        return None if found is None or found.error is not None else plain(found.output)

    def unused(self) -> list[tuple[Kind, str]]:
        """Return the open entries."""
        with self._lock:
            tools: list[tuple[Kind, str]] = [("tools", str(entry.name)) for entry in self._tools.values()]
            return tools + [("llm", str(entry.name)) for entry in self._llm.values()]

    def changes_something(self, tool: str) -> bool:
        """Say what an entry's ``side_effect`` says; Tracely's own bundles say nothing."""
        return any(entry.name == tool and entry.side_effect != "none" for entry in self._bundle.tools)

    def _told(self, call: ToolCall, entry: Entry) -> str | None:
        """Return what an entry's fit leaves to be told (``""``: nothing), None where it does not fit."""
        if differing(entry.args, call.args) is None:
            return ""
        known = entry.args if isinstance(entry.args, dict) else {}
        given = {
            name: value for name, value in (call.args or {}).items() if name in known or name not in call.defaulted
        }
        return "defaults" if differing(entry.args, given) is None else None

    def _take(self, place: int, divergence: str | None) -> Served:
        earlier = self._bundle.ordered and next(iter(self._tools)) != place
        entry = self._tools.pop(place)
        return _served(entry, divergence or ("order" if earlier else None))

    def _miss(self, call: ToolCall, mine: Sequence[int]) -> ReplayError:
        if mine:
            entry = self._tools[mine[0]]
            path = differing(entry.args, call.args)
            return Mismatched(
                "mismatch",
                "tools",
                call.name,
                f"tool replay mismatch: expected {call.name} {short(entry.args)}, got {call.name} {short(call.args)}",
                nearest=f"tools[{mine[0]}]",
                path=f"args{path}",
                cure=_RERECORD,
            )
        if any(entry.name == call.name for entry in self._bundle.tools):
            return Mismatched(
                "exhausted",
                "tools",
                call.name,
                f"unexpected extra tool call: {call.name} {short(call.args)}",
                cure=_RERECORD,
            )
        return Unanswered(
            "missing",
            "tools",
            call.name,
            f"no recorded call for tools:{call.name}, never a live call",
            cure=_RERECORD,
        )


def _served(entry: Entry, divergence: str | None) -> Served:
    if entry.error is not None:
        return Served(error=ToolError(entry.error or "recorded error without words"), divergence=divergence)
    return Served(value=plain(entry.output), divergence=divergence)
