"""Claims of the tokens that a trace carries, as data; the tokens themselves are credentials and never reach a case."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence

from ..model.json import JsonValue, MalformedJson, leaves, parse
from ..model.span import Span
from ._policy import Policy

_JWT = re.compile(r"\beyJ[\w-]{5,4000}\.(eyJ[\w-]{5,8000})\.[\w-]*", re.ASCII)
_MOST = 4


def token_claims(spans: Sequence[Span], decided_ns: int, tables: Policy) -> dict[str, JsonValue]:
    """Return the claims of each distinct token as ``token``, ``token_2``, …; ``decided_ns`` is when the decision was made.

    ``expired_at_decision`` says whether the token was over by then: a stale claim is part of the incident (S32).
    """
    found: dict[str, JsonValue] = {}
    seen: set[str] = set()
    for payload in _payloads(spans):
        if payload in seen:
            continue
        seen.add(payload)
        claims = _claims(payload, tables)
        if not claims:
            continue
        expires = claims.get("exp")
        if isinstance(expires, int | float) and not isinstance(expires, bool):
            claims["expired_at_decision"] = expires * 1_000_000_000 < decided_ns
        found["token" if not found else f"token_{len(found) + 1}"] = claims
        if len(found) == _MOST:
            break
    return found


def _payloads(spans: Sequence[Span]) -> Iterator[str]:
    for span in spans:
        for _, value in span.attributes:
            for _, leaf in leaves(value):
                if isinstance(leaf, str) and "eyJ" in leaf:
                    yield from (match.group(1) for match in _JWT.finditer(leaf))


def _claims(payload: str, tables: Policy) -> dict[str, JsonValue]:
    try:
        document = parse(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (binascii.Error, ValueError, MalformedJson):
        return {}
    if not isinstance(document, dict):
        return {}
    return {name: document[name] for name in tables.token_claims if name in document}
