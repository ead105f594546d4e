"""A text cut into runs: what is plain, what is a pseudonym, what is residual, and what no screen may obey."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ahocorasick_rs import AhoCorasick

Kind: TypeAlias = Literal["plain", "pseudonym", "residual", "control"]

PATTERNS = 8
"""How many colours and underlines there are; classes beyond share them, and their labels tell them apart."""

_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
_SHOWN = "\n\t"
_HEAD = 32  # characters
_UNUSUAL = re.compile(r"[^\x20-\x7e\n\t]")


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
        self._spelled = _Finder(self.values)
        self._folded = _Finder(self.residual)

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
            escaped(text),
            value.number,
            self._counts[name],
            value.entity,
            value.pattern,
            escaped(self._originals.get(text, "")) if value.kind == "pseudonym" else "",
        )

    def _found(self, text: str) -> Iterator[tuple[int, int, Value]]:
        """Yield what stands in a text as a word, from left to right, the longest where two overlap."""
        lowered = text.lower()
        found = list(self._spelled.words(text))
        if len(lowered) == len(text):  # a letter whose lower case is two would move what follows
            found += self._folded.words(lowered)
        position = 0
        for start, end, value in sorted(found, key=lambda one: (one[0], -one[1], one[2].kind)):
            if start >= position:
                yield start, end, value
                position = end


class _Finder:
    """Finds values by their heads: an automaton over long repetitions takes a time that grows with their square."""

    def __init__(self, values: Sequence[Value]) -> None:
        self._by_head: dict[str, list[Value]] = {}
        for value in values:
            self._by_head.setdefault(value.text[:_HEAD], []).append(value)
        self._heads = list(self._by_head)
        self._automaton = AhoCorasick(self._heads)

    def words(self, text: str) -> Iterator[tuple[int, int, Value]]:
        """Yield every value that stands in a text as a word."""
        if not self._heads:
            return
        for number, start, _ in self._automaton.find_matches_as_indexes(text, overlapping=True):
            if _inside_word(text, start):
                continue
            for value in self._by_head[self._heads[number]]:
                end = start + len(value.text)
                if text.startswith(value.text, start) and not _inside_word(text, end):
                    yield start, end, value


def escaped(text: str) -> str:
    """Return a text with all that could steer a screen spelled as an escape; line ends and tabs stay."""
    return text.translate(_ESCAPES) if _UNUSUAL.search(text) else text


class _Spellings(dict[int, str]):
    """What each character becomes, learnt when it is first met: ``str.translate`` then works at the speed of C."""

    def __init__(self, hidden: Callable[[int], str]) -> None:
        super().__init__()
        self._hidden = hidden

    def __missing__(self, code: int) -> str:
        char = chr(code)
        made = self._hidden(code) if char not in _SHOWN and unicodedata.category(char) in _HIDDEN else char
        self[code] = made
        return made


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPES = _Spellings(_escape)
_MASK = _Spellings(lambda _: "\0")  # itself hidden, so it stands in no masked text but for what is hidden
_MASKED = re.compile("\0+")


def _inside_word(text: str, index: int) -> bool:
    return 0 < index < len(text) and text[index - 1].isalnum() and text[index].isalnum()


def _plain(text: str) -> Iterator[Run]:
    position = 0
    for hidden in _MASKED.finditer(text.translate(_MASK)) if _UNUSUAL.search(text) else ():
        if hidden.start() > position:
            yield Run("plain", text[position : hidden.start()])
        yield Run("control", text[hidden.start() : hidden.end()].translate(_ESCAPES))
        position = hidden.end()
    if position < len(text):
        yield Run("plain", text[position:])
