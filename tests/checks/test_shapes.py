"""What definitions say of a call, word for word of JSON Schema and OpenAPI: neither a false alarm nor a miss."""

from __future__ import annotations

import time

import pytest

from extractor.checks.drift import Subject, drift
from extractor.checks.tools import tools_of

TEXT, NUMBER, ANY = {"type": "string"}, {"type": "integer"}, {}


def said(document, arguments):
    subject = Subject.of_chapter("case", {"tool_calls": [{"name": "refund", "arguments": arguments}]}, {})
    return [each.kind for each in drift([subject], tools_of(document)).findings]


def taking(properties=None, **schema):
    told = {} if properties is None else {"properties": properties}
    return [{"name": "refund", "input_schema": {"type": "object", **told, **schema}}]


def operation(path_item=None, /, components=None, **told):
    item = {"post": {"operationId": "refund", **told}, **(path_item or {})}
    return {"openapi": "3.1.0", "paths": {"/refund": item}, "components": components or {}}


def body(schema):
    return {"content": {"application/json": {"schema": schema}}}


DEFS = {"Name": TEXT, "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "name": TEXT}}}


@pytest.mark.parametrize(
    ("document", "arguments"),
    [
        (taking({"a": {"$ref": "#/$defs/Name", "nullable": True}}, **{"$defs": DEFS}), {"a": None}),
        (taking({"a": {"allOf": [{"$ref": "#/$defs/Name"}], "nullable": True}}, **{"$defs": DEFS}), {"a": None}),
        (taking({"b": TEXT}, **{"$ref": "#/$defs/Node", "$defs": DEFS}), {"name": "x", "b": "y"}),
        (taking({"a": {"$ref": "#/$defs/A%20B"}}, **{"$defs": {"A B": TEXT}}), {"a": "x"}),
        (taking({"a": {"enum": ["x", None]}}), {"a": None}),
        (taking({"a": {"enum": ["1"]}}), {"a": 1}),  # YAML that is read as texts
        (taking({"a": {"anyOf": [{"const": "x"}, {"type": "null"}]}}), {"a": "y"}),  # the other branch names no value
        (taking({"a": TEXT}, **{"if": {"properties": {"a": {"const": "x"}}}, "then": {"properties": {"b": TEXT}}}), {"b": 1}),
        (taking({"a": TEXT}, dependentSchemas={"a": {"properties": {"b": TEXT}}}), {"a": "x", "b": "y"}),
        (taking({"a": TEXT}, dependentRequired={"a": ["b"]}), {"a": "x"}),
        (taking({"a": {"type": "array", "prefixItems": [TEXT], "items": NUMBER}}), {"a": ["x", 1]}),
        (taking({"a": ANY}, unevaluatedProperties=True), {"b": 1}),
        (taking(allOf=[{"properties": {"a": ANY}, "additionalProperties": True}, {"properties": {"b": ANY}}]), {"c": 1}),
        (taking({"id": {"type": "string", "readOnly": True}, "a": TEXT}, required=["id", "a"]), {"a": "x"}),
        (operation(requestBody=body({"type": "array", "items": TEXT})), {"body": ["x"]}),
        (operation(parameters=[{"name": "sid", "in": "cookie", "required": True}]), {}),
        (
            operation(
                {"parameters": [{"name": "a", "in": "path", "required": True, "schema": TEXT}]},
                parameters=[{"name": "a", "in": "path", "required": True, "schema": NUMBER}],
            ),
            {"a": 1},
        ),
        (
            {"openapi": "3.1.0", "paths": {"/r": {"$ref": "#/components/pathItems/R"}},
             "components": {"pathItems": {"R": {"get": {"operationId": "refund"}}}}},
            {},
        ),
        (
            {"swagger": "2.0", "paths": {"/r": {"post": {"operationId": "refund", "parameters": [
                {"name": "told", "in": "body", "required": True, "schema": {"type": "object", "properties": {"a": TEXT}}}]}}}},
            {"a": "x"},
        ),
        (
            {"toolConfig": {"tools": [{"toolSpec": {"name": "refund", "inputSchema": {"json": {"type": "object", "properties": {"a": TEXT}}}}}]}},
            {"a": "x"},
        ),
    ],
)  # fmt: skip
def test_what_a_definition_takes_is_no_finding(document, arguments):
    assert said(document, arguments) == []


@pytest.mark.parametrize(
    ("document", "arguments", "kind"),
    [
        (taking({"a": {"type": "string", "enum": ["x"]}}), {"a": "y"}, "value_gone"),
        (taking({"a": {"oneOf": [{"const": "x"}, {"const": "z"}]}}), {"a": "y"}, "value_gone"),
        (taking({"a": {"enum": ["x"], "nullable": True, "type": "string"}}), {"a": "y"}, "value_gone"),
        (taking({"a": False}), {"a": 1}, "parameter_gone"),
        (taking({"b": ANY}, additionalProperties=TEXT), {"a": 1}, "type_changed"),
        (taking({"a": NUMBER}, allOf=[{"properties": {"a": {"minimum": 1}}}]), {"a": "s"}, "type_changed"),
        (taking({"a": {"$ref": "#"}}), {"a": {"z": 1}}, "parameter_gone"),
        (taking({"a": {"$ref": "#/$defs/Node"}}, **{"$defs": DEFS}), {"a": {"z": 1}}, "parameter_gone"),
        (taking({"a": {"$ref": "#/$defs/Name", "description": "x"}}, **{"$defs": DEFS}), {"a": 1}, "type_changed"),
        (operation(requestBody=body({"type": "object", "properties": {"a": TEXT}})), {"b": 1}, "parameter_gone"),
    ],
)
def test_what_a_definition_no_longer_takes_is_a_finding(document, arguments, kind):
    assert said(document, arguments) == [kind]


def test_schemas_that_all_refer_to_each_other_are_looked_at_once():
    names = [f"S{number}" for number in range(40)]
    each = {"type": "object", "properties": {name: {"$ref": f"#/components/schemas/{name}"} for name in names}}
    document = operation(
        requestBody=body({"$ref": "#/components/schemas/S0"}), components={"schemas": dict.fromkeys(names, each)}
    )
    start = time.process_time()
    assert said(document, {"S1": {"S2": {}}}) == []
    assert said(document, {"S1": {"gone": {}}}) == ["parameter_gone"]
    assert time.process_time() - start < 5


def test_a_long_chain_of_references_ends():
    chain = {f"S{number}": {"$ref": f"#/$defs/S{number + 1}"} for number in range(5_000)}
    assert said(taking({"a": {"$ref": "#/$defs/S0"}}, **{"$defs": chain}), {"a": 1}) == []
