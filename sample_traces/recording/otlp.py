"""Spans to export files: OTLP protobuf from the SDK's own encoder, and OTLP/JSON with ids in hex as it must be."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence

import zstandard
from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import ReadableSpan

BATCH = 16
IDS = {"traceId", "spanId", "parentSpanId"}
FRAMES = re.compile(r"(?m)^(  File |    ).*\n")


def batches(spans: Iterable[ReadableSpan]) -> list[ExportTraceServiceRequest]:
    """Return export requests as a batching exporter makes them: all traces together, in the order of span ends."""
    ended = sorted(spans, key=lambda span: (span.end_time or 0, span.context.span_id if span.context else 0))
    requests = [encode_spans(ended[index : index + BATCH]) for index in range(0, len(ended), BATCH)]
    for request in requests:
        _shorten_stack_traces(request)
    return requests


def json_lines(requests: Sequence[ExportTraceServiceRequest]) -> bytes:
    """Return one OTLP/JSON request a line, as the collector's file exporter writes (OTLP specification, JSON encoding).

    protobuf's own JSON differs in two points that are set right here: ids are hex, not base64, and enums are numbers.
    """
    return b"".join(
        json.dumps(
            _hex_ids(MessageToDict(request, use_integers_for_enums=True)), ensure_ascii=False, separators=(",", ":")
        ).encode()
        + b"\n"
        for request in requests
    )


def gzipped(content: bytes) -> bytes:
    """Return gzip without a time stamp."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def zstd(content: bytes) -> bytes:
    """Return one zstd frame."""
    return zstandard.ZstdCompressor(level=10).compress(content)


def protobuf(requests: Sequence[ExportTraceServiceRequest]) -> bytes:
    """Return one bare request that holds all batches, in their order."""
    return b"".join(request.SerializeToString(deterministic=True) for request in requests)


def _hex_ids(node: object) -> object:
    if isinstance(node, dict):
        return {
            key: base64.b64decode(value).hex() if key in IDS and isinstance(value, str) else _hex_ids(value)
            for key, value in node.items()
        }
    return [_hex_ids(item) for item in node] if isinstance(node, list) else node


def _shorten_stack_traces(request: ExportTraceServiceRequest) -> None:
    """Leave the first and last line of each stack trace: the frames name this machine's folders and Python."""
    for event in _events(request):
        for attribute in event.attributes:
            if attribute.key == "exception.stacktrace":
                attribute.value.string_value = FRAMES.sub("", attribute.value.string_value)


def _events(request: ExportTraceServiceRequest) -> Iterator[Span.Event]:
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield from span.events
