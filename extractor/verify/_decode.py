"""Verify's own decoder: every text that a text may stand for, layer by layer, without knowing how it was written."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import TypeGuard
from urllib.parse import unquote

from ..errors import LeakFound
from ..model.json import JsonValue, MalformedJson, number, parse

MAX_LAYERS = 16
BASE64_RUN = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
HEX_RUN = re.compile(r"(?:[0-9a-fA-F]{2}){5,}")
_WRAPPED = re.compile(r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{20,}+\r?\n)+[A-Za-z0-9+/]*={0,2}")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PRINTED = re.compile(r"[^\x00-\x1f\x7f-\x9f\ufffd]{8,}")
_LEAST_CODES = 4


def layers(text: str, memo: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return a text and every text found by decoding it again and again, each once.

    ``memo`` is the caller's, so that nothing of an original outlives its proof. Raises `LeakFound` when there are more.
    """
    if text not in memo:
        seen = {text: None}
        front = [text]
        for _ in range(MAX_LAYERS):
            inside = dict.fromkeys(inner for outer in front for inner in opened(outer))
            front = [inner for inner in inside if inner not in seen]
            seen.update(inside)
            if not front:
                break
        else:
            raise LeakFound([f"a text is encoded in more than {MAX_LAYERS} layers, deeper than the proof can look"])
        memo[text] = tuple(seen)
    return memo[text]


def opened(text: str) -> Iterator[str]:
    """Yield the texts that lie one layer inside a text."""
    value = container(text)
    if value is not None:
        yield from strings(value)
    if "\\" in text:
        yield unescaped(text)
    if "%" in text:
        yield unquote(text)
        yield unquote(text.replace("+", " "))
    if "&" in text:
        yield html.unescape(text)
    for run in BASE64_RUN.finditer(text):
        for shift in range(4):
            yield from _stretches(_base64_bytes(run.group()[shift:]))
    for run in _WRAPPED.finditer(text):
        yield from _stretches(_base64_bytes("".join(run.group().split())))
    for run in HEX_RUN.finditer(text):
        yield from _stretches(bytes.fromhex(run.group()))


def container(text: str) -> JsonValue:
    """Return the JSON object, array or string that a text is; None when it is no such thing."""
    if text.lstrip()[:1] not in ("{", "[", '"') or not text:
        return None
    try:
        value = parse(text, non_finite_as_text=True)
    except MalformedJson:
        return None
    return value if isinstance(value, (dict, list, str)) else None


def strings(value: JsonValue) -> Iterator[str]:
    """Yield every text of a JSON value: leaves, keys, and arrays of texts or of character codes joined."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, (int, float)) and not isinstance(node, bool):
            yield number(node)
        elif isinstance(node, dict):
            yield from node
            stack.extend(node.values())
        elif isinstance(node, list):
            yield from joined(node)
            stack.extend(node)


def joined(items: list[JsonValue]) -> Iterator[str]:
    """Yield what the items of an array say together: texts side by side, small integers as characters, parts by member."""
    texts = [item if isinstance(item, str) else number(item) for item in items if _is_scalar(item)]
    if len(texts) > 1:
        yield "".join(texts)
    codes = [item for item in items if isinstance(item, int) and not isinstance(item, bool) and 9 <= item <= 0x2FFFF]
    if len(codes) >= _LEAST_CODES and len(codes) == len(items):
        yield "".join(map(chr, codes))
    members: dict[str, list[str]] = {}
    for item in items:
        if isinstance(item, dict):
            for key, child in item.items():
                if isinstance(child, str):
                    members.setdefault(key, []).append(child)
    yield from ("".join(parts) for parts in members.values() if len(parts) > 1)


def _is_scalar(item: JsonValue) -> TypeGuard[str | int | float]:
    return isinstance(item, (str, int, float)) and not isinstance(item, bool)


def unescaped(text: str) -> str:
    """Return a text with backslash escapes resolved once (JSON, JavaScript and Python spellings)."""
    plain = _ESCAPE.sub(_escape, text)
    # Escapes may have spelled a surrogate pair.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(match: re.Match[str]) -> str:
    code = match.group(1) or match.group(2) or match.group(3)
    if code:
        point = int(code, 16)
        return chr(point) if point <= 0x10FFFF else match.group()
    return _NAMED.get(match.group(4), match.group(4))


def from_base64(run: str) -> str | None:
    """Return the text that a base64 run of either alphabet stands for, padding optional; None when it is no text."""
    return _readable(_base64_bytes(run))


def _base64_bytes(run: str) -> bytes:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (len(body) % 4 == 1)]
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4))
    except (binascii.Error, ValueError):
        return b""


def from_hex(run: str) -> str | None:
    """Return the text that a run of hex digits stands for; None when it is no text."""
    return _readable(bytes.fromhex(run))


def _stretches(content: bytes) -> Iterator[str]:
    """Yield bytes as text where they are text, else the readable stretches among binary."""
    whole = _readable(content)
    if whole is not None:
        yield whole
    else:
        yield from _PRINTED.findall(content.decode("utf-8", "replace"))


def _readable(content: bytes) -> str | None:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) >= 4 and all(char.isprintable() or char in "\t\r\n" for char in text) else None


def mapped(text: str) -> tuple[str, list[int]]:
    """Return a text with percent, entity and backslash encoding resolved once, and where each character began.

    The list has one entry more, the length of the text.
    """
    pieces: list[str] = []
    starts: list[int] = []
    place = 0
    for match in _ENCODED.finditer(text):
        pieces.append(text[place : match.start()])
        starts.extend(range(place, match.start()))
        plain = _resolved(match)
        pieces.append(plain)
        starts.extend([match.start()] * len(plain))
        place = match.end()
    pieces.append(text[place:])
    starts.extend(range(place, len(text) + 1))
    return "".join(pieces), starts


_ENCODED = re.compile(
    f"(?P<percent>(?:%[0-9a-fA-F]{{2}})+)|(?P<entity>{_ENTITY.pattern})|(?P<escape>(?:{_ESCAPE.pattern})+?)", re.DOTALL
)


def _resolved(match: re.Match[str]) -> str:
    if match.group("percent"):
        return unquote(match.group())
    if match.group("entity"):
        return html.unescape(match.group())
    return unescaped(match.group())
