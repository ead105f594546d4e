"""How an attempt ended: the rules of docs/timing.md, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.trace import Step
from ._answers import answered, is_code, status
from ._policy import Policy
from ._scene import Scene, ids_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How an attempt ended, on which spans that rests, and what is missing when it is undetermined."""

    by: str
    spans: tuple[str, ...] = ()
    lacks: str | None = None
    giver: Step | None = None


class Endings:
    """The rules, with the words and thresholds of rules/decisive.toml."""

    def __init__(self, tables: Policy) -> None:
        self._policy = tables

    def of(self, scene: Scene) -> Ending:
        """Return how an attempt ended, by the first rule that fits."""
        tool, client = scene.call.tool, scene.client
        # A tool that caught the error and returned it as a result has told of it, and has not been answered.
        caught = client is not None and not answered(client) and self._policy.denies(tool.result)
        if tool.has_result and tool.error is None and not caught:
            gone = self._gave_up_before(scene, scene.call.end_ns)
            if gone is not None:
                return Ending(by="late_response", spans=(gone.span.span_id,))
            return Ending(by="response", spans=(scene.step.span.span_id,))
        if client is not None:
            return self._by_client(scene, client)
        if scene.receipts:
            return self._by_receipt(scene)
        return self._alone(scene)

    def _by_client(self, scene: Scene, client: Step) -> Ending:
        """Return what the caller's side of the last exchange shows, and who stands above it."""
        own = (client.span.span_id,)
        kind = self._policy.error_class(client.error_type, client.error_message)
        if is_code(client, "4", "deadline_exceeded"):
            kind = "timeout"
        elif is_code(client, "1", "cancelled"):
            kind = "cancelled"
        elif is_code(client, "14", "unavailable"):
            kind = "lost"
        if kind in ("refused", "lost") and not answered(client):
            return Ending(by="connection_error", spans=own)
        if answered(client):
            return self._after_answer(scene, client)
        if kind == "timeout":
            return self._timed_out(scene, client)
        giver = self._who_gave_up(scene, client)
        if giver is not None:
            return Ending(by="local_deadline", spans=(*own, giver.span.span_id), giver=giver)
        budget = scene.parent_deadline
        ended = client.span.end_ns
        if budget is not None and ended is not None and 0 <= ended - budget.deadline_ns <= self._policy.together_ns:
            return Ending(by="local_deadline", spans=(*own, budget.span_id))
        line = (client, scene.step, *scene.above)
        said = [each for each in line if self._class_of(each) == "cancelled" or disconnected(each)]
        if kind == "cancelled" or said:
            return Ending(by="caller_cancelled", spans=(*own, *ids_of(said)))
        if ended is None:
            return Ending(by="undetermined", spans=own, lacks="span_unfinished")
        if all(each.span.status_code != "error" and each.error_type is None for each in line):
            # A cancellation that was asked for leaves no error anywhere: that is its sign.
            return Ending(by="caller_cancelled", spans=own)
        return Ending(by="undetermined", spans=own, lacks="ending_unknown")

    def _timed_out(self, scene: Scene, client: Step) -> Ending:
        """Return whose patience ended when the caller's own side says that it waited in vain."""
        own, ended = (client.span.span_id,), client.span.end_ns
        budget = scene.parent_deadline
        until = max(ended, client.span.start_ns) if ended is not None else client.span.start_ns
        if budget is not None and budget.deadline_ns <= until:
            return Ending(by="local_deadline", spans=(*own, budget.span_id))
        if not scene.receipts:
            lacks = "receipt_missing" if scene.siblings_received else "receipt_unknown"
            return Ending(by="undetermined", spans=own, lacks=lacks)
        first = scene.receipts[0]
        if ended is not None and first.span.start_ns + scene.moved_ns > ended + self._policy.rounding_ns:
            return Ending(by="undetermined", spans=(*own, first.span.span_id), lacks="receipt_late")
        return Ending(by="remote_timeout", spans=(*own, first.span.span_id))

    def _after_answer(self, scene: Scene, client: Step) -> Ending:
        """Return whether an answer that was read still reached the tool."""
        own = (client.span.span_id,)
        gone = self._gave_up_before(scene, client.span.end_ns)
        if gone is not None:
            return Ending(by="late_response", spans=(*own, gone.span.span_id))
        ended, answer = scene.step.span.end_ns, client.span.end_ns
        waiting = ended is not None and answer is not None and ended - answer > self._policy.together_ns
        if waiting and scene.kind in ("timeout", "cancelled"):
            giver = next((each for each in (scene.step, *scene.above) if self._class_of(each) == "timeout"), None)
            if giver is not None:
                return Ending(by="local_deadline", spans=(*own, giver.span.span_id), giver=giver)
            return Ending(by="caller_cancelled", spans=(*own, scene.step.span.span_id))
        return Ending(by="response", spans=own)

    def _by_receipt(self, scene: Scene) -> Ending:
        """Return what the dependency's side alone shows: the caller's side was filtered out, or never instrumented."""
        spans = (scene.step.span.span_id, scene.receipts[0].span.span_id)
        giver = self._who_gave_up(scene, scene.step) if scene.kind != "timeout" else None
        if giver is not None:
            return Ending(by="local_deadline", spans=(*spans, giver.span.span_id), giver=giver)
        if scene.kind == "timeout":
            ended = scene.step.span.end_ns
            open_still = any(
                each.span.end_ns is None or (ended is not None and each.span.end_ns > ended) for each in scene.receipts
            )
            # The dependency was still at work when the tool had stopped waiting: no answer can have come before.
            if open_still and self._policy.waited_for_answer(scene.error_type, scene.message):
                return Ending(by="remote_timeout", spans=spans)
            return Ending(by="undetermined", spans=spans, lacks="client_unknown")
        if scene.kind == "cancelled":
            return Ending(by="caller_cancelled", spans=spans)
        if scene.kind in ("refused", "lost"):
            return Ending(by="connection_error", spans=spans)
        if self._unexplained(scene):
            return Ending(by="undetermined", spans=spans, lacks="client_unknown")
        return Ending(by="response", spans=spans)

    def _alone(self, scene: Scene) -> Ending:
        """Return what the tool's span shows when no span of any exchange is there."""
        spans = (scene.step.span.span_id,)
        budget = scene.parent_deadline
        if budget is not None and budget.deadline_ns <= scene.step.span.start_ns:
            return Ending(by="local_deadline", spans=(*spans, budget.span_id))
        if scene.kind in ("refused", "lost"):
            return Ending(by="connection_error", spans=spans)
        if scene.kind == "timeout":
            # An error text and a duration tell no two causes apart.
            return Ending(by="undetermined", spans=spans, lacks="dispatch_unknown")
        giver = self._who_gave_up(scene, scene.step)
        if giver is not None:
            return Ending(by="local_deadline", spans=(*spans, giver.span.span_id), giver=giver)
        if scene.kind == "cancelled":
            return Ending(by="caller_cancelled", spans=spans)
        if self._unexplained(scene):
            told = scene.call.tool.error is not None
            return Ending(by="undetermined", spans=spans, lacks="dispatch_unknown" if told else "outcome_missing")
        return Ending(by="response", spans=spans)

    def _unexplained(self, scene: Scene) -> bool:
        """Return whether an attempt says nothing of its own error: none at all, or what a framework writes in its place."""
        if scene.error_type is not None:
            return False
        return not (scene.message or "").strip() or self._policy.says("wrapper", scene.message)

    def _who_gave_up(self, scene: Scene, ended: Step) -> Step | None:
        """Return the innermost step above one that ended without saying why, whose own deadline ended with it.

        Spans inside a deadline's scope see a cancellation only; the one that says timeout owns the deadline.
        """
        line = (scene.step, *scene.above) if ended is not scene.step else scene.above
        for each in line:
            if each.span.end_ns is None or self._class_of(each) != "timeout":
                continue
            if ended.span.end_ns is None or 0 <= each.span.end_ns - ended.span.end_ns <= self._policy.together_ns:
                return each
        return None

    def _gave_up_before(self, scene: Scene, instant_ns: int | None) -> Step | None:
        """Return the innermost step, from the tool upwards, that had timed out or been cancelled before an instant."""
        if instant_ns is None:
            return None
        line = scene.above if instant_ns == scene.step.span.end_ns else (scene.step, *scene.above)
        return next(
            (
                each
                for each in line
                if each.span.end_ns is not None
                and each.span.end_ns < instant_ns
                and self._class_of(each) in ("timeout", "cancelled")
            ),
            None,
        )

    def _class_of(self, step: Step) -> str | None:
        return self._policy.error_class(step.error_type, step.error_message)


def disconnected(step: Step) -> bool:
    """Return whether a server span above the call says that its own caller went away."""
    return status(step) == "499" or step.span.get("strands.cancellation.type") is not None
