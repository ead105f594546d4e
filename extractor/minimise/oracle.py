"""The command that judges: run on a case folder, without a shell, in bounded time; what it says is looked at, never kept."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ..errors import UsageError

CASE_VARIABLE = "EXTRACT_FIXTURE_CASE"
"""The environment variable that names the case folder; an argument ``{}`` does the same."""

_HERE = "{}"
_CHUNK = 64 * 1024
_LAST_WORDS_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one run came to: its exit status (negative for a signal, None after the time-out), and whether it said TEXT."""

    status: int | None
    matched: bool


@dataclass(slots=True, kw_only=True)
class Oracle:
    """A command and how it is asked. ``match`` is the text that its output must hold, ``timeout_s`` the time for one run.

    ``output_bytes`` counts what all runs wrote.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    match: str | None = None
    timeout_s: float = 60.0
    output_bytes: int = 0

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of the argument vector."""
        return hashlib.sha256("\0".join(self.command).encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def identity(self) -> str:
        """SHA-256, in hex, of all that its verdicts may be remembered under.

        That is the arguments, how they are judged, and the bytes of every file that an argument names: a check that was
        edited is another one. What such a file imports is not looked at.
        """
        whole = hashlib.sha256(f"{self.digest} {self.match!r} {self.timeout_s!r}".encode("utf-8", "surrogateescape"))
        for argument in self.command:
            with suppress(OSError, ValueError):  # ValueError: a NUL in the argument
                if Path(argument).is_file():
                    with Path(argument).open("rb") as stream:
                        whole.update(hashlib.file_digest(stream, "sha256").digest())
        return whole.hexdigest()

    def run(self, case: Path) -> Verdict:
        """Return the verdict on a case folder. Raises `UsageError` when the command cannot be started."""
        arguments = [str(case) if argument == _HERE else argument for argument in self.command]
        try:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**self.environment, CASE_VARIABLE: str(case)},
                start_new_session=True,  # so that its children end with it
            )
        except (OSError, ValueError):
            raise UsageError("the command cannot be started", hint="it is run without a shell") from None
        listener = _Listener(process.stdout, self.match)
        listener.start()
        status: int | None
        try:
            status = process.wait(self.timeout_s)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.returncode is None:  # not reaped, so the group is still ours
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        # A child that it left behind may hold the pipe open for ever.
        listener.join(_LAST_WORDS_S)
        self.output_bytes += listener.heard
        return Verdict(status=status, matched=self.match is None or listener.found)


class _Listener(threading.Thread):
    """Reads what a command says, counts it, and looks for a text in it."""

    def __init__(self, stream: IO[bytes] | None, match: str | None) -> None:
        super().__init__(daemon=True)
        self.heard = 0
        self.found = False
        self._stream = stream
        self._match = match.encode("utf-8", "surrogateescape") if match is not None else None

    def run(self) -> None:
        """Read until the end."""
        if self._stream is None:
            return
        tail = b""
        with self._stream as stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                self.heard += len(chunk)
                if self._match is not None and not self.found:
                    tail += chunk
                    self.found = self._match in tail
                    tail = tail[-len(self._match) :]
