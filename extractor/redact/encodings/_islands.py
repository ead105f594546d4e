"""Finds encoded islands in prose: every finder proposes, the leftmost and then the longest stands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.redact.encodings import _json, _python, _url
from extractor.redact.encodings._base64 import embedded_base64
from extractor.redact.encodings._escapes import escaped_words
from extractor.redact.encodings._headers import embedded_headers, embedded_pem
from extractor.redact.encodings._hex import embedded_hex
from extractor.redact.encodings._json import open_json
from extractor.redact.encodings._jwt import embedded_jwt
from extractor.redact.encodings._mime import embedded_quoted, embedded_words
from extractor.redact.encodings._opened import Draft, Embedded, Opened
from extractor.redact.encodings._pairs import embedded_pairs
from extractor.redact.encodings._percent import SEGMENT, add, decode
from extractor.redact.encodings._python import open_python
from extractor.redact.encodings._tokens import extent

_PERCENT_RUN = re.compile(r"[\w.~@:+%/?&=#$\-]++")
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}")
_BRACKET = re.compile(r"[{\[]")
_OPENINGS = re.compile(r"(?:[\[{(][ \t\r\n]*+)++")
_DATA = re.compile(r"(?<!\w)data:")


def embedded(text: str) -> Iterator[Embedded]:
    """Yield the encoded islands of a text from left to right; they do not overlap.

    Raises `RedactionRefused` for a document nested deeper than `MAX_DEPTH`. The work is linear in the text.
    """
    found = [
        *embedded_pem(text),
        *_documents(text),
        *_urls(text),
        *embedded_jwt(text),
        *embedded_words(text),
        *embedded_quoted(text),
        *embedded_headers(text),
        *embedded_pairs(text),
        *embedded_hex(text),
        *embedded_base64(text),
        *_escaped(text),
        *escaped_words(text),
    ]
    # Of equals the finder that stands first in the list wins: sorting is stable.
    found.sort(key=lambda island: (island[0], -island[1]))
    floor = 0
    for start, end, opened in found:
        if start >= floor and opened.parts:
            yield Embedded(start=start, end=end, opened=opened)
            floor = end


def _documents(text: str) -> Iterator[tuple[int, int, Opened]]:
    place = 0
    while bracket := _BRACKET.search(text, place):
        start = bracket.start()
        for evident, syntax, opener in (
            (_json.EVIDENT, _json.SYNTAX, open_json),
            (_python.EVIDENT, _python.SYNTAX, open_python),
        ):
            if not evident.match(text, start):
                continue
            end = extent(text, start, syntax).end
            opened = opener(text[start:end])
            if opened is not None:
                yield start, end, opened
                place = end
                break
        else:
            # A run of opening brackets is looked at once, from its first bracket and from its last.
            run = _OPENINGS.match(text, start)
            last = run.end() if run else start + 1
            inner = max(text.rfind("{", start, last), text.rfind("[", start, last))
            place = inner if inner > start else start + 1


def _urls(text: str) -> Iterator[tuple[int, int, Opened]]:
    floor = 0
    for match in _DATA.finditer(text):
        if match.start() >= floor and (found := _url.data_uri(text, match.start())):
            floor = found[0]
            yield match.start(), floor, found[1]
    floor = 0
    for match in _url.SCHEME.finditer(text):
        if match.start() < floor:
            continue
        end = _url.extent(text, match.start(), match.end())
        if end > match.end():
            yield match.start(), end, _url.parse(text[match.start() : end])
            floor = end


def _escaped(text: str) -> Iterator[tuple[int, int, Opened]]:
    for run in _PERCENT_RUN.finditer(text) if "%" in text else ():
        raw = run.group().rstrip(".:?&=")
        if not _is_escaped(raw):
            continue
        if "/" in raw or "?" in raw:
            yield run.start(), run.start() + len(raw), _url.path_and_query(raw)
        else:
            yield run.start(), run.start() + len(raw), _percent(raw)


def _is_escaped(raw: str) -> bool:
    # "20%desconto" has a percent sign, no escape: its byte is no text.
    return _ESCAPED.search(raw) is not None and not any("\ud800" <= char <= "\udfff" for char in decode(raw, SEGMENT))


def _percent(raw: str) -> Opened:
    draft = Draft("percent")
    add(draft, raw, SEGMENT, role="text")
    return draft.opened()


def open_percent(text: str) -> Opened | None:
    """Open a whole text of one word with percent-escapes in it (``ana%40example.com``)."""
    return _percent(text) if _PERCENT_RUN.fullmatch(text) and _is_escaped(text) else None
