"""Finding traces: by id, prefix, session and link, without parsing what does not hold them."""

from __future__ import annotations

import json

import pytest

from extractor.errors import InputUnreadable, TraceNotFound, UsageError
from extractor.model.config import Wanted

from .build import OTHER, TRACE, attribute, base64_ids, big_endian, lines, message, request, span
from .conftest import ReadBytes, codes

SESSION = 'conv "7" – ü/1'


def test_records_without_the_id_are_not_parsed(read_bytes: ReadBytes) -> None:
    unparsed = b'{"resourceSpans": this would be refused}\n'
    found = read_bytes(unparsed + lines([request(span(1))]) + unparsed)
    assert len(found.spans) == 1
    assert codes(found.file_notes) == {"records_read": 1}


def test_several_traces_are_read_together(read_bytes: ReadBytes) -> None:
    data = lines([request(span(1), span(2, trace_id=OTHER)), request(span(3, trace_id="12" * 16))])
    found = read_bytes(data, wanted=Wanted(trace_ids=(OTHER, TRACE)))
    assert {one.trace_id for one in found.spans} == {TRACE, OTHER}


def test_spans_are_gathered_across_files_and_containers(read_bytes: ReadBytes) -> None:
    found = read_bytes(
        lines([request(span(2))]), big_endian([message(request(span(1)))]), lines(base64_ids([request(span(3))]))
    )
    assert [one.span_id for one in found.spans] == [f"{number:016x}" for number in (1, 2, 3)]
    assert [file.container for file in found.files] == ["otlp_json", "otlp_proto", "otlp_json"]


def test_an_unknown_id_says_how_many_traces_there_are(read_bytes: ReadBytes) -> None:
    data = lines([request(span(1), span(2, trace_id=OTHER)), request(span(3))])
    with pytest.raises(TraceNotFound, match="not among the 2 traces") as caught:
        read_bytes(data, wanted=Wanted(trace_ids=("ff" * 16,)))
    assert "8 hex digits" in (caught.value.hint or "")
    assert "ffff" not in caught.value.message


def test_one_unknown_id_of_two_is_refused(read_bytes: ReadBytes) -> None:
    with pytest.raises(TraceNotFound):
        read_bytes(lines([request(span(1))]), wanted=Wanted(trace_ids=(TRACE, OTHER)))


def test_a_prefix_must_be_unique(read_bytes: ReadBytes) -> None:
    twin = TRACE[:10] + "f" * 22
    data = lines([request(span(1), span(2, trace_id=twin))])
    with pytest.raises(TraceNotFound, match="2 traces begin"):
        read_bytes(data, wanted=Wanted(trace_ids=(TRACE[:10],)))
    assert len(read_bytes(data, wanted=Wanted(trace_ids=(TRACE[:11],))).spans) == 1


@pytest.mark.parametrize("text", ["abcdef", "1234567", "", "z" * 201, "0" * 32, "a" * 40])
def test_what_is_no_id_is_a_usage_error(read_bytes: ReadBytes, text: str) -> None:
    with pytest.raises(UsageError):
        read_bytes(lines([request(span(1))]), wanted=Wanted(trace_ids=(text,)))


def test_nothing_wanted_is_a_usage_error(read_bytes: ReadBytes) -> None:
    with pytest.raises(UsageError):
        read_bytes(lines([request(span(1))]), wanted=Wanted())


@pytest.mark.parametrize(
    "spelling",
    [
        TRACE.upper(),
        "0x" + TRACE,
        f"{TRACE[:8]}-{TRACE[8:12]}-{TRACE[12:16]}-{TRACE[16:20]}-{TRACE[20:]}",
        TRACE[:16] + TRACE[16:].upper(),
        "W47/95gDgQPSabYzgT/GDA==",
        "W47_95gDgQPSabYzgT_GDA",
    ],
)
def test_every_spelling_of_an_id_is_the_same_trace(read_bytes: ReadBytes, spelling: str) -> None:
    found = read_bytes(lines([request(span(1, trace_id=spelling))]))
    assert [one.trace_id for one in found.spans] == [TRACE]
    assert read_bytes(lines([request(span(1))]), wanted=Wanted(trace_ids=(spelling,))).spans == found.spans


def test_short_ids_of_older_tracers_are_padded(read_bytes: ReadBytes) -> None:
    data = lines([request(span(1, trace_id=TRACE[16:]))])
    found = read_bytes(data, wanted=Wanted(trace_ids=(TRACE[16:].zfill(32),)))
    assert found.spans[0].trace_id == "0" * 16 + TRACE[16:]


@pytest.mark.parametrize("key", ["session.id", "gen_ai.conversation.id", "langfuse.session.id"])
@pytest.mark.parametrize("form", ["json", "ascii", "protobuf"])
def test_a_session_brings_every_trace_of_it(read_bytes: ReadBytes, key: str, form: str) -> None:
    told = [attribute(key, "stringValue", SESSION)]
    mentioned = [attribute("input.value", "stringValue", SESSION)]
    requests = [
        request(span(1), span(2, attributes=told)),
        request(span(1, trace_id=OTHER, attributes=told)),
        request(span(3)),
        request(span(1, trace_id="34" * 16, attributes=mentioned)),
    ]
    data = {
        "json": lines(requests),
        "ascii": b"".join(json.dumps(one).encode() + b"\n" for one in requests),
        "protobuf": big_endian([message(one) for one in requests]),
    }[form]
    found = read_bytes(data, wanted=Wanted(sessions=(SESSION,)))
    assert [(one.trace_id, int(one.span_id, 16)) for one in found.spans] == [
        (TRACE, 1),
        (OTHER, 1),
        (TRACE, 2),
        (TRACE, 3),
    ]


def test_an_unknown_session_is_not_found(read_bytes: ReadBytes) -> None:
    with pytest.raises(TraceNotFound, match="the wanted session is not among the 1 trace"):
        read_bytes(lines([request(span(1))]), wanted=Wanted(sessions=("nobody",)))


def test_links_are_followed_one_hop(read_bytes: ReadBytes) -> None:
    third = "56" * 16

    def link(trace_id: str) -> dict[str, str]:
        return {"traceId": trace_id, "spanId": f"{1:016x}"}

    data = lines(
        [
            request(span(1, links=[link(OTHER), link("78" * 16)])),
            request(span(1, trace_id=OTHER, links=[link(third)])),
            request(span(1, trace_id=third)),
        ]
    )
    found = read_bytes(data)
    assert {one.trace_id for one in found.spans} == {TRACE, OTHER}
    assert codes(found.span_notes) == {"linked_trace_added": 1, "linked_trace_absent": 1}


def test_sources_without_any_span_are_unreadable(read_bytes: ReadBytes) -> None:
    logs = json.dumps({"resourceMetrics": [{"scopeMetrics": []}]}).encode() + b"\n"
    with pytest.raises(InputUnreadable, match=r"no span \(other_signal_not_read 1\)"):
        read_bytes(logs)


@pytest.mark.parametrize("written", ["14b60fd9ae504820", "4b60fd9ae504820"])
def test_a_64_bit_id_is_found_without_its_leading_zeros(read_bytes: ReadBytes, written: str) -> None:
    """Zipkin and Jaeger write them so."""
    data = lines([request(span(1, trace_id=written.zfill(32)), span(2, trace_id=OTHER))])
    (found,) = read_bytes(data, wanted=Wanted(trace_ids=(written,))).spans
    assert found.trace_id == written.zfill(32)


@pytest.mark.parametrize("odd", ["buffer", "by index", "thrift"])
def test_spans_are_gathered_where_one_record_spells_the_id_as_no_search_does(read_bytes: ReadBytes, odd: str) -> None:
    """A file may hold one trace in several spellings, and so may two files; what is found at once is not all of it."""
    octets = list(bytes.fromhex(TRACE))
    spelled = {"buffer": {"type": "Buffer", "data": octets}, "by index": {str(n): one for n, one in enumerate(octets)}}
    first = span(1)
    if odd == "thrift":
        words = {"traceIdLow": int(TRACE[16:], 16) - 2**64, "traceIdHigh": int(TRACE[:16], 16)}
        whole = {
            "process": {"serviceName": "a"},
            "spans": [{**words, "spanId": 1, "operationName": "a", "startTime": 1}],
        }
        found = read_bytes(lines([request(span(2))]), json.dumps(whole).encode())
    else:
        found = read_bytes(lines([request(span(2)), request(first | {"traceId": spelled[odd]})]))
    assert len(found.spans) == 2
