"""How far the clocks of two services disagree, bounded by the calls between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ..model.evidence import Skew
from ..model.exchanges import service
from ..model.trace import Step
from ._answers import answered

Pair = tuple[Step, Step]
Services = tuple[str | None, str | None]


def skews(pairs: Iterable[Pair], rounding_ns: int) -> Mapping[Services, Skew]:
    """Return the bounds of the skew between caller and dependency, by their service names.

    A server that began before its client did runs behind by at least as much. One that ended after a client that read its
    answer runs ahead by as much if it ended with its answer. Calls without an answer bound one side only.
    """
    lows: dict[Services, int] = {}
    highs: dict[Services, int] = {}
    for client, server in pairs:
        who = (service(client), service(server))
        highs[who] = min(highs.get(who, _FAR), server.span.start_ns - client.span.start_ns)
        if answered(client) and client.span.end_ns is not None and server.span.end_ns is not None:
            lows[who] = max(lows.get(who, -_FAR), server.span.end_ns - client.span.end_ns)
    found: dict[Services, Skew] = defaultdict(lambda: Skew(low_ns=None, high_ns=None))
    for who, high in highs.items():
        # A server span may end long after its answer was read, so only a receipt before its dispatch moves a clock.
        found[who] = Skew(low_ns=lows.get(who), high_ns=high, moved_ns=-high if high < -rounding_ns else 0)
    return found


_FAR = 2**63
