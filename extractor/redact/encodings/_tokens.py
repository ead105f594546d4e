"""Literal syntaxes (JSON, Python) as tokens with their char ranges, so that only what changes is written anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from extractor.errors import RedactionRefused
from extractor.model.json import MAX_DEPTH, JsonValue, MalformedJson, parse
from extractor.redact.encodings._opened import Draft, Opened, plain, same_leaf


class Token(NamedTuple):
    """A token's kind (``open, close, mark, string, number, word, space, other``) and its char range."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """How one language writes literals. ``spell`` takes the raw spelling of before and the new value."""

    name: str
    pattern: re.Pattern[str]
    words: frozenset[str]
    decode: Callable[[str], str]
    spell: Callable[[str, JsonValue], str]


class Extent(NamedTuple):
    """The tokens of the container that starts at a place; ``closed`` when its bracket was met; ``depth`` at deepest."""

    tokens: list[Token]
    end: int
    closed: bool
    depth: int


def extent(text: str, start: int, syntax: Syntax) -> Extent:
    """Return the container that starts at ``start``: to its closing bracket, or to the end of the text."""
    tokens: list[Token] = []
    level = deepest = 0
    for match in syntax.pattern.finditer(text, start):
        kind = match.lastgroup or "other"
        tokens.append(Token(kind, match.start(), match.end()))
        if kind == "open":
            level += 1
            deepest = max(deepest, level)
        elif kind == "close":
            level -= 1
            if level <= 0:
                return Extent(tokens, match.end(), True, deepest)
    return Extent(tokens, len(text), False, deepest)


def refuse_deep(deepest: int) -> None:
    """Raise `RedactionRefused` where an inner document is nested deeper than documents may be."""
    if deepest > MAX_DEPTH:
        raise RedactionRefused(f"a document inside a string is nested deeper than {MAX_DEPTH} levels")


class ShapeMismatchError(ValueError):
    """Tokens and tree do not run in step."""


def splice(text: str, tokens: Sequence[Token], trees: tuple[JsonValue, JsonValue], syntax: Syntax) -> str:
    """Return the text with each leaf and key of the first tree that the second changes written anew.

    A container that became another shape is written as one value. Raises `ShapeMismatchError` when the tokens are not
    those of the first tree.
    """
    meaningful = iter([token for token in tokens if token.kind in _TREE_KINDS])
    pieces: list[str] = []
    copied = 0
    for start, end, written in _changes(meaningful, *trees, text, syntax):
        pieces.append(text[copied:start])
        pieces.append(written)
        copied = end
    if next(meaningful, None) is not None:
        raise ShapeMismatchError
    pieces.append(text[copied:])
    return "".join(pieces)


_TREE_KINDS = frozenset({"open", "close", "string", "number", "word"})


def _changes(
    tokens: Iterator[Token], old: JsonValue, new: JsonValue, text: str, syntax: Syntax
) -> Iterator[tuple[int, int, str]]:
    # Recursion is bounded: no tree is deeper than MAX_DEPTH.
    token = _next(tokens)
    if isinstance(old, (dict, list)) != (token.kind == "open") or token.kind == "close":
        raise ShapeMismatchError
    if not isinstance(old, (dict, list)):
        yield from _leaf(token, old, new, text, syntax)
    elif isinstance(old, dict) and isinstance(new, dict) and len(old) == len(new):
        for (old_key, old_child), (new_key, new_child) in zip(old.items(), new.items(), strict=True):
            yield from _leaf(_next(tokens), old_key, new_key, text, syntax)
            yield from _changes(tokens, old_child, new_child, text, syntax)
        _closing(tokens)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for old_child, new_child in zip(old, new, strict=True):
            yield from _changes(tokens, old_child, new_child, text, syntax)
        _closing(tokens)
    else:
        level, last = 1, token
        while level:
            last = _next(tokens)
            level += (last.kind == "open") - (last.kind == "close")
        yield token.start, last.end, syntax.spell(text[token.start : last.end], new)


def _next(tokens: Iterator[Token]) -> Token:
    token = next(tokens, None)
    if token is None:
        raise ShapeMismatchError
    return token


def _closing(tokens: Iterator[Token]) -> None:
    if _next(tokens).kind != "close":
        raise ShapeMismatchError


def _leaf(token: Token, old: JsonValue, new: JsonValue, text: str, syntax: Syntax) -> Iterator[tuple[int, int, str]]:
    if isinstance(old, str) != (token.kind == "string"):
        raise ShapeMismatchError
    raw = text[token.start : token.end]
    if same_leaf(old, new):
        return
    written = syntax.spell(raw, new)
    if written != raw:
        yield token.start, token.end, written


def open_tokens(text: str, start: int, syntax: Syntax) -> Opened:
    """Open a text that no tree can hold (cut off, repeated members): each literal is a part, as is prose between.

    Raises `RedactionRefused` when it is nested too deep.
    """
    draft = Draft(f"{syntax.name}_tokens")
    draft.literal(text[:start])
    _TokensForm(text, syntax, draft).run(start)
    return draft.opened()


class _TokensForm:
    def __init__(self, text: str, syntax: Syntax, draft: Draft) -> None:
        self.text, self.syntax, self.draft = text, syntax, draft
        self.enclosing: list[tuple[bool, str | None]] = []  # (is an object, the key it stands under)
        self.key: str | None = None
        self.last = ""

    def run(self, start: int) -> None:
        text = self.text
        tokens = [
            Token(match.lastgroup or "other", match.start(), match.end())
            for match in self.syntax.pattern.finditer(text, start)
        ]
        position = start
        solid = [token for token in tokens if token.kind != "space"]
        for index, token in enumerate(solid):
            following = text[solid[index + 1].start] if index + 1 < len(solid) else ""
            alone = (index == 0 or solid[index - 1].kind in {"mark", "open"}) and following in ("", *",:]}")
            if token.kind == "string" or (token.kind == "number" and alone):
                self._gap(position, token.start)
                self._literal(token, is_key=following == ":")
                position = token.end
            else:
                self._structure(token)
        self._gap(position, len(text))

    def _structure(self, token: Token) -> None:
        char = self.text[token.start]
        if token.kind == "open":
            self.enclosing.append((char == "{", self.key))
            refuse_deep(len(self.enclosing))
        elif token.kind == "close" and self.enclosing:
            self.key = self.enclosing.pop()[1]
        elif char == ":" and token.kind == "mark":
            self.key = self.last
        elif char == "," and token.kind == "mark" and self.enclosing:
            is_object, key = self.enclosing[-1]
            self.key = None if is_object else key

    def _literal(self, token: Token, *, is_key: bool) -> None:
        raw = self.text[token.start : token.end]
        key, role = (None, "key") if is_key else (self.key, "value")
        if token.kind == "string":
            self.last = self.syntax.decode(raw)
            self.draft.part(self.last, raw, lambda new: self.syntax.spell(raw, new), role=role, key=key)
            return
        self.last = raw
        try:
            self.draft.part(parse(raw), raw, plain, role=role, key=key)
        except MalformedJson:
            self.draft.verbatim(raw, key=key)

    def _gap(self, start: int, end: int) -> None:
        # Brackets, commas and the language's own words are structure; anything else may be a person's words.
        gap = self.text[start:end]
        kinds = ((match.lastgroup, match.group()) for match in self.syntax.pattern.finditer(gap))
        if all(kind in _STRUCTURE or (kind == "word" and word in self.syntax.words) for kind, word in kinds):
            self.draft.literal(gap)
            return
        inner = gap.strip(" \t\r\n,:[]{}")
        before = gap.index(inner)
        self.draft.literal(gap[:before])
        self.draft.verbatim(inner, key=self.key)
        self.draft.literal(gap[before + len(inner) :])


_STRUCTURE = frozenset({"space", "open", "close", "mark"})
