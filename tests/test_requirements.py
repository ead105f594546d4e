from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))  # a folder of programs, not a package

from generating import requirements as table  # noqa: E402

LONG = " ".join(["word"] * 19)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A working copy that is whole: a row, a place and a test for each number."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# Page\n", "utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_all.py").write_text('"""S1 to S140."""\n', "utf-8")
    rows = [f'[S{number}]\nsays = "Asked."\nwhere = ["docs/page.md"]\n' for number in table.NUMBERS]
    (tmp_path / "docs" / "requirements.toml").write_text("\n".join(rows), "utf-8")
    return tmp_path


def write(root: Path, name: str, text: str) -> None:
    (root / "tests" / name).write_text(text, "utf-8")


def change(root: Path, old: str, new: str) -> None:
    data = root / "docs" / "requirements.toml"
    assert old in data.read_text("utf-8")
    data.write_text(data.read_text("utf-8").replace(old, new, 1), "utf-8")


def test_every_number_has_a_row_a_place_and_a_test_or_says_why_not():
    assert table.faults(ROOT) == ()


def test_a_copy_that_is_whole_has_no_fault(copy):
    assert table.faults(copy) == ()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("[S140]", "[S141]", ["S140 has no row", "S141 is no requirement", "S141 is shown by no test"]),
        ('"Asked."', f'"{LONG}"', ["S1 is said in 19 words, 1 to 18 are wanted"]),
        ('"Asked."', '""', ["S1 is said in 0 words, 1 to 18 are wanted"]),
        ("docs/page.md", "docs/gone.md", ["S1 works in docs/gone.md, which is no place"]),
        ("docs/page.md", "tests/test_all.py", ["S1 works in tests/test_all.py, which is no place"]),
        ('["docs/page.md"]', "[]", ["S1 works nowhere"]),
    ],
)
def test_what_a_row_lacks_is_told(copy, old, new, fault):
    change(copy, old, new)
    assert list(table.faults(copy)) == fault


def test_a_number_that_no_test_names_is_told_unless_the_row_says_why(copy):
    write(copy, "test_all.py", '"""S2-S140."""\n')
    assert table.faults(copy) == ("S1 is shown by no test",)
    change(copy, 'says = "Asked."', 'says = "Asked."\ngap = "no such service here"')
    assert table.faults(copy) == ()
    assert "| S1 | Asked. | [page.md](page.md) | **gap:** no such service here |\n" in table.page(copy)


def test_a_number_that_is_none_of_ours_is_told_with_its_module(copy):
    write(copy, "test_strange.py", 'def test_it():\n    """S0 and S141, no S12345 and no XS7."""\n')
    write(copy, "helping.py", 'class Desk:\n    def ask(self):\n        """S999."""\n')
    assert table.faults(copy) == (
        "tests/helping.py names S999",
        "tests/test_strange.py names S0",
        "tests/test_strange.py names S141",
    )


def test_numbers_are_found_in_names_and_docstrings_and_nowhere_else(copy):
    write(copy, "test_all.py", "")
    write(
        copy,
        "test_some.py",
        '"""S5 S6: of the whole module."""\n'
        "# S7\n"
        'TEXT = "S8"\n'
        'def helper():\n    """S9."""\n'
        'def test_one():\n    """S5, S10–S12."""\n    return "S13"\n'
        "async def test_S14_and_no_other(): ...\n"
        'class TestMany:\n    """S15."""\n'
        '    def test_two(self):\n        """S16."""\n',
    )
    module = "tests/test_some.py"
    assert table.tests_by_number(copy) == {
        5: (f"{module}::test_one",),
        6: (module,),
        10: (f"{module}::test_one",),
        11: (f"{module}::test_one",),
        12: (f"{module}::test_one",),
        14: (f"{module}::test_S14_and_no_other",),
        15: (f"{module}::TestMany",),
        16: (f"{module}::TestMany::test_two",),
    }


def test_a_row_shows_four_tests_at_most_single_ones_first_and_counts_the_rest(copy):
    tests = "".join(f'def test_{name}():\n    """S1."""\n' for name in "abcde")
    write(copy, "test_some.py", tests)
    shown = ", ".join(f"`tests/test_some.py::test_{name}`" for name in "abcd")
    assert f"| S1 | Asked. | [page.md](page.md) | {shown}, and 2 more |\n" in table.page(copy)


def test_a_table_that_is_no_row_is_refused(copy):
    change(copy, 'where = ["docs/page.md"]', "")
    with pytest.raises(ValueError, match=r"^S1 is no row"):
        table.faults(copy)
