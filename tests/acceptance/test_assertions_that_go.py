"""Deleting, weakening and renaming an assertion, and retiring its subject: each is caught, by what can see it (S118 to S121)."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET

import pytest

from extractor.cli.app import run

CHECK = """
def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    (call,) = record.tool_calls
    assert call.name == "issue_refund"
    assert call.arguments_parsed["amount_cents"] == case.amount_cents
"""
AMOUNT = '    assert call.arguments_parsed["amount_cents"] == case.amount_cents\n'
REFUND = {
    "name": "issue_refund",
    "input_schema": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "amount_cents": {"type": "integer"}},
        "required": ["order_id", "amount_cents"],
    },
}


@pytest.fixture
def shop(tmp_path, monkeypatch, capsys):
    """The chapter's incident, a refund of a hundredth, as a pair in the chapter's folders, and the tools of the product."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = "checks_" + "".join(each for each in tmp_path.name if each.isalnum())
    (tmp_path / "pyproject.toml").write_text(f'[tool.extract-fixture.checks]\nmodule = "{module}"\n')
    for name, verdict, cents in (("off-by-100x", "reject", 42), ("fixed", "accept", 4200)):
        folder = tmp_path / "evals" / f"2026-06-14-refund-{name}"
        folder.mkdir(parents=True)
        call = {"name": "issue_refund", "arguments": {"order_id": "O-1", "amount_cents": cents}}
        (folder / "record.json").write_text(json.dumps({"tool_calls": [call], "output": "Refunded."}))
        (folder / "case.yaml").write_text(
            "input: Please refund O-1.\nincident_id: INC-1\nexpectations:\n  order_id: O-1\n  amount_cents: 4200\n"
        )
        (folder / "expect.yaml").write_text(f"verdict: {verdict}\nby: assert_refund\nreason: amount_cents\n")
        (folder / "README.md").write_text("What happened.\n")

    class Shop:
        path = tmp_path

        def check(self, source=CHECK, tools=(REFUND,), reports=()):
            (tmp_path / f"{module}.py").write_text(source)
            (tmp_path / "tools.json").write_text(json.dumps({"tools": [*tools]}))
            monkeypatch.delitem(__import__("sys").modules, module, raising=False)
            self.status = run(["check", "evals", "--tools", "tools.json", *reports])
            self.out = capsys.readouterr().out
            return self.status

    return Shop()


def test_as_it_stands_the_pair_holds_and_its_tools_are_there(shop):
    assert shop.check() == 0
    assert "2 of 2 fixtures hold" in shop.out
    assert "tools: 0 findings in 2 cases" in shop.out


def test_a_deleted_assertion_is_caught(shop):
    assert shop.check(CHECK.replace(AMOUNT, "")) == 1
    assert "fixture was accepted; the check has no teeth" in shop.out


@pytest.mark.parametrize("weak", ["> 0", "<= case.amount_cents", "!= None", "in (42, case.amount_cents)"])
def test_a_weakened_assertion_is_caught(shop, weak):
    assert shop.check(CHECK.replace("== case.amount_cents", weak)) == 1
    assert "fixture was accepted; the check has no teeth" in shop.out


def test_a_renamed_assertion_is_caught(shop):
    assert shop.check(CHECK.replace("assert_refund", "assert_money")) == 1
    assert "no check is called assert_refund: it was renamed or deleted" in shop.out
    assert "rejected by assert_money, expected assert_refund" in shop.out


@pytest.mark.parametrize(
    ("tools", "line"),
    [
        ([{"name": "cancel_order"}], "tool_calls[0].name: there is no tool called issue_refund"),
        (
            [REFUND | {"input_schema": {"type": "object", "properties": {"order_id": {}}}}],
            "expectations.amount_cents: issue_refund has no such parameter",
        ),
    ],
    ids=["the tool", "the parameter"],
)
def test_a_retired_subject_is_caught_by_the_live_tools_alone(shop, tools, line):
    """S120 S121: every fixture still holds, in green; what reads the world outside is what fails."""
    assert shop.check(tools=tools) == 1
    assert "2 of 2 fixtures hold" in shop.out
    assert line in shop.out
    assert "update the case (recapture), or retire it with a reason" in shop.out
    assert "proved: that the checks hold, and that a case still names a tool" in shop.out


def test_retiring_the_case_settles_it_and_is_said(shop):
    """S119: the folder stays, out of the suite, counted."""
    (shop.path / "evals" / "retired").mkdir()
    (shop.path / "evals" / "retired" / "old").mkdir()
    for folder in (shop.path / "evals").glob("2026-*"):
        shutil.copytree(folder, shop.path / "evals" / "retired" / folder.name)
    (shop.path / "evals" / "retired" / "old").rmdir()
    gone = [REFUND | {"name": "refund_v2"}]
    assert shop.check(tools=gone) == 1
    for folder in (shop.path / "evals").glob("2026-*"):
        for file in folder.iterdir():
            file.write_text(file.read_text("utf-8").replace("issue_refund", "refund_v2"))
    assert shop.check(CHECK.replace("issue_refund", "refund_v2"), tools=gone) == 0
    assert "2 of 2 fixtures hold; 2 retired and skipped" in shop.out
    assert "tools: 0 findings in 2 cases, 2 retired and skipped" in shop.out


def test_what_people_have_looked_at_is_left_out_and_counted(shop):
    project = shop.path / "pyproject.toml"
    known = [f"2026-06-14-refund-{name} tool_calls[0].name" for name in ("off-by-100x", "fixed")]
    project.write_text(project.read_text("utf-8") + f"known_drift = {json.dumps(known)}\n")
    assert shop.check(tools=[{"name": "cancel_order"}]) == 0
    assert "tools: 0 findings in 2 cases, 2 known and left out" in shop.out
    project.write_text(project.read_text("utf-8").replace(known[0], "nothing"))
    assert shop.check() == 2


def test_an_accept_fixture_whose_check_is_gone_fails_too(shop):
    """S139: it would go on passing for uninteresting reasons."""
    shutil.rmtree(shop.path / "evals" / "2026-06-14-refund-off-by-100x")
    other = "def assert_other(record, case):\n    assert record.tool_calls\n"
    assert shop.check(other) == 1
    assert "no check is called assert_refund: it was renamed or deleted" in shop.out


def test_a_tool_that_is_gone_stands_in_the_reports_of_a_pull_request(shop):
    """S121: what fails for people must fail for machines: the same finding in JUnit and in the summary."""
    assert (
        shop.check(tools=({**REFUND, "name": "refund_order"},), reports=("--junit", "r.xml", "--summary", "s.md")) == 1
    )
    suite = ET.fromstring((shop.path / "r.xml").read_text())
    gone = [each for each in suite.iter("testcase") if each.get("classname") == "tools"]
    assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
    assert {each.find("failure").get("message").partition(";")[0] for each in gone} == {
        "tool_calls[0].name: there is no tool called issue_refund"
    }
    summary = (shop.path / "s.md").read_text()
    assert "there is no tool called issue" in summary
    assert "2 of 2 fixtures hold" in summary
