"""Whether a pattern's work grows with its input: measured in processor time, on texts that grow from harmless sizes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator

from .attacks import seeds

# Steps of two at first: a pattern that doubles its work with each character is told long before it hangs.
_SIZES = (14, 16, 18, 20, 22, 24, 26, 32, 64, 128, 512, 2048, 16_384)
_SECONDS = 0.15  # a linear pattern needs a hundredth of that
_SEEDS = ("a", "A", "1", "-", ".", "@", " ", "_", "/", "a.", "1-", "a ", "a@", '"', "\\", "é")
_ENDS = ("", "!")
# What repeats without a bound, or within a wide one, or as a group: all else is linear whatever it meets.
_REPEATS = re.compile(r"[*+]|\{\d*,\}|\{\d*,?\d{3,}\}|\)\{")


def is_linear(pattern: re.Pattern[str], examples: Iterable[str], *, whole: bool = False) -> bool:
    """Tell whether no repetition makes a search take long: of common texts, of pieces of the examples and of the pattern.

    ``whole``: the pattern meets whole texts, as a field's shape does. True proves nothing; False names a pattern that
    one long value can stop a run with.
    """
    if _REPEATS.search(pattern.pattern) is None:
        return True
    plain = (("", seed) for seed in (*_SEEDS, *_pieces(examples)))
    return not any(_is_slow(pattern, *seed, whole=whole) for seed in dict.fromkeys([*plain, *seeds(pattern)]))


def _pieces(examples: Iterable[str]) -> Iterator[str]:
    for text in examples:
        yield from (piece for piece in (text[:1], text[-1:], text[:4], text[-4:], text) if piece)


def _is_slow(pattern: re.Pattern[str], before: str, seed: str, *, whole: bool) -> bool:
    for size in _SIZES:
        body = before + (seed * size)[:size]
        for end in _ENDS:
            # Twice, since the first time may have been somebody else's.
            if all(_seconds(pattern, body + end, whole=whole) > _SECONDS for _ in range(2)):
                return True
    return False


def _seconds(pattern: re.Pattern[str], text: str, *, whole: bool) -> float:
    before = time.process_time()
    if whole:
        pattern.fullmatch(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - before
