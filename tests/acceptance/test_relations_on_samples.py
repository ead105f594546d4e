"""What made the incident survives in the case, and whom it happened to does not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from extractor.assemble import assemble
from extractor.model.json import JsonValue, leaves
from extractor.model.layout import FIXTURE, PROVENANCE
from extractor.normalise import normalise
from extractor.read import read
from extractor.select import select

from .samples import FACTS, INCIDENTS, RULES, config_of, source_of

RELATIONS = [(name, relation) for name in INCIDENTS for relation in FACTS[name]["relations"]]


def relations(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for every relation of these kinds that expectations.toml lists."""
    chosen = [pytest.param(name, relation, id=name) for name, relation in RELATIONS if relation["kind"] in kinds]
    return pytest.mark.parametrize(("name", "relation"), chosen)


def original(name: str) -> Mapping[str, JsonValue]:
    """Return the case's document as it was before redaction."""
    config = config_of(name)
    reading = read([str(source_of(name))], config.wanted)
    trace = normalise(reading, RULES)
    return assemble(trace, select(trace, RULES, config), reading, config, RULES).document


@pytest.fixture
def document(case_of, name) -> dict[str, Any]:
    return json.loads(case_of(name).fixture.files[FIXTURE])


@pytest.fixture
def standins(name, document) -> dict[str, set[str]]:
    """What stands, by original value, where that value was a whole text or number."""
    found: dict[str, set[str]] = {}
    before, after = dict(leaves(original(name))), dict(leaves(document))
    assert before.keys() == after.keys()
    for path, value in before.items():
        found.setdefault(str(value), set()).add(str(after[path]))
    return found


@pytest.fixture
def standin(standins):
    """The one stand-in of a value."""

    def of(value: str) -> str:
        (only,) = standins[value]
        return only

    return of


def test_a_value_has_one_standin_and_no_two_values_share_it(name, standins):
    """S11 S12."""
    planted = {
        entry["value"]: standins[entry["value"]] for entry in FACTS[name]["planted"] if entry["value"] in standins
    }
    assert len(planted) >= 5
    assert all(len(each) == 1 for each in planted.values())
    assert not planted.keys() & {one for each in planted.values() for one in each}
    assert len({one for each in planted.values() for one in each}) == len(planted)


@relations("attempts")
def test_a_key_shared_by_attempts_is_one_key_and_another_is_another(document, relation):
    """S12 S13 S132."""
    events = [event for event in document["tool_events"] if event["tool"] == relation["tool"]]
    values = [event["arguments"][relation["member"]] for event in events]
    assert (len(values), len(set(values))) == (relation["values"], relation["distinct"])
    if relation["member"] == "idempotency_key":
        assert [event["idempotency_key"] for event in events] == values


@relations("differ")
def test_what_differed_still_differs(standin, relation):
    """S13 S132."""
    assert len({standin(value) for value in relation["values"]}) == len(relation["values"])


@relations("ends_with")
def test_the_last_four_digits_still_end_the_card_number(standin, relation):
    assert standin(relation["whole"]).endswith(standin(relation["part"]))
    assert len(standin(relation["part"])) == 4


@relations("contains")
def test_an_id_inside_a_key_or_a_link_is_the_id_of_the_field(standin, relation):
    assert standin(relation["part"]) in standin(relation["whole"])


@relations("prose")
def test_what_the_customer_wrote_is_what_the_tool_returned(document, standin, relation):
    said = [part["text"] for message in document["input"]["messages"] for part in message["parts"] if "text" in part]
    answers = [event["outcome"] for event in document["tool_events"] if event["tool"] == relation["tool"]]
    assert standin(relation["value"]) in " ".join(said)
    assert standin(relation["value"]) in json.dumps(answers)


@pytest.mark.parametrize("name", ["foreign-order-refund"])
def test_requester_and_owner_are_two_people_in_the_case(document):
    """S13."""
    (order,) = [one for one in document["identity"]["resources"] if one["type"] == "order"]
    assert document["identity"]["subject"]
    assert order["owner"]
    assert order["owner"] != document["identity"]["subject"]


@pytest.mark.parametrize("name", ["foreign-order-refund"])
def test_each_person_of_the_incident_keeps_a_mailbox_made_of_the_own_name(standin):
    for person, mailbox in (
        ("Priya Castellanos", "priya.castellanos@example.com"),
        ("Wendell Abara", "wendell.abara@example.org"),
    ):
        assert standin(mailbox).partition("@")[0] == standin(person).lower().replace(" ", ".")


def test_nothing_planted_stands_in_any_written_file(case_of, name):
    """S5 S11."""
    made = case_of(name)
    written = {**made.fixture.files, "capture.json": made.capture}
    texts = {file: " ".join(told(content.decode())) for file, content in written.items()}
    values = [entry["value"] for entry in FACTS[name]["planted"]] + FACTS[name]["bystanders"]
    found = [(file, value) for file, text in texts.items() for value in values if token(value).search(text)]
    assert found == []


def test_what_makes_the_bug_stands_in_the_case(name, document):
    """S5."""
    assert [value for value in FACTS[name]["kept"] if value not in json.dumps(document, ensure_ascii=False)] == []


def told(text: str) -> Iterator[str]:
    """Yield a file as it is, and every text and member name in it."""
    yield text
    try:
        tree = json.loads(text)
    except ValueError:
        return
    for path, value in leaves(tree):
        yield from (part for part in path if isinstance(part, str))
        yield str(value)


def token(value: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", re.IGNORECASE)


def test_an_attempt_is_the_span_that_the_sidecar_speaks_of(case_of, name) -> None:
    """S25: each attempt keeps the pseudonym of its original id, and the sidecar calls that span the same."""
    extraction = case_of(name)
    fixture = json.loads(extraction.fixture.files[FIXTURE])
    selection = json.loads(extraction.fixture.files[PROVENANCE])["predicate"]["selection"]
    spans = {entry["becomes"]: entry["span_id"] for entry in selection}
    originals = json.loads(extraction.capture)["spans"]
    for number, event in enumerate(fixture["tool_events"]):
        assert event["attempt_id"] == spans[f"tool_events[{number}]"]
        assert originals[event["attempt_id"]] != event["attempt_id"]
