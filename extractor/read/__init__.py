"""Reading: bytes to the raw spans of the wanted traces, whatever container and compression hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from extractor.errors import UsageError
from extractor.model.config import Wanted
from extractor.model.reading import Reading

from . import index, indexing
from .again import Piece, Place, Records, named, pieces, reading_again
from .containers import NAMES
from .evidence import with_evidence
from .gather import gather, whole_id
from .indexing import Indexed
from .ledger import LOST, Heard, Ledger
from .limits import Limits
from .scan import Scanner
from .sources import Progress, Source, expand
from .survey import Survey, Teller, survey_traces

__all__ = [
    "LOST",
    "Heard",
    "Indexed",
    "Limits",
    "Piece",
    "Place",
    "Progress",
    "Records",
    "Source",
    "Survey",
    "expand",
    "make_index",
    "named",
    "pieces",
    "read",
    "reading_again",
    "survey",
    "whole_id",
    "with_evidence",
]

_DEFAULTS = Limits()


def read(
    sources: Sequence[str],
    wanted: Wanted,
    *,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    limits: Limits = _DEFAULTS,
    index_folder: Path | None = None,
    container: str | None = None,
) -> Reading:
    """Return every span of the wanted traces in the sources, in product order, with the ledger.

    Sources are files, folders, globs, or ``-`` for standard input. Traces that wanted ones link to are added, one hop.
    ``container`` names how spans are wrapped, whatever the bytes say. Fresh indexes beside the files, or in ``index_folder``, are used. Raises `TraceNotFound`, `InputUnreadable` (no span at all, a broken bound, a file that cannot be read), and
    `UsageError` for ids that are none.
    """
    return gather(
        replace(_scanner(sources, progress, stdin, limits), index_folder=index_folder, container=_known(container)),
        wanted,
    )


def survey(
    sources: Sequence[str],
    *,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    limits: Limits = _DEFAULTS,
    tell: Teller | None = None,
    container: str | None = None,
) -> Survey:
    """Return one summary for each trace in the sources; ``tell`` says which dialect a span speaks and which tool it calls.

    Files are streamed; memory holds some hundred bytes a span. Raises `InputUnreadable`.
    """
    return survey_traces(replace(_scanner(sources, progress, stdin, limits), container=_known(container)), tell)


def _known(container: str | None) -> str | None:
    if container is not None and container not in NAMES:
        raise UsageError(f"no container is called so; there are {', '.join(NAMES)}")
    return container


def make_index(
    sources: Sequence[str],
    *,
    folder: Path | None = None,
    parquet: Path | None = None,
    progress: Progress | None = None,
    limits: Limits = _DEFAULTS,
    tell: Teller | None = None,
) -> tuple[Indexed, ...]:
    """Write an index for each file, beside it or in a folder, and all traces as one Parquet table where asked.

    An index that is fresh stays; of a file that only grew the new lines alone are read. Raises `UsageError`,
    `InputUnreadable`.
    """
    scanner = _scanner(sources, progress, None, limits)
    made = indexing.make(scanner, folder, tell)
    if parquet is not None:
        found = [known for source in scanner.sources if (known := index.opened(source, folder)) is not None]
        indexing.to_parquet(found, parquet)
    return made


def _scanner(sources: Sequence[str], progress: Progress | None, stdin: BinaryIO | None, limits: Limits) -> Scanner:
    return Scanner(
        sources=expand(sources, stdin, limits), limits=limits, ledger=Ledger(shown=limits.places), progress=progress
    )
