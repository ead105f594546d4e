from __future__ import annotations

import gzip
import json
import os
import random
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import zstandard

from extractor import pipeline, ruleset
from extractor.errors import LeakFound
from extractor.model.config import RunConfig, Statement, Wanted
from extractor.model.layout import FIXTURE, PROVED
from extractor.read import read
from extractor.redact import WorkspaceKey
from extractor.replay.fixture_check import structural_problems

SAMPLES = Path(__file__).parent.parent / "sample_traces"
INCIDENTS = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))
EXPECTED = tomllib.loads((SAMPLES / "expectations.toml").read_text("utf-8"))
RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
OCCASION = pipeline.Occasion(
    extracted_at="2026-01-01T00:00:00+00:00", expires_at="2026-01-31T00:00:00+00:00", host="somewhere"
)


def config_of(incident: dict) -> RunConfig:
    return RunConfig(
        wanted=Wanted(trace_ids=(incident["trace_id"],)),
        statement=Statement(
            incident=incident["incident"],
            failure=incident["failure"],
            prohibit=tuple(incident["prohibit"]),
            evidence_needed=incident["evidence_needed"],
        ),
        workflow_version=incident["workflow_version"],
        prompt_version=incident["prompt_version"],
        time_zone=incident["time_zone"],
        locale=incident["locale"],
    )


def extracted(incident: dict, *sources: Path, key: WorkspaceKey = KEY) -> pipeline.Extraction:
    config = config_of(incident)
    reading = read([str(source) for source in sources], config.wanted)
    return pipeline.extract(reading, config, RULES, key, OCCASION)


def proved(incident: dict, *sources: Path) -> dict[str, bytes]:
    return dict(extracted(incident, *sources).fixture.files)


@pytest.fixture(params=INCIDENTS)
def name(request) -> str:
    return request.param


@pytest.fixture
def incident(name) -> dict:
    return INCIDENTS[name]


@pytest.fixture
def source(incident) -> Path:
    return SAMPLES / incident["source"]


def test_every_sample_becomes_a_whole_case(incident, source):
    fixture = extracted(incident, source).fixture
    assert set(fixture.files) == set(PROVED)
    assert structural_problems(json.loads(fixture.files[FIXTURE])) == []
    assert fixture.replayable
    assert not fixture.incomplete


def test_no_identifier_of_a_sample_survives_and_the_bug_does(name, incident, source):
    made = extracted(incident, source)
    everything = b"\n".join(made.fixture.files.values()).decode()
    assert not [
        planted["value"]
        for planted in EXPECTED[name]["planted"]
        if len(planted["value"]) > 4 and planted["value"] in everything
    ]
    assert not [value for value in EXPECTED[name]["bystanders"] if value in everything + made.capture.decode()]
    assert [value for value in EXPECTED[name]["kept"] if value not in everything] == []


def test_two_runs_write_the_same_bytes(incident, source):
    assert proved(incident, source) == proved(incident, source)


def test_another_key_gives_other_pseudonyms(incident, source):
    other = extracted(incident, source, key=WorkspaceKey(material=bytes(range(100, 132))))
    assert other.fixture.files[FIXTURE] != proved(incident, source)[FIXTURE]
    assert other.fixture.case_id != extracted(incident, source).fixture.case_id


def lines_of(source: Path) -> list[bytes]:
    content = source.read_bytes()
    if source.suffix == ".gz":
        content = gzip.decompress(content)
    if source.suffix == ".zst":
        content = zstandard.ZstdDecompressor().stream_reader(content).read()
    return content.splitlines(keepends=True)


@pytest.fixture(params=[name for name, incident in INCIDENTS.items() if ".jsonl" in incident["source"]])
def lined(request) -> tuple[dict, Path]:
    incident = INCIDENTS[request.param]
    return incident, SAMPLES / incident["source"]


def test_the_order_of_lines_does_not_matter(lined, tmp_path):
    incident, source = lined
    shuffled = lines_of(source)
    random.Random(5).shuffle(shuffled)
    (tmp_path / "shuffled.jsonl").write_bytes(b"".join(shuffled))
    assert proved(incident, tmp_path / "shuffled.jsonl") == proved(incident, source)


def test_it_does_not_matter_how_many_files_hold_the_lines(lined, tmp_path):
    incident, source = lined
    for number, line in enumerate(lines_of(source)):
        with (tmp_path / f"part-{number % 5}.jsonl").open("ab") as part:
            part.write(line)
    assert proved(incident, tmp_path) == proved(incident, source)


def test_compression_and_encoding_do_not_matter(lined, tmp_path):
    from google.protobuf import json_format
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    incident, source = lined
    lines = lines_of(source)
    whole = b"".join(lines)
    message = TracesData()
    for line in lines:
        one = json.loads(line)
        for spans in (s for b in one["resourceSpans"] for g in b["scopeSpans"] for s in g["spans"]):
            _to_base64(spans)
        message.MergeFrom(json_format.ParseDict(one, TracesData(), ignore_unknown_fields=True))
    forms = {
        "plain.jsonl": whole,
        "packed.jsonl.gz": gzip.compress(whole),
        "packed.jsonl.zst": zstandard.ZstdCompressor().compress(whole),
        "binary.pb": message.SerializeToString(),
    }
    before = proved(incident, source)
    for name, content in forms.items():
        (tmp_path / name).write_bytes(content)
        assert proved(incident, tmp_path / name) == before, name


def _to_base64(span: dict) -> None:
    """Spell ids as protobuf's own JSON does: OTLP/JSON has them in hex."""
    from base64 import b64encode

    for holder in (span, *span.get("links", [])):
        for member in ("traceId", "spanId", "parentSpanId"):
            if holder.get(member):
                holder[member] = b64encode(bytes.fromhex(holder[member])).decode()


def test_the_seed_of_hashes_does_not_matter(tmp_path):
    incident = INCIDENTS["refund-timeout"]
    (tmp_path / "key").write_text("extract-fixture-key-1:" + bytes(range(32)).hex())
    (tmp_path / "key").chmod(0o600)
    made = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        subprocess.run(
            [
                sys.executable,
                "-m",
                "extractor",
                "--trace-id",
                incident["trace_id"],
                str(SAMPLES / incident["source"]),
                "--key-file",
                str(tmp_path / "key"),
                "--out",
                str(out),
                "--quiet",
            ],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        (case,) = (out / "quarantine").glob("2*")
        made.append({name: (case / name).read_bytes() for name in PROVED})
    assert made[0] == made[1]


def test_the_whole_line_opens_no_socket(incident, source, monkeypatch):
    def refuse(*_args, **_named):
        raise AssertionError("the network was asked for")

    for call in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, call, refuse)
    for call in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, call, refuse)
    assert extracted(incident, source).fixture.replayable


def test_a_fault_in_redaction_is_caught_by_the_proof(monkeypatch):
    incident = INCIDENTS["refund-timeout"]
    redact = pipeline.redact

    def forgetful(case, rules, config, key):
        from dataclasses import replace

        redacted = redact(case, rules, config, key)
        return replace(redacted, document={**redacted.document, "final_output": case.document["final_output"]})

    monkeypatch.setattr(pipeline, "redact", forgetful)
    with pytest.raises(LeakFound) as caught:
        extracted(incident, SAMPLES / incident["source"])
    assert "Maren" not in str(caught.value)
    assert "FH-204816" not in str(caught.value)


def test_a_case_id_holds_nothing_of_the_trace_but_day_tool_and_error(name, incident, source):
    """S10."""
    case_id = extracted(incident, source).fixture.case_id
    assert not [planted["value"] for planted in EXPECTED[name]["planted"] if planted["value"].lower() in case_id]
    assert incident["trace_id"][:8] not in case_id


def test_the_grade_that_marks_a_run_is_saved_without_anybodys_name(tmp_path):
    """S20: name, version and result stand in the sidecar, so that whoever approves says whether the grade is right."""
    incident = INCIDENTS["refund-timeout"]
    requests = [json.loads(line) for line in (SAMPLES / incident["source"]).read_text("utf-8").splitlines()]
    marks = {"eval.Maren Oduya.label": "incorrect", "eval.Maren Oduya.version": "7"}
    for request in requests:
        for span in (
            each for one in request["resourceSpans"] for scope in one["scopeSpans"] for each in scope["spans"]
        ):
            if not span.get("parentSpanId"):
                span["attributes"][:0] = [{"key": key, "value": {"stringValue": text}} for key, text in marks.items()]
    export = tmp_path / "graded.jsonl"
    export.write_text("".join(json.dumps(request) + "\n" for request in requests), "utf-8")
    fixture = extracted(incident, export).fixture
    grader = json.loads(fixture.files["provenance.json"])["predicate"]["grader"]
    assert (grader["version"], grader["result"]) == ("7", "incorrect")
    assert grader["name"] is not None
    assert grader["name"].count(" ") == 1
    for content in fixture.files.values():
        assert b"Oduya" not in content
