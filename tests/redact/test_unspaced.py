"""Names without a space between family and given name: their parts are known, and fit the whole."""

from __future__ import annotations

import re

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.unspaced import family_and_given

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
HANGUL, HAN, HIRAGANA = "[\uac00-\ud7a3]", "[\u4e00-\u9fff]", "[\u3041-\u309f]"


def redacted(value):
    return redact_documents([value], RULES, RunConfig(), KEY)[0]


@pytest.mark.nlp
@pytest.mark.parametrize(
    ("name", "given", "frame", "shape"),
    [
        ("김민수", "민수", "{}님, 안녕하세요", HANGUL + "{3}"),
        ("남궁민수", "민수", "{}야", HANGUL + "{4}"),
        ("王小莉", "小莉", "{}说", HAN + "{3}"),
        ("歐陽小莉", "小莉", "我是{}。", HAN + "{4}"),
        ("田中陽子", "陽子", "{}さん", HAN + "{4}"),
        ("佐々木さくら", "さくら", "{}です", HAN + "{3}" + HIRAGANA + "{3}"),
    ],
)
def test_a_given_name_is_known_and_fits_the_whole(name, given, frame, shape):
    made = redacted({"full_name": name, "log": frame.format(given), "whole": frame.format(name)})
    stand_in = made["full_name"]
    assert re.fullmatch(shape, stand_in)
    assert stand_in != name
    assert made["log"] == frame.format(stand_in[-len(given) :])
    assert made["whole"] == frame.format(stand_in)
    assert not set(given) & set(stand_in)


@pytest.mark.nlp
@pytest.mark.parametrize(("family", "given"), [("김", "민수"), ("王", "小莉"), ("田中", "陽子")])
def test_with_and_without_a_space_are_one_name(family, given):
    made = redacted({"full_name": f"{family} {given}", "log": f"{family}{given}, {given}"})
    first, last = made["full_name"].split()
    assert made["log"] == f"{first}{last}, {last}"


@pytest.mark.nlp
def test_people_of_one_family_share_its_stand_in_and_stay_two():
    names = ["김민수", "김서연", "이민수", "박지훈"]
    made = [one["full_name"] for one in redacted([{"full_name": name} for name in names])]
    assert len(set(made)) == len(names)
    assert made[0][0] == made[1][0] != made[2][0]
    assert made[0][1:] == made[2][1:]
    assert not set(made) & set(names)


@pytest.mark.nlp
def test_a_syllable_with_a_final_consonant_is_another_one():
    made = redacted({"full_name": "김민수", "log": "민수, 민순"})
    assert made["log"] == f"{made['full_name'][1:]}, 민순"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("김민수", ("김", "민수")),
        ("田中陽子", ("田中", "陽子")),
        ("欧阳小莉", ("欧阳", "小莉")),
        ("김민", None),  # which may be a given name by itself
        ("쀼민수", None),
        ("Kim Minsu", None),
        ("김민수씨의친구", None),
    ],
)
def test_only_a_listed_family_name_parts_a_name(name, parts):
    assert family_and_given(name, {"김", "田", "田中", "欧阳"}) == parts
