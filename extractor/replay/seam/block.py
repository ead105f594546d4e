"""The block of fixtures that is open: one for the whole process, so that threads and pools are inside it too."""

from __future__ import annotations

import threading
import weakref
from typing import Final

from extractor.replay.faults import CallMismatch, HarnessDefect, NothingRecorded, ReplayFault
from extractor.replay.session import current

from .errors import Kind, ReplayError, Unanswered, event_of, replay_error
from .from_case import CaseSource
from .report import Mode, Report
from .source import ModelCall, Served, Source, ToolCall

_REFUSED: Final = "; a tool with side effects is never run live beside a recording"


class Block:
    """Answers calls from a source, or says that they are live (None). A fault is in the report before it is raised.

    ``mode`` recorded is strict. In ``lenient``, another question gets the next recorded answer, and what has none runs live
    unless it changes something. ``own_faults`` says that the source's faults are raised as they are.
    """

    def __init__(self, source: Source | None, mode: Mode, *, own_faults: bool = False) -> None:
        self.source = source
        self.report = Report(mode, source)
        self.faults: list[ReplayFault] = []
        self._own_faults = own_faults

    def tool(self, call: ToolCall, *, side_effect: bool) -> Served | None:
        """Return the recorded answer to a call of a tool, None where its function is to run."""
        if self.source is None:
            self.report.ran("tools", call.name)
            return None
        try:
            served: Served | None = self.source.tool(call)
        except ReplayFault as fault:
            error = self._told(fault, "tools", call.name)
            if self.report.mode != "lenient" or not isinstance(fault, NothingRecorded | CallMismatch):
                raise self.fail(error) from None
            served = self.source.next_tool(call)
            if served is None and (side_effect or self.source.changes_something(call.name)):
                raise self.fail(_refused(call.name, error)) from None
        return self._noted("tools", call.name, served)

    def model(self, call: ModelCall) -> Served | None:
        """Return the recorded answer of a model, None where its function is to run."""
        if self.source is None:
            self.report.ran("llm", call.model)
            return None
        try:
            served: Served | None = self.source.model(call)
        except ReplayFault as fault:
            if self.report.mode != "lenient" or not isinstance(fault, NothingRecorded):
                raise self.fail(self._told(fault, "llm", call.model)) from None
            served = None
        return self._noted("llm", call.model, served)

    def fail(self, fault: ReplayFault) -> ReplayFault:
        """Record a fault and return it, to be raised."""
        self.faults.append(fault)
        self.report.fail(event_of(fault))
        return fault

    def _noted(self, kind: Kind, name: str, served: Served | None) -> Served | None:
        if served is None:
            self.report.ran(kind, name)
        else:
            self.report.serve(kind, name, served.divergence)
        return served

    def _told(self, fault: ReplayFault, kind: Kind, name: str) -> ReplayFault:
        if self._own_faults or isinstance(fault, ReplayError) or not isinstance(fault, NothingRecorded | CallMismatch):
            return fault
        return replay_error(fault, kind, name)


def _refused(tool: str, error: ReplayFault) -> ReplayError:
    reason = error.reason if isinstance(error, ReplayError) else "missing"
    return Unanswered(
        reason, "tools", tool, f"no recorded call for tools:{tool}, never a live call{_REFUSED}", detail="side_effect"
    )


_open: list[Block] = []
# A block holds its session, so an id is not given twice while its block is here; a block whose report nobody holds may go.
_of_sessions: weakref.WeakValueDictionary[int, Block] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def active() -> Block | None:
    """Return the block that answers now, whatever the thread: the open session's, else the recorded one, else a live one."""
    with _lock:
        session = current()
        if session is not None:
            block = _of_sessions.get(id(session)) or Block(CaseSource(session), "recorded", own_faults=True)
            _of_sessions[id(session)] = block
            return block
        recorded = (block for block in _open if block.source is not None)
        return next(recorded, _open[-1] if _open else None)


def enter(block: Block) -> None:
    """Open a block. Raises `HarnessDefect` for a second recording: a call could not tell which of the two is its own."""
    with _lock:
        if block.source is not None and (current() is not None or any(each.source is not None for each in _open)):
            raise HarnessDefect(
                "a second recording was opened in this process while one is open",
                code="two_recordings",
                cure="replay one after another, or in processes of their own",
            )
        _open.append(block)


def leave(block: Block) -> None:
    """Close a block."""
    with _lock:
        _open.remove(block)
