"""A longer number is another number: nothing of it is left standing, and it does not hold the shorter one's stand-in."""

from __future__ import annotations

import json
import re

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.longer import longer_numbers

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))


def redacted(*values):
    return redact_documents(values, RULES, RunConfig(), KEY)


@pytest.mark.nlp
@pytest.mark.parametrize(
    "text",
    [
        "SSN: 219099998, tracking 219099998417, done",
        "tracking 219099998417, SSN: 219099998, done",
        "SSN: 219099998, paid $219099998417, done",
        "SSN: 219099998, parcel x417219099998, done",
        "SSN: 219-09-9998, tracking 219-09-9998417, done",
        "SSN: 219099998, token 4a1b7c219099998d2, done",
    ],
)
def test_a_longer_number_is_another_number(text):
    (made,) = redacted(text)
    known, longer = (re.findall(r"[\dA-Za-z-]*\d{4,}[\dA-Za-z-]*", one) for one in (text, made))
    assert len(known) == len(longer) == 2
    assert not any(re.search(rf"(?<!\d){re.escape(one[-3:])}(?![\w])", made) for one in known if len(one) > 11)
    short, long = sorted(longer, key=len)
    assert re.sub(r"\D", "", short) not in re.sub(r"\D", "", long)
    assert "219099998" not in re.sub(r"\D", "", made)


@pytest.mark.nlp
def test_what_a_longer_number_became_it_becomes_everywhere():
    first, second = redacted({"ssn": "219099998", "note": "see 219099998417"}, {"count": 219099998417})
    assert str(second["count"]) in first["note"]
    assert len(str(second["count"])) == len("219099998417")


@pytest.mark.nlp
def test_an_order_with_one_more_digit_is_another_order():
    (made,) = redacted({"order_id": "FH-204816", "other": "FH-2048167", "held": "refund-FH-204816-1"})
    assert made["order_id"] in made["held"]
    assert made["order_id"] not in made["other"]
    assert "204816" not in json.dumps(made)


@pytest.mark.nlp
@pytest.mark.parametrize("frame", ["BF-{}", "https://shop.example.com/o/{}?a=1", "#{}-A", "W{}", "{}Z", "{} 12"])
def test_a_number_that_another_text_holds_by_design_stays_the_same(frame):
    number = "7706410293"
    (made,) = redacted({"account_number": number, "note": "now " + frame.format(number)})
    assert made["account_number"] in made["note"]


def test_only_numbers_that_go_on_are_longer(filled):
    vault = filled([("ssn", "219099998"), ("phone", "555-0142"), ("record_id", "FH-204816")])
    text = "219099998 x219099998 2190999981 1765555014212 ab1c219099998d2 FH-204816-1 FH-2048167"
    found = {longer for longer, _ in longer_numbers([text], vault)}
    assert found == {"2190999981", "1765555014212", "ab1c219099998d2", "FH-2048167"}
