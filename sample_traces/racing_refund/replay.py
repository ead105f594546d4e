"""The refund desk as a replay calls it: its two workers wait for their tools together, in the order that the session gives.

``extract-fixture replay CASE --entrypoint sample_traces.racing_refund.replay:fixed --interleavings N``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from extractor.replay import Session
from sample_traces.agents import Part
from sample_traces.replaying import request, seam

from .agent import ConcurrentSeam, Work, run_buggy, run_fixed


def buggy(incident: Session) -> str:
    """Answer the turn as the affected version did."""
    return run_buggy(request(incident), concurrent_seam(incident))


def fixed(incident: Session) -> str:
    """Answer the turn as the mended version does."""
    return run_fixed(request(incident), concurrent_seam(incident))


def concurrent_seam(incident: Session) -> ConcurrentSeam:
    """Return the seam of the other samples, and beside it what awaits tools together."""
    alone = seam(incident)
    return ConcurrentSeam(
        call_model=alone.call_model,
        call_tool=alone.call_tool,
        now=alone.now,
        new_key=alone.new_key,
        acall_tool=incident.acall_tool,
        together=lambda work: asyncio.run(_all_of(work)),
    )


async def _all_of(work: Sequence[Work]) -> Sequence[Part]:
    return await asyncio.gather(*work)
