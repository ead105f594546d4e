"""The committed exports are what the SDK writes, again and again, and look like production's."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import sample_traces

ROOT = Path(sample_traces.__file__).parent
EXPORTS = sorted(path.name for path in (ROOT / "exports").iterdir())


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory) -> Path:
    return record(tmp_path_factory.mktemp("first"), hash_seed="1")


def record(folder: Path, hash_seed: str) -> Path:
    subprocess.run(
        [sys.executable, "-W", "error", "-m", "sample_traces.make", str(folder)],
        check=True,
        capture_output=True,
        cwd=ROOT.parent,
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": "Pacific/Auckland"},
    )
    return folder


def test_recording_twice_gives_the_same_bytes(regenerated, tmp_path):
    again = record(tmp_path, hash_seed="77")
    assert sorted(path.name for path in again.iterdir()) == EXPORTS
    for name in EXPORTS:
        assert (again / name).read_bytes() == (regenerated / name).read_bytes(), name


@pytest.mark.parametrize("name", EXPORTS)
def test_the_committed_exports_are_those_of_today_s_programs(name, read, regenerated):
    """Instrumentation scopes carry the version of the installed package, the one thing that may differ."""

    def without_versions(file):
        return [span | {"scope": {"name": span["scope"]["name"]}} for span in read(file)]

    committed = without_versions(ROOT / "exports" / name)
    assert without_versions(regenerated / name) == committed, "run make samples"


def test_all_exports_together_are_small():
    assert sum((ROOT / "exports" / name).stat().st_size for name in EXPORTS) < 1_000_000


def test_every_incident_is_in_its_export_and_every_export_has_one(incident, options, trace):
    assert trace(incident)
    assert Path(options(incident)["source"]).name in EXPORTS
    agent = importlib.import_module(options(incident)["agent"])
    assert callable(agent.run_buggy)
    assert callable(agent.run_fixed)


def test_ids_are_hex_of_the_right_length_and_unique(incident, exported):
    spans = exported(incident)
    assert all(re.fullmatch("[0-9a-f]{32}", span["traceId"]) for span in spans)
    assert all(re.fullmatch("[0-9a-f]{16}", span["spanId"]) for span in spans)
    assert all(re.fullmatch("[0-9a-f]{16}", span.get("parentSpanId", "0" * 16)) for span in spans)
    assert len({span["spanId"] for span in spans}) == len(spans)
    prefixes = {span["traceId"][:8] for span in spans}
    assert len(prefixes) == len({span["traceId"] for span in spans})


def test_several_traces_are_interleaved_in_each_export(incident, exported, options):
    spans = exported(incident)
    own = [place for place, span in enumerate(spans) if span["traceId"] == options(incident)["trace_id"]]
    between = {span["traceId"] for span in spans[own[0] : own[-1]]} - {options(incident)["trace_id"]}
    assert len(between) >= 2
    assert len({span["traceId"] for span in spans}) >= 3


def test_each_trace_is_whole_and_some_children_precede_their_parents(incident, trace):
    spans = trace(incident)
    places = {span["spanId"]: place for place, span in enumerate(spans)}
    parents = [(place, span["parentSpanId"]) for place, span in enumerate(spans) if "parentSpanId" in span]
    assert len(parents) == len(spans) - 1
    assert all(parent in places for _, parent in parents)
    assert sum(place < places[parent] for place, parent in parents) > len(parents) / 2


def test_spans_end_after_they_start_and_no_two_events_coincide(incident, trace):
    stamps = [int(span[edge]) for span in trace(incident) for edge in ("startTimeUnixNano", "endTimeUnixNano")]
    assert len(set(stamps)) == len(stamps)
    assert all(int(span["startTimeUnixNano"]) < int(span["endTimeUnixNano"]) for span in trace(incident))


def test_nothing_of_the_recording_machine_stands_in_an_export(incident, exported):
    text = str(exported(incident))
    assert "site-packages" not in text
    assert str(ROOT.parent) not in text
    assert Path.home().name in {"root", ""} or Path.home().name not in text
    assert "127.0.0.1" not in text


def test_the_payment_service_received_both_attempts_and_answered_after_the_client_had_given_up(trace):
    """S35: dispatch and receipt before the deadline, no response within it."""
    spans = {span["spanId"]: span for span in trace("refund-timeout")}
    servers = [span for span in spans.values() if span["kind"] == 2 and "parentSpanId" in span]
    assert len(servers) == 2
    for server in servers:
        client = spans[server["parentSpanId"]]
        assert client["kind"] == 3
        assert attribute(client, "error.type") == {"stringValue": "ReadTimeout"}
        assert int(client["startTimeUnixNano"]) < int(server["startTimeUnixNano"]) < int(client["endTimeUnixNano"])
        assert int(server["endTimeUnixNano"]) > int(client["endTimeUnixNano"])
        key = "http.request.header.idempotency_key"
        assert attribute(client, key) == attribute(server, key) is not None
    assert [attribute(server, "http.response.status_code") for server in servers] == [
        {"intValue": "201"},
        {"intValue": "200"},
    ]


def attribute(span, key):
    return next((pair["value"] for pair in span["attributes"] if pair["key"] == key), None)
