from __future__ import annotations

import json
import sys

import pytest

from extractor.checks.expectation import expectation
from extractor.checks.loading import load_case
from extractor.checks.record import RunRecord
from extractor.cli.app import run

from ..checks.runs import RUN

CASE = """\
now: 2026-06-14T09:30:00+00:00
input: Please refund order 17.
expectations:
  order_id: ord_17
  amount_cents: 4200
facts:
  "owner of: it": "cus_5"
  nested: {"a": [1, "no", 2.5], "quoted \\" \\u2028": null}
"""
CHECKS = """
from extractor.checks.counting import exactly
from extractor.checks.declaring import check
from extractor.checks.ready import finished, forbids

promises = forbids("no risk", named="promises")
ended = finished()

@check("assert_refund")
def refund(record, case):
    refunds = [call for call in record.tool_calls if call.name == "issue_refund"]
    exactly(1, refunds, of="tool_calls")
    assert refunds[0].arguments_parsed["order_id"] == case.order_id
    assert refunds[0].arguments_parsed["amount_cents"] == case.amount_cents

@check("assert_tools")
def tools(record, case):
    for call in record.tool_calls:
        assert call.name in ("lookup_order", "issue_refund")
"""
TOOTHLESS = """
@check("assert_now")
def now(record, case):
    assert record.messages
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A project with checks and one good run of the chapter's form."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "shop_checks.py").write_text(CHECKS)
    (tmp_path / "extract-fixture.toml").write_text('[checks]\nmodule = "shop_checks"\n')
    folder = tmp_path / "fixtures" / "good"
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_text(CASE)
    (folder / "record.json").write_text(json.dumps(RUN))
    yield tmp_path
    sys.modules.pop("shop_checks", None)


def mutate(*arguments) -> int:
    return run(["mutate", *map(str, arguments)])


def test_the_list_names_the_ten_with_their_rows(capsys):
    assert mutate("--list", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["row"] for each in told[:10]] == list(range(1, 11))
    assert told[3]["name"] == "empty_tool_calls"
    assert mutate("--list") == 0
    assert " 4 empty_tool_calls" in capsys.readouterr().out


def test_a_passing_record_becomes_a_reject_fixture_that_says_that_it_is_manufactured(shop, capsys):
    """S124."""
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["by"], told["reason"], told["at"]) == (
        "assert_refund", "amount_cents", "tool_calls[1].arguments.amount_cents",
    )  # fmt: skip
    folder = shop / "made" / "good-wrong_argument"
    assert sorted(each.name for each in folder.iterdir()) == ["README.md", "case.yaml", "expect.yaml", "record.json"]
    said = expectation((folder / "expect.yaml").read_bytes())
    assert (said.verdict, said.by, said.reason, said.manufactured) == (
        "reject", "assert_refund", "amount_cents", "wrong_argument",
    )  # fmt: skip
    record = RunRecord.from_json((folder / "record.json").read_bytes())
    assert record.tool_calls[1].arguments_parsed["amount_cents"] == 420000
    assert record.tool_calls[0].arguments_parsed == RUN["tool_calls"][0]["arguments"]
    case, good = load_case(folder / "case.yaml"), load_case(shop / "fixtures" / "good" / "case.yaml")
    assert (case.now, case.input, case.expectations, case.facts) == (
        good.now,
        good.input,
        good.expectations,
        good.facts,
    )
    assert "Manufactured: no incident stands behind this record" in (folder / "README.md").read_text()
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made", "--json") == 0
    assert json.loads(capsys.readouterr().out)["state"] == "unchanged"
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_another_fixture_is_not_written_over(shop, capsys):
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made") == 0
    (shop / "made" / "good-wrong_argument" / "README.md").write_text("Ours.\n")
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made") == 1
    assert (shop / "made" / "good-wrong_argument" / "README.md").read_text() == "Ours.\n"
    assert sorted(each.name for each in (shop / "made").iterdir()) == ["good-wrong_argument"]


def test_the_vacuous_loop_gets_no_fixture_of_row_four_unless_asked_for(shop, capsys):
    arguments = ("fixtures/good", "--with", "empty_tool_calls", "--by", "assert_tools", "--out", "made")
    assert mutate(*arguments) == 1
    assert "assert_tools accepts empty_tool_calls: the mutation shows no teeth" in capsys.readouterr().err
    assert not (shop / "made").exists()
    assert mutate(*arguments, "--anyway", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rejected"] is False
    folder = shop / "made" / "good-empty_tool_calls"
    said = expectation((folder / "expect.yaml").read_bytes())
    assert (said.by, said.reason) == ("assert_tools", "tool_calls")
    assert "red until the check is repaired" in " ".join((folder / "README.md").read_text().split())


def test_a_fixture_that_another_check_rejects_first_is_no_evidence(shop, capsys):
    assert mutate("fixtures/good", "--with", "wrong_tool_name", "--by", "assert_tools", "--out", "made", "--json") == 0
    # The first variant renames the refund, which assert_refund rejects first; the lookup's is assert_tools' alone.
    assert json.loads(capsys.readouterr().out)["at"] == "tool_calls[0].name"
    sys.modules.pop("shop_checks")
    (shop / "shop_checks.py").write_text(
        CHECKS + '@check("assert_count")\ndef count(record, case):\n    exactly(2, record.tool_calls)\n'
    )
    assert mutate("fixtures/good", "--with", "empty_tool_calls", "--by", "assert_count", "--out", "made") == 1
    assert "assert_refund rejects empty_tool_calls before assert_count" in capsys.readouterr().err


def test_what_cannot_be_corrupted_so_says_why(shop, capsys):
    assert mutate("fixtures/good", "--with", "forbidden_tool", "--out", "made") == 1
    assert "forbidden_tool does not apply: nothing at tool_calls[].name" in capsys.readouterr().err
    assert mutate("fixtures/good", "--with", "other_model", "--out", "made") == 1
    assert "no check rejects other_model" in capsys.readouterr().err
    bad = json.loads(json.dumps(RUN))
    bad["finish_reason"] = "length"
    (shop / "fixtures" / "good" / "record.json").write_text(json.dumps(bad))
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made") == 1
    assert "the record is no passing one: finished rejects it" in capsys.readouterr().err
    assert not (shop / "made").exists()


def test_words_that_checks_forbid_are_inserted(shop):
    assert mutate("fixtures/good", "--with", "forbidden_phrase", "--by", "promises", "--out", "made") == 0
    text = (shop / "made" / "good-forbidden_phrase" / "record.json").read_text()
    assert "no risk" in text


def test_nothing_of_a_case_in_quarantine_is_copied(shop, capsys):
    (shop / "quarantine").mkdir()
    (shop / "fixtures" / "good").rename(shop / "quarantine" / "good")
    assert mutate("quarantine/good", "--with", "wrong_argument", "--out", "made") == 2
    assert not (shop / "made").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (), ("fixtures/good",), ("fixtures/good", "--with", "nothing", "--out", "made"),
        ("fixtures/good", "--with", "wrong_argument", "--out", "made", "--by", "nobody"),
        ("fixtures/good", "--with", "wrong_argument", "--out", "made", "--anyway"),
        ("fixtures/good", "--with", "wrong_argument", "--out", "made", "--html", "x.html"),
        ("--matrix", "fixtures", "--with", "wrong_argument"), ("--matrix",), ("--matrix", "nowhere"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(shop, arguments):
    assert mutate(*arguments) == 2


def test_a_run_that_cannot_be_read_is_said_without_a_word_of_it(shop, capsys):
    (shop / "fixtures" / "good" / "record.json").write_text('{"private": ')
    assert mutate("--matrix", "fixtures") == 6
    assert "private" not in "".join(capsys.readouterr())


def test_the_matrix_of_a_suite_as_table_json_and_page(shop, capsys):
    assert mutate("--matrix", "fixtures", "--html", "matrix.html") == 0
    told = capsys.readouterr().out
    assert "every check rejects a mutation" in told
    assert "assert_tools: walks tool_calls and accepts that there is nothing in it" in told
    not_proved = " ".join(told.split()).partition(" not proved: ")[2]
    assert "other corruptions than those that were tried: passing all of them is a floor, no ceiling" in not_proved
    assert told.endswith("verdict: every check rejects a mutation\n")
    assert "well tested" not in told
    text = (shop / "matrix.html").read_text()
    assert "<script" not in text
    assert "assert_refund" in text
    assert mutate("--matrix", "fixtures", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["toothless"] == []
    rows = {each["check"]: each["mutations"] for each in document["checks"]}
    assert rows["assert_refund"]["empty_tool_calls"]["rejected"] == 1
    assert rows["assert_tools"]["empty_tool_calls"]["accepted"] == 1


def test_a_check_without_teeth_is_named_and_ends_with_1(shop, capsys):
    """S91."""
    (shop / "shop_checks.py").write_text(CHECKS + TOOTHLESS)
    assert mutate("--matrix", "fixtures") == 1
    told = capsys.readouterr().out
    assert "assert_now: NO MUTATION IS REJECTED: reads only what no mutation touches: messages" in told
    assert "proved: that at least one check rejects none of these corruptions of these runs" in told


def test_fixtures_that_must_be_rejected_are_no_good_runs(shop, capsys):
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "fixtures") == 0
    capsys.readouterr()
    assert mutate("--matrix", "fixtures", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["records"], told["left_out_runs"]) == (1, 1)
    assert mutate("--matrix", "fixtures/good-wrong_argument") == 2


@pytest.mark.parametrize(
    ("name", "value"), [("<<", 1), ("", 1), ("half", "\ud800"), ("deep", json.loads("[" * 60 + "]" * 60))]
)
def test_a_case_that_the_chapters_form_cannot_spell_leaves_no_fixture_behind(shop, capsys, name, value):
    call = {"tool": "issue_refund", "arguments": {"order_id": "A-7741", "amount_cents": 4200}, "outcome": {"value": {}}}
    ours = {
        "case_id": "2026-06-14-refund",
        "frozen_at": "2026-06-14T09:30:00+00:00",
        "tool_events": [call],
        "final_output": "Done.",
        "facts": [{"name": name, "value": value}],
    }
    (shop / "shop_checks.py").write_text("def check_one(record, case):\n    assert len(record.tool_calls) == 1\n")
    folder = shop / "fixtures" / "2026-06-14-refund"
    folder.mkdir()
    (folder / "fixture.json").write_text(json.dumps(ours))
    assert mutate("fixtures/2026-06-14-refund", "--with", "duplicate_call", "--out", "made") == 2
    assert "no spelling" in capsys.readouterr().err
    assert list((shop / "made").iterdir()) == []


def test_what_is_claimed_is_of_corruptions_and_of_no_reason(shop, capsys):
    """S116."""
    assert mutate("fixtures/good", "--with", "wrong_argument", "--out", "made") == 0
    assert "proved: that the check which is named rejects this corruption" in capsys.readouterr().out
    mutate("--matrix", "fixtures")
    told = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("proved:"))
    assert "of these corruptions of these runs" in told
    assert "reason" not in told
