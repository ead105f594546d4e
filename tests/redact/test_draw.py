from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from extractor.redact import draw
from extractor.redact.draw import Stream

KEY = bytes(range(32))


def stream(*parts):
    return Stream(KEY, *(parts or ("x",)))


def test_the_same_parts_draw_the_same_and_others_do_not():
    assert [stream("a").below(1_000) for _ in range(3)] != [stream("b").below(1_000) for _ in range(3)]
    first, second = stream("a", "b"), stream("a", "b")
    assert [first.below(10**6) for _ in range(50)] == [second.below(10**6) for _ in range(50)]
    assert stream("ab", "c").below(2**60) != stream("a", "bc").below(2**60)


def test_draws_are_even():
    drawn = stream("even")
    counts = Counter(drawn.below(10) for _ in range(10_000))
    assert all(800 < counts[number] < 1_200 for number in range(10))


def classes(text):
    return [unicodedata.category(char) if not char.isdigit() else "Nd" for char in text]


@given(st.text())
def test_a_shape_keeps_length_and_classes(text):
    made = draw.shape_like(text, stream(text))
    assert len(made) == len(text)
    assert [char.isalnum() for char in made] == [char.isalnum() for char in text]
    assert all(old == new for old, new in zip(text, made, strict=True) if not old.isalnum())


@given(st.text(alphabet="abcxyzABCXYZ0189-_. ", min_size=1))
def test_ascii_shapes_keep_case_and_digits(text):
    assert classes(draw.shape_like(text, stream(text))) == classes(text)


def test_hexadecimal_stays_hexadecimal():
    made = draw.shape_like("d92fce3726746a0b", stream())
    assert set(made) <= set("0123456789abcdef")


def test_other_scripts_stay_in_their_script():
    made = draw.shape_like("נועה", stream())
    assert made != "נועה"
    assert all("HEBREW" in unicodedata.name(char) for char in made)


@given(st.text(alphabet="0123456789 -", min_size=1))
def test_leading_zeros_neither_come_nor_go(text):
    made = draw.digits_like(text, stream(text))
    digits, redrawn = ("".join(filter(str.isdigit, item)) for item in (text, made))
    assert len(made) == len(text)
    assert digits.startswith("0") is redrawn.startswith("0")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyzéñ", min_size=1, max_size=20))
def test_a_name_is_a_word_of_about_the_same_length(text):
    made = draw.name_like(text, stream(text))
    assert made.isalpha()
    assert made.islower()
    assert 2 <= len(made) <= 13
    assert abs(len(made) - min(max(len(text), 3), 12)) <= 2


@pytest.mark.parametrize(
    ("model", "cased"),
    [("ana", "tavik"), ("ANA", "TAVIK"), ("Ana", "Tavik"), ("A", "Tavik"), ("McX", "TaVik"), ("1", "taVik")],
)
def test_case_follows_the_model(model, cased):
    assert draw.cased_like("taVik" if model in ("McX", "1") else "tavik", model) == cased


def test_pouring_keeps_separators():
    assert draw.pour("123456", "(98) 76-54") == "(12) 34-56"


@given(st.text(alphabet="0123456789", min_size=5, max_size=19), st.sampled_from([1, 4]))
def test_one_digit_makes_a_number_valid_and_the_tail_stays(number, tail):
    made = draw.with_luhn(number, fixed_tail=tail)
    assert luhn.is_valid(made)
    assert len(made) == len(number)
    assert tail == 1 or made[-tail:] == number[-tail:]
    assert sum(old != new for old, new in zip(number, made, strict=True)) <= 1
