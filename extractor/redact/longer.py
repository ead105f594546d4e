"""Numbers that hold a known one: ``219099998417`` is another number than ``219099998``, not that one and three digits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .fold import Folded, at_boundary, fold
from .vault import Identity, Occurrence, Vault

_TWO_DIGITS = re.compile(r"\d\d")
_NUMBER = re.compile(r"\d{7,}")  # one more than the shortest that counts inside others
_LETTERS = re.compile(r"[^\W\d_]*", re.UNICODE)


def is_inside_another(view: Folded, occurrence: Occurrence) -> bool:
    """Tell whether what stands there is part of a longer number, or of a run in which letters and digits alternate."""
    start, end = occurrence.start, occurrence.end
    if _splits(view.clean, start) or _splits(view.clean, end):
        return True
    return occurrence.identity.canonical.isdigit() and not at_boundary(view.clean, start, end)


def longer_numbers(texts: Iterable[str], vault: Vault) -> Iterator[tuple[str, Identity]]:
    """Yield each longer number, or run of letters and digits, that holds a known value, and that value."""
    for text in texts:
        if _TWO_DIGITS.search(text) is None:
            continue
        view = fold(text)
        for occurrence in vault.find(view):
            if is_inside_another(view, occurrence):
                start, end = _whole(view.clean, occurrence)
                yield view.clean[start:end], occurrence.identity
        for run in _NUMBER.finditer(view.clean):
            for occurrence in vault.find_digits(run.group()):  # known in groups: 555-0142
                if occurrence.end - occurrence.start < len(run.group()):
                    yield run.group(), occurrence.identity


def _whole(text: str, occurrence: Occurrence) -> tuple[int, int]:
    """Return the range of the value that holds an occurrence.

    Letters around a number are its type, as in ``W2378156``; those around digits and letters mixed belong to it.
    """
    first, last = occurrence.start, occurrence.end
    while _splits(text, first):
        first -= 1
    while _splits(text, last):
        last += 1
    left, right = first, last
    while left > 0 and text[left - 1].isalnum() and text[left].isalnum():
        left -= 1
    while right < len(text) and text[right].isalnum() and text[right - 1].isalnum():
        right += 1
    typed = _LETTERS.fullmatch(text[left:first]) and _LETTERS.fullmatch(text[last:right])
    return (first, last) if typed and at_boundary(text, first, last) else (left, right)


def _splits(text: str, position: int) -> bool:
    return 0 < position < len(text) and text[position - 1].isdigit() and text[position].isdigit()
