"""Which stand-ins are free: none is an original, none is another value's, none tells by chance a relation that never was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .checks import digits
from .draw import pour
from .fold import fold, folded
from .keys import keyed_digest
from .vault import Identity, Vault, canonical_form

LAST = 4  # digits by which people name a card; numbers as short as that can run out

_MADE_OF_WORDS = ("name", "address")  # and redrawn word by word
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)
_DIGITS_64 = 19
_LONG = 12  # digits from which on a number is known by its last four
_CHANCE = 3  # characters up to which a value is met by chance in any longer one


class Taken:
    """What stands for values already (``used``), and what no stand-in may be (``originals``), both folded."""

    def __init__(self, vault: Vault, key: bytes) -> None:
        self._vault = vault
        self._key = key
        self.used: set[str] = set()
        self.originals = set(_original_texts(vault))
        self._fours: dict[str, str] = {}  # stand-ins of four digits, and what they stand for
        self._ends: set[str] = set()  # the last four of long stand-ins
        self._left: dict[tuple[int, bool], list[str]] = {}

    def take(self, identity: Identity, given: str) -> None:
        """Note what stands for a value."""
        self.used.add(folded(given))
        number = _all_digits(given)
        if len(number) == LAST:
            self._fours[number] = digits(identity.canonical)
        elif len(number) >= _LONG:
            self._ends.add(number[-LAST:])

    def is_free(self, candidate: str, identity: Identity, *, strict: bool = False) -> bool:
        """Tell whether a candidate may stand for a value; a ``strict`` one holds no known value at all, be it short or a word."""
        lowered = folded(candidate)
        canonical = canonical_form(lowered, identity.entity)
        if lowered in self.used or lowered in self.originals or canonical in self._vault.identities:
            return False
        if _fits_64_bits(identity.canonical) and candidate.isdecimal() and not _fits_64_bits(candidate):
            return False
        if self._ends_by_chance(candidate, identity):
            return False
        # A longer pseudonym must not hold an original either.
        return not any(
            strict or (not occurrence.identity.word and len(occurrence.identity.canonical) > _CHANCE)
            for occurrence in self._vault.find(fold(candidate))
        )

    def _ends_by_chance(self, candidate: str, identity: Identity) -> bool:
        """Tell whether four digits that stand by themselves would end a long number that never ended in what they stand for."""
        number = _all_digits(candidate)
        if len(number) == LAST:
            return number in self._ends
        ended = self._fours.get(number[-LAST:]) if len(number) >= _LONG else None
        return ended is not None and ended != digits(identity.canonical)[-LAST:]

    def left_over(self, identity: Identity) -> str | None:
        """Return one of the short numbers that nobody has, in keyed order, when drawing no longer meets one."""
        width = len(identity.canonical)
        if not identity.canonical.isdecimal() or width > LAST:
            return None
        zero = identity.canonical.startswith("0")
        for leading in (zero, not zero):
            if leading and identity.number:
                continue  # a JSON number has no leading zero
            numbers = self._left.get((width, leading))
            if numbers is None:
                every = (f"{number:0{width}}" for number in range(10**width))
                keyed = [(keyed_digest(self._key, "left", text), text) for text in every]
                numbers = [text for _, text in sorted(keyed) if text.startswith("0") is leading]
                self._left[width, leading] = numbers
            while numbers:
                candidate = pour(numbers.pop(), identity.text)
                if self.is_free(candidate, identity):
                    return candidate
        return None


def _original_texts(vault: Vault) -> Iterator[str]:
    """Yield what no stand-in may be: every spelling, every word of names and addresses, since those are redrawn alone, and every word
    of other values, which may stay: nobody is Ze beside an order ZE-35520.
    """
    for identity in vault.sorted():
        part = _TOKEN if identity.entity.form in _MADE_OF_WORDS else _LETTERS
        for spelling in identity.spellings:
            yield folded(spelling)
            yield from part.findall(folded(spelling))


def _all_digits(text: str) -> str:
    """Return the digits of a text whose letters and digits are digits alone, else nothing."""
    number = "".join(filter(str.isalnum, text))
    return number if number.isdecimal() else ""


def _fits_64_bits(number: str) -> bool:
    """Tell whether digits fit the integer of a protocol buffer; of nineteen digits only some do."""
    return number.isdecimal() and len(number) <= _DIGITS_64 and int(number) < 2**63
