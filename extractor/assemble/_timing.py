"""When each attempt was dispatched, received and answered, and how it ended, from the spans around it.

The rules follow the HTTP, RPC and exception conventions of OpenTelemetry; docs/timing.md lays them out as tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..model.calls import Call
from ..model.evidence import UNKNOWN, Attempt, Evidence, Skew, Verdict
from ..model.exchanges import EVIDENCE_SENT, Exchange, Exchanges, service
from ..model.trace import Step, ToolCall, Trace
from ._answers import answered, by_a_gateway, grpc, is_code, refused, status, succeeded
from ._budget import Budget, stated
from ._clocks import skews
from ._policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ending:
    """How an attempt ended, on which spans that rests, and what is missing when it is undetermined."""

    by: str
    spans: tuple[str, ...] = ()
    lacks: str | None = None
    giver: Step | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """One attempt with everything around it."""

    call: Call
    step: Step
    above: tuple[Step, ...]
    exchange: Exchange
    client: Step | None
    receipts: tuple[Step, ...]
    budgets: tuple[Budget, ...]
    kind: str | None
    skew: Skew | None = None
    siblings_received: bool = False
    instrumented: bool = False
    remarks: tuple[str, ...] = field(default=())

    @property
    def parent_deadline(self) -> Budget | None:
        """The earliest budget that something above the tool set."""
        return _earliest(each for each in self.budgets if each.owner == "parent")


class Timing:
    """The evidence of every call of a trace. ``used`` are the ids of the spans that belong to the exchange of some tool."""

    def __init__(self, trace: Trace, calls: Sequence[Call], tables: Policy) -> None:
        self._policy = tables
        self._exchanges = Exchanges(trace)
        own = [call.step for call in calls if call.own]
        exchanges = {step.span.span_id: self._exchanges.of(step) for step in own}
        self._of = exchanges
        pairs = [
            (client, server)
            for exchange in exchanges.values()
            for client in exchange.clients
            for server in exchange.receipts_of(client, self._exchanges)
        ]
        self._skews = skews(pairs, tables.rounding_ns)
        self._heard = {_target(client) for client, _ in pairs}
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
                groups.setdefault((step.span.parent_id, _target(step)), []).append(step)
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

    def _evidence(self, scene: _Scene) -> Evidence:
        call = scene.call
        ending = self._ending(scene)
        dispatched, received = self._dispatched(scene), self._received(scene)
        dispatch_ns = self._dispatch_ns(scene, dispatched)
        receipts, moved = scene.exchange.receipts, scene.skew.moved_ns if scene.skew is not None else 0
        budget = self._budget(scene, ending)
        client, step = scene.client, scene.step
        answer = client.span.end_ns if client is not None and answered(client) else None
        if client is None and call.tool.has_result and call.tool.error is None:
            answer = step.span.end_ns
        completed = self._completed(scene)
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

    def _scene(self, call: Call, exchange: Exchange) -> _Scene:
        step = call.step
        above = tuple(self._exchanges.above(step))
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
        message = call.tool.error or step.error_message
        return _Scene(
            call=call,
            step=step,
            above=above,
            exchange=exchange,
            client=client,
            receipts=receipts,
            budgets=usable,
            kind=self._policy.error_class(call.tool.error_type or step.error_type, message),
            skew=skew,
            siblings_received=client is not None and _target(client) in self._heard,
            instrumented=self._clients,
            remarks=tuple(remarks),
        )

    def _ending(self, scene: _Scene) -> _Ending:
        tool = scene.call.tool
        if tool.has_result and tool.error is None:
            gone = self._gave_up_before(scene, scene.call.end_ns)
            if gone is not None:
                return _Ending(by="late_response", spans=(gone.span.span_id,))
            return _Ending(by="response", spans=(scene.step.span.span_id,))
        if scene.client is not None:
            return self._by_client(scene, scene.client)
        if scene.receipts:
            return self._by_receipt(scene)
        return self._alone(scene)

    def _by_client(self, scene: _Scene, client: Step) -> _Ending:
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
            return _Ending(by="connection_error", spans=own)
        if answered(client):
            return self._after_answer(scene, client)
        if kind == "timeout":
            return self._timed_out(scene, client)
        giver = self._who_gave_up(scene, client)
        if giver is not None:
            return _Ending(by="local_deadline", spans=(*own, giver.span.span_id), giver=giver)
        budget = scene.parent_deadline
        ended = client.span.end_ns
        if budget is not None and ended is not None and 0 <= ended - budget.deadline_ns <= self._policy.together_ns:
            return _Ending(by="local_deadline", spans=(*own, budget.span_id))
        line = (client, scene.step, *scene.above)
        said = [each for each in line if self._class_of(each) == "cancelled" or _disconnected(each)]
        if kind == "cancelled" or said:
            return _Ending(by="caller_cancelled", spans=(*own, *_ids(said)))
        if ended is None:
            return _Ending(by="undetermined", spans=own, lacks="span_unfinished")
        if all(each.span.status_code != "error" and each.error_type is None for each in line):
            # A cancellation that was asked for leaves no error anywhere: that is its sign.
            return _Ending(by="caller_cancelled", spans=own)
        return _Ending(by="undetermined", spans=own, lacks="ending_unknown")

    def _timed_out(self, scene: _Scene, client: Step) -> _Ending:
        """Return whose patience ended when the caller's own side says that it waited in vain."""
        own, ended = (client.span.span_id,), client.span.end_ns
        budget = scene.parent_deadline
        until = max(ended, client.span.start_ns) if ended is not None else client.span.start_ns
        if budget is not None and budget.deadline_ns <= until:
            return _Ending(by="local_deadline", spans=(*own, budget.span_id))
        if not scene.receipts:
            lacks = "receipt_missing" if scene.siblings_received else "receipt_unknown"
            return _Ending(by="undetermined", spans=own, lacks=lacks)
        moved = scene.skew.moved_ns if scene.skew is not None else 0
        first = scene.receipts[0]
        if ended is not None and first.span.start_ns + moved > ended + self._policy.rounding_ns:
            return _Ending(by="undetermined", spans=(*own, first.span.span_id), lacks="receipt_late")
        return _Ending(by="remote_timeout", spans=(*own, first.span.span_id))

    def _after_answer(self, scene: _Scene, client: Step) -> _Ending:
        """Return whether an answer that was read still reached the tool."""
        own = (client.span.span_id,)
        gone = self._gave_up_before(scene, client.span.end_ns)
        if gone is not None:
            return _Ending(by="late_response", spans=(*own, gone.span.span_id))
        ended, answer = scene.step.span.end_ns, client.span.end_ns
        waiting = ended is not None and answer is not None and ended - answer > self._policy.together_ns
        if waiting and scene.kind in ("timeout", "cancelled"):
            giver = next((each for each in (scene.step, *scene.above) if self._class_of(each) == "timeout"), None)
            if giver is not None:
                return _Ending(by="local_deadline", spans=(*own, giver.span.span_id), giver=giver)
            return _Ending(by="caller_cancelled", spans=(*own, scene.step.span.span_id))
        return _Ending(by="response", spans=own)

    def _by_receipt(self, scene: _Scene) -> _Ending:
        """Return what the dependency's side alone shows: the caller's side was filtered out, or never instrumented."""
        spans = (scene.step.span.span_id, scene.receipts[0].span.span_id)
        giver = self._who_gave_up(scene, scene.step) if scene.kind != "timeout" else None
        if giver is not None:
            return _Ending(by="local_deadline", spans=(*spans, giver.span.span_id), giver=giver)
        if scene.kind == "timeout":
            message = scene.call.tool.error or scene.step.error_message
            ended = scene.step.span.end_ns
            open_still = any(
                each.span.end_ns is None or (ended is not None and each.span.end_ns > ended) for each in scene.receipts
            )
            # The dependency was still at work when the tool had stopped waiting: no answer can have come before.
            if open_still and self._policy.waited_for_answer(
                scene.call.tool.error_type or scene.step.error_type, message
            ):
                return _Ending(by="remote_timeout", spans=spans)
            return _Ending(by="undetermined", spans=spans, lacks="client_unknown")
        if scene.kind == "cancelled":
            return _Ending(by="caller_cancelled", spans=spans)
        if scene.kind in ("refused", "lost"):
            return _Ending(by="connection_error", spans=spans)
        if self._unexplained(scene):
            return _Ending(by="undetermined", spans=spans, lacks="client_unknown")
        return _Ending(by="response", spans=spans)

    def _alone(self, scene: _Scene) -> _Ending:
        """Return what the tool's span shows when no span of any exchange is there."""
        spans = (scene.step.span.span_id,)
        budget = scene.parent_deadline
        if budget is not None and budget.deadline_ns <= scene.step.span.start_ns:
            return _Ending(by="local_deadline", spans=(*spans, budget.span_id))
        if scene.kind in ("refused", "lost"):
            return _Ending(by="connection_error", spans=spans)
        if scene.kind == "timeout":
            # An error text and a duration tell no two causes apart.
            return _Ending(by="undetermined", spans=spans, lacks="dispatch_unknown")
        giver = self._who_gave_up(scene, scene.step)
        if giver is not None:
            return _Ending(by="local_deadline", spans=(*spans, giver.span.span_id), giver=giver)
        if scene.kind == "cancelled":
            return _Ending(by="caller_cancelled", spans=spans)
        if self._unexplained(scene):
            told = scene.call.tool.error is not None or scene.step.error_type is not None
            return _Ending(by="undetermined", spans=spans, lacks="dispatch_unknown" if told else "outcome_missing")
        return _Ending(by="response", spans=spans)

    def _unexplained(self, scene: _Scene) -> bool:
        """Return whether an attempt says nothing of its own error: none at all, or what a framework writes in its place."""
        message = scene.call.tool.error or scene.step.error_message
        if scene.call.tool.error_type is None and scene.step.error_type is None:
            return message is None or not message.strip() or self._policy.says("wrapper", message)
        return False

    def _who_gave_up(self, scene: _Scene, ended: Step) -> Step | None:
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

    def _gave_up_before(self, scene: _Scene, instant_ns: int | None) -> Step | None:
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

    def _dispatched(self, scene: _Scene) -> Verdict:
        """Return whether a request left the process."""
        exchange = scene.exchange
        proof = [each for each in exchange.clients if answered(each)]
        proof += [
            each for each in exchange.logged if answered(each) or self._policy.waited_for_answer(each.error_type, None)
        ]
        proof += [each for each in (*exchange.clients, *exchange.logged) if each.span.get(EVIDENCE_SENT) is True]
        proof += [each for each in exchange.clients if self._policy.waited_for_answer(each.error_type, None)]
        proof += exchange.receipts
        if proof:
            return Verdict(answer="yes", spans=_ids(proof))
        if exchange.clients and all(self._class_of(each) == "refused" for each in exchange.clients):
            return Verdict(answer="no", spans=_ids(exchange.clients))
        if not exchange.clients and (scene.kind == "refused" or (scene.kind == "local" and scene.instrumented)):
            return Verdict(answer="no", spans=(scene.step.span.span_id,))
        budget = scene.parent_deadline
        if not exchange.clients and budget is not None and budget.deadline_ns <= scene.step.span.start_ns:
            return Verdict(answer="no", spans=(budget.span_id, scene.step.span.span_id))
        return UNKNOWN

    def _received(self, scene: _Scene) -> Verdict:
        """Return whether the dependency observed the request; an answer that only it can have given shows it too."""
        if scene.exchange.receipts:
            return Verdict(answer="yes", spans=_ids(scene.exchange.receipts))
        heard = [each for each in scene.exchange.clients if answered(each) and not by_a_gateway(each)]
        if heard:
            return Verdict(answer="yes", spans=_ids(heard))
        dispatched = self._dispatched(scene)
        return dispatched if dispatched.answer == "no" else UNKNOWN

    def _completed(self, scene: _Scene) -> Verdict:
        """Return whether the dependency finished what was asked; a gRPC 0 on a call that was given up shows no more
        than that its span ended.
        """
        changing = [each for each in scene.exchange.receipts if not self._reads(each)]
        given_up = scene.client is not None and not answered(scene.client)
        done = [each for each in changing if succeeded(each) and not (given_up and grpc(each))]
        # A row that was written is a fact, whoever was still listening.
        done += [written for each in changing for written in self._exchanges.below(each) if self._writes_row(written)]
        if done:
            return Verdict(answer="yes", spans=_ids(done))
        told = [each for each in scene.exchange.clients if answered(each) and succeeded(each) and not self._reads(each)]
        if told:
            return Verdict(answer="yes", spans=_ids(told))
        if self._received(scene).answer == "no":
            return self._received(scene)
        return UNKNOWN

    def _writes_row(self, step: Step) -> bool:
        method = step.dependency.method if step.dependency is not None else None
        failed = step.error_type is not None or step.span.status_code == "error"
        return method is not None and method.upper() in self._policy.row_writes and not failed

    def _reads(self, step: Step) -> bool:
        method = step.dependency.method if step.dependency is not None else None
        return method is not None and method.upper() in self._policy.safe_methods

    def _dispatch_ns(self, scene: _Scene, dispatched: Verdict) -> int | None:
        clients = scene.exchange.clients
        return clients[0].span.start_ns if clients and dispatched.answer == "yes" else None

    def _sends(self, scene: _Scene) -> int:
        """Return how often the transport sent the last request: clients of the same method and target."""
        if scene.client is None:
            return 0
        return sum(_target(each) == _target(scene.client) for each in scene.exchange.clients)

    def _budget(self, scene: _Scene, ending: _Ending) -> Budget | None:
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
        own = _earliest(each for each in scene.budgets if each.owner == "tool")
        return own if own is not None else _earliest(scene.budgets)

    def _class_of(self, step: Step) -> str | None:
        return self._policy.error_class(step.error_type, step.error_message)


def _earliest(budgets: Iterable[Budget]) -> Budget | None:
    return min(budgets, key=lambda each: each.deadline_ns, default=None)


def _disconnected(step: Step) -> bool:
    """Return whether a server span above the call says that its own caller went away."""
    return status(step) == "499" or step.span.get("strands.cancellation.type") is not None


def _target(client: Step) -> tuple[str | None, str | None]:
    call = client.dependency
    return (call.method, call.target) if call is not None else (None, None)


def _end_of(receipts: Iterable[Step], completed: Verdict, moved_ns: int) -> int | None:
    ends = [
        each.span.end_ns + moved_ns
        for each in receipts
        if each.span.span_id in completed.spans and each.span.end_ns is not None
    ]
    return min(ends, default=None)


def _ids(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.span.span_id for each in steps))
