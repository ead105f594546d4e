"""Words spelled with character references of HTML or with backslash-u escapes, outside any document that has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from html.entities import html5

from extractor.model.json import JsonValue
from extractor.redact.encodings._opened import Draft, Opened, plain

_REFERENCE = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
_ESCAPE = r"\\u[0-9a-fA-F]{4}"
_CODE = re.compile(rf"{_REFERENCE}|{_ESCAPE}")
_ESCAPES = re.compile(rf"(?:{_ESCAPE})++")
_WORD = re.compile(rf"(?:{_REFERENCE}|{_ESCAPE}|[\w.@+%:/=-])++")
_PUNCTUATION = ".:+%/=-"
_MARKUP = frozenset("&<>\"'")


def escaped_words(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield ``[start, end)`` and the opened form of each word of a text that holds a reference or an escape."""
    if "&" not in text and "\\u" not in text:
        return
    for word in _WORD.finditer(text):
        raw = word.group().strip(_PUNCTUATION)
        if (opened := _opened(raw)) is not None:
            start = word.start() + len(word.group()) - len(word.group().lstrip(_PUNCTUATION))
            yield start, start + len(raw), opened


def open_escaped(text: str) -> Opened | None:
    """Open a whole text of one word with references or escapes in it (``ana&#64;example.com``)."""
    return _opened(text) if _WORD.fullmatch(text) else None


def _opened(raw: str) -> Opened | None:
    if not _CODE.search(raw):
        return None
    value = _decoded(raw)
    if value == raw or any("\ud800" <= char <= "\udfff" for char in value):
        return None
    draft = Draft("escapes")
    draft.part(value, raw, partial(_spell, raw), role="text")
    return draft.opened()


def _decoded(raw: str) -> str:
    return _ESCAPES.sub(_characters, _CODE.sub(_referenced, raw))


def _referenced(code: re.Match[str]) -> str:
    text = code.group()
    if text.startswith("&#"):
        return unescape(text)
    return html5.get(text[1:], text) if text.startswith("&") else text


def _characters(run: re.Match[str]) -> str:
    # Two escapes may be the halves of one character.
    units = bytes.fromhex(run.group().replace("\\u", ""))
    return units.decode("utf-16-be", "surrogatepass")


def _spell(raw: str, new: JsonValue) -> str:
    """Return a text in the style of ``raw``: wholly escaped, or escaped where its syntax asks for it."""
    codes = _CODE.findall(raw)
    style = _style(codes[0])
    bare = any(char.isalnum() for char in _CODE.sub("", raw))
    needed = _MARKUP if codes[0].startswith("&") else frozenset()
    spelled = {_decoded(code): code for code in reversed(codes)}  # &lt; stays &lt;
    return "".join(spelled.get(char) or style(char) if not bare or char in needed else char for char in plain(new))


def _style(code: str) -> Callable[[str], str]:
    if code.startswith("\\u"):
        return _backslash_u
    if code[1:3] in ("#x", "#X"):
        return lambda char: f"&{code[1:3]}{ord(char):x};"
    return lambda char: f"&#{ord(char)};"


def _backslash_u(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
