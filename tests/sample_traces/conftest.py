from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

import sample_traces
from sample_traces.recording.otlp import json_lines

ROOT = Path(sample_traces.__file__).parent
INCIDENTS = tomllib.loads((ROOT / "incidents.toml").read_text(encoding="utf-8"))
EXPECTATIONS = tomllib.loads((ROOT / "expectations.toml").read_text(encoding="utf-8"))


def _json(file: Path) -> bytes:
    content = file.read_bytes()
    if file.suffix == ".gz":
        return gzip.decompress(content)
    if file.suffix == ".zst":
        return zstandard.ZstdDecompressor().decompress(content)
    if file.suffix == ".binpb":
        return json_lines([ExportTraceServiceRequest.FromString(content)])
    return content


def _spans(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                yield span | {"resource": resource["resource"], "scope": scope["scope"]}


@pytest.fixture(params=sorted(INCIDENTS))
def incident(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def options() -> Callable[[str], dict[str, Any]]:
    return lambda name: INCIDENTS[name]


@pytest.fixture
def facts() -> Callable[[str], dict[str, Any]]:
    return lambda name: EXPECTATIONS[name]


@pytest.fixture
def read() -> Callable[[Path], list[dict[str, Any]]]:
    """The spans of an export, each with its resource and scope, in the order of the file."""
    return lambda file: [span for line in _json(file).splitlines() for span in _spans(json.loads(line))]


@pytest.fixture
def exported(read) -> Callable[[str], list[dict[str, Any]]]:
    return lambda name: read(ROOT / INCIDENTS[name]["source"])


@pytest.fixture
def trace(exported) -> Callable[[str], list[dict[str, Any]]]:
    """The spans of the incident alone."""
    return lambda name: [span for span in exported(name) if span["traceId"] == INCIDENTS[name]["trace_id"]]
