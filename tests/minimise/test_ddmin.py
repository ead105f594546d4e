from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from extractor.minimise.ddmin import Level, minimal

Red = Callable[[frozenset[int]], bool]
COUNTS = st.integers(0, 24)


def levels_of(coarse: int, fine: int) -> tuple[Level[int], ...]:
    first, second = tuple(range(coarse)), tuple(range(coarse, coarse + fine))
    return (
        Level(kinds=(first[::2], first[1::2]), order=first),
        Level(kinds=(), order=second),
    )


def is_one_minimal(kept: frozenset[int], red: Red) -> bool:
    return not any(red(kept - {piece}) for piece in kept)


def settled(red: Red, total: int) -> Red:
    """All pieces together are red, as the unchanged case is."""
    return lambda kept: len(kept) == total or red(kept)


@given(COUNTS, COUNTS, st.data())
def test_what_a_monotone_predicate_needs_is_found_exactly(coarse, fine, data):
    pieces = range(coarse + fine)
    needed = data.draw(st.frozensets(st.sampled_from(pieces))) if pieces else frozenset()
    assert minimal(levels_of(coarse, fine), needed.issubset) == needed


@given(COUNTS, COUNTS, st.lists(st.frozensets(st.integers(0, 47), max_size=6), max_size=6))
def test_alternatives_leave_a_red_and_one_minimal_set(coarse, fine, alternatives):
    total = coarse + fine
    red = settled(lambda kept: any(needed <= kept for needed in alternatives), total)
    kept = minimal(levels_of(coarse, fine), red)
    assert red(kept)
    assert is_one_minimal(kept, red)


@given(COUNTS, COUNTS, st.integers(0, 2**32), st.integers(2, 7))
def test_a_predicate_without_any_order_leaves_a_red_and_one_minimal_set(coarse, fine, salt, rarity):
    total = coarse + fine
    red = settled(lambda kept: hash((salt, tuple(sorted(kept)))) % rarity == 0, total)
    kept = minimal(levels_of(coarse, fine), red)
    assert red(kept)
    assert is_one_minimal(kept, red)


@given(COUNTS, COUNTS, st.integers(0, 2**32))
def test_the_same_questions_are_asked_in_the_same_order(coarse, fine, salt):
    def asked() -> list[frozenset[int]]:
        questions: list[frozenset[int]] = []

        def red(kept: frozenset[int]) -> bool:
            questions.append(kept)
            return hash((salt, tuple(sorted(kept)))) % 3 == 0

        minimal(levels_of(coarse, fine), red)
        return questions

    assert asked() == asked()


def test_all_pieces_together_are_never_asked_about():
    questions: list[frozenset[int]] = []
    minimal(levels_of(5, 3), lambda kept: bool(questions.append(kept)))
    assert questions
    assert frozenset(range(8)) not in questions


def test_few_of_many_are_found_with_few_questions():
    questions = 0

    def red(kept: frozenset[int]) -> bool:
        nonlocal questions
        questions += 1
        return {17, 400} <= kept

    assert minimal((Level(kinds=(), order=tuple(range(512))),), red) == {17, 400}
    assert questions < 100


def test_nothing_to_drop_asks_nothing():
    assert minimal((), lambda kept: False) == frozenset()
