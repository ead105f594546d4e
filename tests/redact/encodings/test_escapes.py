"""Character references and backslash-u escapes in running text open and close in their own style."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.redact.encodings import embedded


def swapped(text: str, old: str, new: str) -> str:
    (island,) = list(embedded(text))
    (part,) = island.opened.parts
    assert old in part.value
    return text[: island.start] + island.opened.close([part.value.replace(old, new)]) + text[island.end :]


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        ("<b>&#79;&#100;&#97;</b>.", "Oda", "<b>&#73;&#110;&#101;&#115;</b>."),
        ("by &#x4f;&#x64;&#x61;, then", "Oda", "by &#x49;&#x6e;&#x65;&#x73;, then"),
        (r"by \u004f\u0064\u0061.", "Oda", r"by \u0049\u006e\u0065\u0073."),
        (r"by O\u0064a@example.com", "Oda", "by Ines@example.com"),
        ("x Oda&#64;example.com", "Oda", "x Ines@example.com"),
        ("x R&amp;Oda", "Oda", "x R&amp;Ines"),
    ],
)
def test_a_new_value_is_written_in_the_old_style(text, old, expected):
    assert swapped(text, old, "Ines") == expected


@pytest.mark.parametrize("text", ["a & b", "R&D; x", "C:\\users\\x", "&nothing;", "\\ud800 alone", "a &amp b"])
def test_what_is_no_code_is_left_alone(text):
    assert list(embedded(text)) == []


@given(
    st.lists(
        st.sampled_from(["&#79;", "&amp;", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "Oda", ".", " ", "&", "\\", "x=1"])
    )
)
def test_what_is_unchanged_keeps_its_very_spelling(pieces):
    text = "".join(pieces)
    for island in embedded(text):
        assert island.opened.close([part.value for part in island.opened.parts]) == text[island.start : island.end]
