"""What `make bench-bulk` says of runs, memory and the peer is what happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import bulk
import bulk_export
import bulk_presidio
import bulk_run
import bulk_stage
import pytest
from bulk_presidio import Beside
from bulk_run import Run
from bulk_words import SERVICES

from extractor import read


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("export") / "export.jsonl"
    bulk_export.write(file, least_bytes=0, least_traces=12, seed=11)
    return file


@pytest.fixture
def key(tmp_path) -> Path:
    file = tmp_path / "key"
    subprocess.run(
        [sys.executable, "-m", "extractor", "key", "new", "--out", str(file)], check=True, capture_output=True
    )
    return file


def measured(**changes: float) -> Run:
    figures = {
        "size": 2_000_000,
        "workers": 2,
        "seconds": 4.0,
        "traces": 9,
        "cases": 8,
        "status": 0,
        "worker_peak": 10**9,
        "parent_peak": 10**8,
    }
    return Run(**(figures | changes))


BESIDE = Beside(traces=2, size=10**6, line=1.0, redaction=0.5, uncached=30.0, cached=5.0)


@pytest.mark.nlp
def test_a_run_counts_its_cases_and_the_memory_of_its_workers(export, key, tmp_path):
    few = tmp_path / "few.jsonl"
    bulk_presidio.sample(export, 2, few)
    run = bulk_run.run("pool", few, tmp_path / "cases", key, workers=2, traces=2)
    assert (run.cases, run.status, run.size) == (2, 0, few.stat().st_size)
    assert run.worker_peak > run.parent_peak > 10**7
    assert run.a_second == 2 / run.seconds


def test_a_run_that_breaks_off_is_no_measurement(key, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text("no trace at all")
    with pytest.raises(RuntimeError, match="broke off"):
        bulk_run.run("pool", broken, tmp_path / "cases", key, workers=1, traces=1)


def test_memory_of_processes_below_is_seen_at_its_highest():
    hungry = "b = bytearray(120_000_000); del b; print('done', flush=True); input()"
    above = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hungry!r}])"
    process = subprocess.Popen([sys.executable, "-c", above], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        (child,) = bulk_run.below(process.pid)
        assert child in set(bulk_run.below(os.getpid()))
        assert 120_000_000 < bulk_run.high_water(child) < 200_000_000
    finally:
        process.communicate(b"\n")
    assert bulk_run.high_water(process.pid) == 0


@pytest.mark.parametrize(("count", "workers"), [(0, 1), (1, 2), (7, 2), (8, 3), (5, 1)])
def test_every_trace_is_dealt_to_one_worker(count, workers):
    ids = [str(number) for number in range(count)]
    hands = [bulk_stage._dealt(ids, workers, number) for number in range(workers)]
    assert sorted(one for hand in hands for one in hand) == sorted(ids)
    assert max(map(len, hands)) - min(map(len, hands)) <= 1


@pytest.mark.nlp
def test_the_stage_of_redaction_is_timed_over_all_workers(export, tmp_path):
    few = tmp_path / "few.jsonl"
    bulk_presidio.sample(export, 2, few)
    wall, busy = bulk_stage.seconds(few, 2)
    assert wall > 0
    assert busy > 0


def test_a_sample_holds_whole_traces_of_every_service(export, tmp_path):
    few = tmp_path / "few.jsonl"
    services = bulk_presidio.sample(export, 3, few)
    assert sorted(services.values()) == sorted(f"{service}-agent" for service in SERVICES)
    whole = {trace.trace_id: trace for trace in read.survey([str(export)]).traces}
    found = read.survey([str(few)]).traces
    assert {trace.trace_id for trace in found} == set(services)
    assert [trace.spans for trace in found] == [whole[trace.trace_id].spans for trace in found]


def test_the_peer_is_given_every_string_of_the_attributes_as_often_as_it_stands(tmp_path):
    attributes = [
        {"key": "a", "value": {"stringValue": "one"}},
        {"key": "b", "value": {"arrayValue": {"values": [{"stringValue": "one"}, {"stringValue": "two"}]}}},
        {"key": "c", "value": {"doubleValue": 1.5}},
    ]
    export = tmp_path / "export.jsonl"
    export.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": attributes}]}]}]}) + "\n")
    assert Counter(bulk_presidio.strings(export)) == {"one": 2, "two": 1}


def test_what_is_missed_is_said():
    half, alone, both = measured(), measured(workers=1, seconds=8.0), measured(worker_peak=1_200_000_000)
    slow = Beside(traces=2, size=10**6, line=1.0, redaction=0.5, uncached=19.0, cached=5.0)
    rows = list(bulk.verdicts([half, alone, both], slow, [(1, 10.0, 9.0), (2, 5.0, 9.2)]))
    missed = [row for row in rows if "missed" in row]
    assert [row.split(" | ")[0] for row in missed] == [
        "| plain Presidio beside the whole line, uncached",
        "| twice the export takes more memory a worker",
    ]
    assert "| the whole, 1 → 2 workers | 2.00 times | |" in rows


def test_what_is_met_is_said_without_a_word():
    runs = [measured(), measured(workers=1, seconds=8.0), measured(worker_peak=1_050_000_000)]
    assert not [row for row in bulk.verdicts(runs, BESIDE, [(1, 10.0, 9.0), (2, 5.8, 9.2)]) if "missed" in row]


def test_the_tables_have_a_row_for_every_run_and_service():
    assert "| 2 MiB, workers: 2 | 4 | 8 of 9 | 0 | 2.00 | 0.50 | 1,000 MB | 100 MB |" in list(
        bulk.run_rows("bulk", [measured()])
    )
    assert (
        list(bulk.peer_rows([("all", BESIDE)]))[-1]
        == "| all (2 traces, 1.0 MB) | 0.50 | 0.25 | 15.00 | 30.0 | 2.50 | 5.0 |"
    )


def test_a_page_keeps_all_but_its_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{bulk._BEGIN}\nold\n{bulk._END}\nafter\n")
    bulk.between(page, "new")
    assert page.read_text() == f"before\n{bulk._BEGIN}\n\nnew\n\n{bulk._END}\nafter\n"
    page.write_text("no place")
    with pytest.raises(ValueError, match="no place"):
        bulk.between(page, "new")


def test_the_machine_is_named():
    said = bulk.machine()
    assert f"{len(os.sched_getaffinity(0))} cores" in said
    assert "GiB" in said
    assert "spacy " in said
