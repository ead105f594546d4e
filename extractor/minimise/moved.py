"""Places of a document after pieces went: an entry about a dropped piece goes, one about a moved piece moves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..model.json import JsonValue

Kept: TypeAlias = Mapping[str, Sequence[int]]
"""For each list of pieces, by its path in the document before, the positions of the items that stay, ascending."""

_POSITION = re.compile(r"(?P<before>\[|\.\{)(?P<index>\d+)(?P<behind>[\]}])")


def moved(path: str, kept: Kept) -> str | None:
    """Return where the place of a path stands now; None when it went with its piece."""
    pieces: list[str] = []
    done = 0
    for match in _POSITION.finditer(path):
        staying = kept.get(path[: match.start()])
        if staying is None:
            continue
        index = int(match["index"])
        if index not in staying:
            return None
        pieces += [path[done : match.start()], match["before"], str(staying.index(index)), match["behind"]]
        done = match.end()
    return "".join(pieces) + path[done:]


def entries(listed: JsonValue, member: str, kept: Kept) -> list[JsonValue]:
    """Return the entries of a list whose member is a path: those about what stays, at its place now."""
    found: list[JsonValue] = []
    for entry in listed if isinstance(listed, list) else ():
        path = entry.get(member) if isinstance(entry, dict) else None
        now = moved(path, kept) if isinstance(path, str) else None
        if isinstance(entry, dict) and now is not None:
            found.append({**entry, member: now})
    return found
