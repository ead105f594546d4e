"""S129: what is flagged for a reviewer, and what is not."""

from __future__ import annotations

import base64
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.errors import RulesError
from extractor.redact.flags import flagged
from extractor.redact.sensitive_rules import compile_sensitive
from extractor.ruleset import RuleSet, load, location

RULES = load()
SENSITIVE = compile_sensitive(RULES)
DOCUMENT = tomllib.loads((location() / "sensitive.toml").read_text("utf-8"))


def said(*texts, role="user"):
    return {
        "input": {
            "messages": [
                {"id": f"m{number}", "role": role, "parts": [{"type": "text", "text": text}]}
                for number, text in enumerate(texts, 1)
            ]
        }
    }


def flags(document):
    return [(flag.category, flag.step) for flag in flagged(document, (), SENSITIVE)]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("He was hospitalised after the surgery and is now on warfarin.", "medical"),
        ("ICD-10 F32.1, sertraline was stopped, she takes fluoxetine 20 mg daily.", "medical"),
        ("My creatinine was 2.1 and they want dialysis.", "medical"),
        ("I'm the founder of Kestrel Rail, please answer.", "self_identifying"),
        ("My profile is linkedin.com/in/orla-vantry, look me up.", "self_identifying"),
        ("You have seen me on the news. My book about beekeeping is out.", "self_identifying"),
        ("I work at Kestrel Rail. I'm a night welder, and I live in Orrin.", "self_identifying"),
        ("import os\n\ndef pay(x):\n    total = x.price\n    return client.post(total)\n", "code"),
        ("```java\npublic class A {\n  int total = 4;\n}\n```", "code"),
        ("diff --git a/p.py b/p.py\n--- a/p.py\n+++ b/p.py\n@@ -1 +1 @@\n-total = 4\n+total = 5\n", "code"),
    ],
)
def test_sensitive_text_is_flagged_by_category_and_step(text, category):
    assert flags(said("Hello there.", text)) == [(category, "input.messages[1]")]


@pytest.mark.parametrize(
    "text",
    [
        "The doctor told the patient in seat 12A to rest; are weather and health reasons covered by the insurance?",
        "I have cancer, please refund me.",
        "Vitamin C tablets, 500 mg, pack of 60, for my mother's medicine cabinet.",
        "My book and the prescription glasses have not arrived. I live in San Diego.",
        "I am the only passenger on this reservation and I am a gold member.",
        "Please return the item if you can; for me it is fine; try again",
        "Order total = 12.50\nTax = 1.20\nShipping = 0\nThanks (again)\nBye;",
        (
            'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    return g(x)\n  File "b.py", line 2, in g\n'
            "    raise ToolTimeout(x)\nToolTimeout: late\n"
        ),
        "Error: late\n    at post (/srv/app/http.js:12:7)\n    at create (/srv/app/refund.js:31:12)\n",
        '{"status": "ok",\n "items": [\n  {"id": 1},\n  {"id": 2}\n ]\n}',
        "follow the link https://shop.example.com/orders and call me on Monday",
    ],
)
def test_ordinary_service_talk_is_not_flagged(text):
    assert flags(said(text)) == []


def test_what_is_told_over_a_conversation_is_put_together():
    assert flags(said("My son has type 1 diabetes.", "It is hot today.", "He was hospitalized last week.")) == [
        ("medical", "input.messages[0]"),
        ("medical", "input.messages[2]"),
    ]


def test_one_sign_told_twice_is_one_sign():
    assert flags(said("I have cancer.", "As I said, I have cancer.")) == []


def test_members_of_a_structured_result_are_read_with_their_names():
    value = {"patient": {"diagnosis_code": "E11.9", "medication": "metformin"}}
    document = {"tool_events": [{"attempt": 1, "tool": "chart.get", "outcome": {"type": "result", "value": value}}]}
    assert flags(document) == [("medical", "tool_events[0]")]


def test_encoded_text_is_opened():
    text = '{"note": "diagnosed with lupus, takes prednisone"}'
    for body in (text, base64.b64encode(text.encode()).decode(), f"payload={text}"):
        document = {"tool_events": [{"attempt": 1, "tool": "t", "arguments": {"body": body}}]}
        assert flags(document) == [("medical", "tool_events[0]")]


def test_only_the_speaker_identifies_themselves():
    text = "I am the mayor of Larkfield."
    assert flags(said(text, role="assistant")) == []
    assert flags({"final_output": text}) == []
    assert flags({"templates": [{"role": "system", "content": "takes metformin, was diagnosed with lupus"}]}) == []


def test_a_flag_says_category_step_and_count_alone():
    (flag,) = flagged(said("She was diagnosed with lupus and takes prednisone."), (), SENSITIVE)
    assert (flag.category, flag.step, flag.count) == ("medical", "input.messages[0]", 3)
    assert set(flag.__slots__) == {"category", "step", "count"}


def changed(**members):
    return RuleSet(documents={"sensitive": {**DOCUMENT, **members}}, digest=repr(sorted(members)))


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"category": {}}, "no rule at all"),
        ({"category": {**DOCUMENT["category"], "x": {}}}, "category x is malformed"),
        ({"sign": [{**DOCUMENT["sign"][0], "pattern": "("}]}, "sign medical.dosage is malformed"),
        ({"sign": [{**DOCUMENT["sign"][0], "words": []}]}, "sign medical.dosage is malformed"),
        ({"sign": [{**DOCUMENT["sign"][0], "category": "x"}]}, "sign medical.dosage is of no category"),
        ({"sign": [{**DOCUMENT["sign"][0], "matches": ["no"]}]}, "fails its own matches example 1"),
        ({"sign": [{**DOCUMENT["sign"][0], "matches": []}]}, "shows no example"),
        ({"example": [{**DOCUMENT["example"][0], "flagged": False}]}, "example 1 does not come out"),
        ({"example": [{**DOCUMENT["example"][0], "category": "x"}]}, "example 1 is malformed"),
        ({"credential": [{"kind": ""}]}, "credential 1 is malformed"),
        ({"sign": 3}, "neither a table nor a list"),
    ],
)
def test_a_broken_rule_is_told(members, fault):
    with pytest.raises(RulesError) as caught:
        compile_sensitive(changed(**members))
    assert [line for line in caught.value.faults if fault in line]


def test_an_overlay_adds_a_category_of_its_own(tmp_path):
    (tmp_path / "sensitive").mkdir()
    (tmp_path / "sensitive" / "legal.toml").write_text(
        "[category.legal]\nwhy = 'privileged'\nroles = ['user']\n[[sign]]\nid = 'legal.privilege'\ncategory = 'legal'\n"
        "why = 'w'\nwords = ['privileged']\npattern = '(?i)attorney[- ]client privileged'\n"
        "matches = ['attorney-client privileged']\n"
    )
    rules = compile_sensitive(load((tmp_path,)))
    found = flagged(said("This is attorney-client privileged."), (), rules)
    assert [(flag.category, flag.step) for flag in found] == [("legal", "input.messages[0]")]


@given(st.text(max_size=400))
def test_any_text_is_read(text):
    flagged(said(text), (), SENSITIVE)
