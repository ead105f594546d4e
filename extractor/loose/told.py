"""What of a loose document was replaced: class, rules and place of each replacement, never a value or a member's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from extractor.redact import Replaced

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One replacement. ``path`` leads to its text by position, ``[start, end)`` are its characters there.

    ``line`` counts from 1, None where the source is one document or text. In ``path``, ``[2]`` is an item, ``{1}`` the value
    of the second member, ``key`` after it that member's name, ``<0.1>`` a decoded part of a text; ``.`` is the whole.
    """

    line: int | None
    path: str
    start: int
    end: int
    entity: str
    rules: tuple[str, ...]


class Teller:
    """Gives each replacement to a listener. ``line`` and ``locate`` say where the text at hand stands."""

    def __init__(self, listener: Callable[[Told], object]) -> None:
        self._listener = listener
        self.line: int | None = None
        self.locate: Callable[[Steps], Steps] = _as_it_is

    def at(self, line: int | None, locate: Callable[[Steps], Steps] | None = None) -> None:
        """Set where the next replacements stand."""
        self.line, self.locate = line, locate or _as_it_is

    def hear(self, one: Replaced) -> None:
        """Pass one replacement on."""
        path = ".".join(self.locate(one.steps)) or "."
        self._listener(
            Told(line=self.line, path=path, start=one.start, end=one.end, entity=one.entity, rules=one.rules)
        )


def _as_it_is(steps: Steps) -> Steps:
    return steps
