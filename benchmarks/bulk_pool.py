"""The loop that somebody without `bulk` would write: a pool of processes over the traces of an export.

``bulk_pool.py EXPORT --out DIR --key-file FILE --workers N``: an index, and then one extraction after the other. No resume,
no dead letters, no bound on a worker's memory.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
from collections import Counter
from pathlib import Path

from extractor import pipeline, read, ruleset
from extractor.errors import ExtractFixtureError
from extractor.model.config import RunConfig, Wanted
from extractor.redact import WorkspaceKey
from extractor.write import store

OCCASION = pipeline.Occasion(extracted_at="2026-01-01T00:00:00Z", expires_at="2026-01-31T00:00:00Z", host="bench")
KEY = WorkspaceKey(material=bytes(range(32)))


def main() -> None:
    """Write a case for each trace and print how many came of it."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("export")
    arguments.add_argument("--out", required=True, type=Path)
    arguments.add_argument("--key-file", help="taken as `bulk` takes it; the key of this loop is its own")
    arguments.add_argument("--workers", type=int, default=1)
    asked = arguments.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    read.make_index([asked.export])
    jobs = [(asked.export, trace.trace_id, asked.out) for trace in read.survey([asked.export]).traces]
    with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
        print(dict(Counter(pool.imap_unordered(extract, jobs))))


def extract(job: tuple[str, str, Path]) -> str:
    """Write one case; return what came of it."""
    logging.disable(logging.CRITICAL)
    export, trace_id, out = job
    wanted = Wanted(trace_ids=(trace_id,))
    try:
        made = pipeline.extract(read.read([export], wanted), RunConfig(wanted=wanted), ruleset.load(), KEY, OCCASION)
        store(made.fixture, made.capture, out, replace=True)
    except ExtractFixtureError as error:
        return type(error).__name__
    return "cases"


if __name__ == "__main__":
    main()
