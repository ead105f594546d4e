"""Percent-encoding that remembers its spelling: which characters, which hex case, a plus or ``%20`` for a space."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple

from extractor.model.json import JsonValue
from extractor.redact.encodings._opened import Draft, Opened, plain

_RUN = re.compile(r"(?:%[0-9a-fA-F]{2})++")
_CODE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Place(NamedTuple):
    """A place in a URL: what may stand unescaped there without ending it, and whether a plus is a space."""

    safe: frozenset[str]
    plus: bool = False


SEGMENT = Place(frozenset("@:$"))
FIELD = Place(frozenset("@:$/"), plus=True)
TEXT = Place(frozenset("@:$/"))
USERINFO = Place(frozenset("$"))
HOST = Place(frozenset("[]:"))


def decode(raw: str, place: Place) -> str:
    """Return the text behind percent-escapes; bytes that are no UTF-8 become lone surrogates, which `encode` keeps."""
    if place.plus:
        raw = raw.replace("+", " ")
    if "%" not in raw:
        return raw
    return _RUN.sub(lambda run: bytes.fromhex(run.group().replace("%", "")).decode("utf-8", "surrogateescape"), raw)


def encode(new: str, raw: str, place: Place) -> str:
    """Return a text percent-encoded in the style of ``raw``: what stood there bare stays bare, what was escaped is."""
    codes = _CODE.findall(raw)
    lower = any(code != code.upper() for code in codes)
    escaped = {chr(int(code, 16)) for code in codes}
    bare = set(_CODE.sub("", raw)) - ({"%", "+"} if place.plus else {"%"})
    wide = any(char > "\x7f" for char in bare)
    kept = (_UNRESERVED | place.safe | bare) - escaped
    pieces = []
    for char in new:
        if char == " " and place.plus and "%20" not in raw:
            pieces.append("+")
        elif char in kept or (wide and char.isalnum()):
            pieces.append(char)
        else:
            pieces.extend(f"%{byte:02x}" if lower else f"%{byte:02X}" for byte in _bytes(char))
    return "".join(pieces)


def _bytes(char: str) -> bytes:
    # U+DC80 to U+DCFF stand for a byte that was no UTF-8; other lone surrogates have no bytes but their own.
    if "\udc80" <= char <= "\udcff":
        return char.encode("utf-8", "surrogateescape")
    return char.encode("utf-8", "surrogatepass")


def _spell(raw: str, place: Place, new: JsonValue) -> str:
    return encode(plain(new), raw, place)


def add(draft: Draft, raw: str, place: Place, *, role: str, key: str | None = None) -> str:
    """Add a percent-encoded part to a draft and return its decoded text; an empty one is nothing."""
    value = decode(raw, place)
    if raw:
        draft.part(value, raw, partial(_spell, raw, place), role=role, key=key)
    return value


def add_query(draft: Draft, query: str, separator: str = "&") -> None:
    """Add each name and value of a query string or form body."""
    for index, piece in enumerate(query.split(separator)):
        draft.literal(separator if index else "")
        name, equals, value = piece.partition("=")
        if not equals:
            add(draft, piece, FIELD, role="value")
            continue
        key = add(draft, name, FIELD, role="key")
        draft.literal("=")
        add(draft, value, FIELD, role="value", key=key)


_NAME = r"[A-Za-z_$@][\w.$@:\-\[\]%+]{0,127}+"
_IN_TEXT = r"[^\s&\"'<>`]*+"
FORM = re.compile(rf"\??{_NAME}=[^\s&]*+(?:&(?:{_NAME}(?:=[^\s&]*+)?)?+)++", re.ASCII)

# The same in running text, where quotes and brackets end it.
FORM_RUN = re.compile(rf"{_NAME}={_IN_TEXT}(?:&(?:{_NAME}(?:={_IN_TEXT})?+)?+)++", re.ASCII)


def open_form(text: str) -> Opened | None:
    """Open a whole text that is a form body or a query string of two or more fields."""
    if not FORM.fullmatch(text):
        return None
    draft = Draft("form")
    start = text.startswith("?")
    draft.literal(text[:start])
    add_query(draft, text[start:])
    return draft.opened()
