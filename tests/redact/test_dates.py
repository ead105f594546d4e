from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.errors import RedactionRefused
from extractor.redact import dates

KEY = bytes(range(32))
TODAY = date(2026, 11, 30)
DAY = date(1982, 10, 19)


def shifted(days, today=TODAY, key=KEY):
    made = dates.shift([day.isoformat() for day in days], key, today)
    return [date.fromisoformat(made[day.isoformat()]) for day in days]


def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


@given(st.lists(st.dates(date(1930, 1, 1), date(2026, 11, 1)), min_size=1, max_size=30, unique=True), st.booleans())
def test_scattered_dates_keep_order_age_and_bound(days, known_today):
    today = TODAY if known_today else None
    days = sorted(days)
    moved = shifted(days, today)
    assert moved == sorted(set(moved))
    assert not set(moved) & set(days)
    assert all(abs((new - old).days) <= dates.MAX_SHIFT_DAYS for old, new in zip(days, moved, strict=True))
    assert not known_today or all(age(old, TODAY) == age(new, TODAY) for old, new in zip(days, moved, strict=True))


@given(st.dates(date(1950, 1, 1), date(2020, 1, 1)), st.integers(2, 30), st.integers(1, 3))
def test_dense_dates_keep_order_and_bound(first, count, step):
    days = [first + timedelta(days=step * index) for index in range(count)]
    moved = shifted(days, None)
    assert moved == sorted(set(moved))
    assert not set(moved) & set(days)
    assert all(abs((new - old).days) <= dates.MAX_SHIFT_DAYS for old, new in zip(days, moved, strict=True))


def test_dates_without_room_still_move_in_order():
    days = [date(1980, 1, 1) + timedelta(days=index) for index in range(400)]
    moved = shifted(days)
    assert moved == sorted(set(moved))
    assert not set(moved) & set(days)


def test_dates_that_cannot_be_moved_are_refused():
    days = [date(1, 1, 1) + timedelta(days=index) for index in range(9_000)]
    with pytest.raises(RedactionRefused):
        shifted(days)


@pytest.mark.parametrize("day", [date.min, date.max, date(2000, 2, 29), TODAY, TODAY - timedelta(days=1)])
def test_edges_of_the_calendar_move_too(day):
    [moved] = shifted([day])
    assert moved != day
    assert abs((moved - day).days) <= dates.MAX_SHIFT_DAYS


def test_each_day_moves_by_its_own_amount():
    days = [date(1950 + index, 6, 15) for index in range(40)]
    assert len({(new - old).days for old, new in zip(days, shifted(days), strict=True)}) > 20


def test_order_of_input_and_other_keys():
    days = [DAY, date(1991, 3, 7), date(1982, 10, 20)]
    assert shifted(days) == shifted(days[::-1])[::-1]
    assert shifted(days) != shifted(days, key=b"k" * 32)


def test_what_is_no_date_stays_to_be_handled_otherwise():
    assert dates.shift(["soon"], KEY, TODAY) == {"soon": "soon"}


SPELLINGS = [
    "1982-10-19",
    "1982/10/19",
    "1982.10.19",
    "19821019",
    "10/19/1982",
    "19/10/1982",
    "19.10.1982",
    "10-19-1982",
    "October 19, 1982",
    "October 19 1982",
    "October 19th, 1982",
    "oct 19th 1982",
    "OCT. 19, 1982",
    "19 October 1982",
    "19th of October 1982",
    "19-Oct-1982",
    "19th October, 1982",
    "1982-10-19T00:00:00Z",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_reads_as_the_same_day(text):
    assert dates.read(text) == DAY


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_moved_day_is_spelled_like_the_original(text):
    made = dates.respell("1982-11-23", text)
    assert dates.read(made) == date(1982, 11, 23)
    assert len(made) - len(text) in (0, 1, -1)
    assert [char for char in made if not char.isalnum()] == [char for char in text if not char.isalnum()]


def test_every_spelling_that_is_searched_can_be_respelled():
    for day in (DAY, date(1991, 3, 7), date(2001, 5, 1)):
        for text in dates.spellings(day):
            assert dates.read(text) == day
            assert dates.read(dates.respell("1994-12-23", text)) == date(1994, 12, 23)


@pytest.mark.parametrize(
    "text", ["", "soon", "1982-13-40", "31/31/1982", "Foo 12, 1982", "12 Foo 1982", "1982", "13/13/82"]
)
def test_what_is_no_day_reads_as_none(text):
    assert dates.read(text) is None


@pytest.mark.parametrize(
    ("day", "ending"), [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")]
)
def test_ordinal_endings_follow_their_number(day, ending):
    assert dates.respell(f"1994-12-{day:02}", "October 19th, 1982") == f"December {ending}, 1994"
