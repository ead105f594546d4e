from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from extractor import ruleset
from extractor.cli.app import run

TEAM = """
[entity]
badge = { form = "id", rank = 50 }

[[rule]]
id = "team.badge"
entity = "badge"
why = "Badges of the staff."
names = ["badge"]
under = ["desk"]
shape = '[A-Z]{3}-\\d{4}'
matches = ["desk/badge=EMP-1234"]
non_matches = ["badge=EMP-1234"]
"""
BROKEN = TEAM.replace("EMP-1234", "Zebra-1") + "nmaes = []\n"


@pytest.fixture
def team(here):
    folder = here / "team"
    folder.mkdir()
    (folder / "desk.toml").write_text(TEAM, encoding="utf-8")
    return folder


def of(capsys, *arguments: str) -> str:
    assert run(["rules", *arguments]) == 0
    return capsys.readouterr().out


def test_every_rule_is_listed_with_class_kind_file_and_reason(here, capsys):
    rows = [json.loads(line) for line in of(capsys, "list", "--json").splitlines()]
    kinds = {row["id"]: row["kind"] for row in rows}
    assert {"field", "pattern", "cue", "keep"} == set(kinds.values())
    assert (kinds["user.field"], kinds["uuid"], kinds["record.cued"], kinds["keep.digest"]) == (
        "field",
        "pattern",
        "cue",
        "keep",
    )
    assert all(row["why"] and row["file"].startswith("identifiers/") and not row["own"] for row in rows)
    assert f"{len(rows)} rules" in of(capsys, "list")


def test_a_project_s_rules_are_listed_from_its_settings_and_from_the_command_line(team, here, capsys):
    assert "team.badge" in of(capsys, "list", "--rules", str(team))
    assert "team.badge" not in of(capsys, "list")
    (here / "extract-fixture.toml").write_text('rules = ["team"]\n')
    assert "team.badge" in of(capsys, "list")


def test_a_rule_is_shown_whole_and_the_examples_of_a_secret_are_cut_off(here, capsys):
    told = of(capsys, "show", "secret.vendor")
    assert "Prefixes that vendors document" in told
    assert "_0123456789" not in told
    shown = json.loads(of(capsys, "show", "user.field", "--json"))
    assert "args/user_id=oda_marlow_9620" in shown["matches"]
    assert "names" in shown["conditions"]


def test_an_unknown_rule_is_told_without_repeating_it(here, capsys):
    assert run(["rules", "show", "Zebra"]) == 2
    assert "Zebra" not in capsys.readouterr().err


def test_the_shipped_rules_hold(here, capsys):
    assert "rules hold on" in of(capsys, "test")


def test_our_own_files_may_be_named_too(here, capsys):
    ours = ruleset.location()
    for path in (ours, ours / "identifiers", ours / "identifiers" / "people.toml"):
        assert "rules hold on" in of(capsys, "test", str(path))


def test_a_file_or_a_folder_is_tested_beside_ours(team, here, capsys):
    plain = json.loads(of(capsys, "test", "--json"))
    for path in (team, team / "desk.toml"):
        told = json.loads(of(capsys, "test", str(path), "--json"))
        assert told == {"rules": plain["rules"] + 1, "faults": []}


def test_all_faults_of_all_files_are_told_at_once_with_status_one(here, capsys):
    (here / "one.toml").write_text("a = 1\nb = [\n", encoding="utf-8")
    (here / "two.toml").write_text(BROKEN, encoding="utf-8")
    (here / "three.toml").write_text(BROKEN.replace("nmaes = []", "check = 'none'"), encoding="utf-8")
    (here / "dialects").mkdir()
    (here / "dialects" / "four.toml").write_text("title = 7\n", encoding="utf-8")
    assert run(["rules", "test", "."]) == 1
    told = capsys.readouterr().err
    assert "identifiers/one: no valid TOML, " in told
    assert "identifiers/two: rule team.badge has an unknown key nmaes" in told
    assert "identifiers/three: rule team.badge names a check that there is not" in told
    assert "dialects/four" in told
    assert "Zebra" not in told


def test_a_pattern_that_backtracks_is_a_fault_of_its_file(here, capsys):
    (here / "slow.toml").write_text(
        TEAM.replace('names = ["badge"]\nunder = ["desk"]', "").replace("shape = '[A-Z]{3}-\\d{4}'", "pattern = '(a+)+b'")
        .replace("desk/badge=EMP-1234", "aab").replace("badge=EMP-1234", "x")
    )  # fmt: skip
    assert run(["rules", "test", "slow.toml"]) == 1
    assert "identifiers/slow: rule team.badge takes too long" in capsys.readouterr().err


def test_broken_rules_stop_every_run(here, capsys, export):
    (here / "two.toml").write_text(BROKEN, encoding="utf-8")
    for arguments in (["redact", "--rules", "two.toml", str(export)], ["rules", "list", "--rules", "two.toml"]):
        assert run(arguments) == 2
        assert "unknown key nmaes" in capsys.readouterr().err


@pytest.fixture
def asked(here, monkeypatch, capsys):
    def about(value: str, *options: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(value.encode())))
        return of(capsys, "test", "--value", "-", *options)

    return about


def test_a_value_is_told_by_rule_and_range_and_never_shown(asked):
    told = asked("write to zed.whitcombe@acme-corp.com now\n")
    assert "email.address takes as email characters 9 to 36" in told
    assert "whitcombe" not in told
    found = json.loads(asked("EMP-1234", "--field", "user_id", "--json"))
    assert {"rule": "user.field", "entity": "user_id", "start": 0, "end": 8} in found
    assert "keep.digest keeps" in asked("d92fce3726746a0b1c2d3e4f50617283", "--field", "http.etag")


def test_a_value_on_the_command_line_is_refused(here, capsys):
    assert run(["rules", "test", "--value", "Zebra"]) == 2
    assert "Zebra" not in capsys.readouterr().err


def test_a_field_is_explained_with_the_conditions_of_each_rule(team, here, capsys):
    told = of(capsys, "explain", "order.customer.email")
    assert "email.field takes it as email; shape " in told
    assert "person.name_of would take it as person; under customer" in of(capsys, "explain", "name")
    assert "person.name_of takes it as person; shape" in of(capsys, "explain", "customer.name")
    assert "keep.digest keeps it" in of(capsys, "explain", "etag")
    assert "team.badge takes it as badge" in of(capsys, "explain", "desk[3].badge", "--rules", str(team))
    assert "no rule goes by this field" in of(capsys, "explain", "weather")


def test_a_field_is_explained_to_machines(here, capsys):
    (first,) = json.loads(of(capsys, "explain", "user_id", "--json"))
    assert first["names"] == ["user_id"]
    assert first["rules"][0] == {
        "rule": "user.field",
        "entity": "user_id",
        "keeps": False,
        "applies": "here",
        "conditions": first["rules"][0]["conditions"],
    }


def test_the_example_of_the_page_about_rules_holds(here, capsys):
    page = (Path(__file__).parent.parent.parent / "docs" / "rules.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (here / "example.toml").write_text(example, encoding="utf-8")
    assert run(["rules", "test", "example.toml"]) == 0
    assert "rules hold" in capsys.readouterr().out
