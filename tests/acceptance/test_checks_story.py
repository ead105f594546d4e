"""``extract-fixture check``: a fixture tests a check, by name and for the property that it says (S92 S98 S99 S100 S106)."""

from __future__ import annotations

import json
import textwrap

import pytest

from extractor.cli.app import run

SOUND = """
    from extractor.checks import check

    @check
    def assert_refund(record, case):
        assert len(record.tool_calls) == 1
        (call,) = record.tool_calls
        assert call.arguments_parsed["order_id"] == case.order_id
        assert call.arguments_parsed["amount_cents"] == case.amount_cents
"""
VACUOUS = """
    from extractor.checks import check

    @check
    def assert_refund(record, case):
        for call in record.tool_calls:
            assert call.arguments_parsed["order_id"] == case.order_id
"""
CITED = """
    from extractor.checks import check

    @check
    def assert_refund(record, case):
        assert record.citations
"""
CASE = """\
input: Please refund O-1.
expectations:
  order_id: "O-1"
  amount_cents: 4200
now: "2026-06-14T10:00:00+00:00"
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A project whose checks stand in a module of a name of its own, since modules stay loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = "checks_" + "".join(each for each in tmp_path.name if each.isalnum())
    (tmp_path / "pyproject.toml").write_text(f'[tool.extract-fixture.checks]\nmodule = "{module}"\n')

    class Suite:
        folder = tmp_path

        def checks(self, body):
            (tmp_path / f"{module}.py").write_text(textwrap.dedent(body))

        def fixture(self, name, verdict, record, reason="amount_cents", by="assert_refund"):
            place = tmp_path / "evals" / name
            place.mkdir(parents=True)
            (place / "case.yaml").write_text(CASE)
            (place / "record.json").write_text(json.dumps(record))
            (place / "expect.yaml").write_text(f"verdict: {verdict}\nby: {by}\nreason: {reason}\n")
            (place / "README.md").write_text("What happened.\n")

        def pair(self):
            self.fixture("refund-reject", "reject", refunded(42))
            self.fixture("refund-accept", "accept", refunded(4200))

    return Suite()


def refunded(cents, **more):
    call = {"name": "issue_refund", "arguments": {"order_id": "O-1", "amount_cents": cents}}
    return {"tool_calls": [call], "output": "Refunded.", **more}


def test_a_pair_pins_the_boundary(suite, capsys):
    """S106 S107: one field differs, and the verdict turns on it."""
    suite.checks(SOUND)
    suite.pair()
    assert run(["check", "evals", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["held"] is True
    assert "tool_calls[0].arguments.amount_cents" in json.dumps(told)


def test_a_check_that_a_loop_makes_vacuous_has_no_teeth(suite, capsys):
    """S94: it accepts a run in which nothing was called."""
    suite.checks(VACUOUS)
    suite.fixture("nothing-reject", "reject", {"tool_calls": [], "output": "Sorry."}, reason="tool_calls")
    assert run(["check", "evals"]) == 1
    assert "fixture was accepted; the check has no teeth" in capsys.readouterr().out


def test_a_rejection_for_another_property_is_no_evidence(suite, capsys):
    """S101: a missing citation says nothing about the amount."""
    suite.checks(CITED)
    suite.pair()
    assert run(["check", "evals"]) == 1
    told = capsys.readouterr().out
    assert "amount_cents" in told
    assert "refund-reject" in told


def test_a_renamed_check_is_missed_by_its_name(suite):
    """S121."""
    suite.checks(SOUND.replace("assert_refund", "assert_money"))
    suite.pair()
    assert run(["check", "evals"]) == 1


def test_a_good_run_that_is_rejected_is_told_with_the_check_that_did(suite, capsys):
    suite.checks(SOUND)
    suite.fixture("good-accept", "accept", refunded(7))
    assert run(["check", "evals"]) == 1
    assert "good run rejected by assert_refund" in capsys.readouterr().out


def test_an_empty_suite_and_a_project_without_checks_are_errors(suite):
    suite.checks(SOUND)
    (suite.folder / "evals").mkdir()
    assert run(["check", "evals"]) == 2
    suite.fixture("good-accept", "accept", refunded(4200))
    (suite.folder / "pyproject.toml").write_text("")
    assert run(["check", "evals"]) == 2


def test_yaml_that_means_something_else_is_refused(suite):
    suite.checks(SOUND)
    suite.pair()
    (suite.folder / "evals" / "refund-reject" / "expect.yaml").write_text("verdict: &x reject\nby: *x\n")
    assert run(["check", "evals"]) == 6


def test_reports_for_pull_requests_claim_no_more_than_they_know(suite):
    """S122: a catalogue of what went wrong once is no word about the rest."""
    suite.checks(SOUND)
    suite.pair()
    assert run(["check", "evals", "--junit", "junit.xml", "--summary", "summary.md", "--quiet"]) == 0
    summary = (suite.folder / "summary.md").read_text("utf-8")
    assert "not proved" in summary
    assert "well tested" not in summary
    assert 'tests="2"' in (suite.folder / "junit.xml").read_text("utf-8")


def test_what_checks_said_fills_the_audit(suite, capsys):
    """S96."""
    suite.checks(SOUND)
    suite.pair()
    assert run(["check", "evals", "--audit", "audit.sqlite", "--quiet"]) == 0
    assert run(["audit", "audit.sqlite", "--json"]) == 0
    told = capsys.readouterr().out
    assert '"rejections": 1' in told


def test_the_audit_names_the_loop_that_an_empty_run_passes(suite, capsys):
    """S94 S95: by reading the source, and by watching the check accept a run in which nothing was called."""
    suite.checks(VACUOUS)
    suite.fixture("nothing-reject", "reject", {"tool_calls": [], "output": "Sorry."}, reason="tool_calls")
    (module,) = (each.stem for each in suite.folder.glob("checks_*.py"))
    assert run(["audit", "--loops", module, "--over", "evals"]) == 1
    told = capsys.readouterr().out
    assert "exactly(1, record.tool_calls)" in told
    assert "the loop over record.tool_calls never ran, in 1 records" in told


def test_a_check_that_counts_first_has_no_such_loop(suite):
    suite.checks(SOUND)
    (module,) = (each.stem for each in suite.folder.glob("checks_*.py"))
    assert run(["audit", "--loops", module]) == 0
    assert run(["audit", "--loops", "no_such_module_of_checks"]) == 2
    assert run(["audit", "--over", "evals"]) == 2
