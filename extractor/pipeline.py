"""The line: a reading becomes a proved fixture, stage by stage. Only this module joins the stages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .assemble import assemble, hold_lane, incomplete
from .errors import StructureChanged
from .model.case import Fixture, Proofs, RedactedCase
from .model.config import RunConfig
from .model.json import JsonValue
from .model.layout import FIXTURE, PROVENANCE, README
from .model.reading import Reading
from .model.replayable import replayable
from .model.span import tree
from .model.trace import Trace
from .normalise import normalise
from .redact import WorkspaceKey, redact, remembered, token_digest
from .ruleset import RuleSet
from .schemas import SCHEMA_VERSION, schema_problems
from .select import Explanation, explain, select
from .verify import prove, seal, texts
from .version import __version__
from .write import Notices, case_id, render_capture, render_fixture, render_provenance, render_readme


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Where and when a run takes place; goes to capture.json alone. Instants are RFC 3339."""

    extracted_at: str
    expires_at: str
    host: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """A proved fixture, the bytes of its capture.json, and the decisions as a tree for people at a terminal."""

    fixture: Fixture
    capture: bytes = field(repr=False)
    explained: Explanation = field(repr=False)


def extract(reading: Reading, config: RunConfig, rules: RuleSet, key: WorkspaceKey, occasion: Occasion) -> Extraction:
    """Return the case of a reading, proved.

    Raises `ProofFailed` or `RedactionRefused` when a proof fails or redaction is not certain, `UsageError` when the
    configuration asks for what the trace does not hold.
    """
    trace = normalise(reading, rules)
    selection = select(trace, rules, config)
    case = assemble(trace, selection, reading, config, rules)
    redacted = _named(redact(case, rules, config, key))
    sources = [*(tree(span) for span in trace.spans), redacted.original]
    fixture = _proved(redacted, sources, config, rules, key, trace)
    capture = render_capture(
        reading=reading,
        trace_ids=trace.trace_ids,
        span_ids=redacted.span_ids,
        known=remembered(redacted.known, key, redacted.scope),
        config=config,
        extracted_at=occasion.extracted_at,
        host=occasion.host,
        expires_at=occasion.expires_at,
    )
    return Extraction(fixture=fixture, capture=capture, explained=explain(trace, selection))


def _proved(
    redacted: RedactedCase,
    sources: Sequence[JsonValue],
    config: RunConfig,
    rules: RuleSet,
    key: WorkspaceKey,
    trace: Trace,
) -> Fixture:
    document = redacted.document
    hold_lane(document)
    can_replay = replayable(document)
    files = {
        FIXTURE: render_fixture(document),
        README: render_readme(document, replayable=can_replay, notices=Notices.of(redacted)),
    }
    proofs = _settled(prove(redacted, sources, files, rules), redacted, config, key)
    if problems := schema_problems(document, "fixture"):
        raise StructureChanged([f"schema: {problem}" for problem in problems])
    sidecar = render_provenance(
        redacted,
        proofs,
        files[FIXTURE],
        config=config,
        dialects=trace.dialects,
        ledger=trace.notes,
        ruleset_digest=rules.digest,
        tool_version=__version__,
        schema_version=SCHEMA_VERSION,
    )
    return seal(
        str(document["case_id"]),
        {**files, PROVENANCE: sidecar},
        redacted,
        proofs,
        incomplete=incomplete(document),
        replayable=can_replay,
    )


def _settled(proofs: Proofs, redacted: RedactedCase, config: RunConfig, key: WorkspaceKey) -> Proofs:
    """Leave out the ambiguous tokens that somebody has called words, and tell apart those that a reviewer accepted."""
    open_ = [one for one in proofs.residual if one.code != "ambiguous" or config.treat.get(one.path) != "word"]
    digests = {mark.digest for mark in config.marks if mark.mark == "accept" and mark.digest is not None}
    paths = {mark.path for mark in config.marks if mark.mark == "accept" and mark.path is not None}
    if not digests and not paths:
        return replace(proofs, residual=tuple(open_))
    standing: dict[str, str] = {}
    for place, text in texts(redacted.document):
        standing.setdefault(place, text)
    accepted = [
        one
        for one in open_
        if one.path in paths
        or token_digest(standing.get(one.path, "")[one.start : one.end], key, redacted.scope) in digests
    ]
    return replace(proofs, residual=tuple(one for one in open_ if one not in accepted), accepted=tuple(accepted))


def _named(redacted: RedactedCase) -> RedactedCase:
    """Give the case its id, made of what is already redacted and of keyed digests."""
    event = boundary_event(redacted.document, redacted.becomes.get(redacted.selection.boundary))
    identity = case_id(
        frozen_at=str(redacted.document["frozen_at"]),
        tool=_text(event.get("tool")),
        error_class=_error_class(event.get("outcome")),
        trace_digest=hashlib.sha256("\n".join(sorted(redacted.trace_refs)).encode()).hexdigest()[:8],
    )
    # In the original too: the id is ours, and no difference that the structure proof should see.
    return replace(
        redacted,
        document={**redacted.document, "case_id": identity},
        original={**redacted.original, "case_id": identity},
    )


def _error_class(outcome: JsonValue) -> str | None:
    if not isinstance(outcome, dict):
        return None
    # A failure whose class nobody recorded is one all the same.
    return _text(outcome.get("error_type")) or ("unnamed-error" if outcome.get("type") == "error" else None)


def boundary_event(document: Mapping[str, JsonValue], place: str | None) -> Mapping[str, JsonValue]:
    """Return the tool event of a case that stands at the boundary's place, else the last one that failed, that had an effect, that was."""
    events = document.get("tool_events")
    listed = [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []
    at = [event for index, event in enumerate(listed) if place == f"tool_events[{index}]"]
    failed = [event for event in listed if isinstance(o := event.get("outcome"), dict) and o.get("type") == "error"]
    effective = [event for event in listed if event.get("side_effect") == "accepted"]
    return next((group[-1] for group in (at, failed, effective, listed) if group), {})


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
