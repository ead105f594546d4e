"""What ``redact --explain`` says: class, rule and place of each replacement, never a value or a member's name."""

from __future__ import annotations

import sys
from collections.abc import Callable

from extractor.loose import Told
from extractor.model.json import JsonValue, compact

from .console import visible


def writer(*, json: bool) -> Callable[[Told], None]:
    """Return what writes a line for each replacement to standard error."""
    return _as_json if json else _for_people


def _as_json(one: Told) -> None:
    told: dict[str, JsonValue] = {} if one.line is None else {"line": one.line}
    told |= {"path": one.path, "start": one.start, "end": one.end, "entity": one.entity, "rules": [*one.rules]}
    sys.stderr.write(compact(told, item=", ", member=": ", ascii_only=True) + "\n")


def _for_people(one: Told) -> None:
    line = "" if one.line is None else f"line {one.line}  "
    text = visible(f"{line}{one.path}  {one.start}-{one.end}  {one.entity}  {','.join(one.rules)}")
    sys.stderr.write(text + "\n")
