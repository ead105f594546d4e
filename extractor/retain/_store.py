"""The restricted store of raw traces: one file a trace, one append-only record of what came and what went."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ..errors import InputUnreadable, UsageError
from ..model.json import JsonValue, MalformedJson, compact, parse
from ..model.span import Span
from ._otlp import request

RECORD = "retained.jsonl"
_SUFFIX = ".otlp.jsonl"
_TRACE_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """One trace in the store: its file, and whether this run wrote it."""

    trace_id: str
    path: Path
    spans: int
    written: bool


def retain(spans: Sequence[Span], reasons: Sequence[str], folder: Path, *, now: datetime, ttl_days: int) -> Retained:
    """Write all spans of one trace as OTLP/JSON, for its owner alone to read, with why and until when.

    Only this trace's spans are kept, not the records of others that stood beside them. The same spans again change
    nothing; others (the trace has grown) replace the file. The file is whole or not there. Raises `UsageError` for a
    folder that cannot be used.
    """
    (trace_id,) = {span.trace_id for span in spans}
    content = request(spans)
    path = folder / f"{trace_id}{_SUFFIX}"
    try:
        _open(folder)
        if path.exists() and path.read_bytes() == content:
            return Retained(trace_id=trace_id, path=path, spans=len(spans), written=False)
        # The record comes first: a run cut short leaves a line without its file, never an original that nothing ends.
        _record(
            folder,
            {
                "act": "retained",
                "trace_id": trace_id,
                "spans": len(spans),
                "sha256": hashlib.sha256(content).hexdigest(),
                "reasons": [*reasons],
                "at": now.isoformat(),
                "expires_at": (now + timedelta(days=ttl_days)).isoformat(),
            },
        )
        _write(path, content)
    except OSError:
        raise UsageError("the store of retained traces cannot be written") from None
    return Retained(trace_id=trace_id, path=path, spans=len(spans), written=True)


def purge(folder: Path, *, now: datetime) -> list[str]:
    """Remove the traces whose time is over; return their ids. A file that the record does not know stays, and is an error.

    Raises `InputUnreadable` for a record that cannot be read, or a file that no record tells of.
    """
    if not folder.is_dir():
        return []
    expires = _expiries(folder)
    unknown = [path for path in sorted(folder.glob("*" + _SUFFIX)) if path.name.removesuffix(_SUFFIX) not in expires]
    if unknown:
        raise InputUnreadable(f"{len(unknown)} files of the store stand in no record", hint=f"see {RECORD} beside them")
    gone: list[str] = []
    for trace_id, until in sorted(expires.items()):
        path = folder / f"{trace_id}{_SUFFIX}"
        if until <= now and path.exists():
            path.unlink()
            _record(folder, {"act": "purged", "trace_id": trace_id, "at": now.isoformat()})
            gone.append(trace_id)
    return gone


def _expiries(folder: Path) -> dict[str, datetime]:
    """Return until when each trace may stand, by the last word of the record."""
    found: dict[str, datetime] = {}
    record = folder / RECORD
    try:
        lines = record.read_bytes().splitlines() if record.exists() else []
    except OSError:
        raise InputUnreadable("the record of retained traces cannot be read") from None
    for number, line in enumerate(lines, start=1):
        try:
            entry = parse(line)
            told = entry if isinstance(entry, dict) else {}
            known = told.get("act") != "retained" or _TRACE_ID.fullmatch(str(told.get("trace_id")))
            if told.get("act") == "retained":
                found[str(told.get("trace_id"))] = datetime.fromisoformat(str(told.get("expires_at"))).astimezone(UTC)
        except (MalformedJson, ValueError):
            raise InputUnreadable(f"the record of retained traces is broken at line {number}") from None
        if not known:  # its name would be a path
            raise InputUnreadable(f"the record of retained traces is broken at line {number}")
    return found


def _open(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        _write(ignore, b"*\n")


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner reads, and give it its name when it is whole and on disk."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)


def _record(folder: Path, entry: dict[str, JsonValue]) -> None:
    descriptor = os.open(folder / RECORD, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write((compact(entry) + "\n").encode())
        stream.flush()
        os.fsync(stream.fileno())
