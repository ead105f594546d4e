"""HTTP header lines, bare credentials and PEM blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.redact.encodings._base64 import text_of
from extractor.redact.encodings._opened import Draft, Opened, plain
from extractor.redact.encodings._pairs import add_value

_NAMES = (
    r"(?:proxy-)?authorization|(?:set-)?cookie2?|x-[a-z0-9\-]{1,40}+|api-key|apikey|referer|idempotency-key"
    r"|[a-z]{1,16}+-(?:api-)?(?:key|token|secret)"
)
_LINE = re.compile(rf"(?<![\w\-])(?P<name>{_NAMES})(?P<colon>:[ \t]*+)", re.IGNORECASE)
_SCHEME = re.compile(
    r"(?:bearer|basic|token|digest|oauth|hawk|signature|negotiate|apikey|bot|dpop|splunk|aws4-hmac-sha256)(?= )",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(r"(?P<space> ++)(?P<token>[^\s\"'`<>,;]++)")
_TOKEN = re.compile(r"(?P<space>)(?P<token>[^\s\"'`<>,;]++)")
_BARE = re.compile(r"(?<![\w\-])(?:Bearer|Basic|bearer|basic|BEARER|BASIC)(?= )")
_COOKIE = re.compile(r"(?P<space>[;\s]*+)(?P<name>[^\s=;\"'\\]++)=(?P<value>\"[^\"\n]*+\"|[^;\n\"']*+)")
_ATTRIBUTE = re.compile(r"[;\s]++(?:secure|httponly|partitioned)(?![\w=])", re.IGNORECASE)
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "version", "priority"})
_SET_COOKIE = re.compile(
    r"[^\s=;,\"']{1,200}=[^;]*+;(?:[^;]*+;)*?\s*(?:path|domain|expires|max-age|samesite)=", re.IGNORECASE
)
_LISTED = ("digest", "oauth", "hawk", "signature", "aws4-hmac-sha256")  # schemes that pass a list of pairs
_SINGLE = re.compile(r"[^\n\r\"'`]++")
# Where a value ends and its parameters begin (RFC 9110, 5.6.6).
_PARAMETER = re.compile(
    r"[ \t]*+;[ \t]*+(?=[^\s=;,\"']{1,64}+=|\Z|(?:secure|httponly|partitioned)(?![\w=]))", re.IGNORECASE
)
_LEAST = 6
_LINE_ENDS = frozenset({"", "\n", "\r", '"', "'", "`"})
_PEM = re.compile(r"-----BEGIN (?P<label>[A-Z0-9 ]{1,64}+)-----")


def embedded_headers(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield credential, cookie and extension header lines, and bare ``Bearer …``, wherever they stand in a text."""
    floor = 0
    for line in _LINE.finditer(text):
        if line.start() < floor:
            continue
        draft = Draft("headers")
        draft.literal(line.group())
        name = line["name"].lower()
        if name.endswith("authorization"):
            end = _credential(draft, text, line.end(), line["name"])
        elif "cookie" in name:
            end = _cookies(draft, text, line.end())
        else:
            end = _single(draft, text, line.end(), line["name"])
        if end:
            floor = end
            yield line.start(), end, draft.opened()
    for bare in _BARE.finditer(text):
        draft = Draft("headers")
        end = _credential(draft, text, bare.start(), "Authorization", bare=True)
        if end:
            yield bare.start(), end, draft.opened()


def _credential(draft: Draft, text: str, start: int, name: str, *, bare: bool = False) -> int:
    scheme = _SCHEME.match(text, start)
    if scheme and scheme.group().lower() in _LISTED:
        return 0
    token = _CREDENTIAL.match(text, scheme.end()) if scheme else _TOKEN.match(text, start)
    if not token:
        return 0
    raw = token["token"].rstrip(".") if token["token"].count(".") == 1 else token["token"]
    ends_line = scheme is not None and not bare and text[token.end() : token.end() + 1] in _LINE_ENDS
    if not _is_credential(raw, scheme.group() if scheme and bare else "") and not (ends_line and len(raw) >= _LEAST):
        return 0
    draft.literal((scheme.group() if scheme else "") + token["space"])
    draft.part(raw, raw, plain, key=name)
    return token.start("token") + len(raw)


def open_set_cookie(text: str) -> Opened | None:
    """Open a whole text that sets a cookie, the value of a Set-Cookie header (RFC 6265)."""
    draft = Draft("headers")
    if "\n" in text or not _SET_COOKIE.match(text) or _cookies(draft, text, 0) != len(text):
        return None
    return draft.opened()


def _is_credential(token: str, bare_scheme: str) -> bool:
    # "Authorization: token required", "a Basic Economy fare": a word of the sentence has no digit in it.
    if bare_scheme.lower() == "basic":
        return ":" in (text_of(token) or "")
    return len(token) >= _LEAST and (any(char.isdigit() for char in token) or not token.rstrip(".:!?)").isalpha())


def _cookies(draft: Draft, text: str, start: int) -> int:
    position = start
    while True:
        if attribute := _ATTRIBUTE.match(text, position):
            draft.literal(attribute.group())
            position = attribute.end()
            continue
        cookie = _COOKIE.match(text, position)
        if not cookie or "\n" in cookie["space"] or (position > start and ";" not in cookie["space"]):
            return position if position > start else 0
        if cookie["name"].lower() in _ATTRIBUTES:
            draft.literal(cookie.group())
        else:
            draft.literal(cookie["space"])
            draft.verbatim(cookie["name"], role="key")
            draft.literal("=")
            add_value(draft, cookie["value"], f"cookie_{cookie['name']}")
        position = cookie.end()


def _single(draft: Draft, text: str, start: int, name: str) -> int:
    value = _SINGLE.match(text, start)
    if not value or not value.group().strip():
        return 0
    parameters = _PARAMETER.search(value.group())
    raw = (value.group()[: parameters.start()] if parameters else value.group()).rstrip()
    if not raw:
        return 0
    draft.verbatim(raw, role="value", key=name)
    end = start + len(raw)
    return (_cookies(draft, text, end) if parameters else 0) or end


def open_credential(text: str) -> Opened | None:
    """Open a whole text ``Bearer …`` or ``Basic …``, the value of an authorization header."""
    draft = Draft("headers")
    if not _SCHEME.match(text) or _credential(draft, text, 0, "Authorization", bare=True) != len(text):
        return None
    return draft.opened()


def embedded_pem(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield PEM blocks, the body as one blob; a block without an end goes on to the end of the text."""
    floor = 0
    for begin in _PEM.finditer(text):
        if begin.start() < floor:
            continue
        footer = f"-----END {begin['label']}-----"
        stop = text.find(footer, begin.end())
        end = len(text) if stop < 0 else stop + len(footer)
        body = text[begin.end() : len(text) if stop < 0 else stop]
        draft = Draft("pem")
        inner = body.strip()
        before = body.index(inner)
        draft.literal(begin.group() + body[:before])
        draft.verbatim(inner, role="blob", key=begin["label"])
        draft.literal(body[before + len(inner) :] + ("" if stop < 0 else footer))
        floor = end
        if inner:
            yield begin.start(), end, draft.opened()
