"""What a session says of itself as a manifest: before the agent runs, and after."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ..faults import ReplayFault
from ..patching import PATCHED
from ..session import Session
from .manifest import (
    AnsweredBy,
    Authorization,
    Boundary,
    ClockRead,
    Diverged,
    Effect,
    FaultLine,
    FirstDivergence,
    GuardState,
    Lane,
    Manifest,
    Missed,
    UnconsumedCall,
)


def started(session: Session) -> Manifest:
    """Return the manifest of a run that has not ended: what stays when the process dies under it."""
    return Manifest(
        case_id=session.case.case_id,
        fixture_hash=session.case.fixture_hash,
        implementation_version=session.version,
        lane=cast("Lane", session.case.lane),
        mode="lenient" if session.lenient else "recorded",
        expect=session.expect,
    )


def finished(session: Session) -> Manifest:
    """Return the manifest of a run that has ended. The raw outcome is in the case's own synthetic words, or the agent's."""
    ledger, verdict, guard = session.ledger, session.verdict, session.guard.state()
    first = min(ledger.faults, key=lambda each: each[0], default=None)
    return replace(
        started(session),
        boundary_passed=verdict.passed if verdict else None,
        state="finished",
        label=session.label,
        boundary=Boundary(check=verdict.check, reason=verdict.reason) if verdict else None,
        effects={
            tool: Effect(calls=count.calls, accepted=count.accepted, unknown=count.unknown, keys=len(count.keys))
            for tool, count in session.effects.counts().items()
        },
        authorization=_authorization(session),
        served=ledger.served,
        answered_by=AnsweredBy(
            recorded=ledger.answered_by.get("recorded", 0),
            alternate=ledger.answered_by.get("alternate", 0),
            effects=ledger.answered_by.get("effects", 0),
        ),
        unconsumed=_unconsumed(session),
        missed=tuple(
            Missed(called=each.called, code=each.code, nearest=each.nearest, path=each.path, message=each.message)
            for _, each in ledger.missed
        ),
        diverged=tuple(
            Diverged(kind=each.kind, name=each.name, position=each.position, what=each.what) for each in ledger.diverged
        ),
        first_divergence=None if first is None else _divergence(*first),
        faults=tuple(FaultLine(label=each.label, code=each.code, message=each.message) for _, each in ledger.faults),
        guard=GuardState(
            on=session.guarded,
            self_test=guard.self_test is True,
            covers=(*guard.covers, *_answered(session)),
            not_covered=(*guard.not_covered, *_left_to_the_guard(session)),
            blocked=guard.blocked,
        ),
        clock_reads=tuple(ClockRead(call=each.call, place=each.place, count=each.count) for each in guard.clock_reads),
        outcome=session.output,
        turns=len(session.turns),
    )


def _answered(session: Session) -> tuple[str, ...]:
    told = sorted(name for name, state in session.intercepted.items() if state == PATCHED)
    return tuple(f"{name}: answered from the recording" for name in told)


def _left_to_the_guard(session: Session) -> tuple[str, ...]:
    told = sorted((name, state) for name, state in session.intercepted.items() if state != PATCHED)
    return tuple(f"{name}: not answered from the recording, left to the guard ({state})" for name, state in told)


def _authorization(session: Session) -> Authorization | None:
    told = [each for each in session.effects.decisions if each.kind == "authorization"]
    return Authorization(decision=told[-1].value, before_effects=told[0].effects_before == 0) if told else None


def _unconsumed(session: Session) -> tuple[UnconsumedCall, ...]:
    tools = [
        UnconsumedCall(kind="tools", name=event.tool, position=place, role=event.role)
        for place, event in session.tools.unconsumed()
    ]
    model = [
        UnconsumedCall(kind="llm", name=event.model, position=place, role=None)
        for place, event in session.model.unconsumed()
    ]
    return (*tools, *model)


def _divergence(turn: int, fault: ReplayFault) -> FirstDivergence:
    return FirstDivergence(
        turn=turn,
        called=fault.called,
        nearest=fault.nearest,
        path=fault.path,
        message=fault.message,
        cure=fault.cure,
    )
