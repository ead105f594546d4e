"""One trace to one case, or to the reason why there is none. Nothing that a trace holds can end the run."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from extractor import pipeline, verify
from extractor.errors import (
    ExtractFixtureError,
    InputChanged,
    InputUnreadable,
    ProofFailed,
    RedactionRefused,
    TraceNotFound,
)
from extractor.model.case import Fixture
from extractor.model.config import RunConfig, Wanted
from extractor.model.layout import CAPTURE, PROVED
from extractor.model.reading import Reading
from extractor.pipeline import Occasion
from extractor.redact import WorkspaceKey
from extractor.redact.keys import keyed_digest
from extractor.ruleset import RuleSet

from .telling import Signature, Told

State: TypeAlias = Literal["made", "dead"]

_PACKAGE: Final = str(Path(pipeline.__file__).parent)
_STAGES: Final = frozenset({"read", "normalise", "select", "assemble", "redact", "verify", "write"})
_CODES: Final[tuple[tuple[type[Exception], str, str], ...]] = (
    (TraceNotFound, "read", "no_span"),
    (InputChanged, "read", "file_changed"),
    (InputUnreadable, "read", "unreadable"),
    (ProofFailed, "verify", "proof_failed"),
    (RedactionRefused, "redact", "redaction_refused"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What every trace of a run is converted with. ``config`` names no trace."""

    config: RunConfig
    rules: RuleSet
    key: WorkspaceKey = field(repr=False)

    def trace_ref(self, trace_id: str) -> str:
        """Return the keyed digest by which sidecars and reports name a trace: 32 hex digits."""
        return keyed_digest(self.key.derive("trace-ref"), trace_id).hex()[:32]

    def sealed(self, result: Result) -> Result:
        """Return a result that may travel without its fixture."""
        if result.fixture is None:
            return result
        return replace(
            result, seal=verify.sealed(result.fixture, self.key.derive("proved"), trace_ref=result.trace_ref)
        )

    def opened(self, result: Result) -> Result:
        """Return a result that was `sealed` elsewhere with its fixture; a dead one where the seal is not that of these bytes."""
        if result.state != "made" or result.case_id is None:
            return result
        try:
            fixture = verify.reopened(
                {name: result.files[name] for name in PROVED if name in result.files},
                result.seal,
                self.key.derive("proved"),
                case_id=result.case_id,
                trace_ref=result.trace_ref,
                incomplete=result.incomplete,
                replayable=result.replayable,
            )
        except ProofFailed:
            return Result(
                trace_ref=result.trace_ref, state="dead", stage="verify", code="not_as_sealed", place=result.place
            )
        return replace(result, fixture=fixture)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of one trace. ``made``: ``files`` are the four of its case, by name. ``dead``: ``stage`` and ``code`` say why there is none.

    No member holds anything of the trace but its keyed digest; ``place`` is where it begins (``file 1 record 17``). ``classes`` counts
    redactions by entity, ``seconds`` is wall time. ``seal`` stands in for ``fixture`` where that does not travel: `verify.sealed`.
    """

    trace_ref: str
    state: State
    stage: str | None = None
    code: str | None = None
    place: str | None = None
    case_id: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    replayable: bool = False
    incomplete: bool = False
    residuals: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)
    signature: Signature | None = None
    source_bytes: int = 0
    spans: int = 0
    seconds: float = 0.0
    seal: str | None = None
    fixture: Fixture | None = field(default=None, repr=False, compare=False)


def convert(
    trace_id: str,
    reading: Callable[[], Reading],
    job: Job,
    occasion: Occasion,
    *,
    place: str | None = None,
    source_bytes: int = 0,
) -> Result:
    """Return the case of a trace, which is that of a run for it alone, or why there is none. It does not raise for what a trace holds."""
    start = time.perf_counter()
    trace_ref = job.trace_ref(trace_id)
    try:
        found = reading()
        config = replace(job.config, wanted=Wanted(trace_ids=(trace_id,)))
        made = pipeline.extract(found, config, job.rules, job.key, occasion)
        fixture, told = made.fixture, Told.of(made.fixture.files)
    except Exception as error:  # noqa: BLE001  # one bad trace never stops the run; the reason is told by class and stage
        stage, code = reason(error)
        return Result(
            trace_ref=trace_ref,
            state="dead",
            stage=stage,
            code=code,
            place=place,
            source_bytes=source_bytes,
            seconds=time.perf_counter() - start,
        )
    return Result(
        trace_ref=trace_ref,
        state="made",
        place=place,
        source_bytes=source_bytes,
        spans=len(found.spans),
        case_id=fixture.case_id,
        files={**fixture.files, CAPTURE: made.capture},
        replayable=fixture.replayable,
        incomplete=fixture.incomplete,
        residuals=len(fixture.proofs.residual),
        classes=told.classes,
        signature=told.signature,
        fixture=fixture,
        seconds=time.perf_counter() - start,
    )


def reason(error: BaseException) -> tuple[str, str]:
    """Return the stage and the code of an error; its words may quote anything."""
    for kind, stage, code in _CODES:
        if isinstance(error, kind):
            return stage, f"{error.kind}_{code}" if isinstance(error, ProofFailed) else code
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        inside = Path(file).relative_to(_PACKAGE).parts[0] if file.startswith(_PACKAGE) else ""
        if inside in _STAGES:
            return inside, type(error).__name__
    return "pipeline", type(error).__name__ if not isinstance(error, ExtractFixtureError) else "refused"
