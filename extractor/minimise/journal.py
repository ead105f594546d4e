"""The journal of verdicts, by which a run that was cut short or is made again asks nothing twice. It holds digests only."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UsageError
from ..model.json import JsonValue, MalformedJson, compact, parse
from .oracle import Verdict

_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Journal:
    """Verdicts of one oracle, by the SHA-256 of the fixture's bytes, in hex; a fixture may have been judged twice."""

    path: Path
    oracle: str
    _verdicts: dict[str, list[Verdict]] = field(default_factory=dict, repr=False)
    _torn: bool = False

    @classmethod
    def opened(cls, path: Path, oracle: str) -> Journal:
        """Return the journal of a file, made (0600) where absent, with what it holds about this oracle.

        A line that was cut short is passed over. Raises `UsageError` for a link, what is no file, or no journal.
        """
        journal = cls(path=path, oracle=oracle)
        content = journal._bytes()
        journal._torn = bool(content) and not content.endswith(b"\n")
        lines = content.split(b"\n")
        for number, line in enumerate(lines, start=1):
            journal._take(line, last=number == len(lines))
        return journal

    def verdicts(self, fixture: str) -> tuple[Verdict, ...]:
        """Return what the oracle has said of a fixture so far."""
        return tuple(self._verdicts.get(fixture, ()))

    def add(self, fixture: str, verdict: Verdict) -> None:
        """Write a verdict down, in one step. Raises `UsageError` where that fails."""
        line = compact(
            {"oracle": self.oracle, "fixture": fixture, "status": verdict.status, "matched": verdict.matched}
        )
        # After a line that was cut short a new one begins.
        content = b"\n" * self._torn + line.encode() + b"\n"
        descriptor = self._open()
        try:
            written = os.write(descriptor, content)
        except OSError as error:
            raise UsageError(f"the journal cannot be written ({error.strerror})") from None
        finally:
            os.close(descriptor)
        self._torn = written != len(content)
        self._verdicts.setdefault(fixture, []).append(verdict)

    def _bytes(self) -> bytes:
        descriptor = self._open()
        with os.fdopen(descriptor, "rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UsageError("the journal is too large", hint="name another one with --journal")
        return content

    def _open(self) -> int:
        try:
            descriptor = os.open(self.path, _APPEND, 0o600)
        except OSError as error:
            reason = "is a link" if error.errno == errno.ELOOP else f"cannot be used ({error.strerror})"
            raise UsageError(f"the journal {reason}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UsageError("the journal is no file")
        return descriptor

    def _take(self, line: bytes, *, last: bool) -> None:
        try:
            entry: JsonValue = parse(line) if line else {}
        except MalformedJson:
            entry = None
        match entry:
            case {
                "oracle": str(oracle),
                "fixture": str(fixture),
                "status": int() | None as status,
                "matched": bool(said),
            }:
                if oracle == self.oracle:
                    self._verdicts.setdefault(fixture, []).append(Verdict(status=status, matched=said))
            case dict() if not entry:
                pass
            case None if last or line.startswith(b'{"oracle":'):
                pass  # cut short
            case _:
                raise UsageError("the journal holds what is no verdict", hint="name another one with --journal")
