"""Attribute values in the spellings that JSON allows."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.model.json import compact

from ..build import TRACE, attribute, lines, message, request, span
from ..conftest import ReadBytes, codes


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"intValue": 1E+2}', "100"),
        ('{"intValue": -0}', "0"),
        ('{"intValue": 7}', "7"),
        ('{"intValue": "7"}', "7"),
        ('{"intValue": "-9007199254740993"}', "-9007199254740993"),
        ('{"intValue": 1.5}', "1.5"),
        ('{"doubleValue": 4599}', "4599.0"),
        ('{"doubleValue": "0.1"}', "0.1"),
        ('{"doubleValue": 10.10}', "10.1"),
        ('{"doubleValue": -0}', "-0.0"),
        ('{"doubleValue": NaN}', '"NaN"'),
        ('{"doubleValue": true}', "true"),
        ('{"doubleValue": []}', "[]"),
        ('{"bytesValue": "-_8"}', '"+/8="'),
        ('{"stringValue": ""}', '""'),
        ('{"arrayValue": {}}', "[]"),
        ('{"arrayValue": {"values": [{"kvlistValue": {}}]}}', "[{}]"),
        ('{"stringValue": null, "boolValue": false}', "false"),
        ("{}", "null"),
        ('"bare"', '"bare"'),
        ("[1, 2.50]", "[1,2.5]"),
    ],
)
def test_a_value_is_read_as_its_type_says(read_bytes: ReadBytes, value: str, expected: str) -> None:
    text = lines([request(span(1, attributes=[{"key": "x", "value": "PLACE"}]))])
    (found,) = read_bytes(text.replace(b'"PLACE"', value.encode())).spans
    assert compact(found.get("x")) == expected


@pytest.mark.parametrize("protobuf", [False, True])
def test_a_key_twice_in_a_map_is_noted(read_bytes: ReadBytes, protobuf: bool) -> None:
    pairs = {"values": [attribute("k", "intValue", "1"), attribute("k", "intValue", "2")]}
    one = request(span(1, attributes=[attribute("x", "kvlistValue", pairs)]))
    reading = read_bytes(message(one) if protobuf else lines([one]))
    assert reading.spans[0].get("x") == {"k": 2}
    assert codes(reading.file_notes)["repeated_member"] == 1


@pytest.mark.parametrize("protobuf", [False, True])
@pytest.mark.parametrize("broken", ["span", "link"])
def test_what_has_no_id_is_noted_in_every_container(read_bytes: ReadBytes, protobuf: bool, broken: str) -> None:
    link: dict[str, Any] = {"traceId": TRACE, "spanId": "0" * 16, "traceState": "", "attributes": []}
    bad = span(2, links=[link]) if broken == "link" else span(2, spanId="0" * 16)
    one = request(span(1), bad)
    reading = read_bytes(message(one) if protobuf else lines([one]))
    assert codes(reading.file_notes)[f"{broken}_refused"] == 1
    assert len(reading.spans) == (2 if broken == "link" else 1)


@pytest.mark.parametrize(("count", "expected"), [("3", 3), (3, 3), (-1, 0), ("many", 0), (True, 0), (None, 0)])
def test_counts_are_read_or_zero(read_bytes: ReadBytes, count: object, expected: int) -> None:
    (found,) = read_bytes(lines([request(span(1, droppedEventsCount=count))])).spans
    assert found.dropped == expected
