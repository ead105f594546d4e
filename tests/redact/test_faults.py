from __future__ import annotations

import pytest

from extractor.errors import RulesError
from extractor.redact.place import Place
from extractor.redact.rulebook import compile_identifiers
from extractor.ruleset import gather, load

GOOD = """
[[rule]]
id = "team.badge"
entity = "user_id"
why = "Badges of the staff."
names = ["badge"]
matches = ["badge=EMP-1234"]
"""


@pytest.fixture
def faults(tmp_path):
    """Return a function that gives every fault of an overlay of these files."""

    def of(**files: str) -> str:
        for name, text in files.items():
            (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        rules, found = gather((tmp_path,))
        try:
            compile_identifiers(rules)
        except RulesError as error:
            found = [*found, *error.faults]
        return "\n".join(found)

    return of


def test_a_good_overlay_has_none(faults):
    assert faults(team=GOOD) == ""


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('nmaes = ["x"]', "unknown key nmaes"),
        ('"a b" = 1', "unknown key, its member 6"),
        ("shape = '('", "shape does not compile, character 0"),
        ("shape = 7", "shape is no regular expression"),
        ('check = "Counter"', "names a check that there is not"),
        ('check = "_digit"', "names a check that there is not"),
        ("pattern = 'x'", "either a pattern or names"),
        ('under = "desk"', "under is no list of texts"),
        ("under = []", "under is no list of texts"),
        ('under = ["a*b"]', "a star stands for the beginning or the end"),
        ('beside = ["*_x"]', "beside takes whole names only"),
        ('context = ["x"]', "is a rule of names, to which context means nothing"),
        ("keep = 1", "says of keep neither true nor false"),
        ("non_matches = [7]", "non_matches is no list of texts"),
        ('replaces = "no.such"', "replaces no rule of ours"),
        ('replaces = "secret.token"', "replaces a rule for secrets"),
        ('replaces = "record.field"', "replaces a rule for record_id, so it must be one"),
    ],
)
def test_each_fault_of_a_rule_is_told_by_its_file_and_id(line, fault, faults):
    told = faults(team=GOOD + line + "\n")
    assert fault in told
    assert "identifiers/team: rule team.badge" in told


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[[rules]]\n", "has an unknown key rules"),
        ("[entity]\nbadge = { form = 'star', rank = 50 }\n", "entity badge has no form"),
        ("[entity]\nbadge = { form = 'id', rank = true }\n", "entity badge has no rank"),
        ("[entity]\nbadge = { form = 'id', rank = 50, secrte = true }\n", "entity badge has an unknown key secrte"),
        ("[entity]\nbadge = { form = 'id', rank = 0 }\n", "entity badge must rank after the secrets"),
        ("[words]\nsecret_prefixes = ['hunter2']\n", "words secret_prefixes cannot grow"),
        (GOOD.replace('"team.badge"', '"uuid"'), "rule uuid is defined 2 times"),
        (GOOD.replace('"team.badge"', '"Team Badge"'), "has no id of small letters"),
        (GOOD.replace('entity = "user_id"', "keep = true"), "keeps, so under must say whole member names"),
        (GOOD.replace('entity = "user_id"', 'keep = true\nunder = ["desk"]').replace('"badge"', '"*_badge"'), "keeps, so names must"),
    ],
)  # fmt: skip
def test_an_overlay_cannot_weaken_ours_unsaid(text, fault, faults):
    assert fault in faults(team=text)


def test_faults_of_all_files_come_at_once_with_the_line_of_a_syntax_error(faults):
    told = faults(one='x = 1\ny = "a\n', two=GOOD + "shape = '('\n", three="[[rule]]\nid = ")
    assert "identifiers/one: no valid TOML, line 2" in told
    assert "identifiers/two: rule team.badge shape does not compile" in told
    assert "identifiers/three: no valid TOML, " in told


def test_a_file_that_is_no_utf8_is_told_by_its_line(tmp_path, faults):
    (tmp_path / "latin.toml").write_bytes(b"# one\n# caf\xe9\n")
    assert "identifiers/latin: no UTF-8, line 2" in faults()


def test_an_overlay_without_any_rule_file_is_a_fault(tmp_path):
    with pytest.raises(RulesError, match="overlay 1: no rule file found there"):
        load((tmp_path / "nowhere",))


def test_a_file_of_a_family_that_there_is_not_is_a_fault(tmp_path):
    (tmp_path / "identifires").mkdir()
    (tmp_path / "identifires" / "x.toml").write_text(GOOD)
    with pytest.raises(RulesError, match="identifires/x: a project's rules stand in identifiers or dialects"):
        load((tmp_path,))


def test_a_single_file_is_an_overlay_too(tmp_path):
    (tmp_path / "team.toml").write_text(GOOD)
    rules = load((tmp_path / "team.toml",))
    assert rules.own == {"identifiers/team"}
    assert rules.digest != load().digest


def test_a_rule_of_ours_is_replaced_where_that_is_said(tmp_path):
    (tmp_path / "team.toml").write_text(
        """
        [[rule]]
        id = "team.owner"
        replaces = "user.field"
        entity = "user_id"
        why = "Here only `badge` is a person's id."
        names = ["badge"]
        matches = ["badge=b-12"]
        """
    )
    rules = load((tmp_path,))
    compiled = compile_identifiers(rules)
    assert compiled.field(Place(names=("owner",)), "warehouse") is None
    assert compiled.field(Place(names=("badge",)), "b-12").id == "team.owner"
    assert rules.replaced["user.field"]["entity"] == "user_id"


def test_ours_come_before_an_overlay_s(tmp_path):
    (tmp_path / "a.toml").write_text(GOOD.replace('"badge"', '"password"').replace("badge=", "password="))
    compiled = compile_identifiers(load((tmp_path,)))
    assert compiled.field(Place(names=("password",)), "hunter2").entity == "credential"
