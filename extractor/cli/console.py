"""The one way out: everything shown to people or machines passes here and cannot drive a terminal."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from extractor.model.json import JsonValue, compact

_SHOWN_AS_ESCAPES = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
_SLOW_BYTES = 32 * 1024 * 1024


def visible(text: str) -> str:
    """Return the text with controls, bidi marks, zero-width characters and surrogates as escapes; newlines stay."""
    return "".join(
        char if char == "\n" or unicodedata.category(char) not in _SHOWN_AS_ESCAPES else _escape(char) for char in text
    )


def _escape(char: str) -> str:
    return (
        f"\\x{ord(char):02x}"
        if ord(char) < 0x100
        else f"\\u{ord(char):04x}"
        if ord(char) < 0x10000
        else f"\\U{ord(char):08x}"
    )


def plain() -> bool:
    """Say whether even a terminal is to get text alone: by NO_COLOR (https://no-color.org), or because it is a dumb one."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def interactive() -> bool:
    """Say whether a person sits at both ends: neither input nor output is piped."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Where a command speaks. ``json`` and ``quiet`` silence what is meant for people, errors excepted."""

    json: bool = False
    quiet: bool = False

    def say(self, text: str = "") -> None:
        """Write a line for people."""
        if not (self.json or self.quiet):
            _write(text)

    def rows(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Write labelled lines for people, labels aligned."""
        if self.json or self.quiet:
            return
        width = max((len(label) for label, _ in pairs), default=0)
        for label, text in pairs:
            _write(text, label=label.ljust(width))

    def result(self, text: str) -> None:
        """Write a line that is the command's very output: on standard output, in every mode."""
        _write(text)

    def note(self, text: str) -> None:
        """Write a line for people beside the output: on standard error, in every mode."""
        sys.stderr.write(visible(text) + "\n")

    def data(self, value: JsonValue) -> None:
        """Write one JSON value on one line, ASCII only, whatever the mode."""
        sys.stdout.write(compact(value, item=", ", member=": ", ascii_only=True) + "\n")

    def beside(self, value: JsonValue) -> None:
        """Write one JSON value on one line beside the output, ASCII only: on standard error, whatever the mode."""
        sys.stderr.write(compact(value, item=", ", member=": ", ascii_only=True) + "\n")

    @contextmanager
    def progress(self, title: str) -> Iterator[Bar | None]:
        """Yield what a long read reports to: a bar on a terminal, None elsewhere."""
        if self.json or self.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield None
            return
        bar = Bar(title)
        try:
            yield bar
        finally:
            bar.close()

    @contextmanager
    def counting(self) -> Iterator[Callable[[str], None] | None]:
        """Yield what shows a line that replaces the one before, on a terminal; None elsewhere."""
        if self.json or self.quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield None
            return
        try:
            yield lambda text: _overwrite(visible(text))
        finally:
            _overwrite("")


class Bar:
    """A progress bar that shows itself only once a read is long."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._close: Callable[[], None] | None = None
        self._update: Callable[[int, int], None] | None = None

    def advance(self, bytes_done: int, bytes_total: int) -> None:
        """Show how far a pass over the sources is."""
        if bytes_total < _SLOW_BYTES:
            return
        if self._update is None:
            self._open()
        if self._update is not None:
            self._update(bytes_done, bytes_total)

    def close(self) -> None:
        """Wipe the bar."""
        if self._close is not None:
            self._close()

    def _open(self) -> None:
        # Only a long read at a terminal pays for rich.
        from rich.console import Console as Terminal
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        progress = Progress(*columns, console=Terminal(stderr=True), transient=True)
        task = progress.add_task(self._title)
        progress.start()
        self._close = progress.stop
        self._update = lambda done, total: progress.update(task, completed=done, total=total)


def _overwrite(line: str) -> None:
    sys.stderr.write(f"\r\x1b[2K{line}")
    sys.stderr.flush()


def _write(text: str, *, label: str = "") -> None:
    line, start = visible(text), f"{visible(label)}  " if label else ""
    if not sys.stdout.isatty() or plain():
        sys.stdout.write(f"{start}{line}\n")
        return
    # Colour is for a terminal.
    from rich.console import Console as Terminal
    from rich.text import Text

    Terminal(highlight=False, soft_wrap=True).print(Text.assemble((start, "bold cyan"), line))
