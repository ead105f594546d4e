"""Islands in prose: what is encoded is found with its exact ends, what only looks so is left alone."""

from __future__ import annotations

import base64

import pytest

from extractor.errors import RedactionRefused
from extractor.redact.encodings import embedded, open_text

STATE = base64.urlsafe_b64encode(b'{"u":"ana.quintero@example.com"}').decode().rstrip("=")
TOKEN = ".".join(
    [
        base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("="),
        base64.urlsafe_b64encode(b'{"sub":"ana.quintero@example.com"}').decode().rstrip("="),
        "c2lnbmF0dXJlLW5vdC1yZWFs",
    ]
)
PEM = "-----BEGIN " + "PRIVATE KEY-----\nMIIBVgIBADANB\nq83vE=\n-----END " + "PRIVATE KEY-----"


def islands(text: str) -> list[str]:
    found = list(embedded(text))
    floor = 0
    for island in found:
        assert floor <= island.start < island.end <= len(text)
        floor = island.end
        assert island.opened.close([part.value for part in island.opened.parts]) == text[island.start : island.end]
    return [text[island.start : island.end] for island in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://a.example.com/x?y=1, then", ["https://a.example.com/x?y=1"]),
        ("(see https://a.example.com/a_(b)).", ["https://a.example.com/a_(b)"]),
        ("详见https://a.example.com/a?x=1。谢谢", ["https://a.example.com/a?x=1"]),
        ("'https://a.example.com','https://b.example.com'", ["https://a.example.com", "https://b.example.com"]),
        ("https://a.example.com,https://b.example.com", ["https://a.example.com", "https://b.example.com"]),
        ("[x](https://a.example.com/x)", ["https://a.example.com/x"]),
        ("<https://a.example.com>!", ["https://a.example.com"]),
        ("use postgres://u:pw@db.example.net:5432/db now", ["postgres://u:pw@db.example.net:5432/db"]),
        (f"GET /cb?state={STATE}&page=2 HTTP/1.1", [f"state={STATE}&page=2"]),
        (f"seen {STATE} there", [STATE]),
        (f"path/{STATE}/x", [STATE]),
        (f"the token {TOKEN} leaked", [TOKEN]),
        (f"//r.example.net/:_authToken={TOKEN}", [f"_authToken={TOKEN}"]),
        ('payload: {"a": {"b": [1]}} done', ['{"a": {"b": [1]}}']),
        ('one {"a": 1} two [{"b": 2}] end', ['{"a": 1}', '[{"b": 2}]']),
        ('cut {"a": "ana@exa', ['{"a": "ana@exa']),
        ("got {'a': 'x'} back", ["{'a': 'x'}"]),
        ('body={"a": "b c"} ok', ['body={"a": "b c"}']),
        ("Customer(email='ana@example.com', id=3)", ["email='ana@example.com'", "id=3"]),
        ("use Server=db;User Id=sa;Password=p w;T=3 now", ["Server=db;User Id=sa;Password=p w;T=3"]),
        ('curl -H "Authorization: Bearer abc123def456" x', ["Authorization: Bearer abc123def456"]),
        ("Cookie: a=b; c=d\nok", ["Cookie: a=b; c=d"]),
        ("Set-Cookie: s=1; Path=/; HttpOnly", ["Set-Cookie: s=1; Path=/; HttpOnly"]),
        ("X-User: Ana Quintero\nok", ["X-User: Ana Quintero"]),
        ("sent Bearer abc123def456 twice", ["Bearer abc123def456"]),
        ("say ana%40example.com.", ["ana%40example.com"]),
        ("img data:image/png;base64,iVBORw0KGgpmYWtl end", ["data:image/png;base64,iVBORw0KGgpmYWtl"]),
        (f"key:\n{PEM}\nend", [PEM]),
        (f"key:\n{PEM[:50]}", [PEM[:50]]),
        ("run with API_KEY=abc123, please.", ["API_KEY=abc123"]),
        ('K=\'{\n"a": "x y"\n}\'\nL', ['K=\'{\n"a": "x y"\n}\'']),
        ("first\nDB_PASSWORD = two words\nlast", ["DB_PASSWORD = two words"]),
    ],
)
def test_islands_are_found_with_their_exact_ends(text: str, expected: list[str]) -> None:
    assert islands(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "note: all is well", "at 20:17:00 today", "use std::vector here", "tool.call failed in foo.bar.baz",
        "callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory", "a Basic Economy fare", "md5 " + "d41d8cd98f00" * 3,
        "id 7f3c9a1e-52b8-4d06-a1c7-e0938bd4f215", "3.14159 and 12345678901234567890123", "x == y, a => b, c != d",
        "Authorization: token required for access", "[INFO] {name} [1]", "20%desconto", "the total = 5 today",
        "counterrevolutionaries and incomprehensibilities", "span fXkgJ2zRuF8= ended", "internationalization/localization",
    ],
)  # fmt: skip
def test_prose_holds_no_islands(text: str) -> None:
    assert islands(text) == []


PIECES = [
    "a.", "{", "[", "\\", "%", "=", "eyJ", "eyJ.", "://", '"', "a=", "a=1;", "a=1,", "a=1 ", "a=1&", "a=1&!", ";a=", "a=1;b=1 ",
    "a://", "Bearer ", "x-a: ", "data:a/b;", "-----BEGIN A-----", "%41", "(", ")", "[[1],", "Cookie: a=b", "/?a=", "@", ":",
    "'", "a='", 'a="', "export ", "\n", "a = 1\n", "\U0001f600", "\ud800", "\0", "\r\n", "Aa1/", "Aa1-", "#", "?", '{\\"',
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_hostile_repetition_is_read_to_its_end(piece: str) -> None:
    """A quadratic reader would take minutes here, one test after the other."""
    text = piece * (200_000 // len(piece))
    opened = open_text(text)
    assert opened is None or opened.close([part.value for part in opened.parts]) == text
    islands(text)


@pytest.mark.parametrize("piece", ['{"', '["', "{'", '{"a":', "{'a': "])
def test_hostile_depth_is_refused(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    with pytest.raises(RedactionRefused):
        open_text(text)
    with pytest.raises(RedactionRefused):
        list(embedded("x " + text))
