"""The structural form: relations, types, order and statuses without a word of the source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor import ruleset
from extractor.errors import RulesError
from extractor.redact.structural import structural

RULES = ruleset.load()


GOLDEN = Path(__file__).parent.parent / "golden" / "complete_fixture.json"


@pytest.fixture
def before() -> Any:
    """A case before redaction: one identifier, one status, some texts."""
    made = json.loads(GOLDEN.read_bytes())
    made["final_output"] = "Your refund for QW-551208 is complete."
    result = {"order_id": "QW-551208", "status": "completed", "note": "left at the door", "cents": 1250, "gift": True}
    made["tool_events"][0]["outcome"] = {"type": "result", "value": result, "value_text": json.dumps(result)}
    made["tool_events"][1]["arguments"] = {"order_id": "QW-551208", "remark": "left at the door", "by hand, please": 1}
    return made


def redacted(before: Any) -> Any:
    return json.loads(json.dumps(before).replace("QW-551208", "AB-102938"))


def form(before: Any) -> tuple[Any, Any]:
    return structural(before, redacted(before), ["QW-551208"], RULES)


def test_a_text_becomes_a_placeholder_and_an_identifier_keeps_its_pseudonym(before: Any) -> None:
    """S67."""
    _, after = form(before)
    value = after["tool_events"][0]["outcome"]["value"]
    assert value["order_id"] == "AB-102938"
    assert value["note"].startswith("[text ")
    assert after["final_output"].startswith("[text ")
    assert "AB-102938" not in after["final_output"]


def test_equal_texts_stay_equal_and_different_ones_differ(before: Any) -> None:
    _, after = form(before)
    value, arguments = after["tool_events"][0]["outcome"]["value"], after["tool_events"][1]["arguments"]
    assert value["note"] == arguments["remark"] != after["final_output"]
    assert value["order_id"] == arguments["order_id"]


def test_statuses_numbers_types_and_names_of_fields_stay(before: Any) -> None:
    _, after = form(before)
    value = after["tool_events"][0]["outcome"]["value"]
    assert (value["status"], value["cents"], value["gift"]) == ("completed", 1250, True)
    assert list(value) == ["order_id", "status", "note", "cents", "gift"]
    assert [event["tool"] for event in after["tool_events"]] == [event["tool"] for event in before["tool_events"]]


def test_a_member_name_that_is_a_text_goes_too(before: Any) -> None:
    _, after = form(before)
    assert not any("please" in name for name in after["tool_events"][1]["arguments"])


def test_the_text_of_a_result_says_what_its_value_says(before: Any) -> None:
    _, after = form(before)
    outcome = after["tool_events"][0]["outcome"]
    assert json.loads(outcome["value_text"]) == outcome["value"]


def test_both_sides_have_one_shape_so_that_the_proofs_still_compare_them(before: Any) -> None:
    one, other = form(before)
    assert json.loads(json.dumps(one).replace("QW-551208", "AB-102938")) == other


def test_whatever_is_not_named_as_kept_is_replaced(before: Any) -> None:
    """Tenant, roles, a member that the format does not know yet: none is a text that anybody has judged safe."""
    before["identity"]["tenant"], before["identity"]["roles"] = "northern branch", ["head of claims"]
    before["messages"][0]["later"] = "a text of tomorrow's format"
    _, after = form(before)
    assert after["identity"]["tenant"].startswith("[text ")
    assert after["identity"]["roles"][0].startswith("[text ")
    assert after["messages"][0]["later"].startswith("[text ")


def test_what_people_typed_stays(before: Any) -> None:
    _, after = form(before)
    assert after["expected"] == redacted(before)["expected"]


def test_rules_without_statuses_are_refused(before: Any) -> None:
    lacking = ruleset.RuleSet(documents={}, digest="")
    with pytest.raises(RulesError, match="structural"):
        structural(before, before, [], lacking)
