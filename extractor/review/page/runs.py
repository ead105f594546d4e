"""A text cut into runs: what is plain, what is a pseudonym, what is residual, and what no screen may obey."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, TypeAlias

from ahocorasick_rs import AhoCorasick

Kind: TypeAlias = Literal["plain", "pseudonym", "residual", "control"]

PATTERNS = 8
"""How many colours and underlines there are; classes beyond share them, and their labels tell them apart."""

_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
_SHOWN = "\n\t"
_BREAKABLE = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a text. Of a pseudonym or residual token, ``value`` numbers the value and ``number`` its occurrence."""

    kind: Kind
    text: str
    value: int = 0
    number: int = 0
    entity: str = ""
    pattern: int = 0
    original: str = field(default="", repr=False)

    @property
    def id(self) -> str:
        """The name by which this occurrence is linked to: numbers of ours alone."""
        return f"{self.kind[0]}{self.value}-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A pseudonym or a residual token of the case; ``number`` counts from 1 within its kind."""

    kind: Literal["pseudonym", "residual"]
    number: int
    text: str
    entity: str = ""
    pattern: int = 0


class Marker:
    """Cuts the texts of one page, and counts what occurs in them so that occurrences can be linked."""

    def __init__(
        self,
        pseudonyms: Iterable[tuple[str, str]],
        residual: Sequence[str] = (),
        originals: Mapping[str, str] | None = None,
    ) -> None:
        """``pseudonyms`` are pairs of text and class; ``originals``, where the source is at hand, what they stand for."""
        listed = list(dict.fromkeys(pair for pair in pseudonyms if pair[0]))
        self.classes = list(dict.fromkeys(entity for _, entity in listed))
        self.values = [
            Value(
                kind="pseudonym",
                number=number,
                text=text,
                entity=entity,
                pattern=self.classes.index(entity) % PATTERNS,
            )
            for number, (text, entity) in enumerate(listed, start=1)
        ]
        tokens = [token.lower() for token in residual]
        self.residual = [
            Value(kind="residual", number=number, text=token) for number, token in enumerate(tokens, start=1) if token
        ]
        self._originals = originals or {}
        self._counts: Counter[str] = Counter()
        self._names = [*self.values, *self.residual]
        # Pseudonyms are spelled in one way, residual tokens in any case: each has an automaton of its own.
        self._spelled = AhoCorasick([value.text for value in self.values])
        self._folded = AhoCorasick([value.text for value in self.residual])

    def runs(self, text: str) -> list[Run]:
        """Return the runs of a text; together they say all of it."""
        made: list[Run] = []
        position = 0
        for start, end, value in self._found(text):
            made.extend(_plain(text[position:start]))
            made.append(self._run(value, text[start:end]))
            position = end
        made.extend(_plain(text[position:]))
        return made

    def occurrences(self, kind: str, value: int) -> int:
        """Return how often a value stands on the page, as far as its texts were cut."""
        return self._counts[f"{kind[0]}{value}"]

    def following(self, run: Run) -> str:
        """Return the id of the next occurrence, of the first after the last."""
        last = self.occurrences(run.kind, run.value)
        return f"{run.kind[0]}{run.value}-{run.number % last + 1 if last else 1}"

    def _run(self, value: Value, text: str) -> Run:
        name = f"{value.kind[0]}{value.number}"
        self._counts[name] += 1
        return Run(
            value.kind,
            text,
            value.number,
            self._counts[name],
            value.entity,
            value.pattern,
            self._originals.get(text, "") if value.kind == "pseudonym" else "",
        )

    def _found(self, text: str) -> Iterator[tuple[int, int, Value]]:
        """Yield what stands in a text as a word, from left to right, the longest where two overlap."""
        lowered = text.lower()
        found = list(self._matches(self._spelled, text, self.values))
        if len(lowered) == len(text):  # a letter whose lower case is two would move what follows
            found += self._matches(self._folded, lowered, self.residual)
        position = 0
        for start, end, value in sorted(found, key=lambda one: (one[0], -one[1], one[2].kind)):
            if start >= position:
                yield start, end, value
                position = end

    def _matches(self, automaton: AhoCorasick, text: str, values: Sequence[Value]) -> Iterator[tuple[int, int, Value]]:
        if values:
            for number, start, end in automaton.find_matches_as_indexes(text, overlapping=True):
                if not (_inside_word(text, start) or _inside_word(text, end)):
                    yield start, end, values[number]


def escaped(text: str) -> str:
    """Return a text with all that could steer a screen spelled as an escape; line ends and tabs stay."""
    return "".join(run.text for run in _plain(text))


def _inside_word(text: str, index: int) -> bool:
    return 0 < index < len(text) and bool(_BREAKABLE.match(text[index - 1]) and _BREAKABLE.match(text[index]))


def _plain(text: str) -> Iterator[Run]:
    if not text:
        return
    if text.isprintable():
        yield Run("plain", text)
        return
    for hidden, chars in groupby(text, _is_hidden):
        piece = "".join(chars)
        yield Run("control", "".join(map(_escape, piece))) if hidden else Run("plain", piece)


def _is_hidden(char: str) -> bool:
    return char not in _SHOWN and unicodedata.category(char) in _HIDDEN


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
