"""How a summary ends: what is proved, what is not, and, where the eye rests, the verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Final

from extractor.replay.results.claims import Claimed

from .console import Console

_WIDTH: Final = 100  # columns, also in a pipe: the same run prints the same lines


def end(console: Console, claims: Iterable[Claimed], verdicts: Iterable[str]) -> None:
    """Write all claims, those that several results share once, then a line for each verdict."""
    told = tuple(dict.fromkeys(claims))
    for proved in dict.fromkeys(each.proved for each in told):
        _paragraph(console, "proved", proved)
    _paragraph(console, "not proved", "; ".join(dict.fromkeys(text for each in told for text in each.not_proved)))
    for verdict in verdicts:
        console.say(f"verdict: {verdict}")


def _paragraph(console: Console, label: str, text: str) -> None:
    for line in textwrap.wrap(f"{label}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False):
        console.say(line)
