"""Reading: bytes to the raw spans of the wanted traces, whatever container and compression hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from extractor.model.config import Wanted
from extractor.model.reading import Reading

from .gather import gather
from .ledger import Ledger
from .limits import Limits
from .scan import Scanner
from .sources import Progress, expand
from .survey import Survey, Teller, survey_traces

__all__ = ["Limits", "Progress", "Survey", "read", "survey"]

_DEFAULTS = Limits()


def read(
    sources: Sequence[str],
    wanted: Wanted,
    *,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    limits: Limits = _DEFAULTS,
) -> Reading:
    """Return every span of the wanted traces in the sources, in product order, with the ledger.

    Sources are files, folders, globs, or ``-`` for standard input. Traces that wanted ones link to are added, one hop.
    Raises `TraceNotFound`, `InputUnreadable` (no span at all, a broken bound, a file that cannot be read), and
    `UsageError` for ids that are none.
    """
    return gather(_scanner(sources, progress, stdin, limits), wanted)


def survey(
    sources: Sequence[str],
    *,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    limits: Limits = _DEFAULTS,
    tell: Teller | None = None,
) -> Survey:
    """Return one summary for each trace in the sources; ``tell`` says which dialect a span speaks and which tool it calls.

    Files are streamed; memory holds some hundred bytes a span. Raises `InputUnreadable`.
    """
    return survey_traces(_scanner(sources, progress, stdin, limits), tell)


def _scanner(sources: Sequence[str], progress: Progress | None, stdin: BinaryIO | None, limits: Limits) -> Scanner:
    return Scanner(
        sources=expand(sources, stdin, limits), limits=limits, ledger=Ledger(shown=limits.places), progress=progress
    )
