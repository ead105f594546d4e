"""The sample incidents as every test here uses them: one configuration, one key, spans in whatever container."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import zstandard
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from extractor import pipeline, ruleset
from extractor.cli import options
from extractor.cli.request import Told, statement
from extractor.model.config import RunConfig, Wanted
from extractor.read import read
from extractor.redact import WorkspaceKey
from sample_traces.recording.otlp import json_lines

ROOT = Path(__file__).parent.parent.parent
SAMPLES = ROOT / "sample_traces"
INCIDENTS: dict[str, dict[str, Any]] = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))
FACTS: dict[str, dict[str, Any]] = tomllib.loads((SAMPLES / "expectations.toml").read_text("utf-8"))
RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
OCCASION = pipeline.Occasion(
    extracted_at="2026-01-01T00:00:00+00:00", expires_at="2026-01-31T00:00:00+00:00", host="somewhere"
)


def source_of(name: str) -> Path:
    return SAMPLES / INCIDENTS[name]["source"]


ABOUT = ("trace_id", "source", "container", "dialect", "agent")
"""What an incident's table says beside options of the command line."""


def config_of(name: str, *, complete: bool = True) -> RunConfig:
    incident = INCIDENTS[name]
    config = RunConfig(
        wanted=Wanted(trace_ids=(incident["trace_id"],)),
        workflow_version=incident["workflow_version"],
        prompt_version=incident["prompt_version"],
        time_zone=incident["time_zone"],
        locale=incident["locale"],
    )
    return replace(config, statement=statement(told_of(name))) if complete else config


def told_of(name: str) -> Told:
    """Return what people say of an incident, read from its options as the command line reads them."""
    wanted = {option.name or "" for option in _told.params}
    told: Told = _told.main(_options(name, wanted), standalone_mode=False)
    return told


@click.command()
@options.statement
def _told(**told: Any) -> dict[str, Any]:
    return told


def extracted(name: str, *sources: Path, complete: bool = True) -> pipeline.Extraction:
    config = config_of(name, complete=complete)
    reading = read([str(source) for source in sources or (source_of(name),)], config.wanted)
    return pipeline.extract(reading, config, RULES, KEY, OCCASION)


def options_of(name: str) -> list[str]:
    """Return the command line that makes a complete case of an incident."""
    incident = INCIDENTS[name]
    return ["--trace-id", incident["trace_id"], str(source_of(name)), *_options(name, incident.keys() - set(ABOUT))]


def _options(name: str, wanted: AbstractSet[str]) -> list[str]:
    given = {option: value for option, value in INCIDENTS[name].items() if option in wanted}
    return [
        part
        for option, value in given.items()
        for each in (value if isinstance(value, list) else [value])
        for part in ("--" + option.replace("_", "-"), each)
    ]


def requests_of(name: str) -> list[ExportTraceServiceRequest]:
    """Return the export of an incident as protobuf requests, one span group each, so that they can be dealt out."""
    return [ExportTraceServiceRequest(resource_spans=[batch]) for whole in _whole(name) for batch in _split(whole)]


def lines_of(name: str) -> list[bytes]:
    """Return the export of an incident as OTLP/JSON, one span a line."""
    return json_lines(requests_of(name)).splitlines(keepends=True)


def _whole(name: str) -> Iterator[ExportTraceServiceRequest]:
    content = source_of(name).read_bytes()
    if source_of(name).suffix == ".binpb":
        yield ExportTraceServiceRequest.FromString(content)
        return
    if source_of(name).suffix == ".gz":
        content = gzip.decompress(content)
    if source_of(name).suffix == ".zst":
        content = zstandard.ZstdDecompressor().decompress(content)
    for line in content.splitlines():
        yield request(json.loads(line))


def _split(whole: ExportTraceServiceRequest) -> Iterator[Any]:
    for batch in whole.resource_spans:
        for group in batch.scope_spans:
            for span in group.spans:
                one = type(batch)(resource=batch.resource, schema_url=batch.schema_url)
                one.scope_spans.add(scope=group.scope, schema_url=group.schema_url, spans=[span])
                yield one


def request(document: dict[str, Any]) -> ExportTraceServiceRequest:
    """Return an OTLP/JSON request as protobuf; protobuf's own JSON reader wants ids in base64."""
    from google.protobuf.json_format import ParseDict

    return ParseDict(_base64_ids(document), ExportTraceServiceRequest())


def _base64_ids(node: Any) -> Any:
    from base64 import b64encode

    if isinstance(node, list):
        return [_base64_ids(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: b64encode(bytes.fromhex(child)).decode()
        if key in ("traceId", "spanId", "parentSpanId") and isinstance(child, str)
        else _base64_ids(child)
        for key, child in node.items()
    }
