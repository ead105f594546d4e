"""A run on a cluster comes to what the same run on one machine comes to, and tells the same of it."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from extractor import ruleset
from extractor.bulk import journal
from extractor.bulk import run as local
from extractor.bulk.choosing import Choice, rule
from extractor.bulk.one import Job
from extractor.bulk.run import Order
from extractor.bulk.spark.engine import Sizes, Spark, Terms
from extractor.bulk.spark.run import Cluster, run
from extractor.errors import InputUnreadable
from extractor.model.config import RunConfig
from extractor.model.layout import CAPTURE, PROVED
from extractor.pipeline import Occasion
from extractor.read import Limits, expand
from extractor.redact.keys import load_key
from tests.spark import export, making
from tests.spark.export import Incident

pytestmark = [
    pytest.mark.nlp,
    pytest.mark.xdist_group("spark"),
    # PySpark leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]
OCCASION = Occasion(extracted_at="2026-06-01T00:00:00Z", expires_at="2026-07-01T00:00:00Z", host="driver")
SIZES = Sizes(part_bytes=20_000, partitions=2)
ABSENT = "ab" * 16


class Quiet:
    def reading(self):
        return None

    def converting(self, done, total, failed):
        pass


def log(trace_id):
    record = {"timeUnixNano": str(export.START), "traceId": trace_id, "body": {"stringValue": "retried"}}
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}) + "\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The export, logs of a trace that it holds and of one that it does not, and a file that breaks off."""
    folder = tmp_path_factory.mktemp("run") / "spans"
    files = export.write(folder)
    (folder / "f-logs.jsonl").write_text(log(Incident(3).trace_id) + log(ABSENT))
    (folder / "g-damaged.jsonl.gz").write_bytes(gzip.compress(log(Incident(4).trace_id).encode()) + b"no gzip")
    return [*files, str(folder / "f-logs.jsonl"), str(folder / "g-damaged.jsonl.gz")]


@pytest.fixture(scope="module")
def job(key_file):
    return Job(config=RunConfig(), rules=ruleset.load(), key=load_key(key_file))


@pytest.fixture
def order(files, job, tmp_path):
    def ordered(flagged=None, where=(), **told):
        choice = Choice(job.rules, job.key, where=tuple(map(rule, where)), flagged=flagged and frozenset(flagged))
        return Order(
            **{
                "sources": expand(files, None, Limits()),
                "out": tmp_path / "fixtures",
                "job": job,
                "occasion": OCCASION,
                "choice": choice,
                "now": datetime(2026, 12, 1, tzinfo=UTC),
                "settle_ns": 0,
                "workers": 1,
                **told,
            }
        )

    return ordered


@pytest.fixture
def cluster(running, key_file):
    return Cluster(session=running, key_file=key_file, sizes=SIZES)


def cases(out, names=(*PROVED, CAPTURE)):
    found = sorted((out / "quarantine").glob("2*/*"))
    return {f"{file.parent.name}/{file.name}": file.read_bytes() for file in found if file.name in names}


def told(done):
    """Return what a run tells of itself, but for what depends on the machines and on their speed."""
    entries = tuple(replace(entry, seconds=0.0) for entry in done.entries)
    return replace(done, entries=entries, seconds={}, peak=0, engine="", workers=0)


def test_it_tells_what_one_machine_tells_and_writes_the_same_files(order, cluster, tmp_path):
    there = order(per_signature=10, limit=20)
    here = replace(there, out=tmp_path / "here")
    done = run(there, Quiet(), cluster)
    assert told(done) == told(local.run(here, Quiet()))
    assert cases(there.out) == cases(here.out) != {}
    assert {note.code for note in done.notes} >= {"record_refused", "file_unreadable"}
    assert (done.traces, done.passed.over_limit, done.damaged) == (export.TRACES, 4, 1)
    journal.end(there.folder, done.number)
    again = run(there, Quiet(), cluster)
    assert again.number == 2
    assert again.passed.known == 19
    journal.end(there.folder, again.number)
    assert run(replace(there, again=True, resume=True), Quiet(), cluster).number == 3


def test_a_list_is_sought_alone_with_the_traces_that_it_links_to(order, cluster, tmp_path):
    wanted = [Incident(number).trace_id for number in (export.LINKING, 4, 22)]
    there = order(flagged=wanted)
    here = replace(there, out=tmp_path / "here")
    done = run(there, Quiet(), cluster)
    assert told(done) == told(local.run(here, Quiet()))
    assert done.traces < export.TRACES
    assert cases(there.out) == cases(here.out)
    assert len(cases(there.out)) == 12
    there = order(flagged=[*wanted, "cd" * 16])
    assert run(there, Quiet(), cluster).passed.absent == 1


def test_a_file_that_changes_meanwhile_costs_its_traces_and_says_so(running, files, job, key_file, tmp_path):
    copies = [str(shutil.copy(file, tmp_path / Path(file).name)) for file in files[:5]]
    spark = Spark(running, expand(copies, None, Limits()), sizes=SIZES)
    found = spark.scan(making.marks)
    (tmp_path / "d-messages.binpb").unlink()
    lines = (tmp_path / "a-lines.jsonl").read_text().splitlines(keepends=True)
    kept = next(place for place, line in enumerate(lines) if Incident(4).trace_id in line)
    (tmp_path / "a-lines.jsonl").write_text("".join(lines[:kept]))  # of a trace some records are left
    assert any(Incident(0).trace_id in line for line in lines[:kept])
    wanted = [Incident(number).trace_id for number in (0, 1, 2, 3)]
    results = list(spark.convert(found, wanted, Terms(job=job, key_file=key_file, occasion=OCCASION)))
    assert [(one.trace_ref, one.state, one.code) for one in results] == [
        (job.trace_ref(wanted[0]), "dead", "file_changed"),
        (job.trace_ref(wanted[1]), "made", None),
        (job.trace_ref(wanted[2]), "dead", "file_changed"),
        (job.trace_ref(wanted[3]), "made", None),
    ]
    assert results[2].place == found.traces[wanted[2]].place


def test_executors_read_what_uris_name_too(running, files, order):
    named = expand([f"file://{file}" for file in files[:5]], None, Limits())
    assert not any(source.path for source in named)
    found, known = (
        {
            name: replace(each, held=0)
            for name, each in Spark(running, read, sizes=SIZES).scan(making.marks).traces.items()
        }
        for read in (named, order().sources[:5])  # what is held differs by the digest of a record that can be sought
    )
    assert found == known
    assert len(found) == export.TRACES


def test_sources_that_no_executor_can_open_are_no_empty_run(running, order, cluster, files):
    gone = tuple(replace(source, path=Path("/nowhere") / source.name) for source in order().sources)
    with pytest.raises(InputUnreadable, match="no source can be read"):
        run(order(sources=gone), Quiet(), cluster)
