from __future__ import annotations

import json

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from extractor.interchange._yaml import yaml
from extractor.model.json import parse

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=15,
)


@given(VALUES)
def test_another_reader_reads_the_same_value(value):
    assert pyyaml.safe_load(yaml(value)) == value


@pytest.mark.parametrize("number", ["1e5", "1E+2", "-2.50e-3", "10.10", "1e22"])
def test_numbers_stay_numbers(number):
    read = pyyaml.safe_load(yaml([parse(number)]))
    assert read == [json.loads(number)]
    assert isinstance(read[0], float)


@pytest.mark.parametrize("key", ["yes", "on", "null", "1", "a: b", "", "- x", "# y", "true"])
def test_keys_are_texts(key):
    assert pyyaml.safe_load(yaml({key: "v"})) == {key: "v"}


def test_a_lone_surrogate_is_written_as_an_escape():
    assert yaml(["\ud800"]) == '- "\\ud800"\n'
