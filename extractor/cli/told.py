"""What ``redact --explain`` says: class, rule and place of each replacement, never a value or a member's name."""

from __future__ import annotations

import sys
from collections.abc import Callable

from extractor.model.json import JsonValue, compact
from extractor.redact import Replaced

from .console import visible

Steps = tuple[str, ...]


class Teller:
    """Writes a line for each replacement to standard error. ``line`` and ``locate`` say where the text at hand stands."""

    def __init__(self, *, json: bool) -> None:
        self._json = json
        self.line: int | None = None
        self.locate: Callable[[Steps], Steps] = _as_it_is

    def at(self, line: int | None, locate: Callable[[Steps], Steps] | None = None) -> None:
        """Set where the next replacements stand."""
        self.line, self.locate = line, locate or _as_it_is

    def hear(self, one: Replaced) -> None:
        """Write one replacement."""
        path = ".".join(self.locate(one.steps)) or "."
        if self._json:
            told: dict[str, JsonValue] = {} if self.line is None else {"line": self.line}
            told |= {"path": path, "start": one.start, "end": one.end, "entity": one.entity, "rules": [*one.rules]}
            text = compact(told, item=", ", member=": ", ascii_only=True)
        else:
            place_text = "" if self.line is None else f"line {self.line}  "
            text = visible(f"{place_text}{path}  {one.start}-{one.end}  {one.entity}  {','.join(one.rules)}")
        sys.stderr.write(text + "\n")


def _as_it_is(steps: Steps) -> Steps:
    return steps
