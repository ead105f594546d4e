"""What a case must have beside it before its replay may block anything: a control of each way a dependency can answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from .manifest import Held

__all__ = ["KINDS", "lacking"]

KINDS: Final = ("success", "rejection", "timeout", "uncertain")


def lacking(case_id: str, held: Mapping[str, Held], *, tools: bool) -> Iterator[str]:
    """Yield what a gate lacks, a sentence each; ``tools`` says whether the case has calls that could answer otherwise.

    A control is named by its folder (``timeout``, ``timeout-refund.create``), or by the id of its own fixture.
    """
    if not held:
        yield "no control stands beside the case: a blunt fix would look the same"
    names = {name.removeprefix(f"{case_id}-"): state for name, state in held.items()}
    for kind in KINDS if tools else ():
        states = {state for name, state in names.items() if name == kind or name.startswith(f"{kind}-")}
        if "held" not in states:
            yield f"a gate needs a control of the kind {kind} that holds, and there is none"
