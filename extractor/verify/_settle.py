"""What would settle a proof that failed: the options of the next run, by places of the case, never by a value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model.json import JsonValue
from ._places import policy, walk

_LAST_STEP = re.compile(r"(?:\.?\{\d+\}|\[\d+\]|\.[a-z_]+| \(JSON\))$")
_MOST = 5
RULE = "a rule for the field (--rules DIR, [deny]) or --drop of its span settles it"


def hint(doubtful: Iterable[str], document: JsonValue, *, whole: bool) -> str:
    """Return the hint of a failed proof. ``doubtful`` are the places of values that could be words: ``--treat`` names them.

    ``whole`` tells that these are all that failed.
    """
    options = _treatments(doubtful, document)
    if not options:
        return f"{RULE}; then extract again"
    named = "extract again with " + " ".join(options[:_MOST])
    return named if whole and len(options) <= _MOST else f"{named}; for the rest {RULE}"


def _treatments(doubtful: Iterable[str], document: JsonValue) -> Sequence[str]:
    """Return ``--treat`` options for the texts of the document that hold the places: a place may lie inside a text."""
    texts = {leaf.place.text for leaf in walk(document, policy()) if leaf.form == "text"}
    found: dict[str, None] = {}
    for place in doubtful:
        path = place
        while path not in texts and (step := _LAST_STEP.search(path)):
            path = path[: step.start()]
        if path in texts:
            found[f"--treat '{path}=name'"] = None
    return list(found)
