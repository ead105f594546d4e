"""What expectations.toml says of an incident is true of its trace, so that tests of a case rest on facts."""

from __future__ import annotations

import json

import pytest

PATHS = {
    "otel_genai": ("gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"),
    "openinference": ("tool.name", "input.value", "output.value"),
}


def values(span):
    return {pair["key"]: next(iter(pair["value"].values())) for pair in span["attributes"]}


@pytest.fixture
def calls(incident, trace, options):
    """Arguments and result of each tool span: (tool, arguments, result or None)."""
    name, arguments, result = PATHS[options(incident)["dialect"]]
    spans = sorted(trace(incident), key=lambda span: int(span["startTimeUnixNano"]))
    found = [values(span) for span in spans]
    return [(span[name], json.loads(span[arguments]), span.get(result)) for span in found if name in span]


def test_planted_and_kept_values_stand_in_the_trace(incident, trace, facts):
    text = json.dumps(trace(incident), ensure_ascii=False)
    assert [entry["value"] for entry in facts(incident)["planted"] if entry["value"] not in text] == []
    assert [value for value in facts(incident)["kept"] if value not in text] == []


def test_bystanders_stand_in_the_export_but_not_in_the_trace(incident, exported, trace, facts):
    export, own = str(exported(incident)), str(trace(incident))
    for value in facts(incident)["bystanders"]:
        assert value in export
        assert value not in own


def test_relations_hold_in_the_trace(incident, calls, trace, facts, options):
    planted = {entry["value"] for entry in facts(incident)["planted"]}
    for relation in facts(incident)["relations"]:
        match relation:
            case {"kind": "attempts", "tool": tool, "member": member, "values": count, "distinct": distinct}:
                found = [arguments[member] for name, arguments, _ in calls if name == tool]
                assert (len(found), len(set(found))) == (count, distinct)
            case {"kind": "ends_with", "whole": whole, "part": part}:
                assert whole.endswith(part)
                assert {whole, part} <= planted
            case {"kind": "contains", "whole": whole, "part": part}:
                assert part in whole
                assert {whole, part} <= planted
            case {"kind": "differ", "values": different}:
                assert len(set(different)) == len(different)
                assert set(different) <= planted
            case {"kind": "prose", "value": value, "tool": tool}:
                assert any(value in result for name, _, result in calls if name == tool and result)
                assert value in str([values(span).get(said(options(incident))) for span in trace(incident)])
            case _:
                pytest.fail(f"unknown relation {relation['kind']}")


def said(options):
    return {"otel_genai": "gen_ai.retrieval.query.text", "openinference": "input.value"}[options["dialect"]]


def test_every_incident_can_make_a_complete_case(incident, options):
    """S6 S17: trigger, prohibited outcome and evidence needed."""
    assert {"incident", "failure", "prohibit", "evidence_needed", "workflow_version", "prompt_version"} <= set(
        options(incident)
    )
    assert options(incident)["prohibit"]
