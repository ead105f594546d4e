"""The same spans come out of every container, compression and spelling."""

from __future__ import annotations

import json

import pytest

from extractor.model.config import Wanted
from extractor.read import Limits

from .build import TRACE, every_container, lines, rich
from .conftest import ReadBytes, codes

CONTAINERS = every_container()


@pytest.mark.parametrize("name", CONTAINERS)
def test_spans_are_equal_in_value_and_type(read_bytes: ReadBytes, name: str) -> None:
    expected = read_bytes(lines(rich()))
    found = read_bytes(CONTAINERS[name])
    assert repr(found.spans) == repr(expected.spans)
    assert len(found.spans) == 5
    assert found.span_notes == expected.span_notes


@pytest.mark.parametrize("name", CONTAINERS)
def test_tiny_chunks_change_nothing(read_bytes: ReadBytes, name: str) -> None:
    expected = read_bytes(CONTAINERS[name])
    assert read_bytes(CONTAINERS[name], limits=Limits(chunk_bytes=97)) == expected


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_prefix_finds_the_trace(read_bytes: ReadBytes, name: str) -> None:
    found = read_bytes(CONTAINERS[name], wanted=Wanted(trace_ids=(TRACE[:9].upper(),)))
    assert len(found.spans) == 5


def test_values_keep_their_type(read_bytes: ReadBytes) -> None:
    span = read_bytes(CONTAINERS["big-endian lengths"]).spans[1]
    values = dict(span.attributes)
    assert values["big"] == 2**53 + 1
    assert isinstance(values["whole"], float)
    assert values["yes"] is True
    assert (values["nan"], values["inf"], values["raw"]) == ("NaN", "-Infinity", "AP/+Pj8=")
    assert values["list"] == ["a", 1, 1.0, None]
    assert values["map"] == {"z": 1, "a": {}}
    assert list(values["map"]) == ["z", "a"]
    assert [value for key, value in span.attributes if key == "twice"] == ["first", "second"]
    assert (span.status_code, span.status_message, span.kind) == ("error", "timed out", "client")
    assert span.dropped == 4
    assert span.resource.attributes == (("service.name", "refund-agent"),)
    assert (span.scope.name, span.scope.version) == ("agent.instrumentation", "1.2")


def test_numbers_that_json_cannot_write_are_noted(read_bytes: ReadBytes) -> None:
    for name in ("lines", "big-endian lengths"):
        assert codes(read_bytes(CONTAINERS[name]).file_notes)["non_finite_number"] == 2


@pytest.mark.parametrize(
    ("name", "container"),
    [
        ("lines", "otlp_json"),
        ("gzip", "otlp_json+gzip"),
        ("zstd", "otlp_json+zstd"),
        ("gzip of protobuf", "otlp_proto+gzip"),
        ("zstd messages behind lengths", "otlp_proto+zstd"),
        ("span objects", "span_json"),
    ],
)
def test_the_container_is_named(read_bytes: ReadBytes, name: str, container: str) -> None:
    assert read_bytes(CONTAINERS[name]).files[0].container == container


@pytest.mark.parametrize("name", ["lines", "pretty, concatenated", "array of requests", "BOM and CRLF", "blank lines"])
def test_ranges_are_the_bytes_of_the_records(read_bytes: ReadBytes, name: str) -> None:
    data = CONTAINERS[name]
    ranges = read_bytes(data).files[0].ranges
    assert [json.loads(data[start:end]) for start, end in ranges] == rich()
