"""The stage of redaction alone, in one process and in several: whether it scales with the cores."""

from __future__ import annotations

import logging
import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from extractor import read, ruleset
from extractor.assemble import assemble
from extractor.model.case import Case
from extractor.model.config import RunConfig, Wanted
from extractor.normalise import normalise
from extractor.redact import WorkspaceKey, redact, redact_documents
from extractor.select import select

KEY = WorkspaceKey(material=bytes(range(32)))
_TOGETHER = 600  # seconds that a worker waits for the others


def seconds(export: Path, workers: int) -> tuple[float, float]:
    """Return the seconds in which so many workers redact every case of an export, and the processor seconds of them all.

    The cases are made ready and the models loaded before. More processor seconds for more workers means that they stand in
    each other's way; more seconds alone, that other programs were at work.
    The traces are dealt out by size, so that no worker has much more to do than another.
    """
    chosen = sorted(read.survey([str(export)]).traces, key=lambda trace: (trace.spans, trace.trace_id), reverse=True)
    ids = [trace.trace_id for trace in chosen]
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(workers)
    pipes = [context.Pipe(duplex=False) for _ in range(workers)]
    processes = [
        context.Process(target=_work, args=(str(export), _dealt(ids, workers, number), ready, pipe[1]))
        for number, pipe in enumerate(pipes)
    ]
    for process in processes:
        process.start()
    times: list[tuple[float, float, float]] = [pipe[0].recv() for pipe in pipes]
    for process in processes:
        process.join()
    begun, ended, busy = zip(*times, strict=True)
    return max(ended) - min(begun), sum(busy)


def _dealt(ids: Sequence[str], workers: int, number: int) -> list[str]:
    """Deal to and fro: the first of a round is the last of the next."""
    rounds = range(0, len(ids), workers)
    return [
        part[number if turn % 2 == 0 else -1 - number]
        for turn, first in enumerate(rounds)
        if len(part := ids[first : first + workers]) == workers or number < len(part)
    ]


def _work(export: str, ids: Sequence[str], ready: multiprocessing.synchronize.Barrier, told: Connection) -> None:
    logging.disable(logging.CRITICAL)
    rules = ruleset.load()
    cases = [_case(export, trace_id) for trace_id in ids]
    redact_documents(["My name is Oda Marlow."], rules, RunConfig(), KEY)  # loads the model
    ready.wait(_TOGETHER)
    start, busy = time.perf_counter(), time.process_time()  # the first is one clock for all processes of a machine
    for case, config in cases:
        redact(case, rules, config, KEY)
    told.send((start, time.perf_counter(), time.process_time() - busy))


def _case(export: str, trace_id: str) -> tuple[Case, RunConfig]:
    config, rules = RunConfig(wanted=Wanted(trace_ids=(trace_id,))), ruleset.load()
    reading = read.read([export], config.wanted)
    trace = normalise(reading, rules)
    return assemble(trace, select(trace, rules, config), reading, config, rules), config
