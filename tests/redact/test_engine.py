"""The stage as a whole, with the real rules and the real language model."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.errors import RedactionRefused
from extractor.model.case import Case
from extractor.model.config import Nlp, RunConfig
from extractor.model.json import ExactNumber, compact, leaves, parse
from extractor.model.reading import Reading
from extractor.model.selection import Decision, Selection
from extractor.model.span import Span
from extractor.model.trace import Subject, Trace
from extractor.redact import WorkspaceKey, dates, redact, redact_documents
from extractor.ruleset import load

pytestmark = pytest.mark.nlp
KEY = WorkspaceKey(material=bytes(range(32)))
CONFIG = RunConfig()
RULES = load()  # what Hypothesis shows of a failure must not hold a whole rule set
TRACE = "0af7651916cd43dd8448eb211c80319c"


def span(number, **attributes):
    return Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_id=None,
        name="execute_tool get_user",
        kind="internal",
        start_ns=number,
        end_ns=number + 1,
        attributes=tuple(attributes.items()),
    )


SPANS = (
    span(1, user_id="yusuf_rossi_9620", note="the caller is born on October 19th, 1982"),
    span(
        2,
        result='{"name": {"first_name": "Yusuf", "last_name": "Rossi"}, "email": "yusuf@shop-a.com", "dob": "1982-10-19"}',
    ),
    span(3, dropped="the card 4556 7375 8689 9855 was refused", phone="+1 215 867 5309"),
)
DOCUMENT = {
    "schema_version": "1.0",
    "case_id": "2026-11-30-get-user-00000000",
    "frozen_at": "2026-11-30T10:15:00+00:00",
    "templates": [
        {"role": "system", "name": "t", "sha256": "0" * 64, "content": "Be kind to Yusuf Rossi and all others."}
    ],
    "documents": [{"sha256": "0" * 64, "content": {"owner": "yusuf_rossi_9620"}}],
    "input": {
        "messages": [
            {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "I am yusuf rossi, born 10/19/1982"}]}
        ]
    },
    "tool_events": [
        {
            "attempt": 1,
            "tool": "get_user",
            "arguments": {"user_id": "yusuf_rossi_9620", "limit": 3},
            "outcome": {"type": "result", "value": {"card": "4556737586899855", "total": ExactNumber("10.10")}},
        }
    ],
    "final_output": "Yusuf, we refunded the card ending in 9855.",
}


def case(spans=SPANS, document=None):
    decisions = tuple(Decision(span_id=item.span_id, kept=True, reason="feeds") for item in spans)
    return Case(
        document=copy.deepcopy(document or DOCUMENT),
        trace=Trace(trace_ids=(TRACE,), spans=spans, steps=(), subject=Subject(), dialects=()),
        selection=Selection(boundary=spans[-1].span_id, boundary_reason="last_answer", decisions=decisions),
        reading=Reading(spans=spans),
    )


@pytest.fixture(scope="module")
def redacted(rules):
    return redact(case(), rules, CONFIG, KEY)


def test_nothing_known_stands_in_the_redacted_document(redacted):
    text = compact(redacted.document).lower()
    for original in ("yusuf", "rossi", "9620", "4556737586899855", "9855", "1982-10-19", "10/19/1982", "867 5309"):
        assert original not in text


def test_relations_hold_across_members(redacted):
    document = redacted.document
    name = re.fullmatch(r"I am (\w+ \w+), born (\S+)", document["input"]["messages"][0]["parts"][0]["text"])
    given_, family = name[1].split()
    assert document["tool_events"][0]["arguments"]["user_id"].startswith(f"{given_}_{family}_")
    assert document["documents"][0]["content"]["owner"] == document["tool_events"][0]["arguments"]["user_id"]
    assert document["final_output"].lower().startswith(given_)
    assert document["tool_events"][0]["outcome"]["value"]["card"].endswith(document["final_output"][-5:-1])


def test_birth_dates_move_a_little_and_keep_the_age(redacted):
    text = redacted.document["input"]["messages"][0]["parts"][0]["text"]
    month, day, year = map(int, text.rpartition(" ")[2].split("/"))
    assert 0 < abs((date(year, month, day) - date(1982, 10, 19)).days) <= 45
    assert 2026 - year - ((month, day) > (11, 30)) == 44


def test_our_own_members_and_exact_numbers_stay(redacted):
    document = redacted.document
    for member in ("schema_version", "case_id", "frozen_at"):
        assert document[member] == DOCUMENT[member]
    assert list(document) == list(DOCUMENT)
    assert document["tool_events"][0]["outcome"]["value"]["total"].text == "10.10"
    assert document["tool_events"][0]["tool"] == "get_user"


def test_digests_are_of_the_redacted_content(redacted):
    for member in ("templates", "documents"):
        entry = redacted.document[member][0]
        content = entry["content"] if isinstance(entry["content"], str) else compact(entry["content"])
        assert entry["sha256"] == hashlib.sha256(content.encode()).hexdigest()


def test_span_ids_are_synthetic_and_unique(redacted):
    assert set(redacted.span_ids) == {item.span_id for item in SPANS}
    made = list(redacted.span_ids.values())
    assert len(set(made)) == len(made)
    assert all(re.fullmatch(r"[0-9a-f]{16}", item) for item in made)
    assert not set(made) & set(redacted.span_ids)
    assert TRACE not in str(redacted.trace_refs)


def test_known_values_are_those_of_all_spans_dropped_ones_included(redacted):
    known = {value.text: value for value in redacted.known}
    assert known["4556 7375 8689 9855"].entity == "card"
    assert known["+1 215 867 5309"].everywhere
    assert "Yusuf" not in repr(redacted)


def test_counts_tell_classes_and_rules_only(redacted):
    counts = {count.entity: count for count in redacted.counts}
    assert counts["user_id"].occurrences == 2
    assert counts["card"].values == 1
    assert "phone" not in counts  # it stood in a dropped span alone
    assert all(rule.count(".") for count in redacted.counts for rule in count.rules)


def test_the_original_is_left_as_it_was(rules):
    made = case()
    redact(made, rules, CONFIG, KEY)
    assert made.document == DOCUMENT


def test_the_same_case_key_and_scope_give_the_same_and_others_do_not(rules, redacted):
    again = redact(case(SPANS[::-1]), rules, CONFIG, KEY)
    assert compact(again.document) == compact(redacted.document)
    assert again.span_ids == redacted.span_ids
    other = redact(case(), rules, CONFIG, WorkspaceKey(material=bytes(range(32))[::-1]))
    assert other.document["tool_events"][0]["arguments"] != redacted.document["tool_events"][0]["arguments"]
    named = redact(case(), rules, RunConfig(scope="workspace"), KEY)
    assert named.document["tool_events"][0]["arguments"] != redacted.document["tool_events"][0]["arguments"]
    assert (named.scope, named.key_id) == ("workspace", redacted.key_id)


PLANTED = {
    "email": "oda.marlow77@shop-a.com",
    "card": "4556737586899855",
    "phone": "+12158675309",
    "token": "sk" + "-proj-" + "a8F3kQ9zLmX2vB7nT4",
    "iban": "GB33BUKB20201555555555",
    "order": "#W2378156",
}
POSITIONS = [
    lambda text: {"note": f"it says {text} there"},
    lambda text: {"a": {"b": [0, [text]]}},
    lambda text: {f"key of {text}": 1},
    lambda text: {"body": json.dumps({"x": {"y": text}})},
    lambda text: {"error": f"ValueError: cannot use '{text}' at line 3\n  File \"x.py\", line 3"},
    lambda text: [text, text.lower(), text.upper()],
]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_identifier_vanishes_from_every_position(rules, kind, position):
    original = PLANTED[kind]
    [made] = redact_documents([position(original)], rules, CONFIG, KEY)
    assert original.lower() not in json.dumps(made).lower()
    assert shape(made) == shape(position(original))


def shape(value):
    if isinstance(value, dict):
        return ["object", *(shape(child) for child in value.values())]
    if isinstance(value, list):
        return ["array", *map(shape, value)]
    return type(value).__name__


NAMES = st.sampled_from(
    ["user_id", "name", "first_name", "email", "note", "amount", "status", "dob", "last_four", "token", "id", "x"]
)
TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "Yusuf Rossi",
            "yusuf@shop-a.com",
            "4556737586899855",
            "1982-10-19",
            "https://a.example/?u=yusuf@shop-a.com",
            "#W2378156",
            '{"user_id": "ab_12"}',
            "9999-12-31",
            "***",
            "Will",
        ]
    ),
)
NUMBERS = st.one_of(st.integers(-(10**12), 10**18), st.sampled_from(["1.50", "-0", "1E+2", "0.1"]).map(ExactNumber))
LEAVES = st.none() | st.booleans() | NUMBERS | TEXTS
FLAT = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(NAMES | st.text(max_size=8), LEAVES, max_size=4)
JSON = FLAT | st.lists(FLAT, max_size=3) | st.dictionaries(NAMES | st.text(max_size=8), FLAT, max_size=4)


@given(JSON)
@settings(max_examples=150)
def test_any_document_keeps_its_structure(document):
    before = copy.deepcopy(document)
    [made] = redact_documents([document], RULES, CONFIG, KEY)
    assert document == before
    assert shape(made) == shape(document)
    kept = [leaf for _, leaf in leaves(document) if isinstance(leaf, ExactNumber)]
    assert [leaf.text for leaf in kept] == [leaf.text for _, leaf in leaves(made) if isinstance(leaf, ExactNumber)]
    [again] = redact_documents([document], RULES, CONFIG, KEY)
    assert again == made
    [twice] = redact_documents([made], RULES, CONFIG, KEY)
    assert shape(twice) == shape(document)


def test_roles_and_member_names_stay_although_an_owner_is_called_so(rules):
    document = {
        "owner": "user",
        "actor": "admin",
        "user": {"a": 1},
        "messages": [{"role": "user", "content": "the user"}],
    }
    assert redact_documents([document], rules, CONFIG, KEY) == (document,)


def test_order_of_documents_does_not_matter(rules):
    documents = [{"user_id": f"user_{number}", "note": f"call +1 215 867 {number:04}"} for number in range(40)]
    mixed = documents.copy()
    random.Random(3).shuffle(mixed)
    made = dict(zip(map(json.dumps, documents), redact_documents(documents, rules, CONFIG, KEY), strict=True))
    other = dict(zip(map(json.dumps, mixed), redact_documents(mixed, rules, CONFIG, KEY), strict=True))
    assert made == other


@pytest.mark.parametrize("count", [95, 300])
def test_tables_of_small_ids_are_redacted(rules, count):
    rows = [{"user_id": number, "order_id": 1000 + number, "zip": f"{number:05}"} for number in range(10, 10 + count)]
    made = redact_documents(rows, rules, CONFIG, KEY)
    for member in ("user_id", "order_id", "zip"):
        assert len({row[member] for row in made}) == count
        assert not {row[member] for row in made} & {row[member] for row in rows}


@pytest.mark.parametrize(
    "document",
    [
        {"host.name": "localhost", "to": "ops@localhost"},
        {"user": "admin", "email": "admin@shop-a.com"},
        {"password": "!@#$%^&*"},
        {"expires": "x", "document_expiry": "9999-12-31"},
        {"dob": "0001-01-01"},
        {"email": "a@b"},
        {"id": "202-555-0142", "phone": "202-555-0142"},
        {"name": "A", "email": "b@c.co"},
        {"email": "0/0\t\U00051b30"},
        {"email": "0-0-0-0"},
        {"order_id": "\u2160-0-\u2161-0"},
    ],
)
def test_odd_values_are_redacted_and_not_refused(rules, document):
    [made] = redact_documents([document], rules, CONFIG, KEY)
    assert shape(made) == shape(document)


def test_documents_inside_documents_beyond_the_bound_are_refused(rules):
    text = "[" * 150 + "1" + "]" * 150
    for _ in range(8):
        text = "[" * 120 + json.dumps(text) + "]" * 120
    with pytest.raises(RedactionRefused):
        redact_documents([parse(text)], rules, CONFIG, KEY)


def test_a_teams_recognizer_redacts_where_it_found_something(rules, tmp_path):
    file = tmp_path / "team.yaml"
    file.write_text(
        "recognizers:\n  - {name: x, supported_language: en, supported_entity: PROJECT, deny_list: [orchid]}\n",
        encoding="utf-8",
    )
    config = RunConfig(nlp=Nlp(recognizers=(str(file),)))
    first, second = redact_documents(["they all work on orchid in the north", "orchid"], rules, config, KEY)
    assert "orchid" not in first
    assert second == "orchid"


def test_a_birth_date_moves_alike_in_every_way_of_writing_it(rules):
    text = "born on October 19th, 1982, that is 10/19/1982, 19.10.1982 or Oct 19, 1982"
    member, prose = redact_documents([{"dob": "1982-10-19"}, text], rules, CONFIG, KEY)
    moved = date.fromisoformat(member["dob"])
    assert 0 < abs((moved - date(1982, 10, 19)).days) <= 45
    found = re.fullmatch(r"born on (.+), that is (\S+), (\S+) or (.+)", prose)
    assert {dates.read(spelled) for spelled in found.groups()} == {moved}


@pytest.mark.parametrize("value", ["1982-13-45", "spring 1982", "1982", 1982, "19/1982"])
def test_a_birth_date_that_no_calendar_holds_goes_too(rules, value):
    [made] = redact_documents([{"dob": value}], rules, CONFIG, KEY)
    assert made["dob"] != value
    assert type(made["dob"]) is type(value)
    assert "1982" not in str(made["dob"])


@pytest.mark.parametrize("member", ["policy_id", "policy", "app.policy.id"])
def test_the_edition_of_a_policy_is_nobodys(rules, member):
    document = {member: "refunds-2026-08", "text": "as refunds-2026-08 and international-returns-policy-2026-08 say"}
    assert redact_documents([document], rules, CONFIG, KEY) == (document,)


def test_a_kept_edition_shelters_no_person(rules):
    document = {"user_id": "yusuf-2026-08", "order_id": "ORD-2026-08-0417", "note": "yusuf-2026-08 asked"}
    [made] = redact_documents([document], rules, CONFIG, KEY)
    assert "yusuf" not in json.dumps(made)
    assert made["order_id"] != document["order_id"]
    assert made["note"] == f"{made['user_id']} asked"


def test_the_year_of_a_birth_stays_a_likely_year(rules):
    member = {"birth_year": 1984, "text": "born in 1984"}
    (made,) = redact_documents([member], rules, RunConfig(), KEY)
    assert made["birth_year"] != 1984
    assert abs(made["birth_year"] - 1984) <= 4
    assert made["text"] == f"born in {made['birth_year']}"


def test_a_version_of_four_numbers_is_no_address(rules):
    document = {"app": {"version": "2.0.1.7"}, "server_version": "198.51.100.7", "client": "198.51.100.9"}
    (made,) = redact_documents([document], rules, RunConfig(), KEY)
    assert made == document | {"client": made["client"]}
    assert made["client"] != "198.51.100.9"


def test_a_name_of_two_words_stays_apart_from_what_a_greeted_name_will_do(rules):
    document = {"customer": {"name": "Will Grant"}, "note": "Hello Will, the grant will come."}
    (made,) = redact_documents([document], rules, RunConfig(), KEY)
    first = made["customer"]["name"].split()[0]
    assert made["note"] == f"Hello {first}, the grant will come."


def test_printed_line_breaks_inside_a_quoted_value_stay_as_they_were(rules):
    text = """role='tool' content='[\\n {"say": "It\\'s \\\\u2014 so", "mail": "oda.marlow@example.com"}]' name=None"""
    (made,) = redact_documents([text], rules, CONFIG, KEY)
    assert "oda.marlow" not in made
    assert re.sub(r"[\w.]+@example\.com", "oda.marlow@example.com", made) == text


@pytest.mark.parametrize("name", ["lookup_order", "search_tool"])
def test_what_is_spelled_as_code_is_nobodys_name(rules, name):
    document = {"name": name, "phone": "+44 20 7946 0958"}
    assert redact_documents([document], rules, CONFIG, KEY)[0]["name"] == name
