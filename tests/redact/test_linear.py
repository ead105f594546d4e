from __future__ import annotations

import re

import pytest

from extractor.redact.catalogue import catalogue
from extractor.redact.linear import is_linear
from extractor.redact.rulebook import compile_identifiers
from extractor.ruleset import load

RULES = load()


@pytest.mark.parametrize("pattern", [r"(?:\w+\s?)*!", r"(x|x)*y"])
def test_nested_repetition_is_found(pattern):
    assert not is_linear(re.compile(pattern), ["a1"])


@pytest.mark.parametrize("pattern", [r"(?<!\w)EMP-\d{4}(?!\w)", r"[a-z]{1,20}\d", r"(?:['’-][a-z]{1,9})*", "x"])
def test_bounded_repetition_is_none(pattern):
    assert is_linear(re.compile(pattern), ["EMP-1234"])


def test_a_shape_meets_whole_texts_only():
    assert is_linear(re.compile(r"(?=.*\d)\S{3,128}"), ["a1"], whole=True)


def test_a_repetition_of_the_example_s_own_characters_is_found():
    assert not is_linear(re.compile(r"(?:§+)+!"), ["§12"])


def test_every_shipped_pattern_and_shape_is_linear():
    cards = {card.id: card for card in catalogue(RULES)}
    found = compile_identifiers(RULES)
    examined = [(rule, rule.pattern, False) for rule in found.patterns]
    examined += [(rule, rule.shape, True) for rule in (*found.fields, *found.keeps) if rule.shape is not None]
    assert len(examined) > 100
    slow = [
        rule.id
        for rule, pattern, whole in examined
        if not is_linear(pattern, cards[rule.id].examples("matches"), whole=whole)
    ]
    assert slow == []
