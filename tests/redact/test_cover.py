from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extractor.redact.cover import Cover

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: tuple(sorted(pair))), max_size=6)


@given(RANGES, RANGES)
def test_gaps_are_what_nobody_took(taken, asked):
    cover = Cover(30, taken)
    held = {index for start, end in taken for index in range(start, end)}
    for start, end in asked:
        free = {index for begin, stop in cover.gaps(start, end) for index in range(begin, stop)}
        assert free == set(range(start, end)) - held
        assert cover.touches(start, end) is bool(set(range(start, end)) & held)


def test_a_gap_is_never_empty():
    cover = Cover(10, [(2, 4)])
    assert list(cover.gaps(0, 10)) == [(0, 2), (4, 10)]
    assert list(cover.gaps(2, 4)) == []
    assert list(cover.gaps(5, 5)) == []
