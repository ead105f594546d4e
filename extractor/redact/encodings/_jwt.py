"""JSON web tokens: the header stays, the payload opens as a tree, the signature is a part of its own."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.redact.encodings._base64 import text_of
from extractor.redact.encodings._json import open_json
from extractor.redact.encodings._opened import Draft, Opened, plain

_DOTTED = re.compile(r"[A-Za-z0-9_\-]++(?:\.[A-Za-z0-9_\-]*+)*+")
_TOKEN = re.compile(r"eyJ[A-Za-z0-9_\-]++\.[A-Za-z0-9_\-]++(?:\.[A-Za-z0-9_\-]*+){0,3}+")
# Header members that say how the token is made, never for whom.
_TECHNICAL = frozenset({"alg", "typ", "cty", "enc", "zip", "b64", "crit", "p2c"})


def _encode(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii").rstrip("=")


def _object(segment: str) -> dict[str, JsonValue] | None:
    text = text_of(segment)
    if text is None or not text.startswith("{"):
        return None
    try:
        value = parse(text)
    except MalformedJson:
        return None
    return value if isinstance(value, dict) else None


def open_jwt(text: str) -> Opened | None:
    """Open a whole text that is a token of two to five segments (signed, unsecured, cut off or encrypted)."""
    if not _TOKEN.fullmatch(text):
        return None
    header, *rest = text.split(".")
    members = _object(header)
    if members is None or not {"alg", "typ", "enc", "kid"} & members.keys():
        return None
    draft = Draft("jwt")
    if members.keys() <= _TECHNICAL:
        draft.literal(header)
    else:
        _content(draft, header, key="header")
    draft.literal(".")
    _content(draft, rest[0], key="payload")
    for segment in rest[1:]:
        draft.literal(".")
        draft.verbatim(segment, role="signature")
    return draft.opened()


def _content(draft: Draft, raw: str, *, key: str) -> None:
    text = text_of(raw)
    inner = open_json(text) if text is not None else None
    if text is None:
        draft.verbatim(raw, role="signature", key=key)
    elif inner is not None and inner.kind == "json" and len(inner.parts) == 1:
        tree = inner
        draft.part(tree.parts[0].value, raw, lambda new: _encode(tree.close([new])), role="payload", key=key)
    else:
        draft.part(text, raw, lambda new: _encode(plain(new)), role="payload", key=key)


def embedded_jwt(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield the tokens in a text, wherever their first segment begins."""
    for run in _DOTTED.finditer(text):
        start = run.group().find("eyJ")
        dot = run.group().find(".")
        if not 0 <= start < dot:
            # ``a.b.eyJ….eyJ….sig``: names before the token
            start = run.group().find(".eyJ") + 1
        if start == 0 and not run.group().startswith("eyJ"):
            continue
        token = _TOKEN.match(text, run.start() + start)
        opened = open_jwt(token.group()) if token and token.end() <= run.end() else None
        if token and opened:
            yield token.start(), token.end(), opened
