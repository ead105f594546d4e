"""What was one stays one, what was two stays two, whatever the spelling, the run or the key."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

from extractor.model.json import compact, parse

pytestmark = pytest.mark.nlp
MAIL = "ines.kaplan@example.org"


def test_case_variants_of_a_mailbox_are_one(redacted):
    """rel.email_case"""
    spelled = [
        "Ines.Kaplan@Example.org",
        MAIL,
        MAIL.upper(),
        "<mailto:Ines.Kaplan@example.org>",
        "InES.kaplan@example.org",
    ]
    made = redacted(spelled)
    plain, *others = (text.casefold().removeprefix("<mailto:").removesuffix(">") for text in made)
    assert set(others) == {plain} != {MAIL}
    assert made[1].islower()
    assert made[2].isupper()
    assert made[3].startswith("<mailto:")


@pytest.mark.parametrize(
    "keys",
    [
        ["Oda@example.com", "oda@example.com", "ODA@EXAMPLE.COM", "oDa@example.com"],
        ["Xk9aB2cD7eQ47", "xK9Ab2Cd7Eq47"],
    ],
)
def test_two_keys_that_differ_in_case_stay_two(redacted, keys):
    """rel.email_case, leak.json_key: equal without case before, equal without case after"""
    made = redacted({"orders": {key: place for place, key in enumerate(keys)}})["orders"]
    assert list(made.values()) == list(range(len(keys)))
    assert len({key.casefold() for key in made}) == 1
    assert not {key.casefold() for key in made} & {key.casefold() for key in keys}


def test_the_longest_name_wins_and_no_word_is_cut(redacted):
    """rel.substring_names"""
    made = redacted(
        "Leonora met Leonora Vance and Vance Leonorasen.", also={"full_name": ["Leonora Vance", "Vance Leonorasen"]}
    )
    one, full, other = re.fullmatch(r"(\w+) met (\w+ \w+) and (\w+ \w+)\.", made).groups()
    assert full.split()[0] == one
    assert other.split()[0] == full.split()[1]
    assert not re.search("leonora|vance", made, re.IGNORECASE)


def test_replacement_is_one_pass_and_no_pseudonym_is_an_original(redacted):
    """rel.replacement_chain"""
    names = ["Alma", "Bruno", "Celia", "Dario"]
    made = redacted(
        {"people": [{"first_name": name} for name in names], "t": "Alma told Bruno that Celia saw Alma and Dario."}
    )
    mapped = dict(zip(names, (one["first_name"] for one in made["people"]), strict=True))
    assert len(set(mapped.values())) == len(names)
    assert not set(mapped.values()) & set(names)
    assert made["t"] == "{Alma} told {Bruno} that {Celia} saw {Alma} and {Dario}.".format(**mapped)


def test_equal_digits_under_other_names_are_only_what_their_rule_says(redacted):
    """rel.cross_type_equal_raw: ids share one stand-in, a port is a port"""
    made = redacted({"order_id": "51377", "port": 51377, "account_id": "51377", "note": "waited 120 ms"})
    assert made["port"] == 51377
    assert made["order_id"] == made["account_id"] != "51377"
    assert made["note"] == "waited 120 ms"


@pytest.mark.parametrize(
    "make",
    [
        lambda number: f"guest{number}@example.com",
        lambda number: f"+1 212 555 {number:04}",
        lambda number: f"ORD-{number:06}K",
    ],
)
def test_no_pool_runs_out(redacted, make):
    """rel.pool_exhaustion"""
    values = [make(number) for number in range(3_000)]
    made = redacted({"rows": [{"value": value} for value in values]})["rows"]
    stand_ins = {row["value"] for row in made}
    assert len(stand_ins) == len(values)
    assert not stand_ins & set(values)


def test_one_value_has_one_pseudonym_in_every_run_under_one_key(redacted):
    """rel.random_salt, rel.reproducible_across_runs, rel.domain_separation"""
    first = redacted([MAIL, MAIL])
    assert first[0] == first[1] != MAIL
    assert redacted([MAIL, MAIL]) == first
    assert redacted(["other text", MAIL])[1] == first[0]
    assert redacted([MAIL], other_key=True)[0] != first[0]
    assert redacted([MAIL], scope="another tenant")[0] != first[0]


def test_order_and_neighbours_change_no_pseudonym(redacted):
    """rel.batch_numbering"""
    one, two = "mail ines.kaplan@example.org", "mail bram.voskuil@example.net"
    forward, backward = redacted({"a": one, "b": two}), redacted({"b": two, "a": one})
    assert forward == {"a": backward["a"], "b": backward["b"]}
    assert forward["a"] != forward["b"]
    assert all(text.startswith("mail ") for text in forward.values())


def test_lists_keep_their_lengths_and_their_values_apart(redacted):
    """rel.list_collapse"""
    people = [
        {"name": "Ines Kaplan", "emails": [MAIL, "ik@example.net"]},
        {"name": "Bram Voskuil", "emails": ["bram.voskuil@example.net"]},
        {"name": "Teo Lind", "emails": []},
    ]
    made = redacted({"users": people})["users"]
    assert [list(one) for one in made] == [["name", "emails"]] * 3
    assert [len(one["emails"]) for one in made] == [2, 1, 0]
    assert len({mail for one in made for mail in one["emails"]}) == 3
    assert made[0]["emails"][0].split("@")[0] == made[0]["name"].lower().replace(" ", ".")


def test_untouched_numbers_keep_their_spelling_and_members_their_order(redacted):
    """rel.number_fidelity"""
    text = '{"n": 9007199254740995, "sum": 7.50, "wide": 98765432109876543210987.5, "e": 3E+7, "z": -0.0, "to": "%s", "a": 1}'
    made = redacted(text % MAIL)
    assert re.sub(r'"to": "[^"]+"', '"to": "%s"', made) == text
    assert compact(redacted(parse(text % "hi"))) == compact(parse(text % "hi"))


def test_punctuation_variants_of_an_account_are_one(redacted, digits):
    """rel.format_variants: the rule is that digits alone count, and that leading zeros make another number"""
    made = redacted(
        {"a": "7706-4102-93", "b": "7706 4102 93", "c": "7706410293", "d": "0007706410293", "t": "for 77064102-93"}
    )
    assert {digits(made[name]) for name in "abct"} == {made["c"]} != {"7706410293"}
    assert [re.sub(r"\d", "0", made[name]) for name in "ab"] == ["0000-0000-00", "0000 0000 00"]
    assert digits(made["d"]) != made["c"]


def test_a_tag_keeps_the_owner(redacted):
    """rel.plus_tag: the same base with the tag replaced as well"""
    made = redacted({"a": "ines.kaplan+trips@example.org", "b": MAIL, "c": "ines.kaplan+trips@example.org"})
    assert made["a"] == made["c"]
    base, _, rest = made["a"].partition("+")
    assert base == made["b"].partition("@")[0]
    assert rest.endswith("@example.org")
    assert "kaplan" not in compact(made)


def test_a_name_is_one_person_in_every_case_and_order(redacted):
    """leak.name_case, leak.known_value_elsewhere"""
    made = redacted(
        {
            "full_name": "Ines Kaplan",
            "t": "INES KAPLAN, ines kaplan, Kaplan, Ines and KAPLAN I. are one; ask Ines, or ines.",
        }
    )
    first, last = made["full_name"].split()
    assert made["t"].startswith(
        f"{first} {last}, ".upper() + f"{first} {last}, ".lower() + f"{last}, {first} and {last.upper()} "
    )
    assert not re.search("ines|kaplan", made["t"].replace("ask", ""), re.IGNORECASE)


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"full_name": "Lena Fischer"}, ("Lena", "Fischer")),
        ({"first_name": "Lena", "last_name": "Fischer"}, ("Lena", "Fischer")),
        ({"full_name": "Sean O'Hara"}, ("Sean", "O'Hara")),
        ({"full_name": "Otto von Hartwig"}, ("Otto", "Hartwig")),
    ],
)
def test_a_login_made_of_a_name_is_made_of_its_pseudonym(redacted, record, name):
    """leak.home_path_login, leak.known_value_elsewhere: names joined, reversed, or by an initial"""
    first, last = (word.replace("'", "").lower() for word in name)
    logins = [first + last, last + first, first[0] + last, f"{first}.{last}", f"{first}{last}@example.org"]
    made = redacted(
        {"customer": record, "logins": logins, "said": f"write to {first.capitalize()}{last.capitalize()} now"}
    )
    words = " ".join(made["customer"].values()).split()
    new_first, new_last = words[0].lower(), words[-1].lower().replace("'", "")
    assert made["logins"][:3] == [new_first + new_last, new_last + new_first, new_first[0] + new_last]
    assert made["logins"][4] == f"{new_first}{new_last}@example.org"
    assert made["said"].lower() == f"write to {new_first}{new_last} now"
    if "'" not in name[1]:
        assert made["logins"][3] == f"{new_first}.{new_last}"


def test_a_known_account_is_found_with_a_suffix_and_by_its_end(redacted):
    """leak.known_value_elsewhere"""
    made = redacted(
        {
            "customer": {"full_name": "Ines Kaplan", "account": "7706410293"},
            "log": "hello ines, the account ending 0293 (#7706410293-B) is that of KAPLAN I.",
        }
    )
    account = made["customer"]["account"]
    assert account != "7706410293"
    assert f"(#{account}-B)" in made["log"]
    assert "the account ending " in made["log"]
    assert not re.search("ines|kaplan", made["log"], re.IGNORECASE)


def test_a_login_learnt_from_a_path_goes_everywhere(redacted):
    """leak.home_path_login"""
    made = redacted(
        {
            "cwd": "/home/ikaplan/src/trips",
            "mac": "/Users/ikaplan/Library",
            "tmp": "C:\\Users\\ikaplan\\AppData\\Local\\Temp\\pytest-of-ikaplan\\p-9",
            "unc": "\\\\IKAPLAN-PC\\share",
            "git": "Author: ikaplan <ikaplan@example.org>",
        }
    )
    login = made["cwd"].split("/")[2]
    assert "kaplan" not in json.dumps(made).lower()
    assert made["cwd"] == f"/home/{login}/src/trips"
    assert made["mac"] == f"/Users/{login}/Library"
    assert made["tmp"] == f"C:\\Users\\{login}\\AppData\\Local\\Temp\\pytest-of-{login}\\p-9"
    assert made["unc"] == f"\\\\{login.upper()}-PC\\share"
    assert made["git"] == f"Author: {login} <{login}@example.org>"


def test_the_values_of_a_template_are_those_of_the_input(redacted):
    """leak.prompt_template_copy"""
    made = redacted(
        {
            "type": "ChatPromptTemplate",
            "metadata": {"template": "Write to {name}", "partial_variables": {"name": "Ines Kaplan"}},
            "input": {"name": "Ines Kaplan"},
        }
    )
    assert made["metadata"]["template"] == "Write to {name}"
    assert made["type"] == "ChatPromptTemplate"
    assert made["metadata"]["partial_variables"]["name"] == made["input"]["name"] != "Ines Kaplan"


@pytest.mark.parametrize("name", ["José Peñalba", "Zoë Åström", "Đặng Phương"])
def test_composed_and_decomposed_spellings_are_one(redacted, name):
    """leak.nfc_nfd"""
    spelled = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
    made = redacted({"full_name": spelled[0], "log": f"paid by {spelled[0]} and {spelled[1]}."})
    assert made["log"] == "paid by {0} and {0}.".format(made["full_name"])
    assert made["full_name"] != spelled[0]
