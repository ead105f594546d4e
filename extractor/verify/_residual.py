"""The second opinion: words and codes of the output that also stood in the source and that nothing explains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..model.case import Residual
from ..model.json import JsonValue
from ..ruleset import RuleSet, vocabulary
from ._decode import MAX_LAYERS, container, opened, strings
from ._fold import fold
from ._places import Leaf, Place, Policy, is_generated, walk

_MEASURE = re.compile(
    r"[$€£¥]\s?\d[\d.,]*|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+(?:\.\d+)*"
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?|\d{1,2}:\d\d(?::\d\d)?"
)
_TOKEN = re.compile(rf"(?P<measure>(?<!\w)(?:{_MEASURE.pattern}))|(?P<token>[^\W_]+(?:['\u2019][^\W\d_]{{1,3}})?)")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
_SENTENCE = re.compile(r"[.!?:;|\n\r\t\"()\[\]{}*#>\u2022\u201c\u2014-]\s*$")
_MEMBER_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_CONTRACTION = re.compile(r"(?:n't|'(?:d|ll|m|ve|re|s))$")
_ENDING = re.compile(r"(?:s|es|ed|ing|ly)$")
_QUANTITY = re.compile(r"\d{1,5}[^\W\d_]{1,3}")
_YEAR_OR_ROUND = re.compile(r"(?:19|20)\d\d|[1-9]\d{0,3}00")
_MOST_DIGITS = 3
_AMOUNT_DIGITS = 6
_ACRONYM = 4
_SCHEMA_MEMBER = 3
_SHORT_CODE = 4
_MEMBER_NAME = " (member name)"
_RANK = ("ambiguous", "name_like", "language_not_covered", "code", "number", "word")
# Letters of the Latin script, with what is written in it: all else no vocabulary and no model here can judge.
_LATIN = re.compile("[A-Za-z\u00aa-\u024f\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\ufb00-\ufb06\uff21-\uff5a]")


@dataclass(slots=True)
class ResidualList:
    """Collects what survived; each distinct token once, with its first place and its count."""

    rules: RuleSet
    policy: Policy
    doubtful: frozenset[str] = field(default=frozenset(), repr=False)  # folded names that could be ordinary words
    _source: set[str] = field(default_factory=set, repr=False)
    _explained: set[str] = field(default_factory=set, repr=False)
    _members: set[str] = field(default_factory=set, repr=False)
    _found: dict[str, Residual] = field(default_factory=dict, repr=False)

    def sources(self, trees: Iterable[JsonValue]) -> None:
        """Take in every token of the originals, decoded; each distinct text once, since histories repeat themselves."""
        seen = {text for tree in trees for text in strings(tree)}
        front = list(seen)
        for _ in range(MAX_LAYERS):
            inside: set[str] = set()
            for text in front:
                value = container(text)
                if value is None:
                    self._source.update(fold(match.group()) for match in _TOKEN.finditer(text) if match["token"])
                inside.update(opened(text) if value is None else strings(value))
            front = list(inside - seen)
            seen |= inside

    def document(self, document: JsonValue) -> tuple[Residual, ...]:
        """Return the residual tokens of the output, the most name-like first."""
        leaves = [leaf for leaf in walk(document, self.policy) if not is_generated(leaf, self.policy)]
        opened = [inner for leaf in leaves for inner in _inner(leaf, self.policy)]
        self._explain(opened)
        for leaf in opened:
            if leaf.place.kind not in self.policy.named:
                self._leaf(leaf)
        return tuple(
            sorted(self._found.values(), key=lambda one: (_RANK.index(one.code), -one.count, one.path, one.start))
        )

    def _explain(self, leaves: Sequence[Leaf]) -> None:
        keeps = _keeps(self.rules)
        members = Counter(leaf.text for leaf in leaves if leaf.form == "key")
        for name, count in members.items():
            # A member name that keeps coming back is the application's schema: as a member name, and without digits.
            if count >= _SCHEMA_MEMBER and " " not in name and not any(map(str.isdigit, name)):
                self._members.update(fold(match.group()) for match in _TOKEN.finditer(name) if match["token"])
        # Small numbers of a typed payload are amounts and quantities, which stay: they are the bug.
        self._explained.update(
            leaf.text for leaf in leaves if leaf.form == "number" and len(leaf.text) <= _AMOUNT_DIGITS
        )
        for leaf in leaves:
            static = leaf.place.kind.startswith("templates[]") or leaf.place.kind in self.policy.named
            if static or (leaf.form != "key" and leaf.names and keeps.fits(leaf.names[-1])):
                self._explained.update(fold(match.group()) for match in _TOKEN.finditer(leaf.text) if match["token"])
                self._explained.update(map(fold, _PIECE.findall(leaf.text)))

    def _leaf(self, leaf: Leaf) -> None:
        for match in _TOKEN.finditer(leaf.text):
            token = match["token"]
            if token is None:
                continue
            folded = fold(token)
            if _is_foreign(token):
                self._foreign(leaf, match.start(), match.end(), folded)
                continue
            if folded in self._found:
                known = self._found[folded]
                self._found[folded] = Residual(
                    code=known.code, path=known.path, start=known.start, end=known.end, count=known.count + 1
                )
                continue
            explained = (
                folded in self._explained
                or folded in self.policy.explained
                or (leaf.form == "key" and folded in self._members)
            )
            if folded in self.doubtful:
                code: str | None = "ambiguous"
            elif explained or folded not in self._source:
                continue
            else:
                code = self._code(leaf, token, match.start())
            if code is not None:
                path = leaf.place.text + (_MEMBER_NAME if leaf.form == "key" else "")
                self._found[folded] = Residual(code=code, path=path, start=match.start(), end=match.end())

    def _foreign(self, leaf: Leaf, start: int, end: int, folded: str) -> None:
        """Take in a word of a script that nothing here reads: one entry a text, from the first such word to the last."""
        if folded in self._explained or folded not in self._source:
            return
        path = leaf.place.text + (_MEMBER_NAME if leaf.form == "key" else "")
        key = "\0" + path  # no word holds it
        known = self._found.get(key)
        if known is None:
            self._found[key] = Residual(code="language_not_covered", path=path, start=start, end=end)
        else:
            self._found[key] = Residual(
                code=known.code,
                path=path,
                start=min(known.start, start),
                end=max(known.end, end),
                count=known.count + 1,
            )

    def _code(self, leaf: Leaf, token: str, start: int) -> str | None:
        if token.isdigit():
            return None if len(token) <= _MOST_DIGITS or _YEAR_OR_ROUND.fullmatch(token) else "number"
        if any(char.isdigit() for char in token):
            plain = leaf.form == "key" and all(map(_ordinary, _PIECE.findall(token)))
            return None if plain or len(token) <= _SHORT_CODE or _QUANTITY.fullmatch(token) else "code"
        whole = token.replace("\u2019", "'")
        token = _CONTRACTION.sub("", whole)
        if len(token) <= 1 or (token.isupper() and len(token) <= _ACRONYM):
            return None
        ordinary = _ordinary(whole) or _ordinary(token) or all(map(_ordinary, _PIECE.findall(token)))
        if token[0].isupper() and not token.isupper() and leaf.form == "text" and _inside_sentence(leaf.text, start):
            return "name_like"
        if ordinary:
            return None
        return "name_like" if token[0].isupper() else "word"


def texts(document: JsonValue, rules: Policy, *, names: bool) -> Iterator[tuple[str, str]]:
    """Yield the texts, numbers and member names of a document that are not generated, each with its place."""
    for leaf in walk(document, rules):
        for inner in () if is_generated(leaf, rules) else _inner(leaf, rules):
            if names or inner.form != "key":
                yield inner.place.text + (_MEMBER_NAME if inner.form == "key" else ""), inner.text


def _inner(leaf: Leaf, rules: Policy) -> Iterator[Leaf]:
    value = container(leaf.text) if leaf.form == "text" else None
    if value is None:
        yield leaf
        return
    inside = Place(f"{leaf.place.text} (JSON)", payload=True)
    for inner in walk(value, rules, inside):
        yield from _inner(Leaf(inner.place, inner.text, inner.form, (*leaf.names, *inner.names)), rules)


def _is_foreign(token: str) -> bool:
    """Tell whether a word is written in letters of another script; one letter alone is a symbol, save where it is a word."""
    letters = [char for char in token if char.isalpha() and not _LATIN.match(char)]
    return len(letters) > 1 or (len(letters) == 1 and letters[0] >= "\u0590")


def _ordinary(piece: str) -> bool:
    lower = piece.lower()
    return lower in vocabulary() or _ENDING.sub("", lower) in vocabulary() or len(piece) == 1 or piece.isdigit()


def _inside_sentence(text: str, start: int) -> bool:
    """Say whether the capitalised words that end at ``start`` follow a word in lower case."""
    before = text[max(0, start - 80) : start]
    while True:
        stripped = before.rstrip(" ")
        if not stripped or _SENTENCE.search(before):
            return False
        previous = re.search(r"[^\W_]+(?:['\u2019][^\W\d_]+)?[,]?$", stripped)
        if previous is None:
            return False
        word = previous.group()
        if not word[0].isupper() or word in ("I", "I'm", "I\u2019m", "I'd", "I\u2019d"):
            return not word[0].isdigit()
        before = stripped[: previous.start()]


@dataclass(frozen=True, slots=True)
class _Keeps:
    exact: frozenset[str]
    suffixes: tuple[str, ...]
    prefixes: tuple[str, ...]

    def fits(self, name: str) -> bool:
        plain = "_".join(part.lower() for part in _MEMBER_PARTS.findall(name))
        singular = plain.removesuffix("s")
        return any(
            one in self.exact or one.endswith(self.suffixes) or one.startswith(self.prefixes)
            for one in (plain, singular)
        )


def _keeps(rules: RuleSet) -> _Keeps:
    """Return the member names whose values a rule keeps: they are explained."""
    names = [
        str(name)
        for document in rules.family("identifiers").values()
        for entry in _entries(document)
        if entry.get("keep")
        for name in entry.get("names", ())
    ]
    return _Keeps(
        exact=frozenset(name for name in names if "*" not in name),
        suffixes=tuple(name[1:] for name in names if name.startswith("*")),
        prefixes=tuple(name[:-1] for name in names if name.endswith("*")),
    )


def _entries(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    entries = document.get("rule", ())
    if isinstance(entries, list):
        yield from (entry for entry in entries if isinstance(entry, dict))
