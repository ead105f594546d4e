"""One broken record never hides the rest, is named by position, and leaves no text of its own behind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extractor.errors import ExtractFixtureError
from extractor.model.reading import Reading
from extractor.read import Limits

from .build import OTHER, TRACE, attribute, big_endian, delimited, lines, message, pretty, request, span
from .conftest import ReadBytes, codes, places

CANARY = "canary-4471"
GOOD = lines([request(span(1))])
BAD = lines([request(span(2, name=CANARY))])


def _numbers(reading: Reading) -> list[int]:
    return [int(one.span_id, 16) for one in reading.spans]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (BAD[:-40] + b"\n", "syntax"),
        (BAD.replace(b"canary", b"canary\xff"), "encoding"),
        (BAD.replace(b'"kind": 3', b'"kind": 3, "kind": 2'), "duplicate_member"),
        (BAD.replace(b'"kind": 3', b'"kind": ' + b"[" * 300 + b"]" * 300), "too_deep"),
        (BAD.replace(b'"kind": 3', b'"kind": ' + b"[" * 90_000 + b"]" * 90_000), "too_deep"),
        (BAD.replace(b'"kind": 3', b'"kind": ' + b"9" * 5_000), "number_too_long"),
        (b"2026-06-14 log line " + CANARY.encode() + b" between the records\n", "syntax"),
        (b'"' + CANARY.encode() + b'"\n', "not_an_object"),
        (b"\x00\x01\x02" + CANARY.encode() + b"\n", "syntax"),
    ],
)
def test_a_broken_line_is_named_and_the_rest_is_read(read_bytes: ReadBytes, broken: bytes, reason: str) -> None:
    reading = read_bytes(GOOD, GOOD + broken + lines([request(span(3))]))
    assert _numbers(reading) == [1, 3]
    assert places(reading.file_notes, "record_refused") == (f"file 2 record 2 ({reason})",)
    assert CANARY not in repr(reading)


def test_a_truncated_last_line_is_named(read_bytes: ReadBytes) -> None:
    reading = read_bytes(GOOD + lines([request(span(2, trace_id=OTHER))])[:-30])
    assert _numbers(reading) == [1]
    assert places(reading.file_notes, "record_refused") == ("file 1 record 2 (syntax)",)


@pytest.mark.parametrize("size", [200, 5_000])
def test_an_over_long_line_is_passed_over(read_bytes: ReadBytes, size: int) -> None:
    long = lines([request(span(2, name=CANARY * size))])
    reading = read_bytes(GOOD + long + GOOD + long.rstrip(), limits=Limits(record_bytes=2_000, chunk_bytes=4_096))
    assert _numbers(reading) == [1]
    assert places(reading.file_notes, "record_refused") == ("file 1 record 2 (too_long)", "file 1 record 4 (too_long)")


def test_lone_surrogates_are_kept(read_bytes: ReadBytes) -> None:
    reading = read_bytes(GOOD.replace(b"step 1", b"step \\ud83d"))
    assert reading.spans[0].name == "step \ud83d"


@pytest.mark.parametrize("frame", [big_endian, delimited])
def test_a_broken_message_is_named(read_bytes: ReadBytes, frame: object) -> None:
    assert callable(frame)
    first, second, third = (message(request(span(number))) for number in (1, 2, 3))
    reading = read_bytes(frame([first, second.replace(b"step 2", b"step \xff"), third]) + b"\x7f\x01")
    assert _numbers(reading) == [1, 3]
    assert places(reading.file_notes, "record_refused")[0] == "file 1 record 2 (syntax)"
    assert len(places(reading.file_notes, "record_refused")) == 2


def test_a_truncated_bare_message_gives_its_whole_parts(read_bytes: ReadBytes) -> None:
    reading = read_bytes(message(request(span(1))) + message(request(span(2)))[:-9])
    assert _numbers(reading) == [1]
    assert places(reading.file_notes, "record_refused") == ("file 1 record 2 (truncated)",)


@pytest.mark.parametrize("array", [False, True])
def test_a_truncated_document_gives_its_whole_parts(read_bytes: ReadBytes, array: bool) -> None:
    requests = [request(span(1)), request(span(2)), request(span(3))]
    text = json.dumps(requests, indent=1).encode() if array else pretty(requests)
    reading = read_bytes(text[:-120])
    assert _numbers(reading) == [1, 2]
    assert places(reading.file_notes, "record_refused") == ("file 1 record 3 (truncated)",)


def test_a_document_beyond_the_bound_is_refused(read_bytes: ReadBytes) -> None:
    reading = read_bytes(GOOD, pretty([request(span(2))]), limits=Limits(document_bytes=100))
    assert places(reading.file_notes, "record_refused") == ("file 2 record 1 (too_long)",)


def test_a_broken_element_of_an_array_does_not_hide_the_others(read_bytes: ReadBytes) -> None:
    text = json.dumps([request(span(1)), request(span(2)), request(span(3))]).encode()
    reading = read_bytes(text.replace(b'"name": "step 2"', b'"name": "step 2", "name": "x"'))
    assert _numbers(reading) == [1, 3]
    assert places(reading.file_notes, "record_refused") == ("file 1 record 2 (duplicate_member)",)


@pytest.mark.parametrize("members", [{"spanId": "xyz"}, {"spanId": None}, {"spanId": "0" * 16}, {"spanId": 7}])
def test_a_span_without_an_id_is_refused_alone(read_bytes: ReadBytes, members: dict[str, object]) -> None:
    reading = read_bytes(lines([request(span(1), span(2) | members, span(3))]))
    assert _numbers(reading) == [1, 3]
    assert places(reading.file_notes, "span_refused") == ("file 1 record 1 item 1",)


def test_a_broken_link_is_dropped_and_noted(read_bytes: ReadBytes) -> None:
    reading = read_bytes(lines([request(span(1, links=[{"traceId": "0" * 32, "spanId": CANARY}]))]))
    assert reading.spans[0].links == ()
    assert codes(reading.file_notes)["link_refused"] == 1


def test_values_that_are_not_what_they_say_are_kept_as_text(read_bytes: ReadBytes) -> None:
    pairs = [
        attribute("a", "intValue", "12x"),
        attribute("b", "doubleValue", "much"),
        attribute("c", "bytesValue", "%%%"),
        attribute("d", "intValue", "9" * 6_000),
    ]
    reading = read_bytes(lines([request(span(1, attributes=pairs, startTimeUnixNano="soon"))]))
    assert [value for _, value in reading.spans[0].attributes] == ["12x", "much", "%%%", "9" * 6_000]
    assert codes(reading.file_notes)["malformed_value"] == 4
    assert codes(reading.file_notes)["malformed_time"] == 1
    assert codes(reading.span_notes)["no_start_time"] == 1


def test_nulls_and_unknown_members_are_ignored(read_bytes: ReadBytes) -> None:
    node = span(1, parentSpanId=None, events=None, links=None, status=None, traceState=None, flags=None, later=[{}])
    node["attributes"] = [{"key": "n", "value": {"array_value": None, "int_value": 200, "string_value": None}}, None]
    reading = read_bytes(lines([request(node) | {"extension": {"x": 1}}]))
    assert reading.spans[0].attributes == (("n", 200),)
    assert reading.spans[0].parent_id is None


def test_places_are_bounded_and_counted(read_bytes: ReadBytes) -> None:
    reading = read_bytes(GOOD + b"oops\n" * 30, limits=Limits(places=3))
    assert codes(reading.file_notes)["record_refused"] == 30
    assert len(places(reading.file_notes, "record_refused")) == 3


def test_errors_say_nothing_of_the_input(read_bytes: ReadBytes) -> None:
    with pytest.raises(ExtractFixtureError) as caught:
        read_bytes(BAD[:-50] + b"\n" + BAD.replace(TRACE.encode(), b"nope"))
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("code", "members"),
    [
        ("malformed_kind", {"kind": 17}),
        ("malformed_kind", {"kind": "SPAN_KIND_SOMETHING"}),
        ("malformed_status", {"status": {"code": 9}}),
    ],
)
def test_a_kind_or_status_of_no_convention_is_said(read_bytes: ReadBytes, code: str, members: dict[str, Any]) -> None:
    reading = read_bytes(lines([request(span(1, **members))]))
    assert codes(reading.file_notes)[code] == 1
    assert reading.spans[0].status_code == "unset"


@pytest.mark.parametrize(
    ("code", "members"), [("malformed_kind", {"kind": 17}), ("malformed_status", {"status": {"code": 9}})]
)
def test_a_kind_or_status_of_no_convention_is_said_of_protobuf_too(
    read_bytes: ReadBytes, code: str, members: dict[str, Any]
) -> None:
    reading = read_bytes(message(request(span(1, **members))))
    assert codes(reading.file_notes)[code] == 1
    assert (reading.spans[0].kind == "unspecified") is ("kind" in members)
    assert "malformed" not in " ".join(codes(read_bytes(message(request(span(1, kind=0)))).file_notes))


@pytest.mark.parametrize("end", [",\n]", ",]", " ,\r\n ] \n"])
@pytest.mark.parametrize("found", [True, False])
def test_a_comma_that_nothing_follows_is_a_broken_end(read_bytes: ReadBytes, end: str, found: bool) -> None:
    elements = [
        json.dumps(request(span(1, trace_id=TRACE if found else OTHER))),
        json.dumps(request(span(2, trace_id=OTHER))),
    ]
    reading = read_bytes(GOOD, ("[" + ",\n".join(elements) + end).encode())
    assert places(reading.file_notes, "record_refused") == ("file 2 record 3 (truncated)",)


def test_a_whole_array_has_no_broken_end(read_bytes: ReadBytes) -> None:
    elements = ",\n".join(json.dumps(request(span(number, name="[a,]"))) for number in (1, 2))
    reading = read_bytes(f"[{elements}\n]\n".encode())
    assert _numbers(reading) == [1, 2]
    assert "record_refused" not in codes(reading.file_notes)
