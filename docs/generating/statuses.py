"""The page about exit statuses, from the errors and the labels of a comparison."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.cli import app
from extractor.errors import ExtractFixtureError
from extractor.replay.results.exits import MEANINGS

from .tables import first_line, table


def page() -> str:
    """Return the page: the statuses of all commands, of comparisons, and the error behind each."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Exit statuses\n"
    yield "Written by `make docs` from the errors and the labels of comparisons. Scripts may rely on these numbers.\n"
    yield "## Of every command\n"
    yield from table(("status", "means"), _general())
    yield "\nWhere several fit, the first of 5, 7, 6, 3, 4, 1 is the one.\n"
    yield "## Of compare and replay\n"
    yield "[Labels](../compare.md#labels) says what leads to each.\n"
    yield from table(("status", "label"), ((str(status), text) for status, text in MEANINGS.items()))
    yield "\n## The error behind each status\n"
    yield "A message says what, where and what next, never a value of the input.\n"
    yield from table(("status", "error", "means"), _errors())
    yield ""


def _general() -> Iterator[tuple[str, str]]:
    _, _, listed = (app.app.help or "").partition("Exit status:\n")
    for line in listed.splitlines():
        number, _, text = line.partition("  ")
        if number:
            yield number, text
    yield str(app.INTERNAL), "a fault of extract-fixture itself, told by type and place"
    yield str(app.INTERRUPTED), "interrupted"
    yield str(app.BROKEN_PIPE), "whoever read the output has gone"


def _errors() -> list[tuple[str, str, str]]:
    return sorted(
        (str(kind.exit_status), f"`{kind.__name__}`", first_line(kind)) for kind in _below(ExtractFixtureError)
    )


def _below(kind: type[ExtractFixtureError]) -> Iterator[type[ExtractFixtureError]]:
    for inner in kind.__subclasses__():
        if inner.__module__ == kind.__module__:
            yield inner
            yield from _below(inner)
