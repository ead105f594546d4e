from __future__ import annotations

import pytest

from extractor.errors import UsageError
from extractor.review._keys import create_signing_key
from extractor.review._policy import Policy, policy


def test_without_a_policy_two_people_are_needed_and_no_signature(tmp_path):
    plain = policy(tmp_path)
    assert plain == Policy()
    assert plain.needed(red=False) == plain.needed(red=True) == {"privacy": 1, "incident-owner": 1}
    assert set(plain.distinct) >= {"privacy", "incident-owner"}
    assert plain.unsigned
    assert not plain.given


def test_a_policy_says_who_how_many_with_which_key_and_for_how_long(tmp_path):
    line = create_signing_key(tmp_path / "rana").public_line
    (tmp_path / "policy.toml").write_text(
        f"""
        version = "3"
        unsigned = false
        author-differs = true
        distinct = ["privacy", "incident-owner"]
        lasts-days = 365
        review-due-days = 90
        roles = {{ privacy = 2, incident-owner = 1 }}
        missing-red = {{ qa = 1, privacy = 1 }}
        [people."Rana Okafor"]
        roles = ["privacy"]
        keys = ["{line} rana@laptop", "rana@example.com {create_signing_key(tmp_path / "two").public_line}"]
        [people.Ines]
        """
    )
    found = policy(tmp_path)
    assert (found.version, found.lasts_days, found.review_due_days) == ("3", 365, 90)
    assert (found.unsigned, found.author_differs, found.given) == (False, True, True)
    assert found.needed(red=True) == {"privacy": 2, "incident-owner": 1}
    assert found.needed(red=False) == {"privacy": 3, "incident-owner": 1, "qa": 1}
    rana = found.known("rana  okafor")
    assert rana is not None
    assert (len(rana.keys), rana.roles) == (2, ("privacy",))
    assert found.known("Rana") is None


def test_the_policy_may_stand_in_the_project_s_own_file(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.extract-fixture.approvals]\nlasts-days = 5\n")
    store = tmp_path / "fixtures"
    store.mkdir()
    assert policy(store).lasts_days == 5
    (store / "policy.toml").write_text("")
    with pytest.raises(UsageError, match="keep one of them"):
        policy(store)


def test_all_faults_are_told_at_once_and_no_value_with_them(tmp_path):
    (tmp_path / "policy.toml").write_text(
        """
        Zebra = 1
        unsinged = true
        unsigned = "Zebra"
        lasts-days = 0
        distinct = ["Zebra"]
        roles = { owner = 1, privacy = 10 }
        [people."Zebra Bot"]
        [people.AI]
        [people."zebra bot"]
        [people.Ines]
        keys = ["ssh-rsa Zebra"]
        [people.Jo]
        role = "privacy"
        """
    )
    with pytest.raises(UsageError) as raised:
        policy(tmp_path)
    told = str(raised.value)
    assert "Zebra" not in told
    for fault in (
        "unknown key: member 1",
        "unknown key: unsinged",
        "unsigned: must be true or false",
        "lasts-days: must be a number of days",
        "distinct: holds what is no role",
        "roles: holds what is no role",
        "roles.privacy: must be a number of people",
        "people, entry 2: is no person",
        "people, entry 3: stands twice",
        "people, entry 4, key 1: is no ssh-ed25519 key",
        "people, entry 5: must be a table of roles and keys",
    ):
        assert fault in told


def test_a_policy_that_nobody_can_meet_or_everybody_does_is_refused(tmp_path):
    for text, said in (
        ("roles = {}", "asks for nobody"),
        ("roles = { privacy = 0 }", "asks for nobody"),
        ("unsigned = false", "nobody has a key"),
        ("unsigned = false\n[people.Ines]\nroles = ['qa']", "nobody has a key"),
    ):
        (tmp_path / "policy.toml").write_text(text)
        with pytest.raises(UsageError, match=said):
            policy(tmp_path)


def test_what_never_ends_is_said_by_false(tmp_path):
    (tmp_path / "policy.toml").write_text("review-due-days = false\nlasts-days = false\n")
    assert (policy(tmp_path).review_due_days, policy(tmp_path).lasts_days) == (None, None)
    (tmp_path / "policy.toml").write_text("review-due-days = true\n")
    with pytest.raises(UsageError, match="or false for never"):
        policy(tmp_path)


def test_one_key_is_one_person_s(tmp_path):
    line = create_signing_key(tmp_path / "key").public_line
    (tmp_path / "policy.toml").write_text(f"[people.Ines]\nkeys = ['{line}']\n[people.Jo]\nkeys = ['{line}']\n")
    with pytest.raises(UsageError, match="belongs to two"):
        policy(tmp_path)


def test_a_policy_that_cannot_be_read_is_no_default(tmp_path):
    file = tmp_path / "policy.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(UsageError, match="no valid TOML"):
        policy(tmp_path)
    file.unlink()
    file.symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="cannot be read"):
        policy(tmp_path)
