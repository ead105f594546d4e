"""What stands in for the conversion of a trace on executors: the real one, and what may go wrong around it."""

from __future__ import annotations

import os
import signal
import tempfile

from extractor.bulk.one import Job, Result
from extractor.bulk.spark.gathered import Gathered, made
from extractor.model.span import Span
from extractor.pipeline import Occasion
from tests.spark.export import Incident

FATAL = Incident(9).trace_id
SLOW = Incident(2).trace_id
QUOTED = (Incident(10).trace_id, Incident(11).trace_id, Incident(12).trace_id, Incident(13).trace_id)
MARKS = "EXTRACT_FIXTURE_TEST_MARKS"
"""The variable that names the folder for the marks of `marked`."""


def marked(gathered: Gathered, job: Job, occasion: Occasion) -> Result:
    """Leave a mark for each conversion that ends, so that a test knows when a run is in its middle."""
    result = made(gathered, job, occasion)
    descriptor, _ = tempfile.mkstemp(dir=os.environ[MARKS], prefix=result.trace_ref)
    os.close(descriptor)
    return result


def fatal(gathered: Gathered, job: Job, occasion: Occasion) -> Result:
    """End the process at one trace, as a fault in compiled code or the kernel's want of memory does; wait long at another."""
    if gathered.trace_id == FATAL:
        os.kill(os.getpid(), signal.SIGKILL)
    if gathered.trace_id == SLOW:
        signal.pause()
    return made(gathered, job, occasion)


def quoting(gathered: Gathered, job: Job, occasion: Occasion) -> Result:
    """Fail as code of ours never should: with words of the input. End the process or wait at others."""
    if gathered.trace_id in QUOTED:
        raise KeyError(repr([piece.spans for piece in gathered.pieces[gathered.trace_id]]))
    return fatal(gathered, job, occasion)


def quoting_marks(span: Span) -> int:
    """Fail so before there is any trace to speak of."""
    raise KeyError(span.attributes)


def marks(span: Span) -> int:
    """Mark what failed."""
    return int(span.status_code == "error")
