"""The backward walk from the boundary, and the decision on every span."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from ..errors import InputUnreadable
from ..model.calls import logical_key
from ..model.config import RunConfig
from ..model.selection import Decision, Flow, Selection
from ..model.trace import Step, Trace
from ..ruleset import RuleSet
from ._boundary import Boundary, answers, boundary, failed
from ._facts import Facts, facts, texts
from ._override import overridden
from ._policy import Policy, carries, policy
from ._values import values


def select(trace: Trace, rules: RuleSet, config: RunConfig) -> Selection:
    """Return one decision a span, with its reason (design, section 5), starting from the boundary.

    Raises `UsageError` when ``--at``, ``--keep`` or ``--drop`` name nothing in the trace, `InputUnreadable` when the
    trace holds no span: an empty case is never a result.
    """
    if not trace.steps:
        raise InputUnreadable("the trace holds no span")
    tables = policy(rules)
    ground = facts(trace, tables)
    start = boundary(ground, tables, config)
    walk = _Walk(ground, tables, start)
    walk.run()
    decisions = tuple(walk.decision(index) for index in range(len(trace.steps)))
    return Selection(
        boundary=trace.steps[start.index].span.span_id,
        boundary_reason=start.reason,
        decisions=overridden(trace, decisions, start.index, config.override),
        candidates=tuple(trace.steps[index].span.span_id for index in start.candidates),
    )


class _Walk:
    """Keeps steps, nearest to the boundary first; what is kept may make others decisive."""

    def __init__(self, ground: Facts, tables: Policy, start: Boundary) -> None:
        self._facts = ground
        self._policy = tables
        self._start = start.index
        # Whatever follows the last answer is what that answer came to.
        self._until = len(ground.steps) - 1 if start.reason == "last_answer" else start.index
        self._kept: dict[int, tuple[str, int]] = {}
        self._flows: dict[int, list[Flow]] = {}
        self._queue: deque[int] = deque()
        self._changing = self._resources()

    def run(self) -> None:
        """Walk until nothing more becomes decisive."""
        self._keep(self._start, "boundary", 0)
        for distance, above in enumerate(self._facts.ancestors(self._start), start=1):
            self._keep(above, "path", distance)
        self._consequence()
        self._context()
        self._drain()
        self._side_effects()
        self._drain()
        self._conversation()
        self._drain()

    def _drain(self) -> None:
        while self._queue:
            index = self._queue.popleft()
            reason, distance = self._kept[index]
            self._follow(index, distance + 1, values_too=reason != "heard")

    def decision(self, index: int) -> Decision:
        """Return what became of a step."""
        span_id = self._facts.steps[index].span.span_id
        if index in self._kept:
            reason, distance = self._kept[index]
            flows = tuple(sorted(self._flows.get(index, ()), key=_flow_order))
            return Decision(span_id=span_id, kept=True, reason=reason, distance=distance, flows=flows)
        return Decision(span_id=span_id, kept=False, reason=self._dropped(index))

    def _keep(self, index: int, reason: str, distance: int) -> None:
        if index not in self._kept:
            self._kept[index] = (reason, distance)
            self._queue.append(index)

    def _consequence(self) -> None:
        """Keep the answer that followed a boundary which is no answer itself: there the harm reached somebody."""
        steps = self._facts.steps
        if answers(steps[self._start]):
            return
        after = next((index for index in range(self._start + 1, len(steps)) if answers(steps[index])), None)
        if after is not None:
            self._keep(after, "consequence", 1)
            self._until = max(self._until, after)

    def _context(self) -> None:
        """Keep what speaks of the whole run: the user's words, claims, versions, clocks, up to the boundary."""
        versions: set[str] = set()
        for index, step in enumerate(self._facts.steps[: self._start]):
            name = step.tool.name if step.tool is not None else step.span.name
            if step.kind == "user_message":
                self._keep(index, "user_words", 1)
            elif step.kind == "guardrail" or (
                step.model is None and self._policy.authorizes(name, step.span.attributes)
            ):
                self._keep(index, "authorization", 1)
            elif step.tool is not None and self._policy.tells_time(name, step.span.attributes):
                self._keep(index, "clock", 1)
            elif _silent(step):
                self._keep(index, "content_unknown", 1)
            if carries(step.span.attributes, self._policy.version_keys):
                said = repr([pair for pair in step.span.attributes if carries((pair,), self._policy.version_keys)])
                if said not in versions:
                    versions.add(said)
                    self._keep(index, "version", 1)

    def _conversation(self) -> None:
        """Keep the answers that the user heard and replied to: without them the user's words have no sense.

        They are kept for what they say, not for where they had it from: following their values too would keep all.
        """
        steps = self._facts.steps
        turn = next((steps[index] for index in range(self._start, -1, -1) if steps[index].model is not None), None)
        if turn is None or turn.model is None:
            return
        history = turn.model.input
        heard = {
            texts(message)
            for message, reply in pairwise(history)
            if message.role == "assistant" and reply.role == "user"
        } - {""}
        for index, step in enumerate(steps[: self._start]):
            if step.model is not None and any(texts(message) in heard for message in step.model.output):
                self._keep(index, "heard", 1)

    def _side_effects(self) -> None:
        """Keep every attempt to change something: what happened to the world is part of any incident."""
        for index, calls in self._facts.calls.items():
            if index <= self._until and any(self._policy.changes(call.tool.name) for call in calls):
                self._keep(index, "side_effect" if index <= self._start else "consequence", 1)

    def _follow(self, index: int, distance: int, *, values_too: bool) -> None:
        if values_too:
            self._follow_values(index, distance)
        for request in self._facts.requests.get(index, ()):
            self._keep(request, "requested", distance)
        for call in self._facts.calls.get(index, ()):
            for attempt in self._facts.attempts[logical_key(call.tool)]:
                self._keep(attempt, "attempt", distance)
            if self._policy.changes(call.tool.name):
                for value in values(call.tool.arguments, self._policy):
                    for other in self._changing.get(value, ()):
                        self._keep(other, "same_resource", distance)
        if self._facts.steps[index].kind in ("tool_call", "retrieval"):
            self._follow_timing(index, distance)
        for sibling in self._facts.siblings(index):
            self._keep(sibling, "attempt", distance)

    def _follow_values(self, index: int, distance: int) -> None:
        consumer = self._facts.steps[index].span.span_id
        for value, place in self._facts.consumed[index].items():
            origin = self._facts.origin(value, index)
            if origin is None or origin[0] > self._until:
                continue
            self._keep(origin[0], "value_flow", distance)
            flows = self._flows.setdefault(origin[0], [])
            if len(flows) < _MAX_FLOWS:
                producer = self._facts.steps[origin[0]].span.span_id
                flows.append(
                    Flow(
                        producer=producer,
                        produced_at="output" + origin[1],
                        consumer=consumer,
                        consumed_at="input" + place,
                    )
                )

    def _follow_timing(self, index: int, distance: int) -> None:
        """Keep the dependency's side of a call, and the budget or cancellation above it."""
        for below in self._facts.descendants(index):
            if self._facts.steps[below].kind in ("dependency_call", "dependency_receipt"):
                self._keep(below, "receipt", distance)
                for between in self._facts.ancestors(below):
                    if between == index:
                        break
                    self._keep(between, "receipt", distance)
        for above in self._facts.ancestors(index):
            step = self._facts.steps[above]
            if carries(step.span.attributes, self._policy.budget_keys):
                self._keep(above, "budget", distance)
            elif failed(step) and _gave_up(step.error_type, self._policy):
                self._keep(above, "cancellation", distance)

    def _resources(self) -> dict[str, list[int]]:
        """Return side-effecting steps by the values that they name."""
        named: dict[str, list[int]] = {}
        for index, calls in self._facts.calls.items():
            for call in calls:
                if self._policy.changes(call.tool.name):
                    for value in values(call.tool.arguments, self._policy):
                        named.setdefault(value, []).append(index)
        return named

    def _dropped(self, index: int) -> str:
        step = self._facts.steps[index]
        if step.kind in ("dependency_call", "dependency_receipt"):
            return "transport"
        if index > self._until:
            return "after_boundary"
        if step.kind == "other":
            return "unrelated"
        return "repeated_history" if index in self._facts.repeats else "no_flow"


_MAX_FLOWS = 20


def _flow_order(flow: Flow) -> tuple[str, str, str, str]:
    return (flow.producer, flow.produced_at, flow.consumer, flow.consumed_at)


def _silent(step: Step) -> bool:
    """Return whether an act says nothing of what went in and out: no flow can be shown, and none excluded."""
    if step.model is not None:
        return not step.model.content_captured
    tool = step.tool
    return tool is not None and tool.arguments is None and not tool.has_result and tool.error is None


def _gave_up(error_type: str | None, tables: Policy) -> bool:
    said = (error_type or "").lower()
    return any(word in said for word in tables.giving_up)
