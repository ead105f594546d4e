"""The backward walk from the boundary: what is kept, why, and how far from it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import pairwise

from ..model.calls import logical_key
from ..model.selection import Decision, Flow
from ..model.trace import Step
from ._acts import answers, last_answer, states_figure, texts
from ._boundary import Boundary
from ._facts import Facts
from ._policy import Policy
from ._surroundings import Surroundings
from ._turn import Turn
from ._values import names


class Walk:
    """Keeps steps, nearest to the boundary first; what is kept may make others decisive.

    Every group of steps (tries of one call, acts on one resource, tries of one transport) is followed once, however
    many of its members are kept: the walk's time grows with the trace.
    """

    def __init__(self, ground: Facts, tables: Policy, start: Boundary) -> None:
        self.reasons: dict[int, set[str]] = {}
        """Every reason for which a step would have been kept; the decision tells the first."""
        self._facts = ground
        self._policy = tables
        self._start = start.index
        # Whatever follows the last answer is what that answer came to.
        last = start.index == last_answer(ground.steps)
        self._until = len(ground.steps) - 1 if last else start.index
        self._kept: dict[int, tuple[str, int]] = {}
        self._flows: dict[int, list[Flow]] = {}
        self._queue: deque[int] = deque()
        self._changing = self._resources()
        self._around = Surroundings(ground, tables)
        self._followed: set[object] = set()

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
        self._same_turn()

    def decision(self, index: int) -> Decision:
        """Return what became of a step."""
        span_id = self._facts.steps[index].span.span_id
        if index in self._kept:
            reason, distance = self._kept[index]
            flows = tuple(sorted(self._flows.get(index, ()), key=_flow_order))
            return Decision(span_id=span_id, kept=True, reason=reason, distance=distance, flows=flows)
        return Decision(span_id=span_id, kept=False, reason=self._dropped(index))

    def _drain(self) -> None:
        while self._queue:
            index = self._queue.popleft()
            self._follow(index, self._kept[index][1] + 1)

    def _keep(self, index: int, reason: str, distance: int) -> None:
        self.reasons.setdefault(index, set()).add(reason)
        if index not in self._kept:
            self._kept[index] = (reason, distance)
            self._queue.append(index)

    def _keep_all(self, found: Iterable[int], reason: str, distance: int) -> None:
        for index in found:
            self._keep(index, reason, distance)

    def _once(self, group: object) -> bool:
        """Return whether a group of steps comes up for the first time."""
        if group in self._followed:
            return False
        self._followed.add(group)
        return True

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
            elif step.kind == "handoff":
                self._keep(index, "handoff", 1)
            elif step.kind == "guardrail" or (
                step.model is None and self._policy.authorizes(name, step.span.attributes)
            ):
                self._keep(index, "authorization", 1)
            elif step.tool is not None and self._policy.tells_time(name, step.span.attributes):
                self._keep(index, "clock", 1)
            elif _silent(step):
                self._keep(index, "content_unknown", 1)
            said = [pair for pair in step.span.attributes if self._policy.version_keys.fit(pair[0])]
            if said and repr(said) not in versions:
                versions.add(repr(said))
                self._keep(index, "version", 1)

    def _conversation(self) -> None:
        """Keep the answers that the user heard and replied to: without them the user's words have no sense."""
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

    def _same_turn(self) -> None:
        """Keep the calls that a replay will meet. They are the end of the walk: what led to them decided nothing."""
        turn = Turn(self._facts, self._start, self._until)
        for index in turn.met(self._kept.keys(), self._policy.turn_kinds):
            self.reasons.setdefault(index, set()).add("same_turn")
            self._kept[index] = ("same_turn", 1)

    def _follow(self, index: int, distance: int) -> None:
        fed = self._follow_values(index, distance)
        if not fed and states_figure(self._facts.steps[index], self._policy.common):
            self._keep_all(self._facts.gathered(index), "gathered", distance)
        for turn in self._facts.requests.get(index, ()):
            self._keep(turn, "announced" if answers(self._facts.steps[turn]) else "requested", distance)
        for call in self._facts.calls.get(index, ()):
            key = logical_key(call.tool)
            if self._once(key):
                self._keep_all((each for each in self._facts.attempts[key] if each != index), "attempt", distance)
            if self._policy.changes(call.tool.name):
                for value in names(call.tool.arguments, self._policy):
                    self._keep_all(self._changing.pop(value, ()), "same_resource", distance)
        # One look at what a change made is evidence enough that it took place.
        shown = self._facts.shown.get(index, ())
        self._keep_all((each for each in shown[:1] if each <= self._until), "effect_shown", distance)
        if self._facts.steps[index].kind in ("tool_call", "retrieval"):
            self._keep_all(self._around.receipts(index), "receipt", distance)
            for above, reason in self._around.limits(index):
                self._keep(above, reason, distance)
        transport = self._facts.transport(index)
        if transport is not None and self._once(transport):
            self._keep_all(self._facts.tries[transport], "attempt", distance)

    def _follow_values(self, index: int, distance: int) -> bool:
        """Keep the producers of what a step consumed; return whether a call was among them."""
        consumer, fed = self._facts.steps[index].span.span_id, False
        for value, place in self._facts.consumed[index].items():
            origin = self._facts.origin(value, index)
            if origin is None or origin[0] > self._until:
                continue
            fed = fed or self._facts.steps[origin[0]].kind != "model_call" or origin[0] in self._facts.calls
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
        return fed

    def _resources(self) -> dict[str, list[int]]:
        """Return side-effecting steps by the values that they name."""
        named: dict[str, list[int]] = {}
        for index, calls in self._facts.calls.items():
            for call in calls:
                if self._policy.changes(call.tool.name):
                    for value in names(call.tool.arguments, self._policy):
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
