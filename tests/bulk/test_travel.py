"""A result that travels between machines: what proved it stays behind, and only its seal makes it a fixture again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from extractor import ruleset
from extractor.bulk.one import Job, convert
from extractor.bulk.spark import rows
from extractor.model.config import RunConfig, Wanted
from extractor.pipeline import Occasion
from extractor.read import read
from extractor.redact.keys import WorkspaceKey

pytestmark = pytest.mark.nlp

EXPORT = Path(__file__).parent.parent.parent / "sample_traces" / "exports" / "refund-timeout.otlp.jsonl"
TRACE = "6d383010fe32bfe09c943d88b718f3e3"
OCCASION = Occasion(extracted_at="2026-06-01T00:00:00Z", expires_at="2026-07-01T00:00:00Z", host="here")


@pytest.fixture(scope="module")
def job():
    return Job(config=RunConfig(), rules=ruleset.load(), key=WorkspaceKey(material=bytes(range(32))))


@pytest.fixture(scope="module")
def made(job):
    return convert(TRACE, lambda: read([str(EXPORT)], Wanted(trace_ids=(TRACE,))), job, OCCASION)


def travelled(result):
    (row,) = rows.results([("key", result)]).to_pylist()
    return rows.result_of(row["result"], dict(row["files"]))


def test_a_sealed_result_is_a_fixture_again_where_it_arrives(job, made):
    arrived = travelled(job.sealed(made))
    assert arrived.fixture is None
    opened = job.opened(arrived).fixture
    assert opened.files == made.fixture.files
    assert (opened.incomplete, opened.replayable) == (made.fixture.incomplete, made.fixture.replayable)


@pytest.mark.parametrize("name", ["fixture.json", "README.md", "provenance.json"])
def test_a_result_whose_bytes_were_changed_on_the_way_is_dead(job, made, name):
    arrived = travelled(job.sealed(made))
    changed = replace(arrived, files={**arrived.files, name: arrived.files[name].replace(b"a", b"b", 1)})
    opened = job.opened(changed)
    assert (opened.state, opened.stage, opened.code, opened.fixture) == ("dead", "verify", "not_as_sealed", None)
    assert not opened.files


def test_neither_an_unsealed_result_nor_one_under_another_key_is_a_fixture(job, made):
    assert job.opened(travelled(made)).code == "not_as_sealed"
    other = replace(job, key=WorkspaceKey(material=bytes(range(1, 33))))
    assert other.opened(travelled(job.sealed(made))).code == "not_as_sealed"


def test_what_is_dead_travels_as_it_is(job):
    dead = convert("0" * 32, lambda: read([str(EXPORT)], Wanted(trace_ids=("0" * 32,))), job, OCCASION)
    assert job.opened(travelled(job.sealed(dead))) == travelled(dead)
