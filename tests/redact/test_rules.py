from __future__ import annotations

import re
from pathlib import Path

import pytest

from extractor.errors import RulesError
from extractor.redact import checks
from extractor.redact.fold import fold
from extractor.redact.place import Place
from extractor.redact.rulebook import compile_identifiers
from extractor.redact.rules import NamePattern, PatternRule
from extractor.ruleset import load

OVERLAY = Path("identifiers") / "team.toml"


def overlaid(tmp_path, text):
    file = tmp_path / OVERLAY
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return load((tmp_path,))


def shipped():
    return [entry for document in load().family("identifiers").values() for entry in document.get("rule", [])]


def test_every_shipped_rule_shows_what_it_matches_and_what_not():
    """Compiling runs each example; here the examples themselves are held to being there."""
    for entry in shipped():
        assert entry["matches"], entry["id"]
        assert entry.get("non_matches"), entry["id"]
        assert entry["why"].endswith((".", "?")), entry["id"]


def test_no_two_shipped_rules_share_a_name():
    ids = [entry["id"] for entry in shipped()]
    assert len(ids) == len(set(ids))


def test_no_shipped_example_is_somebodys(identifiers):
    mailboxes = [text for entry in shipped() for text in map(str, entry["matches"]) if "@" in text]
    assert all(re.search(r"example|localhost|svc\.corp|@oda|@[a-z.]+\s", text) for text in mailboxes)


@pytest.mark.parametrize("entry", shipped(), ids=lambda entry: entry["id"])
def test_no_shipped_pattern_is_slow_on_repetition(identifiers, entry):
    """A pattern meets its own beginnings and endings repeated; one that backtracks over them would not come back."""
    rule = next((rule for rule in identifiers.patterns if rule.id == entry["id"]), None)
    if rule is None:
        return
    for example in (*entry["matches"], *entry.get("non_matches", [])):
        text = "".join(example)
        for part in {text[:1], text[: len(text) // 2] or "-", text[:-1] or "-", text[-4:], "-", "password=", "a."}:
            view = fold(part * (20_000 // len(part)))
            sum(1 for _ in rule.ranges(view.clean, view.text))


def test_all_faults_of_an_overlay_are_listed_at_once(tmp_path):
    rules = overlaid(
        tmp_path,
        """
        [[rule]]
        id = "team.no_example"
        entity = "record_id"
        why = "x"
        names = ["badge"]

        [[rule]]
        id = "team.bad_pattern"
        entity = "record_id"
        why = "x"
        pattern = '('
        matches = ["x"]

        [[rule]]
        id = "team.unknown_entity"
        entity = "starsign"
        why = "x"
        names = ["sign"]
        matches = ["sign=leo"]

        [[rule]]
        id = "team.no_such_check"
        entity = "record_id"
        why = "x"
        pattern = 'x'
        check = "seventh_sense"
        matches = ["x"]

        [[rule]]
        id = "team.fails"
        entity = "record_id"
        why = "x"
        pattern = 'EMP-\\d+'
        matches = ["EMP-12", "secret-value"]
        non_matches = ["EMP-13"]

        [[rule]]
        id = "team.no_reason"
        entity = "record_id"
        why = ""
        names = ["badge"]
        matches = ["badge=1"]

        [[rule]]
        id = "team.keep_and_entity"
        entity = "record_id"
        keep = true
        why = "x"
        names = ["badge"]
        under = ["desk"]
        matches = ["desk/badge=1"]
        """,
    )
    with pytest.raises(RulesError) as caught:
        compile_identifiers(rules)
    faults = "\n".join(caught.value.faults)
    for rule in (
        "no_example",
        "bad_pattern",
        "unknown_entity",
        "no_such_check",
        "fails",
        "no_reason",
        "keep_and_entity",
    ):
        assert f"team.{rule}" in faults
    assert "team.fails fails its own matches example 2" in faults
    assert "team.fails fails its own non_matches example 1" in faults
    assert "secret-value" not in faults
    assert len(caught.value.faults) == 8


@pytest.mark.parametrize(
    "text",
    [
        "[[rule]]\n",
        "rule = 7\n",
        "[rule]\nid = 'x'\n",
        "[entity]\nx = {}\n",
        "[entity]\nx = 7\n",
        "[words]\nx = 7\n",
        "words = 7\n",
        "[entity]\ncredential = { form = 'id', rank = 1 }\n",
    ],
)
def test_overlays_of_another_shape_are_refused_like_any_fault(tmp_path, text):
    with pytest.raises(RulesError):
        compile_identifiers(overlaid(tmp_path, text))


def test_no_rule_keeps_a_secret(tmp_path):
    rules = overlaid(
        tmp_path,
        """
        [[rule]]
        id = "team.keep"
        keep = true
        why = "Somebody is in a hurry."
        names = ["password", "note_id"]
        under = ["desk"]
        matches = ["desk/password=hunter2"]
        """,
    )
    compiled = compile_identifiers(rules)
    assert compiled.field(Place(names=("desk", "password")), "hunter2").entity == "credential"
    assert compiled.field(Place(names=("desk", "note_id")), "n-12") is None


def test_an_overlay_adds_a_rule(tmp_path):
    rules = overlaid(
        tmp_path,
        """
        [[rule]]
        id = "team.badge"
        entity = "user_id"
        why = "Badges of the staff."
        pattern = '(?<!\\w)(?P<v>EMP-\\d{4})'
        matches = ["EMP-1234"]
        non_matches = ["TEMP-1234"]
        """,
    )
    assert "team.badge" in {rule.id for rule in compile_identifiers(rules).patterns}


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("email", True),
        ("emails", True),
        ("work_email", True),
        ("email_sent", False),
        ("x_mail", True),
        ("mail_to", True),
    ],
)
def test_names_are_exact_or_open_on_one_side(name, fits):
    pattern = NamePattern(exact=frozenset({"email"}), suffixes=("_email", "_mail"), prefixes=("mail_",))
    assert pattern.fits(name) is fits


def test_keep_rules_come_first(identifiers):
    assert identifiers.field(Place(names=("flight_number",)), "HAT030") is None
    assert identifiers.kept(Place(names=("flight_number",)), "HAT030")
    assert identifiers.field(Place(names=("order_id",)), "#W2378156").entity == "record_id"


def test_neighbours_and_surroundings_decide_about_a_bare_name(identifiers):
    assert identifiers.field(Place(names=("name",)), "Quarterly Report") is None
    assert identifiers.field(Place(names=("name",)), "Oda Lantern") is None
    assert identifiers.field(Place(names=("customer", "name")), "Oda Marlow").entity == "person"
    assert identifiers.field(Place(names=("name",), beside=frozenset({"email"})), "Oda Marlow").entity == "person"


def test_a_context_word_counts_only_shortly_before():
    rule = PatternRule(
        id="x",
        entity="phone",
        pattern=re.compile(r"\d{7}"),
        check=checks.digits,
        context=re.compile("phone"),
        unknown=False,
    )
    assert list(rule.ranges("phone 5550142", "phone 5550142")) == [(6, 13)]
    far = "phone" + " " * 60 + "5550142"
    assert list(rule.ranges(far, far)) == []
