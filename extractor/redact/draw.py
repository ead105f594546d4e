"""Keyed drawing: the same key and text give the same digits, letters and names, and nothing else does."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from .keys import keyed_digest

_ONSETS = [
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "vr",
    "z",
]
_VOWELS = ["a", "e", "i", "o", "u"]
_CODAS = ["", "", "", "l", "n", "r", "s", "m", "k", "x"]
_LOWER = "abcdefghijklmnopqrstuvwxyz"
# Characters of names, the commonest: each draws from its own script.
_HAN = (
    "安文光成正平和英美春秋夏冬山川江河松竹梅石玉金天雨雪花月星永久康福寿吉良信仁礼智勇志原林木水田野本村上中大小明海"
    "世代元友真由千百子之生秀弘清芳建思若如心"
)
_HIRAGANA = "あいうえおかきくけこさしすせそたちつてとなにのはひふへほまみむめもやゆよらりるれろわ"
_KATAKANA = "アイウエオカキクケコサシスセソタチツテトナニノハヒフヘホマミムメモヤユヨラリルレロワ"
_HANGUL = [  # syllables of a plain consonant, a plain vowel and one of few finals, by their places in Unicode
    chr(0xAC00 + (onset * 21 + vowel) * 28 + coda)
    for onset in (0, 2, 3, 5, 6, 7, 9, 11, 12, 14, 18)
    for vowel in (0, 4, 6, 8, 13, 18, 20)
    for coda in (0, 1, 4, 8, 16, 21)
]
_UNSPACED: Sequence[tuple[str, str, Sequence[str]]] = (
    ("\u3005", "\u3005", _HAN),
    ("\u3400", "\u9fff", _HAN),
    ("\u3040", "\u309f", _HIRAGANA),
    ("\u30a0", "\u30ff", _KATAKANA),
    ("\uac00", "\ud7a3", _HANGUL),
)
_DIGITS = "0123456789"


class Stream:
    """An endless stream of numbers: HMAC-SHA-256 in counter mode over the parts that name what is drawn."""

    def __init__(self, key: bytes, *parts: str) -> None:
        self._key = keyed_digest(key, *parts)
        self._buffer = b""
        self._block = 0

    def below(self, bound: int) -> int:
        """Return the next number in ``[0, bound)``; eight bytes a draw keep the bias below 2^-50 for our bounds."""
        if len(self._buffer) < 8:
            self._buffer += keyed_digest(self._key, str(self._block))
            self._block += 1
        raw, self._buffer = self._buffer[:8], self._buffer[8:]
        return int.from_bytes(raw, "big") % bound

    def choice(self, options: Sequence[str]) -> str:
        """Return one of the options."""
        return options[self.below(len(options))]


def digits_like(text: str, stream: Stream) -> str:
    """Return a text with every digit redrawn and all else kept; a leading zero stays one, another digit never becomes one."""
    redrawn: list[str] = []
    first = True
    for char in text:
        if char.isdigit():
            redrawn.append(_digit(char, stream, leading=first))
            first = False
        else:
            redrawn.append(char)
    return "".join(redrawn)


def _digit(char: str, stream: Stream, *, leading: bool) -> str:
    if leading:
        return "0" if char == "0" else stream.choice(_DIGITS[1:])
    return stream.choice(_DIGITS)


def shape_like(text: str, stream: Stream) -> str:
    """Return a text of the same shape: digits, lower and upper letters redrawn in their class, all else kept.

    Hexadecimal text stays hexadecimal.
    """
    letters = [char for char in text if char.isalpha()]
    hexadecimal = len(text) >= 8 and all(char in "abcdefABCDEF" for char in letters)  # shorter is chance
    pool = _LOWER[:6] if hexadecimal else _LOWER
    redrawn: list[str] = []
    first = True
    for char in text:
        if char.isdigit():
            redrawn.append(_digit(char, stream, leading=first))
        elif char.isascii() and char.isalpha():
            letter = stream.choice(pool)
            redrawn.append(letter if char.islower() else letter.upper())
        elif char.isalpha():
            redrawn.append(stream.choice(_script(char)))
        else:
            redrawn.append(char)
            continue
        first = False
    return "".join(redrawn)


@lru_cache(maxsize=256)
def _script(char: str) -> str:
    """Return letters of the same block and category, so that a Hebrew word stays Hebrew and case stays case."""
    category = unicodedata.category(char)
    start = ord(char) & ~0x7F
    block = [chr(code) for code in range(start, start + 0x80) if unicodedata.category(chr(code)) == category]
    return "".join(letter for letter in block if unicodedata.normalize("NFKC", letter) == letter) or char


def name_like(text: str, stream: Stream, initial: str = "") -> str:
    """Return an invented name of about the same length, lower case; scripts other than Latin keep their script.

    It begins with ``initial``, one letter in lower case, where that is given.
    """
    if not all("LATIN" in unicodedata.name(char, "") for char in text if char.isalpha()):
        made = "".join(_name_character(char, stream) for char in unicodedata.normalize("NFC", text))
        return initial + made[len(initial) :]
    wanted = max(3, min(len(text), 12))
    onsets = [onset for onset in _ONSETS if onset.startswith(initial)] or [initial]
    name = stream.choice(onsets) if initial not in _VOWELS else initial
    name += stream.choice(_CODAS if initial in _VOWELS else _VOWELS)
    while len(name) < wanted - 1:
        name += stream.choice(_ONSETS) + stream.choice(_VOWELS)
        if len(name) < wanted:
            name += stream.choice(_CODAS)
    return name[: wanted + 1]


def _name_character(char: str, stream: Stream) -> str:
    pool = next((pool for first, last, pool in _UNSPACED if first <= char <= last), None)
    return shape_like(char, stream) if pool is None else stream.choice(pool)


def letters_beside(char: str) -> str:
    """Return the letters of the same script and case that no other spelling of theirs shares: 26 for Latin ones."""
    if char in _LOWER:
        return _LOWER
    return "".join(letter for letter in _script(char) if unicodedata.normalize("NFKD", letter) == letter)


def cased_like(text: str, model: str) -> str:
    """Return a text in the case of another: all lower, all upper, capitalised, or its own where the other mixes."""
    letters = [char for char in model if char.isalpha()]
    if not letters:
        return text
    if all(char.islower() for char in letters):
        return text.lower()
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return text.upper()
    if letters[0].isupper() and all(char.islower() for char in letters[1:]):
        return text[:1].upper() + text[1:].lower()
    return text[:1].upper() + text[1:] if letters[0].isupper() else text


def pour(digits: str, surface: str) -> str:
    """Return a surface with its digits and letters replaced, in order, by those of another text of as many."""
    source = iter(digits)
    return "".join(next(source, char) if char.isalnum() else char for char in surface)


def with_luhn(number: str, *, fixed_tail: int = 1) -> str:
    """Return digits made valid under Luhn (ISO/IEC 7812) by changing one digit before a tail that must stay.

    ``fixed_tail`` 1 means that the last digit itself is the one to change.
    """
    position = len(number) - 1 if fixed_tail <= 1 else len(number) - fixed_tail - 1
    for digit in _DIGITS:
        candidate = number[:position] + digit + number[position + 1 :]
        total = 0
        for index, char in enumerate(reversed(candidate)):
            value = int(char) * (2 if index % 2 else 1)
            total += value - 9 if value > 9 else value  # the sum of two digits
        if total % 10 == 0:
            return candidate
    return number
