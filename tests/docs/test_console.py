"""Every command that a page shows is run, or is on the list of those that are not, with the reason."""

from __future__ import annotations

import pytest

from .pages import PAGES, Command, commands, name_of
from .shell import Staging, printed, run, staging

STAGES = staging()
SHOWING = {name_of(page): page for page in PAGES if commands(page)}


def test_every_page_with_commands_is_on_the_list_and_no_other():
    assert sorted(STAGES) == sorted(SHOWING)


@pytest.mark.parametrize("name", STAGES)
def test_what_is_not_run_says_why_and_stands_on_the_page(name):
    texts = [command.text for command in commands(SHOWING[name])]
    for start, why in STAGES[name].not_run.items():
        assert any(text.startswith(start) for text in texts), start
        assert len(why.split()) > 3


@pytest.mark.nlp
@pytest.mark.parametrize(
    "name",
    [name for name, page in SHOWING.items() if any(STAGES[name].reason(each) is None for each in commands(page))],
)
def test_the_commands_of_a_page_do_what_it_shows(name, tmp_path):
    for ran in run(SHOWING[name], STAGES[name], tmp_path):
        assert ran.status == 0, (ran.text, ran.output)
        assert ran.missing == [], (ran.text, ran.output)


def test_a_command_that_fails_and_a_line_that_is_not_printed_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one two\none   …\nthree\n$ A=1 && false\n$ echo $A\n1\n```\n")
    folder = tmp_path / "project"
    folder.mkdir()
    first, second, third = run(page, Staging(), folder)
    assert (first.status, first.missing) == (0, ["three"])
    assert second.status == 1
    assert (third.status, third.missing) == (0, [])


def test_placeholders_are_replaced_and_lines_that_vary_are_passed_over():
    stage = Staging(replace=[{"was": "show CASE", "is": "show fixtures/*"}], varies=["^sha256"])
    assert stage.spelled(Command(text="extract-fixture show CASE")) == "extract-fixture show fixtures/*"
    assert stage.fixed(["sha256 12", "kept 3"]) == ["kept 3"]
    assert printed("a  … c", "x\na b c\n")
    assert not printed("a", "ab\n")
