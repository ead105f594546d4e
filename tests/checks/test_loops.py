"""Loops that say nothing of nothing (S94 S95): named by line, on citations and documents as on calls."""

from __future__ import annotations

import textwrap

import pytest

from extractor.checks.loops import vacuous

CHAPTER = """
def assert_refund(record, case):
    for call in record.tool_calls:
        assert call.name == "issue_refund"
        assert call.arguments_parsed["order_id"] == case.order_id
"""


def found(source):
    return [(each.line, each.collection) for each in vacuous(textwrap.dedent(source), "shop/checks.py")]


def in_check(body):
    return "def assert_it(record, case):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


def test_the_chapters_loop_is_named_by_file_and_line_and_told_what_mends_it():
    """S94."""
    first, second = vacuous(CHAPTER, "shop/checks.py")
    assert (first.function, first.line, second.line) == ("assert_refund", 4, 5)
    assert first.text() == (
        "shop/checks.py:4: assert_refund: what is inside a loop over record.tool_calls says nothing where there is none;"
        " say first how many there are: exactly(1, record.tool_calls)"
    )


@pytest.mark.parametrize(
    "items", ["record.tool_calls", "record.citations", "record.documents", "record.output['rows']"]
)
@pytest.mark.parametrize(
    "loop",
    [
        "for each in {}:\n    assert each",
        "for number, each in enumerate({}):\n    if number:\n        assert each",
        "for each in sorted({}, key=str):\n    with case:\n        assert each",
        "for each in {}:\n    raise Rejected('name')",
        "for each in {}:\n    if not each:\n        return False",
        "items = {}\nfor each in items:\n    assert each",
        "assert all(each for each in {})",
        "assert all([each.ok for each in {}])",
        "assert not any(each.bad for each in {})",
        "return all(each for each in {})",
        "held = all(each for each in {})\nassert held",
        "while {}:\n    assert next(case)",
        "if {0}:\n    for each in {0}:\n        assert each",
        "if not {0}:\n    return\nfor each in {0}:\n    assert each",
        "assert len({0}) >= 0\nfor each in {0}:\n    assert each",
        "assert len({0}) < 3\nfor each in {0}:\n    assert each",
        "if case.now:\n    assert {0}\nfor each in {0}:\n    assert each",
        "for each in {0}:\n    assert each\nassert {0}",
        "for each in zip([1], {0}):\n    assert each",
        "assert case.rows\nfor each in {0}:\n    assert each",
    ],
)  # fmt: skip
def test_a_loop_over_any_list_without_its_number_before_it_is_named(items, loop):
    names = [collection for _, collection in found(in_check(loop.format(items)))]
    assert len(names) == 1
    assert items in names[0] or names == ["items"]


@pytest.mark.parametrize(
    "before",
    [
        "assert len({}) == 1",
        "assert len({}) == case.number",
        "assert 1 <= len({}) <= 3",
        "assert len({}) > 0 and case.now",
        "assert not len({}) == 0",
        "assert {}",
        "assert bool({})",
        "exactly(1, {})",
        "checks.at_least(1, {})",
        "assert any(each.name == 'issue_refund' for each in {})",
        "assert [each.name for each in {}] == ['issue_refund']",
        "assert 'issue_refund' in [each.name for each in {}]",
        "if not {}:\n    raise Rejected('tool_calls')",
        "if len({}) != 1:\n    return False",
        "if not {}:\n    raise NotApplicable",
        "(only,) = {}",
        "calls = {}\nassert calls",
        "count = len({})\nassert count == 1",
        "with case:\n    assert {}",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "loop",
    [
        "for each in {}:\n    assert each",
        "for each in list({}):\n    assert each",
        "assert all(each for each in {})",
        "items = {}\nfor number in range(len(items)):\n    assert items[number]",
    ],
)  # fmt: skip
def test_a_number_said_before_makes_the_loop_sound(before, loop):
    for items in ("record.tool_calls", "record.citations"):
        assert found(in_check(f"{before}\n{loop}".format(items, items))) == []


@pytest.mark.parametrize(
    "loop",
    [
        "for phrase in ('refund', 'sorry'):\n    assert phrase not in record.output",
        "for phrase in PHRASES:\n    assert phrase not in record.output",
        "for number in range(3):\n    assert number < 3",
        "while True:\n    assert case.next()",
        "assert not record.citations or all(each for each in record.citations)",
        "assert record.citations and all(each for each in record.citations)",
        "assert not all(each for each in record.citations)",
        "assert any(each for each in record.citations)",
        "for each in record.citations:\n    print(each)",
        "for each in record.citations:\n    def later():\n        assert each",
        "for each in record.citations:\n    raise ValueError",
    ],
)
def test_what_cannot_be_silent_or_judges_nothing_is_not_named(loop):
    assert found('PHRASES = ["done", "paid"]\n' + in_check(loop)) == []


def test_an_inner_loop_needs_a_number_of_its_own():
    source = in_check("""
        assert record.tool_calls
        for call in record.tool_calls:
            assert call.name
            for source in call.sources:
                assert source
    """)
    assert found(source) == [(6, "call.sources")]
    mended = source.replace("        for source", "        assert call.sources\n        for source")
    assert mended != source
    assert found(mended) == []


def test_a_filter_needs_a_number_of_what_it_lets_through():
    """That there are calls does not say that there is a refund among them."""
    filtered = "[call for call in record.tool_calls if call.name == 'issue_refund']"
    loop = f"assert record.tool_calls\nrefunds = {filtered}\n%sfor call in refunds:\n    assert call.amount"
    assert found(in_check(loop % "")) == [(5, "refunds")]
    assert found(in_check(loop % "exactly(1, refunds)\n")) == []
    assert found(in_check(f"assert record.tool_calls\nassert all(each for each in {filtered})")) != []


def test_a_number_of_what_a_name_held_before_is_none_of_what_it_holds_now():
    source = "calls = record.tool_calls\nassert calls\ncalls = record.other\nfor call in calls:\n    assert call"
    assert found(in_check(source)) == [(6, "calls")]


def test_a_check_that_is_declared_is_one_whatever_its_name():
    source = "@check('refund')\ndef it(record, case):\n    return all(each for each in record.citations)\n"
    assert found(source) == [(3, "record.citations")]
    assert found(source.partition("\n")[2]) == []


def test_what_is_no_python_is_told_by_line():
    with pytest.raises(ValueError, match=r"line 2"):
        vacuous("x = 1\ndef (:\n", "shop/checks.py")


def test_an_expression_without_a_second_spelling_is_no_fault():
    source = in_check(r"""
        line = '\n'
        shown = f"{line}{case}"
        assert f"{shown}" == case.text
        assert all(each for each in f"{shown}")
    """)
    assert [line for line, _ in found(source)] == [5]


@pytest.mark.parametrize(
    "silent",
    [
        "if not all(each.ok for each in record.documents):\n    raise Rejected('ok')",
        "if not all(each.ok for each in record.documents):\n    return False",
        "if any(each.bad for each in record.documents):\n    raise Rejected('bad')",
        "if case.strict or any(each.bad for each in record.documents):\n    pytest.fail('bad')",
        "assert bool(all(each.ok for each in record.documents))",
        "assert all(each.ok for each in record.documents) is True",
        "assert any(each.bad for each in record.documents) == False",
        "assert all(each.ok for each in record.documents) if case.strict else True",
        "for each in record.documents:\n    hold(each)",
        "[hold(each) for each in record.documents]",
        "for each in record.documents:\n    through(each)",
        "for each in record.documents:\n    exactly(1, each['quotes'])",
        "for each in record.documents:\n    if each.bad:\n        raise Foreign('owner')",
        "with suppress(AssertionError):\n    assert record.documents\nfor each in record.documents:\n    assert each",
        "with pytest.raises(AssertionError):\n    assert record.documents\nfor each in record.documents:\n    assert each",
        "for each in (held := record.documents):\n    assert each",
        "if record.documents:\n    for each in record.documents:\n        assert each\nelse:\n    return",
    ],
)
def test_a_claim_in_other_words_is_the_same_claim(silent):
    helpers = """
        class Foreign(Rejected): ...

        def through(each):
            hold(each)

        def hold(each):
            assert each.ok
    """
    assert found(textwrap.dedent(helpers) + in_check(silent))


@pytest.mark.parametrize(
    "counted",
    [
        "if not (held := record.documents):\n    raise Rejected('documents')\nfor each in held:",
        "assert (held := record.documents)\nfor each in held:",
        "assert len(held := record.documents) == 1\nfor each in held:",
        "if (number := len(record.documents)) == 0:\n    raise Rejected('documents')\nfor each in record.documents:",
        "assert len(record.documents) in (1, 2)\nfor each in record.documents:",
        "assert len(record.documents) in range(1, 3)\nfor each in record.documents:",
        "first = record.documents[0]\nfor each in record.documents:",
        "assert record.documents[-1]['id'] == 'x'\nfor each in record.documents:",
        "assert record.documents\nfor each in map(str, record.documents):",
        "assert record.documents\nfor each, _ in zip(record.documents, case.documents, strict=True):",
        "assert case.documents\nfor number, (each, _) in enumerate(zip(record.documents, case.documents, strict=True)):",
    ],
)
def test_a_number_in_other_words_is_a_number(counted):
    assert found(in_check(f"{counted}\n    assert each")) == []


@pytest.mark.parametrize(
    "before",
    [
        "assert len(record.documents) in (0, 1)",
        "assert len(record.documents) in range(2)",
        "assert case.strict and record.documents[0] or case.lenient",
        "first = [each[0] for each in record.documents]",
        "assert record.documents['0']",
    ],
)
def test_what_lets_nothing_through_is_no_number(before):
    assert found(in_check(f"{before}\nfor each in record.documents:\n    assert each"))


def test_a_branch_knows_what_its_other_side_refuses():
    assert (
        found(
            in_check(
                "if record.documents:\n    for each in record.documents:\n        assert each\nelse:\n    raise Rejected('n')"
            )
        )
        == []
    )
    assert (
        found(
            in_check(
                "if not record.documents:\n    raise Rejected('n')\nelse:\n    for each in record.documents:\n        assert each"
            )
        )
        == []
    )
