"""Mail encodings: encoded words of headers (RFC 2047) and quoted-printable text (RFC 2045)."""

from __future__ import annotations

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from functools import partial

from extractor.model.json import JsonValue
from extractor.redact.encodings._opened import Draft, Opened, plain

_WORD = re.compile(
    r"=\?(?P<charset>[A-Za-z0-9_\-]{2,40})(?:\*[A-Za-z\-]{2,12})?\?(?P<how>[BbQq])\?(?P<text>[^?\s]{1,2000})\?="
)
_CODE = re.compile(r"=[0-9A-F]{2}")
# A word of quoted-printable holds a character beyond ASCII, or the escaped form of one that mail may not hold bare.
_RUN = re.compile(r"(?:[\w.+'\-]|=[0-9A-F]{2}|=\r?\n)++")
_BARE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+'")


def embedded_words(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield the encoded words of a text."""
    for word in _WORD.finditer(text) if "=?" in text else ():
        value = _decoded(word)
        if value is not None:
            draft = Draft("encoded_word")
            draft.literal(text[word.start() : word.start("text")])
            draft.part(value, word["text"], partial(_spell_word, word["charset"], word["how"]), role="text")
            draft.literal("?=")
            yield word.start(), word.end(), draft.opened()


def _decoded(word: re.Match[str]) -> str | None:
    try:
        if word["how"] in "Bb":
            raw = base64.b64decode(word["text"], validate=True)
        else:
            raw = quopri.decodestring(word["text"].encode("ascii"), header=True)
        return raw.decode(word["charset"])
    except (binascii.Error, UnicodeError, LookupError):
        return None


def _spell_word(charset: str, how: str, new: JsonValue) -> str:
    raw = plain(new).encode(charset, "replace")
    if how in "Bb":
        return base64.b64encode(raw).decode("ascii")
    return "".join("_" if byte == 0x20 else _quoted(byte) for byte in raw)


def _quoted(byte: int) -> str:
    char = chr(byte)
    return char if char in _BARE and char != "_" else f"={byte:02X}"


def embedded_quoted(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield the words of a text that are written in quoted-printable: ``M=C3=BCller``, ``oda=40example.com``."""
    for run in _RUN.finditer(text) if _CODE.search(text) else ():
        raw = run.group()
        if _CODE.search(raw) and (value := _text_of(raw)) is not None:
            draft = Draft("quoted_printable")
            draft.part(value, raw, _spell_quoted, role="text")
            yield run.start(), run.end(), draft.opened()


def _text_of(raw: str) -> str | None:
    if not raw.isascii():
        return None
    try:
        value = quopri.decodestring(raw.encode("ascii")).decode("utf-8")
    except UnicodeError:
        return None
    telling = any(char > "\x7f" or char == "@" for char in value)
    return value if telling and all(char.isprintable() or char in "\r\n\t" for char in value) else None


def _spell_quoted(new: JsonValue) -> str:
    return "".join(_quoted(byte) if chr(byte) != "_" else "_" for byte in plain(new).encode("utf-8", "surrogatepass"))
