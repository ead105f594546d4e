"""The product's tools as they are defined now: JSON Schema, OpenAPI, MCP tool lists, providers' tool lists, Python signatures."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from extractor.errors import InputUnreadable, UsageError
from extractor.model.json import JsonValue, MalformedJson, parse

from .importing import why_not
from .shapes import ANYTHING, Schemas, Shape, Tool, merged, shape_of

_SCHEMAS: Final = (
    "parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema", "params_json_schema",
)  # fmt: skip
_LISTS: Final = ("tools", "functions", "functionDeclarations", "function_declarations")
_HOLDERS: Final = ("result", "function", "toolConfig", "toolSpec")
_OUTSIDE: Final = ("header", "cookie")  # of the connection, not of the call
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_FORMS: Final = "--tools takes a file (.json, .yaml), MODULE, or [NAME=]MODULE:FUNCTION"
_FILES: Final = {".json", ".yaml", ".yml"}


def tools_from(place: str, folder: Path) -> Mapping[str, Tool]:
    """Return the tools of a file (``tools.json``, ``openapi.yaml``), a Python module (``shop.tools``: its public functions), or
    one function or list of definitions (``shop.tools:refund``, ``order.refund=shop.tools:refund``), looked for in ``folder`` first.

    Raises `UsageError` for a name that cannot be imported, `InputUnreadable` for a file that defines no tool.
    """
    file = folder / place
    if file.suffix in _FILES or file.is_file():
        try:
            return tools_of(_document(file))
        except OSError:
            raise InputUnreadable("the tool definitions cannot be read", hint=_FORMS) from None
        except ValueError as fault:
            raise InputUnreadable(f"the tool definitions are not understood: {fault}") from None
    return _python(place, folder)


def tools_of(document: JsonValue) -> dict[str, Tool]:
    """Return the tools that a document defines, by name. Raises `ValueError` for none, and for one name of two tools."""
    found: dict[str, Tool] = {}
    for tool in _collected(document, document if isinstance(document, dict) else {}):
        if found.setdefault(tool.name, tool) != tool:
            raise ValueError("one tool is defined twice, and differently")
    if not found:
        raise ValueError("it defines no tool: that is no product without tools")
    return found


def _collected(value: JsonValue, root: Mapping[str, JsonValue]) -> Iterator[Tool]:
    if isinstance(value, list):
        for each in value:
            yield from _collected(each, root)
    if not isinstance(value, dict):
        return
    if isinstance(value.get("paths"), dict) and ("openapi" in value or "swagger" in value):
        yield from _operations(value)
        return
    inner = [value[name] for name in _HOLDERS if isinstance(value.get(name), dict)]
    inner += [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    name = value.get("name")
    if inner:
        for each in inner:
            yield from _collected(each, root)
    elif isinstance(name, str) and name:
        yield _named(name, value)
    elif isinstance(value.get("title"), str) and isinstance(value.get("properties"), dict):
        yield Tool(name=str(value["title"]), shape=shape_of(value, value))
    else:
        for title, schema in value.items():
            if (
                isinstance(schema, dict)
                and not title.startswith("$")
                and schema.keys() & {"type", "properties", "allOf", "$ref"}
            ):
                yield Tool(name=title, shape=shape_of(schema, root))


def _named(name: str, value: Mapping[str, JsonValue]) -> Tool:
    schemas = [value[each] for each in _SCHEMAS if isinstance(value.get(each), dict)]
    schema = schemas[0] if schemas else None
    if isinstance(schema, dict) and schema.keys() == {"json"} and isinstance(schema["json"], dict):
        schema = schema["json"]
    # A provider's own tool (web search, code execution) says nothing of its parameters.
    return Tool(name=name, shape=shape_of(schema, schema) if isinstance(schema, dict) else ANYTHING)


def _operations(document: Mapping[str, JsonValue]) -> Iterator[Tool]:
    paths = document["paths"]
    schemas = Schemas(document)
    for item in (paths if isinstance(paths, dict) else {}).values():
        operations = _resolved(item, document)
        for method in _METHODS:
            operation = operations.get(method)
            if isinstance(operation, dict) and isinstance(operation.get("operationId"), str):
                # Of an operation and its path, the operation's own parameter of a name stands.
                told = {**_parameters(operations, document), **_parameters(operation, document)}
                shapes = [_parameter(each, schemas) for each in told.values()] + _body(operation, document, schemas)
                yield Tool(name=str(operation["operationId"]), shape=merged(shapes))


def _parameters(
    holder: Mapping[str, JsonValue], document: Mapping[str, JsonValue]
) -> dict[tuple[str, str], Mapping[str, JsonValue]]:
    listed = holder.get("parameters")
    several = [_resolved(each, document) for each in (listed if isinstance(listed, list) else [])]
    return {
        (str(each["name"]), str(each.get("in"))): each
        for each in several
        if isinstance(each.get("name"), str) and each.get("in") not in _OUTSIDE
    }


def _parameter(told: Mapping[str, JsonValue], schemas: Schemas) -> Shape:
    if told.get("in") == "body":  # Swagger: its name is for people
        return _arguments(told.get("schema"), schemas)
    schema = told.get("schema", dict(told))
    name = str(told["name"])
    # Of a parameter that is its own schema, "required" is no list of members.
    member = schemas.shape(schema if isinstance(schema, dict) else {})
    needed = told.get("required") in (True, "true")
    return Shape(members={name: member}, required=frozenset({name} if needed else ()))


def _body(operation: Mapping[str, JsonValue], document: Mapping[str, JsonValue], schemas: Schemas) -> list[Shape]:
    contents = _resolved(operation.get("requestBody"), document).get("content")
    several = list(contents.values() if isinstance(contents, dict) else ())[:1]
    return [_arguments(each.get("schema"), schemas) for each in several if isinstance(each, dict)]


def _arguments(schema: JsonValue, schemas: Schemas) -> Shape:
    """Return the members of a body; under which name a call gives one that is no object, is not known."""
    shape = schemas.shape(schema) if isinstance(schema, dict) else ANYTHING
    free = shape.types is not None and "object" not in shape.types
    return Shape(members={"body": ANYTHING}, open=True) if free else shape


def _resolved(value: JsonValue, document: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    from_ref = value.get("$ref") if isinstance(value, dict) else None
    found: JsonValue = dict(document) if isinstance(from_ref, str) else value
    for name in from_ref.removeprefix("#/").split("/") if isinstance(from_ref, str) else ():
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _python(place: str, folder: Path) -> Mapping[str, Tool]:
    named, equals, where = place.rpartition("=")
    module, _, path = where.partition(":")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        loaded = importlib.import_module(module)
        found: Any = loaded
        for part in path.split(".") if path else ():
            found = getattr(found, part)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # whatever importing a project's module raises, sys.exit(0) too
        raise UsageError(f"the tools of --tools cannot be imported: {_missing(error, module, path)}") from None
    if isinstance(found, list | dict):
        try:
            return tools_of(found)
        except ValueError as fault:
            raise InputUnreadable(f"the tool definitions are not understood: {fault}") from None
    functions = {path.rpartition(".")[2]: found} if path else _public(vars(loaded), module)
    if not functions or not all(callable(each) for each in functions.values()):
        raise UsageError("the module of --tools has no public function of its own")
    if equals:
        if not path:
            raise UsageError("a name goes before one function: NAME=MODULE:FUNCTION")
        functions = {named: found}
    return {name: Tool(name=name, shape=_signature(each)) for name, each in functions.items()}


def _missing(error: BaseException, module: str, path: str) -> str:
    return f"{module} has no {path}" if path and module in sys.modules else why_not(error, module)


def _public(members: Mapping[str, Any], module: str) -> dict[str, Callable[..., Any]]:
    return {
        name: each
        for name, each in members.items()
        if inspect.isroutine(each) and not name.startswith("_") and getattr(each, "__module__", None) == module
    }


def _signature(function: Callable[..., Any]) -> Shape:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ANYTHING
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    named = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    return Shape(
        members={each.name: ANYTHING for each in named},
        required=frozenset(each.name for each in named if each.default is each.empty),
        open=any(each.kind is each.VAR_KEYWORD for each in parameters),
    )


def _document(file: Path) -> JsonValue:
    content = file.read_bytes()
    if file.suffix not in (".yaml", ".yml"):
        try:
            return parse(content)
        except MalformedJson as fault:
            raise ValueError(f"no JSON ({fault.code})") from None
    # A pre-commit hook over JSON definitions does not pay for yaml.
    import yaml

    try:
        text = content.decode("utf-8")
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise ValueError("an alias, anchor or tag stands in the YAML")
        # Texts alone: what a word may mean (no, 1_000) is none of a schema's business here.
        loaded: JsonValue = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506  # it makes texts, lists and mappings alone
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        raise ValueError("no YAML") from None
    return loaded
