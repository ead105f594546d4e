"""Printed Python literals (``{'email': 'x'}``), opened as the tree they stand for."""

from __future__ import annotations

import ast
import re
import warnings

from extractor.model.json import JsonValue, scalar
from extractor.redact.encodings._opened import Draft, Opened
from extractor.redact.encodings._tokens import (
    ShapeMismatchError,
    Syntax,
    Token,
    extent,
    open_tokens,
    refuse_deep,
    splice,
)

_MAX_CHARS = 200_000
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]++)|(?P<open>[\[{(])|(?P<close>[\]})])|(?P<mark>[:,])"
    r"|(?P<string>[bBuU]?+(?:'(?:[^'\\]++|\\.)*+(?:'|\\?\Z)|\"(?:[^\"\\]++|\\.)*+(?:\"|\\?\Z)))"
    r"|(?P<number>-?+[0-9][0-9.eE+\-]*+)|(?P<word>[^\W\d]\w*+)"
    r"|(?P<other>[^\s\"'\[\]{}():,\w\-]++|.)",
    re.DOTALL,
)
# A dict, or a list or tuple of dicts, whose first key is in single quotes; or a list of texts in single quotes.
EVIDENT = re.compile(
    r"(?:[\[(][ \t\r\n]*+)*+(?:\{[ \t\r\n]*+[bu]?+'|(?<=[\[( \t\r\n])[bu]?+'[^'\n]{0,200}+'[ \t\r\n]*+[,\])])"
)
_PREFIX = re.compile(r"[bBuU]?")


def _parts(raw: str) -> tuple[str, str, bool]:
    prefix = raw[: len(raw) - len(raw.lstrip("bBuU"))]
    mark = raw[len(prefix)]
    body = raw[len(prefix) + 1 :]
    backslashes = len(body[:-1]) - len(body[:-1].rstrip("\\"))
    return prefix, mark, body.endswith(mark) and backslashes % 2 == 0


def _decode(raw: str) -> str:
    prefix, mark, closed = _parts(raw)
    try:
        # A printed text may hold escapes that newer Pythons warn of; the warning would quote it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(raw if closed else raw + mark)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return raw[len(prefix) + 1 : len(raw) - closed]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _spell(raw: str, new: JsonValue) -> str:
    if isinstance(new, dict):
        return "{" + ", ".join(f"{_text(key, chr(39))}: {_spell('', child)}" for key, child in new.items()) + "}"
    if isinstance(new, list):
        inside = ", ".join(_spell("", child) for child in new)
        return f"({inside})" if raw.startswith("(") else f"[{inside}]"
    if not isinstance(new, str):
        return repr(new) if new is None or isinstance(new, bool) else scalar(new)
    if raw[-1:] not in {"'", '"'} and raw[:1] not in {"'", '"'} and raw[1:2] not in {"'", '"'}:
        return _text(new, "'")
    prefix, mark, closed = _parts(raw)
    if prefix in {"b", "B"}:
        new = new.encode("utf-8", "surrogatepass").decode("latin-1")
        literal = _text(new, mark, last="~")
    else:
        literal = _text(new, mark)
    return prefix + (literal if closed else literal[:-1])


def _text(new: str, mark: str, *, last: str = "\U0010ffff") -> str:
    escapes = {"\\": "\\\\", mark: "\\" + mark}
    pieces = (escapes.get(char) or (char if char.isprintable() and char <= last else ascii(char)[1:-1]) for char in new)
    return mark + "".join(pieces) + mark


SYNTAX = Syntax(
    name="python",
    pattern=_TOKEN,
    words=frozenset({"True", "False", "None", "nan", "inf"}),
    decode=_decode,
    spell=_spell,
)


def open_python(text: str) -> Opened | None:
    """Open a whole text that is a printed dict, list or tuple: kind ``python_literal`` with one tree.

    What no JSON tree can hold (bytes, calls, a text cut off) is of kind ``python_tokens``.
    Raises `RedactionRefused` when it is nested deeper than `MAX_DEPTH`.
    """
    start = len(text) - len(text.lstrip(" \t\r\n"))
    if not EVIDENT.match(text, start):
        return None
    found = extent(text, start, SYNTAX)
    if found.closed and text[found.end :].strip(" \t\r\n"):
        return None
    refuse_deep(found.depth)
    if found.closed and len(text) <= _MAX_CHARS:
        tree = _evaluate(text[start : found.end])
        if tree is not None and _in_step(text, found.tokens, tree):
            draft = Draft("python_literal")
            draft.part(tree, text, lambda new: splice(text, found.tokens, (tree, new), SYNTAX), role="payload")
            return draft.opened()
    return open_tokens(text, start, SYNTAX)


def _evaluate(source: str) -> JsonValue:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _json_like(ast.literal_eval(source))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _json_like(value: object) -> JsonValue:
    if isinstance(value, (list, tuple)):
        return [_json_like(child) for child in value]
    if isinstance(value, dict):
        members: dict[str, JsonValue] = {}
        for key, child in value.items():
            if not isinstance(key, str):
                raise TypeError
            members[key] = _json_like(child)
        return members
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError


def _in_step(text: str, tokens: list[Token], tree: JsonValue) -> bool:
    # Grouping brackets, repeated keys and adjacent literals make tokens and tree differ.
    try:
        return splice(text, tokens, (tree, tree), SYNTAX) == text
    except ShapeMismatchError:
        return False
