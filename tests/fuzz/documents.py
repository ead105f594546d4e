"""Random documents with planted values: what is planted, how it is written, and where it stands."""

from __future__ import annotations

import base64
import html
import json
import quopri
from collections.abc import Callable
from typing import Any
from urllib.parse import quote
from uuid import UUID

from hypothesis import strategies as st
from stdnum import luhn

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALNUM = LETTERS + LETTERS.upper() + "0123456789"


@st.composite
def name(draw: st.DrawFn) -> str:
    """A word that no list of names or words holds: consonants and vowels in turn, twice ``x``."""
    pairs = draw(
        st.lists(st.tuples(st.sampled_from("bdfgklmnprstvz"), st.sampled_from("aeiou")), min_size=2, max_size=3)
    )
    return "".join(map("".join, pairs)).capitalize() + "x" + draw(st.sampled_from("bdgkmn")) + "o"


@st.composite
def card(draw: st.DrawFn) -> str:
    body = draw(st.sampled_from(["4", "51", "37"])) + draw(st.text("0123456789", min_size=13, max_size=13))
    body = body[:14] if body.startswith("37") else body + "0123"[: 15 - len(body)]
    return body + luhn.calc_check_digit(body)


@st.composite
def mailbox(draw: st.DrawFn) -> str:
    return f"{draw(name())}.{draw(name())}@{draw(name())}.example.net".lower()


KINDS: dict[str, st.SearchStrategy[str]] = {
    "email": mailbox(),
    "card": card(),
    "key": st.text(ALNUM, min_size=24, max_size=32).map(lambda body: "sk-" + "live-" + "9f" + body),
    "uuid": st.integers(2**96, 2**128 - 1).map(lambda number: str(UUID(int=number, version=4))),
    "person": st.tuples(name(), name()).map(" ".join),
}
TOLD = {
    "email": "please write to {} today",
    "card": "the card is {} as always",
    "key": "it was called with {} yesterday",
    "uuid": "the request {} has failed",
    "person": "Hello, my name is {} and I need help with my order.",
}


def _escaped(text: str) -> str:
    return json.dumps({"said": "".join(f"\\u{ord(char):04x}" for char in text)}).replace("\\\\u", "\\u")


WAYS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "JSON": lambda text: json.dumps({"said": text}),
    "JSON twice": lambda text: json.dumps({"body": json.dumps({"said": text})}),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "percent": lambda text: quote(text, safe=""),
    "every percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "URL": lambda text: f"https://api.example.com/find?said={quote(text)}&page=2",
    "HTML": lambda text: f"<p>{html.escape(text)}</p>",
    "HTML numbers": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "escapes": _escaped,
    "quoted-printable": lambda text: (
        "Subject: hi\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        + quopri.encodestring(text.encode()).decode()
    ),
    "zero width": "\u200b".join,
}


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, str, str]:
    """Return the kind of a value, the value, and a text that tells it in some way."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    value = draw(KINDS[kind])
    told = TOLD[kind].format(value) if kind == "person" or draw(st.booleans()) else value
    return kind, value, WAYS[draw(st.sampled_from(sorted(WAYS)))](told)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12), st.sampled_from(["status", "delivered", "2026-03-04", "refund_order", "EUR"]),
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[tuple[str, str]], Any]:
    """Return what was planted, kind and value, and the document that tells it."""
    document = draw(JSON)
    told = draw(st.lists(planted(), min_size=1, max_size=3))
    for _, _, text in told:
        where = draw(st.sampled_from(["value", "item", "key", "deep"]))
        if where == "value":
            document = {"before": document, "note": text}
        elif where == "item":
            document = [document, text, 7]
        elif where == "key":
            document = {text: document}
        else:
            document = {"outer": [{"inner": {"text": text, "rest": document}}]}
    return [(kind, value) for kind, value, _ in told], document
