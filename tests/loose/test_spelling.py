from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.loose.spelling import broken_line, is_like_json, spelled
from extractor.model.json import JsonValue

LEAVES = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(max_size=12)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


def renewed(value: JsonValue) -> JsonValue:
    """Return a value of the same shape in which every text, name and number is another."""
    if isinstance(value, dict):
        return {f"{name}\u00fc\ud800": renewed(child) for name, child in value.items()}
    if isinstance(value, list):
        return [renewed(child) for child in value]
    if isinstance(value, str):
        return f'{value}\u00fc\ud800"'
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else value


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans(), st.sampled_from(["", "\ufeff", " \r\n"]))
def test_a_new_value_is_read_back_whatever_the_spelling(value, indent, ascii_only, around):
    text = around + json.dumps(value, indent=indent, ensure_ascii=ascii_only) + "\n"
    found = spelled(text, "here")
    after = found.rewritten(renewed(found.value))
    assert json.loads(after.strip("\ufeff")) == renewed(value)
    assert after.startswith(around)
    assert after.endswith("\n")
    after.encode("utf-8")
    assert found.rewritten(found.value) == text


@given(VALUES)
def test_what_is_ascii_stays_ascii(value):
    found = spelled(json.dumps(value), "here")
    assert found.rewritten(renewed(found.value)).isascii()


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ('{"a": ', True),
        ('\ufeff \n[ {"a"', True),
        ('["a"', True),
        ("{}x", True),
        ("[2026-01-01] started", False),
        ("[[wiki]] page", False),
        ("{placeholder} text", False),
        ("plain", False),
    ],
)
def test_what_begins_as_json_is_told_from_text(text, like):
    assert is_like_json(text) is like


def test_the_line_where_json_ends_is_found():
    assert broken_line("[1,\n2,\n}") == 3
    assert broken_line("[" * 100_000) == 1
