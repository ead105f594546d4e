"""provenance.json: an in-toto Statement v1 about fixture.json's bytes; says where from, what was kept, what replaced."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from ..model.case import Proofs, Pseudonym, RedactedCase, RedactionCount
from ..model.config import RunConfig
from ..model.json import JsonValue, pretty
from ..model.layout import FIXTURE
from ..model.reading import Note
from ..model.selection import Decision
from ._notes import notes
from ._notices import Notices
from ._timing import attempts

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:extract-fixture:provenance:1"


def render_provenance(  # each is a fact of its own, given by name
    redacted: RedactedCase,
    proofs: Proofs,
    fixture: bytes,
    *,
    config: RunConfig,
    dialects: Sequence[str],
    ledger: Sequence[Note],
    ruleset_digest: str,
    tool_version: str,
    schema_version: str,
) -> bytes:
    """Return the sidecar's bytes, the same for the same case whatever machine wrote it.

    ``fixture`` are the bytes that were proved, ``ledger`` what is true of the spans. Span ids are synthetic throughout.
    """
    notices = Notices.of(redacted)
    statement: dict[str, JsonValue] = {
        "_type": STATEMENT,
        "subject": [{"name": FIXTURE, "digest": {"sha256": hashlib.sha256(fixture).hexdigest()}}],
        "predicateType": PREDICATE,
        "predicate": {
            "source": {
                "incident_id": redacted.document.get("incident_id"),
                "trace_refs": list(redacted.trace_refs),
                "dialects": [*sorted(dialects)],
                "evidence": [
                    {"span_id": redacted.span_ids[each.span_id], "kinds": list(each.kinds)} for each in redacted.outside
                ],
            },
            **_selected(redacted),
            "attempts": attempts(redacted),
            "overrides": {
                "keep": len(config.override.keep),
                "drop": len(config.override.drop),
                "treat": dict(sorted(config.treat.items())),
                "marks": {name: sum(mark.mark == name for mark in config.marks) for name in ("name", "must_go")},
            },
            "redaction": _redaction(redacted, notices, config),
            "flags": list(notices.flags),
            "residual": [asdict(place) for place in proofs.residual],
            "accepted": [asdict(place) for place in proofs.accepted],
            "relations": {
                "classes": proofs.classes,
                "occurrences": proofs.occurrences,
                "preserved": proofs.preserved,
                "entities": [asdict(count) for count in proofs.relations],
                "pseudonyms": stand_ins(proofs.pseudonyms),
            },
            "leaks": {
                "known_values": proofs.known_values,
                "found": proofs.leaks,
                "entities": [
                    {"entity": entity, "values": values} for entity, values in sorted(proofs.searched.items())
                ],
            },
            "ledger": notes(ledger),
            "grader": None if redacted.selection.grade is None else asdict(redacted.selection.grade),
            "rules": {"sha256": ruleset_digest},
            "versions": {
                "tool": tool_version,
                "schema": schema_version,
                "models": [asdict(model) for model in redacted.models],
            },
        },
    }
    return pretty(statement).encode("utf-8")


def stand_ins(pseudonyms: Iterable[Pseudonym]) -> list[JsonValue]:
    """Return ``{text, entity}`` of each distinct pseudonym, by class and text: they are synthetic and say nothing."""
    distinct = sorted({(one.entity, one.text) for one in pseudonyms})
    return [{"text": text, "entity": entity} for entity, text in distinct]


def _selected(redacted: RedactedCase) -> dict[str, JsonValue]:
    """Return boundary and decisions; a span without a synthetic id is a fault of redaction, and fails here."""
    synthetic, selection = redacted.span_ids, redacted.selection
    return {
        "boundary": {
            "span_id": synthetic[selection.boundary],
            "reason": selection.boundary_reason,
            "candidates": [synthetic[span_id] for span_id in selection.candidates],
            "candidate_reasons": list(selection.candidate_reasons),
        },
        "conversation": {"dropped": selection.dropped_messages},
        "selection": [
            _decision(decision, synthetic, redacted.becomes.get(decision.span_id)) for decision in selection.decisions
        ],
    }


def _decision(decision: Decision, synthetic: Mapping[str, str], becomes: str | None) -> JsonValue:
    return {
        "span_id": synthetic[decision.span_id],
        "decision": "kept" if decision.kept else "dropped",
        "reason": decision.reason,
        "becomes": becomes,
        "distance": decision.distance,
        "overridden": decision.overridden,
        "flows": [
            {
                "producer": synthetic[flow.producer],
                "produced_at": flow.produced_at,
                "consumer": synthetic[flow.consumer],
                "consumed_at": flow.consumed_at,
            }
            for flow in decision.flows
        ],
    }


def _redaction(redacted: RedactedCase, notices: Notices, config: RunConfig) -> JsonValue:
    counts = sorted(redacted.counts, key=lambda count: count.entity)
    return {
        "scope": redacted.scope,
        "scope_of": config.scope_of,
        "structural": config.structural,
        "key_id": redacted.key_id,
        "values": sum(count.values for count in counts),
        "occurrences": sum(count.occurrences for count in counts),
        "classes": [_class(count) for count in counts],
        "secrets": list(notices.secrets),
    }


def _class(count: RedactionCount) -> JsonValue:
    return {
        "entity": count.entity,
        "values": count.values,
        "occurrences": count.occurrences,
        "rules": dict(sorted(count.rules.items())),
    }
