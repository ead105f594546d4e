"""A bound on how many spans are kept: the most decisive first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..model.config import Limit
from ..model.selection import Decision
from ._policy import Policy

Rank = tuple[int, int, int, int]


def within(
    decisions: Sequence[Decision],
    reasons: Mapping[int, Collection[str]],
    requests: Mapping[int, Sequence[int]],
    limit: Limit,
    tables: Policy,
) -> tuple[Decision, ...]:
    """Return the decisions with at most so many kept; what is cut keeps its distance and says ``over_budget``.

    Ranked by the best of a step's ``reasons``, then distance, then order: of equals the earlier may have led to the later. A turn that asked for a
    kept call comes right after that call. The boundary and what ``--keep`` names
    are never cut.
    """
    ranks = {
        index: _rank(index, each, reasons.get(index, ()), tables) for index, each in enumerate(decisions) if each.kept
    }
    for call, turns in requests.items():
        if call in ranks:
            reason, distance, order, _ = ranks[call]
            for turn in turns:
                if turn in ranks:
                    ranks[turn] = min(ranks[turn], (reason, distance, order, 1))
    room = limit.of(len(decisions))
    chosen = set(sorted(ranks, key=lambda index: (ranks[index], index))[:room])
    return tuple(
        decision
        if not decision.kept or index in chosen or _asked_for(decision)
        else replace(decision, kept=False, reason="over_budget", flows=())
        for index, decision in enumerate(decisions)
    )


def _rank(index: int, decision: Decision, reasons: Collection[str], tables: Policy) -> Rank:
    last = len(tables.order)
    best = -1 if _asked_for(decision) else min((tables.order.get(reason, last) for reason in reasons), default=last)
    return (best, decision.distance or 0, index, 0)


def _asked_for(decision: Decision) -> bool:
    return decision.overridden or decision.reason == "boundary"
