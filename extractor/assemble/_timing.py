"""When each attempt was dispatched, received and answered, and how it ended, from the spans around it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from ..model.calls import Call
from ..model.span import lookup
from ..model.trace import Step, Trace
from ._policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the spans show of one attempt; instants in nanoseconds from the Unix epoch, None when nothing shows them.

    ``lacks`` is the code of the evidence without which ``ended_by`` is undetermined. ``statuses`` are the protocol
    statuses of the dependency's answers, the last one last; ``committed`` says that the dependency finished its work.
    """

    budget_start_ns: int | None = None
    deadline_ns: int | None = None
    dispatch_ns: int | None = None
    receipt_ns: int | None = None
    response_ns: int | None = None
    end_ns: int | None = None
    ended_by: str = "undetermined"
    lacks: str | None = None
    methods: tuple[str, ...] = ()
    committed: bool = False
    replayed: bool = False


class Surroundings:
    """Who stands above and below each step."""

    def __init__(self, trace: Trace, tables: Policy) -> None:
        self._policy = tables
        self._steps = {step.span.span_id: step for step in trace.steps}
        self._children: dict[str, list[Step]] = defaultdict(list)
        for step in trace.steps:
            if step.span.parent_id is not None:
                self._children[step.span.parent_id].append(step)

    def evidence(self, call: Call) -> Evidence:
        """Return the timing evidence of an attempt; of one without a span, that it was answered is all there is."""
        if not call.own:
            return Evidence(response_ns=call.end_ns, end_ns=call.end_ns, ended_by="response")
        step = call.step
        below = list(self._below(step))
        receipts = [each for each in below if each.kind == "dependency_receipt"]
        theirs = {each.span.span_id for receipt in receipts for each in self._below(receipt)}
        # What the dependency calls in its turn, its database say, is no dispatch of ours.
        clients = [each for each in below if each.kind == "dependency_call" and each.span.span_id not in theirs]
        client = clients[-1] if clients else None
        answer = client.span.end_ns if client is not None and _answered(client) else None
        if client is None and call.tool.has_result and call.tool.error is None:
            answer = step.span.end_ns
        giver = self._who_gave_up(step, client)
        ended_by, lacks = self._ended_by(call, client, receipts, giver)
        budget_start, deadline = self._budget(step, giver)
        return Evidence(
            budget_start_ns=budget_start,
            deadline_ns=deadline,
            dispatch_ns=self._dispatch(clients, receipts),
            receipt_ns=receipts[0].span.start_ns if receipts else None,
            response_ns=answer,
            end_ns=step.span.end_ns,
            ended_by=ended_by,
            lacks=lacks,
            methods=tuple((each.dependency.method or "").upper() for each in below if each.dependency is not None),
            committed=any(_accepted(each) for each in receipts),
            replayed=any(each.dependency is not None and each.dependency.replayed for each in below),
        )

    def _ended_by(
        self, call: Call, client: Step | None, receipts: list[Step], giver: Step | None
    ) -> tuple[str, str | None]:
        """Return how the attempt ended and, when that is undetermined, what is missing."""
        above = next(self._above(call.step), None)
        if call.tool.has_result and call.tool.error is None:
            return ("late_response" if self._after_cancellation(call, above) else "response", None)
        if client is not None:
            return self._by_client(call, client, receipts, giver)
        kind = self._policy.error_class(call.tool.error_type or call.step.error_type)
        if kind == "connection":
            return ("connection_error", None)
        if kind == "timeout":
            return ("undetermined", "dispatch_unknown")  # an error text and a duration tell no two causes apart (S36)
        if kind == "cancelled":
            return ("caller_cancelled", None)
        told = call.tool.error is not None or call.step.error_type is not None
        return ("response", None) if told else ("undetermined", "outcome_missing")

    def _by_client(self, call: Call, client: Step, receipts: list[Step], giver: Step | None) -> tuple[str, str | None]:
        status, kind = _status(client), self._policy.error_class(client.error_type)
        grpc = client.dependency is not None and client.dependency.protocol == "grpc"
        if kind == "connection":
            return ("connection_error", None)
        if kind == "timeout" or (grpc and status == "4"):
            return ("remote_timeout", None) if receipts else ("undetermined", "receipt_unknown")
        if kind == "cancelled" or (grpc and status == "1"):
            return ("local_deadline" if giver is not None else "caller_cancelled", None)
        if grpc and status == "14" and not receipts:
            return ("connection_error", None)
        if status is not None:
            return ("response", None)
        if giver is not None:
            return ("local_deadline", None)
        line = (client, call.step, *self._above(call.step))
        if all(step.span.status_code != "error" and step.error_type is None for step in line):
            return ("caller_cancelled", None)
        if any(self._policy.error_class(step.error_type) == "cancelled" for step in line):
            return ("caller_cancelled", None)
        return ("undetermined", "ending_unknown")

    def _dispatch(self, clients: list[Step], receipts: list[Step]) -> int | None:
        """Return when the call left the process; a client span that never connected does not show that it did."""
        left = receipts or any(
            _status(each) is not None or self._policy.error_class(each.error_type) == "timeout" for each in clients
        )
        return clients[0].span.start_ns if clients and left else None

    def _who_gave_up(self, step: Step, client: Step | None) -> Step | None:
        """Return the innermost step, from the tool upwards, whose own deadline ended the call below it.

        Spans inside a deadline's scope see a cancellation only; the one that says timeout owns the deadline.
        """
        if client is None or self._policy.error_class(client.error_type) in ("timeout", "connection"):
            return None
        ended = client.span.end_ns
        for each in (step, *self._above(step)):
            if each.span.end_ns is None or self._policy.error_class(each.error_type) != "timeout":
                continue
            if ended is None or 0 <= each.span.end_ns - ended <= self._policy.together_ns:
                return each
        return None

    def _budget(self, step: Step, giver: Step | None) -> tuple[int | None, int | None]:
        """Return the start and end of the nearest budget: stated by an attribute, else inferred from who gave up."""
        for each in (step, *self._above(step)):
            for key in self._policy.budget_keys:
                for name, _ in each.span.attributes:
                    value = lookup(each.span.attributes, name)
                    if (name == key or name.endswith("." + key)) and isinstance(value, int | float) and value > 0:
                        return (each.span.start_ns, each.span.start_ns + round(value * 1_000_000))
        if giver is not None:
            return (giver.span.start_ns, giver.span.end_ns)
        return (None, None)

    def _after_cancellation(self, call: Call, above: Step | None) -> bool:
        """Return whether the result came after the step above had given up."""
        if above is None or above.span.end_ns is None or call.end_ns is None or above.span.end_ns >= call.end_ns:
            return False
        return self._policy.error_class(above.error_type) in ("timeout", "cancelled")

    def _above(self, step: Step) -> Iterator[Step]:
        seen = {step.span.span_id}
        parent_id = step.span.parent_id
        while parent_id is not None and parent_id not in seen and parent_id in self._steps:
            seen.add(parent_id)
            yield self._steps[parent_id]
            parent_id = self._steps[parent_id].span.parent_id

    def _below(self, step: Step) -> Iterator[Step]:
        """Yield the steps below one, in product order, without those of tools nested in it."""
        found: list[Step] = []
        seen = {step.span.span_id}
        stack = list(self._children.get(step.span.span_id, ()))
        while stack:
            each = stack.pop()
            if each.span.span_id not in seen and each.tool is None:
                seen.add(each.span.span_id)
                found.append(each)
                stack.extend(self._children.get(each.span.span_id, ()))
        yield from sorted(found, key=lambda each: each.span.order)


def _status(step: Step) -> str | None:
    return step.dependency.status if step.dependency is not None else None


def _answered(client: Step) -> bool:
    """Return whether an answer came; gRPC writes its own code when it gave up, was cancelled or found nobody."""
    grpc = client.dependency is not None and client.dependency.protocol == "grpc"
    return _status(client) is not None and not (grpc and _status(client) in ("1", "4", "14"))


def _accepted(receipt: Step) -> bool:
    """Return whether the dependency's own span says that it did its work; a gRPC 0 on a cancelled call does not."""
    status = _status(receipt)
    grpc = receipt.dependency is not None and receipt.dependency.protocol == "grpc"
    return status is not None and not grpc and status.startswith("2")
