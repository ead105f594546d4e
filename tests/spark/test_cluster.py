"""Cases made on a real cluster are those of the command, byte for byte, whatever becomes of its machines; nothing else gets out."""

from __future__ import annotations

import base64
import json
import os
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from extractor import pipeline, ruleset
from extractor.bulk.one import Job, Result
from extractor.bulk.spark import session as spark_session
from extractor.bulk.spark.engine import Sizes, Spark, Terms
from extractor.bulk.spark.export import Export
from extractor.bulk.spark.session import crosses_in_the_clear, session
from extractor.cli.app import run
from extractor.errors import EngineFailed, ExtractFixtureError, UsageError, WorkspaceKeyError
from extractor.model.config import RunConfig, Wanted
from extractor.model.layout import CAPTURE, PROVED
from extractor.pipeline import Occasion
from extractor.read import expand, read
from extractor.read.limits import Limits
from extractor.redact.keys import load_key
from tests.spark import export, making
from tests.spark.cluster import Cluster
from tests.spark.export import incidents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.nlp,
    pytest.mark.xdist_group("spark"),
    # PySpark leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
OCCASION = Occasion(extracted_at="2026-06-01T00:00:00+00:00", expires_at="2026-07-01T00:00:00+00:00", host="driver")
SIZES = Sizes(part_bytes=20_000, partitions=2)
ALL = [one.trace_id for one in incidents()]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return export.write(tmp_path_factory.mktemp("export") / "spans")


@pytest.fixture(scope="module")
def terms(key_file: Path) -> Terms:
    job = Job(config=RunConfig(), rules=ruleset.load(), key=load_key(key_file))
    return Terms(job=job, key_file=key_file, occasion=OCCASION)


@pytest.fixture(scope="module")
def alone(files: list[str], terms: Terms) -> Mapping[str, Mapping[str, bytes] | None]:
    """What the command makes of each trace by itself, by keyed digest; None where it refuses."""
    found: dict[str, Mapping[str, bytes] | None] = {}
    for trace_id in ALL:
        wanted = Wanted(trace_ids=(trace_id,))
        ref = terms.job.trace_ref(trace_id)
        try:
            reading = read(files, wanted)
            made = pipeline.extract(
                reading, replace(terms.job.config, wanted=wanted), terms.job.rules, terms.job.key, OCCASION
            )
        except ExtractFixtureError:
            found[ref] = None
        else:
            found[ref] = made.fixture.files
    assert sum(one is None for one in found.values()) == 1
    return found


def engine(running: SparkSession, files: list[str], sizes: Sizes = SIZES) -> Spark:
    return Spark(running, expand(files, None, Limits()), sizes=sizes)


@pytest.fixture(scope="module")
def scanned(running: SparkSession, files: list[str]) -> Export:
    return engine(running, files).scan(making.marks)


def proved(results: Sequence[Result]) -> dict[str, Mapping[str, bytes] | None]:
    """Return the proved files of results by keyed digest; each stands there once."""
    found = {one.trace_ref: {name: one.files[name] for name in PROVED} if one.files else None for one in results}
    assert len(found) == len(results)
    return found


def test_a_scan_tells_every_trace_and_every_fault(scanned: Export, files: list[str]) -> None:
    found = scanned
    assert sorted(found.traces) == sorted(ALL)
    assert {note.code: note.places for note in found.notes} == {
        "record_refused": (
            "file 1 record 16 (syntax)", "file 1 record 18 (duplicate_member)", "file 1 record 19 (not_an_object)",
        )
    }  # fmt: skip
    assert found.traces[ALL[export.LINKING]].linked == {ALL[export.LINKED]}
    assert all(one.marks == 1 for one in found.traces.values())
    assert found.sources[0].sha256 == expand(files, None, Limits())[0].digest()()


@pytest.mark.parametrize("partitions", [1, 2, 8])
def test_bytes_are_those_of_the_command_with_any_number_of_partitions(
    running: SparkSession,
    files: list[str],
    scanned: Export,
    terms: Terms,
    alone: Mapping[str, Mapping[str, bytes] | None],
    partitions: int,
) -> None:
    spark = engine(running, files, replace(SIZES, partitions=partitions))
    results = list(spark.convert(scanned, ALL, terms))
    assert proved(results) == alone
    assert [(one.code, one.stage) for one in results if one.state == "dead"] == [("redaction_refused", "redact")]
    captured = json.loads(next(one.files[CAPTURE] for one in results if one.files))
    assert captured["files"][0]["sha256"]


def test_a_machine_lost_in_mid_run_costs_no_case_and_doubles_none(
    started: Cluster,
    running: SparkSession,
    files: list[str],
    scanned: Export,
    terms: Terms,
    alone: Mapping[str, Mapping[str, bytes] | None],
) -> None:
    marks = Path(os.environ[making.MARKS])
    before = _spills(started)

    def kill() -> None:
        end = time.monotonic() + 60
        while len(list(marks.iterdir())) < 4 and time.monotonic() < end:
            time.sleep(0.01)
        seen.extend(found for found in _read(started) if any(word in found for word in _secrets(terms)))
        started.kill(started.workers[0])

    seen: list[bytes] = []
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        spark = engine(running, files, replace(SIZES, partitions=8))
        results = list(spark.convert(scanned, ALL, replace(terms, make=making.marked)))
    finally:
        killer.join()
        started.start_worker()
    assert proved(results) == alone
    assert len(list(marks.iterdir())) > len(alone)  # what the lost machine had done was done again
    assert _spills(started) > before
    assert not seen


def test_traces_that_end_their_process_take_too_long_or_meet_a_fault_of_ours_are_dead_letters(
    running: SparkSession,
    files: list[str],
    scanned: Export,
    terms: Terms,
    alone: Mapping[str, Mapping[str, bytes] | None],
) -> None:
    wanted = [making.SLOW, *ALL[3:7], making.FATAL, *making.QUOTED]
    spark = engine(running, files, replace(SIZES, most_seconds=12))
    results = list(spark.convert(scanned, wanted, replace(terms, make=making.quoting)))
    refs = {terms.job.trace_ref(trace_id): trace_id for trace_id in wanted}
    assert {refs[one.trace_ref]: one.code for one in results if one.state == "dead"} == {
        making.FATAL: "worker_died",
        making.SLOW: "timed_out",
        ALL[export.DEEP]: "redaction_refused",
        **dict.fromkeys(making.QUOTED, "KeyError"),
    }
    assert all(one.place for one in results)
    made = {one.trace_ref: one for one in results if one.state == "made"}
    assert {ref: {name: one.files[name] for name in PROVED} for ref, one in made.items()} == {
        ref: alone[ref] for ref in made
    }
    assert len(results) == len(wanted)


def test_a_trace_beyond_the_bound_is_a_dead_letter_and_never_brought_together(
    running: SparkSession, files: list[str], scanned: Export, terms: Terms
) -> None:
    linking = ALL[export.LINKING]
    most = scanned.bytes_needed(linking) - 1
    spark = engine(running, files, replace(SIZES, most_bytes=most))
    assert linking not in {trace_id for trace_id in ALL if scanned.bytes_needed(trace_id) <= most}
    results = list(spark.convert(scanned, [linking, ALL[export.LINKED]], terms))
    refs = {one.trace_ref: (one.state, one.code, one.place) for one in results}
    assert refs[terms.job.trace_ref(linking)] == ("dead", "too_large", scanned.traces[linking].place)
    assert refs[terms.job.trace_ref(ALL[export.LINKED])][0] == "made"


def test_executors_with_another_key_make_nothing(
    running: SparkSession, files: list[str], scanned: Export, terms: Terms, tmp_path: Path
) -> None:
    other = tmp_path / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(40, 72)).hex() + "\n")
    other.chmod(0o600)
    with pytest.raises(WorkspaceKeyError, match="another workspace key"):
        list(engine(running, files).convert(scanned, ALL[:1], replace(terms, key_file=other)))


def test_a_fault_of_ours_is_told_without_the_words_of_the_input(running: SparkSession, files: list[str]) -> None:
    with pytest.raises(EngineFailed, match=r"KeyError \(bulk/") as failed:
        engine(running, files).scan(making.quoting_marks)
    assert not any(word.decode() in str(failed.value) for word in _words())
    assert failed.value.__suppress_context__


def test_nothing_of_the_input_and_no_key_is_in_plans_pages_logs_or_spills(
    started: Cluster, running: SparkSession, files: list[str], scanned: Export, terms: Terms, capsys
) -> None:
    engine(running, files).plan(scanned, ALL, terms).explain("extended")
    told = [capsys.readouterr().out.encode(), *_pages(running), *_read(started)]
    assert sum(map(len, told)) > 100_000
    for word in (*_secrets(terms), str(terms.key_file).encode()):
        assert not any(word in text for text in told)
    assert not [path for path in started.folder.rglob("*") if "event" in path.name.lower()]
    assert b"REPARTITION_BY_NUM" in told[0]


def test_only_sessions_that_keep_originals_in_are_used(running: SparkSession, monkeypatch) -> None:
    assert session() is running
    assert not crosses_in_the_clear(running)
    monkeypatch.setattr(spark_session, "REQUIRED", {**spark_session.REQUIRED, "spark.io.encryption.keySizeBits": "512"})
    with pytest.raises(UsageError, match="keySizeBits"):
        session()


def _words() -> list[bytes]:
    return [word.encode() for one in incidents() for word in one.canaries]


def _secrets(terms: Terms) -> list[bytes]:
    key = terms.job.key.material
    return [*_words(), key, key.hex().encode(), base64.b64encode(key)]


def _read(started: Cluster) -> Iterator[bytes]:
    """Yield what master, workers, executors and driver have written, spills and shuffles included."""
    for path in started.files():
        try:
            yield path.read_bytes()
        except FileNotFoundError:  # let go of meanwhile
            continue


def _spills(started: Cluster) -> int:
    """Return how many files of shuffles and broadcasts lie on disks."""
    return sum(path.name.startswith(("shuffle_", "broadcast_", "rdd_")) for path in started.files())


def _pages(running: SparkSession) -> Iterator[bytes]:
    """Yield what Spark's pages tell of the application, as they tell it to programs and to people."""
    context = running.sparkContext
    of = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}"
    for address in (
        f"{of}/environment",
        f"{of}/stages?details=true",
        f"{of}/jobs",
        f"{of}/sql?details=true&planDescription=true&length=1000",
        f"{context.uiWebUrl}/environment/",
        f"{context.uiWebUrl}/SQL/",
    ):
        with urllib.request.urlopen(address, timeout=30) as answer:
            yield answer.read()


def test_the_command_writes_on_a_cluster_what_it_writes_on_one_machine(
    started: Cluster, running: SparkSession, files: list[str], key_file: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["bulk", *files, "--where", "error", "--key-file", str(key_file), "--json", "--out"]
    assert run([*asked, "cluster", "--engine", "spark", "--per-signature", "3", "--dataset", "lake"]) == 5
    there = json.loads(capsys.readouterr().out)
    assert run([*asked, "machine", "--per-signature", "3", "--workers", "2"]) == 5
    here = json.loads(capsys.readouterr().out)
    told = ("traces", "passed", "outcomes", "failures", "classes", "signatures", "residuals", "exit_status")
    assert {name: there[name] for name in told} == {name: here[name] for name in told}
    stored = {
        place: {
            f"{file.parent.name}/{file.name}": file.read_bytes()
            for file in (tmp_path / place / "quarantine").glob("2*/*")
            if file.name in PROVED
        }
        for place in ("cluster", "machine")
    }
    assert stored["cluster"] == stored["machine"] != {}
    assert {
        f"{row['case_id']}/fixture.json": row["fixture"] for row in pq.read_table(tmp_path / "lake").to_pylist()
    } == {name: content for name, content in stored["cluster"].items() if name.endswith("/fixture.json")}
    assert run([*asked, "cluster", "--engine", "spark"]) == 5
    again = json.loads(capsys.readouterr().out)
    assert again["passed"]["known"] == there["outcomes"]["written"]
    assert again["outcomes"]["written"] == there["outcomes"]["kept_back"], "what was kept back is wanted now"
    assert run([*asked, "machine", "--master", "local"]) == 2
