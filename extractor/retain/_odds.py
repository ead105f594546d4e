"""How likely it is that an incident was sampled away: why rare traces must be kept by rule and not by chance."""

from __future__ import annotations

from ..errors import UsageError


def odds(rate: float, occurrences: int) -> float:
    """Return the probability that none of ``occurrences`` traces was kept when each is kept at ``rate``, by chance.

    A dozen occurrences at one in a hundred: 0.886, close to nine chances in ten of there being nothing (S109). Raises
    `UsageError` for a rate that is none, or fewer than one occurrence.
    """
    if not 0 <= rate <= 1:
        raise UsageError("a sampling rate lies between 0 and 1")
    if occurrences < 1:
        raise UsageError("an incident occurred at least once")
    return float((1 - rate) ** occurrences)
