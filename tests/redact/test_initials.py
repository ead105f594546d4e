"""An initial is that of the stand-in, wherever and however it stands."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.initials import abbreviated, dotted_initials

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
PARTICLES = frozenset({"von", "van", "de"})
USUAL = frozenset({"pm"})


def redacted(value):
    return redact_documents([value], RULES, RunConfig(), KEY)[0]


@pytest.mark.nlp
@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("I. Kaplan called", "{i}. {family} called"),
        ("KAPLAN I.", "{I}. of {FAMILY}"),
        ("from Kaplan, I.", "from {family}, {i}."),
        ("Ines K. wrote", "{given} {k}. wrote"),
        ("seen by I.K.", "seen by {i}.{k}."),
        ("seen by I. K.", "seen by {i}. {k}."),
        ("i.kaplan@example.org", "{i}.{family}@example.org"),
        ("ikaplan@example.org", "{i}{family}@example.org"),
        ("ines.k@example.org", "{given}.{k}@example.org"),
        ("kaplan_i@example.org", "{family}_{i}@example.org"),
        ("login i_kaplan now", "login {i}_{family} now"),
    ],
)
@pytest.mark.parametrize(
    "person",
    [{"full_name": "Ines Kaplan"}, {"first_name": "Ines", "last_name": "Kaplan"}, {"full_name": "Kaplan, Ines"}],
)
def test_an_initial_is_that_of_the_stand_in(text, frame, person):
    made = redacted({**person, "log": text})
    if "full_name" in made:
        words = re.findall(r"\w+", made["full_name"])
        given, family = words[::-1] if "," in made["full_name"] else words
    else:
        given, family = made["first_name"], made["last_name"]
    if frame.startswith("{I}"):
        assert made["log"] == f"{family} {given[0]}.".upper()
        return
    spelled = frame.format(given=given, family=family, i=given[0], k=family[0])
    assert made["log"] == (spelled if text[0].isupper() or " by " in text or " Kaplan" in text else spelled.lower())


@pytest.mark.nlp
def test_the_member_of_the_initials_holds_those_of_the_stand_in():
    made = redacted({"full_name": "Ines Kaplan", "initials": "IK"})
    assert made["initials"] == "".join(word[0] for word in made["full_name"].split())


@pytest.mark.nlp
@pytest.mark.parametrize("name", ["Иван Каренко", "Éloise Ørsted", "נועה ברקוביץ"])
def test_initials_of_every_script_follow(name):
    first, last = name.split()
    made = redacted({"full_name": name, "log": f"{first[0]}. {last}, {first} {last[0]}."})
    given, family = made["full_name"].split()
    assert made["log"] == f"{given[0]}. {family}, {given} {family[0]}."
    assert {unicodedata.name(char).split()[0] for char in given} == {
        unicodedata.name(char).split()[0] for char in first
    }


@pytest.mark.nlp
@pytest.mark.parametrize(
    "text",
    [
        "Kaplan I'm late",
        "give Kaplan a refund",
        "Kaplan, I think so",
        "in the U.S. at 9 A.M.",
        "Hi. All is well",
        ["thanks, Kaplan.", "I am late"],
    ],
)
def test_words_of_one_letter_stay(text):
    made = redacted(
        {
            "people": [{"full_name": "Ines Kaplan"}, {"full_name": "Ulla Svensson"}, {"full_name": "Ada Mohr"}],
            "log": text,
        }
    )
    family = made["people"][0]["full_name"].split()[1]
    assert json.dumps(made["log"]) == json.dumps(text).replace("Kaplan", family)


@pytest.mark.nlp
def test_people_with_one_family_name_stay_apart_by_their_initials():
    names = [f"{given} Kaplan" for given in ("Ines", "Jonas", "Oda", "Tomas", "Ruth")]
    made = redacted(
        {"people": [{"full_name": name} for name in names], "log": [f"{name[0]}. Kaplan" for name in names]}
    )
    assert len(set(made["log"])) == len(names)
    assert made["log"] == [f"{one['full_name'][0]}. {one['full_name'].split()[1]}" for one in made["people"]]


def test_an_ordinary_word_needs_an_initial_with_its_full_stop():
    assert "w. grant" in set(abbreviated("Will Grant", PARTICLES))
    assert not {"w grant", "w.grant", "grant w", "will g", "will g."} & set(abbreviated("Will Grant", PARTICLES))


def test_particles_stand_with_the_family_name_and_a_single_word_has_no_short_form():
    forms = set(abbreviated("Otto Maria von Hartlieb", PARTICLES))
    assert {"o. von hartlieb", "o. hartlieb", "o.m. von hartlieb", "otto m. von hartlieb", "hartlieb, o. m."} <= forms
    assert set(dotted_initials("Otto Maria von Hartlieb", PARTICLES, USUAL)) == {"O.H.", "O. H.", "O.M.H.", "O. M. H."}
    assert "o. hartlieb" in set(abbreviated("Hartlieb, Otto", PARTICLES)) & set(
        abbreviated("Otto Hartlieb, Jr.", PARTICLES)
    )
    assert list(abbreviated("Hartlieb", PARTICLES)) == list(dotted_initials("Hartlieb", PARTICLES, USUAL)) == []
    assert list(dotted_initials("Petra Moss", PARTICLES, USUAL)) == []
