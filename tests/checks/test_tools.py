"""Tool definitions of the product as it is now, in every form that people have them in."""

from __future__ import annotations

import itertools
import json

import pytest

from extractor.checks.tools import tools_from, tools_of
from extractor.errors import InputUnreadable, UsageError

SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount_cents": {"type": ["integer", "null"]}},
    "required": ["order_id"],
}
NUMBERS = itertools.count()
OPENAPI = {
    "openapi": "3.1.0",
    "paths": {
        "/orders/{order_id}/refund": {
            "parameters": [{"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "post": {
                "operationId": "issue_refund",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Refund"}}},
                },
            },
            "get": {"summary": "an operation without an id is no tool"},
        }
    },
    "components": {
        "schemas": {"Refund": {"type": "object", "properties": {"amount_cents": {"type": ["integer", "null"]}}}}
    },
}


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function", "function": {"name": "issue_refund", "parameters": SCHEMA}}],
        [{"type": "function", "name": "issue_refund", "parameters": SCHEMA, "strict": True}],
        {"model": "m", "tools": [{"name": "issue_refund", "input_schema": SCHEMA}]},
        {"functions": [{"name": "issue_refund", "parameters": SCHEMA}]},
        {"tools": [{"name": "issue_refund", "inputSchema": SCHEMA, "annotations": {}}]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "issue_refund", "inputSchema": SCHEMA}]}},
        {"tools": [{"functionDeclarations": [{"name": "issue_refund", "parametersJsonSchema": SCHEMA}]}]},
        {"title": "issue_refund", **SCHEMA},
        {"issue_refund": SCHEMA},
        {"issue_refund": {"allOf": [{"$ref": "#/$defs/order"}, {"properties": {"amount_cents": {"type": ["integer", "null"]}}}]},
         "$defs": {"order": {"properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}},
        OPENAPI,
    ],
    ids=["chat", "responses", "messages", "functions", "mcp", "mcp rpc", "gemini", "schema", "schemas", "refs", "openapi"],
)  # fmt: skip
def test_every_form_tells_the_same_tool(document):
    (tool,) = tools_of(document).values()
    assert (tool.name, set(tool.shape.members), tool.shape.required, tool.shape.open) == (
        "issue_refund",
        {"order_id", "amount_cents"},
        {"order_id"},
        False,
    )
    assert tool.shape.members["amount_cents"].types == {"integer", "null"}


def test_what_a_definition_leaves_open_is_open():
    told = [
        {"name": "anything", "input_schema": {"type": "object", "additionalProperties": True}},
        {"type": "web_search_20250305", "name": "web_search"},
    ]
    assert [tool.shape.open for tool in tools_of(told).values()] == [True, True]


def test_a_definition_that_is_one_of_several_wants_what_all_of_them_want():
    one, other = {"properties": {"a": {}}, "required": ["a", "b"]}, {"properties": {"b": {}}, "required": ["b"]}
    (tool,) = tools_of([{"name": "it", "parameters": {"anyOf": [one, other]}}]).values()
    assert (set(tool.shape.members), tool.shape.required) == ({"a", "b"}, {"b"})


def test_a_definition_that_refers_to_itself_ends():
    schema = {
        "properties": {"node": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    (tool,) = tools_of([{"name": "walk", "parameters": schema}]).values()
    assert "node" in tool.shape.members


@pytest.mark.parametrize(
    "document", [[], {}, {"tools": []}, "text", 3, {"openapi": "3.1.0", "paths": {}}, [{"name": ""}]]
)
def test_no_definition_is_no_empty_product(document):
    with pytest.raises(ValueError, match="no tool"):
        tools_of(document)


def test_one_name_for_two_different_tools_is_refused():
    two = [{"name": "it", "parameters": SCHEMA}, {"name": "it", "parameters": {"type": "object"}}]
    with pytest.raises(ValueError, match="twice"):
        tools_of(two)


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    name = f"tools_{next(NUMBERS)}"
    (tmp_path / f"{name}.py").write_text(
        "import json\n"
        "def issue_refund(order_id: str, *, amount_cents: int = 0): ...\n"
        "def anything(first, **more): ...\n"
        "def _hidden(x): ...\n"
        "class Mail:\n    def send(self, to): ...\n"
        "TOOLS = [{'name': 'listed', 'input_schema': {'type': 'object'}}]\n"
    )
    return name


def test_python_signatures_are_definitions(module, tmp_path):
    tools = tools_from(module, tmp_path)
    assert set(tools) == {"issue_refund", "anything"}
    refund = tools["issue_refund"].shape
    assert (set(refund.members), refund.required, refund.open) == ({"order_id", "amount_cents"}, {"order_id"}, False)
    assert tools["anything"].shape.open
    assert set(tools_from(f"{module}:issue_refund", tmp_path)) == {"issue_refund"}
    assert set(tools_from(f"order.refund={module}:issue_refund", tmp_path)) == {"order.refund"}
    assert set(tools_from(f"{module}:TOOLS", tmp_path)) == {"listed"}
    assert tools_from(f"mail.send={module}:Mail.send", tmp_path)["mail.send"].shape.required == {"to"}


def test_files_are_json_or_yaml(tmp_path):
    (tmp_path / "tools.json").write_text(json.dumps(OPENAPI))
    (tmp_path / "openapi.yaml").write_text(
        "openapi: 3.1.0\npaths:\n  /x:\n    get:\n      operationId: find\n      parameters:\n"
        "        - {name: order_id, in: query, required: true, schema: {type: string}}\n"
    )
    assert set(tools_from("tools.json", tmp_path)) == {"issue_refund"}
    find = tools_from("openapi.yaml", tmp_path)["find"].shape
    assert (set(find.members), find.required) == ({"order_id"}, {"order_id"})


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("tools.json", "{", InputUnreadable),
        ("tools.json", "[]", InputUnreadable),
        ("tools.json", None, InputUnreadable),
        ("tools.yaml", "a: &x 1\nb: *x\n", InputUnreadable),
        ("tools.yaml", "a: !!python/name:os.system 1\n", InputUnreadable),
        ("absent.tools", None, UsageError),
        ("json:loads_absent", None, UsageError),
    ],
)
def test_what_cannot_be_read_is_no_empty_product(tmp_path, name, content, error):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(error) as raised:
        tools_from(name, tmp_path)
    assert "os.system" not in str(raised.value)


def test_what_cannot_be_found_is_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "shop_of_few_tools.py").write_text("def refund(order_id): ...\n")
    with pytest.raises(UsageError, match=r"imported: shop_of_few_tools has no reship$"):
        tools_from("shop_of_few_tools:reship", tmp_path)
    with pytest.raises(UsageError, match=r"imported: there is no module shop_of_no_tools$"):
        tools_from("shop_of_no_tools", tmp_path)
