"""``pytest --audit-asserts FILE``: the audit before any fixture exists: every plain assert has a stable id and its rows."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from extractor.checks.audit import table

VACUOUS = """
from types import SimpleNamespace

EMPTY = SimpleNamespace(tool_calls=[])
ONE = SimpleNamespace(tool_calls=[SimpleNamespace(name="issue_refund")])

def test_refund():
    for call in EMPTY.tool_calls:
        assert call.name == "issue_refund"

class TestShape:
    def test_one(self):
        assert len(ONE.tool_calls) == 1
        for call in ONE.tool_calls:
            assert call.name == "issue_refund"
"""


@pytest.fixture
def suite(tmp_path):
    class Suite:
        path = tmp_path
        store = tmp_path / "artifacts" / "audit.sqlite"

        def run(self, test, *options, name="test_it.py"):
            (tmp_path / "pytest.ini").write_text("[pytest]\n")
            (tmp_path / name).write_text(test)
            environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
            command = [sys.executable, "-m", "pytest", "-q", f"--audit-asserts={self.store}", *options]
            self.done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, env=environment, check=False
            )
            return self.done.returncode

        def rows(self):
            return {each.assertion_id.rpartition(":")[0]: (each.runs, each.rejections) for each in table(self.store)}

        def ids(self):
            return {each.assertion_id for each in table(self.store)}

    return Suite()


def test_every_assert_has_a_row_also_the_one_that_a_loop_never_reached(suite):
    """S94 S138: in a suite without any fixture, the loop over nothing passes, and the table says that its assert has never run."""
    assert suite.run(VACUOUS) == 0, suite.done.stdout
    first, *rest = table(suite.store)
    assert (first.assertion_id.rpartition(":")[0], first.runs, first.place) == (
        "test_it:test_refund",
        0,
        "test_it.py:9",
    )
    assert [(each.runs, each.rejections) for each in rest] == [(1, 0), (1, 0)]
    assert all(each.assertion_id.startswith("test_it:TestShape.test_one:") for each in rest)


def test_a_rejection_is_counted_and_told_as_ever(suite):
    assert suite.run("def test_it():\n    amount = 42\n    assert amount == 4200, 'wrong amount'\n") == 1
    assert suite.rows() == {"test_it:test_it": (1, 1)}
    assert "assert 42 == 4200" in suite.done.stdout
    assert "test_it.py:3: AssertionError" in suite.done.stdout


def test_an_id_outlasts_lines_that_move_and_its_assert_alone_changes_it(suite):
    suite.run("def test_it():\n    assert 1 + 1 == 2\n    assert 1 + 1 == 2\n")
    before = suite.ids()
    assert len(before) == 2
    suite.run(
        "import os\n\n# moved\ndef test_it():\n    assert os\n    assert (1+1) == 2\n    assert 1 + 1 == 2, 'why'\n"
    )
    assert before < suite.ids()
    assert len(suite.ids()) == 3
    suite.run("def test_it():\n    assert 1 + 1 >= 2\n")
    assert len(suite.ids()) == 4  # a weaker assert is another one, which has not rejected anything yet


def test_a_rejection_that_is_expected_or_swallowed_is_one(suite):
    test = """
import pytest
def judge(amount):
    assert amount == 4200
def test_rejects():
    with pytest.raises(AssertionError):
        judge(42)
@pytest.mark.xfail
def test_known():
    judge(41)
"""
    assert suite.run(test) == 0, suite.done.stdout
    assert suite.rows() == {"test_it:judge": (2, 2)}


def test_an_assert_whose_predicate_broke_or_that_another_one_ended_has_judged_nothing(suite):
    test = """
def judge():
    assert 1 == 2
    return True
def test_outer():
    assert judge()
def test_broken():
    assert {}["absent"]
"""
    assert suite.run(test) == 1
    assert suite.rows() == {"test_it:judge": (1, 1), "test_it:test_outer": (0, 0), "test_it:test_broken": (0, 0)}


def test_one_row_a_case_and_no_value_of_a_case_in_it(suite):
    test = """
import pytest
@pytest.mark.parametrize("who", ["alice@shop.example", "bob@shop.example"])
def test_it(who):
    for _ in range(3):
        assert "@" in who
"""
    assert suite.run(test) == 0
    assert suite.rows() == {"test_it:test_it": (2, 0)}
    assert not any(b"alice" in file.read_bytes() for file in suite.store.parent.iterdir())


def test_fixtures_conftest_and_modules_that_are_named_are_covered(suite):
    (suite.path / "shop").mkdir()
    (suite.path / "shop" / "judging.py").write_text("def refund(amount):\n    assert amount == 1\n")
    (suite.path / "shop" / "other.py").write_text("def other():\n    assert True\n")
    (suite.path / "conftest.py").write_text(
        "import pytest\n@pytest.fixture\ndef amount():\n    assert len('x') == 1\n    return 1\n"
    )
    test = "import shop.judging, shop.other\ndef test_it(amount):\n    shop.judging.refund(amount)\n    shop.other.other()\n"
    assert suite.run(test, "-o", "audit_asserts_in=shop.judging", "-o", "pythonpath=.") == 0, suite.done.stdout
    assert suite.rows() == {"conftest:amount": (1, 0), "shop.judging:refund": (1, 0)}


@pytest.mark.parametrize("options", [("-n", "2"), ("-p", "no:xdist")], ids=["two workers", "one process"])
def test_the_table_is_the_same_on_one_process_and_on_two(suite, options):
    test = "import pytest\n@pytest.mark.parametrize('n', range(20))\ndef test_it(n):\n    assert n != 7\n"
    assert suite.run(test, *options) == 1
    assert suite.rows() == {"test_it:test_it": (20, 1)}
    ((last,),) = {(each.last_rejection_at,) for each in table(suite.store)}
    assert last is not None


def test_asserts_of_coroutines_generators_and_nested_functions(suite):
    test = """
import asyncio
def test_it():
    async def inner():
        assert await asyncio.sleep(0, True)
    asyncio.run(inner())
    def numbers():
        yield 1
        assert True
    assert list(numbers()) == [1]
    match 3:
        case 3:
            assert True is not None
"""
    assert suite.run(test) == 0, suite.done.stdout
    assert set(suite.rows()) == {"test_it:test_it", "test_it:test_it.inner", "test_it:test_it.numbers"}
    assert len(suite.ids()) == 4
    assert {runs for runs, _ in suite.rows().values()} == {1}


def test_nothing_of_it_stays_in_the_cache_and_nothing_cached_hides_an_assert(suite):
    plain = [sys.executable, "-m", "pytest", "-q"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    test = "def test_it():\n    assert 1\n"
    (suite.path / "test_it.py").write_text(test)
    for _ in range(2):
        done = subprocess.run(plain, cwd=suite.path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        assert suite.run(test) == 0
        assert suite.rows().keys() == {"test_it:test_it"}


def test_without_rewriting_there_is_no_audit_and_that_is_said(suite):
    assert suite.run("def test_it():\n    assert 1\n", "--assert=plain") == 4
    assert "--audit-asserts needs pytest's assertion rewriting" in suite.done.stdout + suite.done.stderr
    assert not suite.store.exists()


def test_a_file_that_is_no_table_is_told_before_the_first_test(suite):
    suite.store.parent.mkdir()
    suite.store.write_text("not a table" * 50)
    assert suite.run("def test_it():\n    assert 1\n") == 4
    assert "no table of assertions" in suite.done.stdout + suite.done.stderr


def test_without_the_option_nothing_is_written(suite):
    suite.run(VACUOUS, "-p", "no:cacheprovider")
    suite.store.unlink()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=suite.path, env=environment, check=True)
    assert not suite.store.exists()


def test_a_bracket_in_the_name_of_a_folder_hides_no_case(suite):
    shared = "def judge(n):\n    assert n\n\ndef test_one():\n    judge(1)\n\ndef test_two():\n    judge(2)\n"
    (suite.path / "a[b]").mkdir()
    assert suite.run(shared, name="a[b]/test_it.py") == 0, suite.done.stdout
    assert suite.rows() == {"a[b].test_it:judge": (2, 0)}


def test_a_name_that_no_line_can_hold_ends_no_run(suite):
    folder = "\n" + "/".join(["long" * 50] * 3)
    (suite.path / folder).mkdir(parents=True)
    assert suite.run("def test_it():\n    assert 1\n", name=f"{folder}/test_it.py") == 0, suite.done.stdout
    (only,) = table(suite.store)
    assert (only.runs, only.assertion_id.isprintable()) == (1, True)


def test_a_process_that_is_killed_loses_the_rows_of_its_last_second_alone(suite):
    source = """
        import os, time

        def test_one():
            assert 1

        def test_two():
            time.sleep(1.1)
            assert 2

        def test_killed():
            os._exit(3)
    """
    assert suite.run(textwrap.dedent(source), "-p", "no:xdist") == 3
    assert suite.rows() == {"test_it:test_one": (1, 0), "test_it:test_two": (1, 0)}
