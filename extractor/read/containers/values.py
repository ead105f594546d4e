"""Attribute values as plain JSON: the same value from OTLP/JSON, protobuf or a plain object comes out equal."""

from __future__ import annotations

import base64
import binascii
import math

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Attributes

from .interface import Report

_MEMBERS = {
    "stringValue": "string",
    "string_value": "string",
    "boolValue": "bool",
    "bool_value": "bool",
    "intValue": "int",
    "int_value": "int",
    "doubleValue": "double",
    "double_value": "double",
    "arrayValue": "array",
    "array_value": "array",
    "kvlistValue": "kvlist",
    "kvlist_value": "kvlist",
    "bytesValue": "bytes",
    "bytes_value": "bytes",
}


def pick(node: dict[str, JsonValue], *names: str) -> JsonValue:
    """Return the first member that is there and not null: exporters differ in case and fill in nulls."""
    for name in names:
        value = node.get(name)
        if value is not None:
            return value
    return None


def members(node: dict[str, JsonValue], *names: str) -> dict[str, JsonValue]:
    """Return a member that is an object, an empty one otherwise."""
    value = pick(node, *names)
    return value if isinstance(value, dict) else {}


def objects(node: dict[str, JsonValue], *names: str) -> list[dict[str, JsonValue]]:
    """Return the objects in a member that is a list."""
    value = pick(node, *names)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def json_of(value: JsonValue) -> JsonValue:
    """Return what a text holds that is JSON, as exports without types write objects; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
        return value
    try:
        return parse(value.encode("utf-8", "surrogatepass"), non_finite_as_text=True)
    except MalformedJson:
        return value


def string(value: JsonValue) -> str:
    """Return a text, an empty one for anything else."""
    return value if isinstance(value, str) else ""


def natural(value: JsonValue) -> int:
    """Return a count or a flag word, 0 for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def real(value: float, report: Report) -> JsonValue:
    """Return a double as plain float; one that JSON cannot write becomes proto-JSON's string, and is reported."""
    if math.isfinite(value):
        return float(value)
    report("non_finite_number")
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def attributes(value: JsonValue, report: Report) -> Attributes:
    """Return attributes written as OTLP's list of pairs or as a plain object."""
    if isinstance(value, dict):
        return tuple((key, plain(child, report)) for key, child in value.items())
    if not isinstance(value, list):
        return ()
    return tuple(
        (key, any_value(pair.get("value"), report))
        for pair in value
        if isinstance(pair, dict) and isinstance(key := pair.get("key"), str)
    )


def any_value(node: JsonValue, report: Report) -> JsonValue:
    """Return an OTLP AnyValue; of several members the first that is not null counts, none is an empty value."""
    if not isinstance(node, dict):
        return plain(node, report)
    for name, value in node.items():
        kind = _MEMBERS.get(name)
        if kind is not None and value is not None:
            return _typed(kind, value, report)
    return None


def _typed(kind: str, value: JsonValue, report: Report) -> JsonValue:
    match kind:
        case "array":
            items = value.get("values") if isinstance(value, dict) else value
            return [any_value(item, report) for item in items] if isinstance(items, list) else []
        case "kvlist":
            return key_values(attributes(value.get("values") if isinstance(value, dict) else value, report), report)
        case "int":
            return _int(value, report)
        case "double":
            return _double(value, report)
        case "bytes":
            return _bytes(value, report)
    return plain(value, report)


def key_values(pairs: Attributes, report: Report) -> dict[str, JsonValue]:
    """Return OTLP's list of pairs as an object; a key that comes twice is reported, its last value stays."""
    found = dict(pairs)
    if len(found) != len(pairs):
        report("repeated_member")
    return found


def _int(value: JsonValue, report: Report) -> JsonValue:
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 20:
            return int(value)
        report("malformed_value")
        return value
    if (
        isinstance(value, dict)
        and isinstance(low := value.get("low"), int)
        and isinstance(high := value.get("high"), int)
    ):
        return (high << 32) + (low & 0xFFFFFFFF)  # a dumped Long of JavaScript
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
        return int(value)  # 1E+2, 5.0 and -0: integers in another spelling
    return plain(value, report)


def _double(value: JsonValue, report: Report) -> JsonValue:
    if isinstance(value, bool):
        return value
    try:
        return real(float(value), report) if isinstance(value, str | int | float) else plain(value, report)
    except (ValueError, OverflowError):
        report("malformed_value")
        return value if isinstance(value, str) else str(value)


def _bytes(value: JsonValue, report: Report) -> JsonValue:
    text = string(value)
    body = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        report("malformed_value")
        return text
    return base64.b64encode(raw).decode("ascii")


def plain(value: JsonValue, report: Report) -> JsonValue:
    """Return a value that JSON itself typed, with doubles as OpenTelemetry has them: their spelling is not kept."""
    if isinstance(value, dict):
        return {key: plain(child, report) for key, child in value.items()}
    if isinstance(value, list):
        return [plain(child, report) for child in value]
    return real(value, report) if isinstance(value, float) else value


def added(base: Attributes, other: Attributes) -> Attributes:
    """Return attributes with those of the other that they lack."""
    known = {key for key, _ in base}
    return base + tuple(pair for pair in other if pair[0] not in known)
