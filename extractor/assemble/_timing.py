"""When each attempt was dispatched, received and answered, and how it ended, from the spans around it.

The rules follow the HTTP, RPC and exception conventions of OpenTelemetry; docs/timing.md lays them out as tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..model.calls import Call
from ..model.evidence import Attempt, Evidence, Verdict
from ..model.exchanges import Exchange, Exchanges, service
from ..model.trace import Step, ToolCall, Trace
from ._answers import answered, refused, status
from ._budget import Budget, stated
from ._clocks import skews
from ._endings import Ending, Endings, disconnected
from ._policy import Policy
from ._scene import Scene, earliest, target
from ._verdicts import Verdicts


class Timing:
    """The evidence of every call of a trace. ``used`` are the ids of the spans that belong to the exchange of some tool."""

    def __init__(self, trace: Trace, calls: Sequence[Call], tables: Policy) -> None:
        self._policy = tables
        self._exchanges = Exchanges(trace.steps)
        self._endings = Endings(tables)
        self._verdicts = Verdicts(self._exchanges, tables)
        self._nearest: dict[str, Step | None] = {}
        own = [call.step for call in calls if call.own]
        exchanges = {step.span.span_id: self._exchanges.of(step) for step in own}
        self._of = exchanges
        callers = (step for step in trace.steps if step.kind == "dependency_call")
        pairs = [(client, server) for client in callers for server in self._exchanges.answering(client)]
        self._skews = skews(pairs, tables.rounding_ns)
        self._heard = {target(client) for client, _ in pairs}
        self._clients = any(exchange.clients for exchange in exchanges.values())
        self.used = frozenset(
            each.span.span_id
            for exchange in exchanges.values()
            for each in (*exchange.clients, *exchange.receipts, *exchange.logged)
        )

    def evidence(self, call: Call) -> Evidence:
        """Return the timing evidence of an attempt; of one without a span, that it was answered is all there is."""
        if not call.own:
            return Evidence(response_ns=call.end_ns, end_ns=call.end_ns, ended_by="response")
        return self._evidence(self._scene(call, self._of[call.step.span.span_id]))

    def outside(self, steps: Sequence[Step]) -> tuple[Attempt, ...]:
        """Return the evidence of the calls among these steps that no tool made: one for all sends of one request."""
        theirs = {
            below.span.span_id
            for exchange in self._of.values()
            for receipt in exchange.receipts
            for below in self._exchanges.below(receipt)
        }
        groups: dict[tuple[str | None, tuple[str | None, str | None]], list[Step]] = {}
        for step in steps:
            if step.kind == "dependency_call" and step.span.span_id not in self.used | theirs:
                groups.setdefault((step.span.parent_id, target(step)), []).append(step)
        found: list[Attempt] = []
        for clients in groups.values():
            receipts = [each for client in clients for each in self._exchanges.of(client).receipts]
            last = clients[-1]
            call = Call(
                tool=ToolCall(name=last.span.name),
                step=last,
                own=True,
                requested_by=None,
                start_ns=clients[0].span.start_ns,
                end_ns=last.span.end_ns,
                order=(*clients[0].span.order, 0),
            )
            scene = self._scene(call, Exchange(clients=tuple(clients), receipts=tuple(receipts)))
            found.append(Attempt(place=None, span_id=clients[0].span.span_id, evidence=self._evidence(scene)))
        return tuple(found)

    def _evidence(self, scene: Scene) -> Evidence:
        call = scene.call
        ending = self._endings.of(scene)
        dispatched, received = self._verdicts.dispatched(scene), self._verdicts.received(scene)
        dispatch_ns = self._dispatch_ns(scene, dispatched)
        receipts, moved = scene.exchange.receipts, scene.moved_ns
        budget = self._budget(scene, ending)
        client, step = scene.client, scene.step
        answer = client.span.end_ns if client is not None and answered(client) else None
        if client is None and call.tool.has_result and call.tool.error is None:
            answer = step.span.end_ns
        completed = self._verdicts.completed(scene)
        return Evidence(
            budget_start_ns=budget.began_ns if budget is not None else None,
            deadline_ns=budget.deadline_ns if budget is not None else None,
            deadline_source=budget.source if budget is not None else None,
            deadline_spans=(budget.span_id,) if budget is not None else (),
            dispatch_ns=dispatch_ns,
            receipt_ns=receipts[0].span.start_ns + moved if receipts else None,
            completion_ns=_end_of(receipts, completed, moved),
            response_ns=answer,
            end_ns=step.span.end_ns,
            queue_ns=max(0, dispatch_ns - step.span.start_ns) if dispatch_ns is not None else None,
            dispatched=dispatched,
            received=received,
            completed=completed,
            ended_by=ending.by,
            ending_spans=tuple(dict.fromkeys(ending.spans)),
            lacks=ending.lacks,
            skew=scene.skew,
            sends=self._sends(scene),
            statuses=tuple(found for each in scene.exchange.clients if (found := status(each)) is not None),
            methods=tuple(
                (each.dependency.method or "").upper()
                for each in (*scene.exchange.clients, *scene.exchange.receipts)
                if each.dependency is not None
            ),
            refused=any(refused(each) for each in (scene.client, *scene.receipts) if each is not None),
            replayed=any(
                each.dependency is not None and each.dependency.replayed
                for each in (*scene.exchange.clients, *scene.exchange.receipts)
            ),
            remarks=scene.remarks,
        )

    def _scene(self, call: Call, exchange: Exchange) -> Scene:
        step = call.step
        above = tuple(self._telling(step))
        client = exchange.clients[-1] if exchange.clients else None
        receipts = exchange.receipts if client is None else exchange.receipts_of(client, self._exchanges)
        found = stated(step, above, exchange.clients, self._policy)
        usable = tuple(each for each in found if not each.contradicts)
        remarks = ["deadline_contradiction"] if len(usable) < len(found) else []
        skew = None
        if exchange.receipts:
            skew = self._skews.get((service(client or step), service(exchange.receipts[0])))
            if skew is not None and skew.moved_ns:
                remarks.append("clock_skew")
        return Scene(
            call=call,
            step=step,
            above=above,
            exchange=exchange,
            client=client,
            receipts=receipts,
            budgets=usable,
            kind=self._policy.error_class(
                call.tool.error_type or step.error_type, call.tool.error or step.error_message
            ),
            skew=skew,
            siblings_received=client is not None and target(client) in self._heard,
            instrumented=self._clients,
            remarks=tuple(remarks),
        )

    def _dispatch_ns(self, scene: Scene, dispatched: Verdict) -> int | None:
        clients = scene.exchange.clients
        return clients[0].span.start_ns if clients and dispatched.answer == "yes" else None

    def _telling(self, step: Step) -> Iterator[Step]:
        """Yield the steps above one that say anything of deadlines and ends, nearest first.

        A chain of parents may be thousands of spans long: each of them is looked at once for all calls below it. A cycle
        of parents ends it.
        """
        seen = {step.span.span_id}
        nearest = self._nearest_telling(step)
        while nearest is not None and nearest.span.span_id not in seen:
            seen.add(nearest.span.span_id)
            yield nearest
            nearest = self._nearest_telling(nearest)

    def _nearest_telling(self, step: Step) -> Step | None:
        passed = [step.span.span_id]
        if step.span.span_id in self._nearest:
            return self._nearest[step.span.span_id]
        found: Step | None = None
        for above in self._exchanges.above(step):
            if self._tells(above):
                found = above
                break
            if above.span.span_id in self._nearest:
                found = self._nearest[above.span.span_id]
                break
            passed.append(above.span.span_id)
        self._nearest.update(dict.fromkeys(passed, found))
        return found

    def _tells(self, step: Step) -> bool:
        failed = step.error_type is not None or step.span.status_code == "error"
        return failed or disconnected(step) or bool(stated(step, (), (), self._policy))

    def _sends(self, scene: Scene) -> int:
        """Return how often the transport sent the last request: clients of the same method and target."""
        if scene.client is None:
            return 0
        return sum(target(each) == target(scene.client) for each in scene.exchange.clients)

    def _budget(self, scene: Scene, ending: Ending) -> Budget | None:
        """Return the budget in force: the earliest of a parent, else that of who gave up, else the tool's, else the call's."""
        budget = scene.parent_deadline
        if budget is not None:
            return budget
        span = ending.giver.span if ending.giver is not None else None
        if span is not None and span.end_ns is not None:
            return Budget(
                span_start_ns=span.start_ns,
                began_ns=span.start_ns,
                deadline_ns=span.end_ns,
                span_id=span.span_id,
                source="inferred",
            )
        own = earliest(each for each in scene.budgets if each.owner == "tool")
        return own if own is not None else earliest(scene.budgets)


def _end_of(receipts: Iterable[Step], completed: Verdict, moved_ns: int) -> int | None:
    ends = [
        each.span.end_ns + moved_ns
        for each in receipts
        if each.span.span_id in completed.spans and each.span.end_ns is not None
    ]
    return min(ends, default=None)
