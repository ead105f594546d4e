"""Tables in Markdown, and the first line of what a docstring says."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; bars in its cells are escaped."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell(text) for text in row)} |"


def cell(text: str) -> str:
    """Return a text as it may stand in a table."""
    return text.replace("|", "\\|").replace("\n", " ").strip()


def code(text: str) -> str:
    """Return a text as code that may itself hold backticks."""
    fence = "``" if "`" in text else "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def first_line(thing: object) -> str:
    """Return the first paragraph of a docstring in one line, empty without one."""
    return " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
