"""What a session says of itself as a manifest: before the agent runs, and after."""

from __future__ import annotations

from extractor.model.json import JsonValue

from .faults import ReplayFault
from .session import Session

VERSION = "1"


def started(session: Session) -> dict[str, JsonValue]:
    """Return the manifest of a run that has not ended: what stays when the process dies under it."""
    return {
        "manifest_version": VERSION,
        "case_id": session.case.case_id,
        "fixture_hash": session.case.fixture_hash,
        "implementation_version": session.version,
        "boundary_passed": None,
        "state": "started",
        "lane": session.case.lane,
        "mode": "recorded",
        "expect": session.expect,
        "label": None,
    }


def finished(session: Session) -> dict[str, JsonValue]:
    """Return the manifest of a run that has ended. Raw outcomes are the case's own synthetic text, or the agent's."""
    ledger, verdict = session.ledger, session.verdict
    first = min(ledger.faults, key=lambda each: each[0], default=None)
    told: dict[str, JsonValue] = {
        "boundary_passed": verdict.passed if verdict else None,
        "state": "finished",
        "label": session.label,
        "boundary": {"check": verdict.check, "reason": verdict.reason} if verdict else None,
        "effects": {
            tool: {"calls": count.calls, "accepted": count.accepted, "unknown": count.unknown, "keys": len(count.keys)}
            for tool, count in session.effects.counts().items()
        },
        "authorization": _authorization(session),
        "served": list(ledger.served),
        "answered_by": {source: ledger.answered_by[source] for source in ("recorded", "alternate", "effects")},
        "unconsumed": _unconsumed(session),
        "missed": [
            {
                "called": fault.called,
                "code": fault.code,
                "nearest": fault.nearest,
                "path": fault.path,
                "message": fault.message,
            }
            for _, fault in ledger.missed
        ],
        "diverged": _diverged(session),
        "first_divergence": None if first is None else _divergence(*first),
        "faults": _faults(session),
        "outcome": session.output,
        "turns": len(session.turns),
    }
    return {**started(session), **told}


def _authorization(session: Session) -> JsonValue:
    told = [each for each in session.effects.decisions if each.kind == "authorization"]
    return {"decision": told[-1].value, "before_effects": told[0].effects_before == 0} if told else None


def _unconsumed(session: Session) -> JsonValue:
    tools: list[JsonValue] = [
        {"kind": "tools", "name": event.tool, "position": place, "role": event.role}
        for place, event in session.tools.unconsumed()
    ]
    model: list[JsonValue] = [
        {"kind": "llm", "name": event.model or "", "position": place, "role": "evidence"}
        for place, event in session.model.unconsumed()
    ]
    return [*tools, *model]


def _divergence(turn: int, fault: ReplayFault) -> JsonValue:
    return {
        "turn": turn,
        "called": fault.called,
        "nearest": fault.nearest,
        "path": fault.path,
        "message": fault.message,
        "cure": fault.cure,
    }


def _diverged(session: Session) -> JsonValue:
    return [
        {"kind": each.kind, "name": each.name, "position": each.position, "what": each.what}
        for each in session.ledger.diverged
    ]


def _faults(session: Session) -> JsonValue:
    return [{"label": each.label, "code": each.code, "message": each.message} for _, each in session.ledger.faults]
