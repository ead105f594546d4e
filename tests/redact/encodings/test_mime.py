"""Encoded words and quoted-printable text open, and close in the same charset and style."""

from __future__ import annotations

import pytest

from extractor.redact.encodings import embedded


def islands(text):
    return [
        (island.opened.kind, part.value)
        for island in embedded(text)
        for part in island.opened.parts
        if island.opened.kind in ("encoded_word", "quoted_printable")
    ]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("=?UTF-8?Q?Lena_Fischer?=", "encoded_word", "Lena Fischer"),
        ("=?UTF-8?B?TGVuYQ==?=", "encoded_word", "Lena"),
        ("=?iso-8859-1?q?M=FCller?=", "encoded_word", "Müller"),
        ("M=C3=BCller", "quoted_printable", "Müller"),
        ("lena=40mail.example", "quoted_printable", "lena@mail.example"),
    ],
)
def test_what_mail_encodes_opens_and_closes(text, kind, value):
    assert (kind, value) in islands(f"Dear {text} now")
    (island,) = [island for island in embedded(f"Dear {text} now") if island.opened.kind == kind]
    assert island.opened.close([value]) in text
    assert (kind, "Ödön") in islands(f"Dear {island.opened.close(['Ödön'])} now")


@pytest.mark.parametrize("text", ["size=3D", "k=AB12", "a==20", "=?nocharset?B?TGVuYQ==?=", "=?UTF-8?B?%%%?=", "x=FF"])
def test_what_only_looks_so_stays_closed(text):
    assert islands(text) == []
