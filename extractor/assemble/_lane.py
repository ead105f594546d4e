"""Whether a case may stand in the lane that people put it in."""

from __future__ import annotations

from ..errors import UsageError
from ..model.case import Document
from ..model.json import JsonValue
from ..model.replayable import replayable
from ._missing import incomplete


def hold_lane(document: Document) -> None:
    """Raise `UsageError` for a case in lane ``gate`` that is not deterministic, not complete or not replayable (S54).

    A blocking case answers from its recording alone. Whether its controls hold is told by their replays, not here.
    """
    if document.get("lane") != "gate":
        return
    if not replayable(document):
        raise UsageError("a case that cannot be replayed is no gate: see its missing_evidence")
    if incomplete(document):
        raise UsageError("an incomplete case is no gate: say what is prohibited first, --prohibit")
    events = document.get("model_events")
    if any(not _answered(event) for event in (events if isinstance(events, list) else [])):
        raise UsageError("a case with a model call that has no recorded answer is no gate: its lane is provider")


def _answered(event: JsonValue) -> bool:
    return isinstance(event, dict) and bool(event.get("output"))
