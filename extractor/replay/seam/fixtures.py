"""`fixtures`: the block inside which a recording answers, and nothing is live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from extractor.errors import ExtractFixtureError
from extractor.model.json import JsonValue
from extractor.replay.case import ReplayCase, load_case
from extractor.replay.session import Session

from .block import Block, active, enter, leave
from .bundle import bundle_of
from .errors import Kind, Unanswered
from .from_bundle import BundleSource
from .from_case import CaseSource
from .report import Report
from .source import Source


@contextmanager
def fixtures(bundle: Mapping[str, object] | ReplayCase | str | Path | None, *, strict: bool = True) -> Iterator[Report]:
    """Answer every call of the seam in this process from a recording, and yield the report.

    ``bundle`` is a case, its folder, a bundle of Tracely's (``{}`` is an empty recording), or None: no replay is asked for
    and everything is live, unless a session or a recording is open around it, which stays in force.

    Raises `ReplayError` for a recording that cannot be loaded, before anything runs, and at the end again the first fault
    that something swallowed; `HarnessDefect` where another recording is open.
    """
    if bundle is None and (around := active()) is not None and around.source is not None:
        yield around.report
        return
    source = None if bundle is None else _source(bundle)
    block = Block(source, "live" if source is None else "recorded" if strict else "lenient")
    enter(block)
    try:
        yield block.report
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if block.faults and error not in block.faults:
            raise block.faults[0] from error  # an agent turned it into something else
        raise
    finally:
        leave(block)
    for fault in block.faults:
        raise fault


def fixture(kind: Kind, name: str) -> JsonValue:
    """Return what the next call would be served (``tools`` or ``llm``), without consuming it.

    None outside of any recording, where there is nothing, and for a recorded failure.
    """
    block = active()
    return None if block is None or block.source is None else block.source.peek(kind, name)


def _source(bundle: Mapping[str, object] | ReplayCase | str | Path) -> Source:
    if isinstance(bundle, Mapping):
        return BundleSource(bundle_of(bundle))
    try:
        case = bundle if isinstance(bundle, ReplayCase) else load_case(bundle)
        return CaseSource(Session(case, version="seam"))
    except ExtractFixtureError as error:
        raise Unanswered("load", None, None, f"the recording cannot be loaded: {error}") from None
