"""Whether an attempt was dispatched, received and completed: yes, no or unknown, and on which spans that rests."""

from __future__ import annotations

from ..model.evidence import UNKNOWN, Verdict
from ..model.exchanges import EVIDENCE_SENT, Exchanges
from ..model.trace import Step
from ._answers import answered, by_another, grpc, succeeded
from ._policy import Policy
from ._scene import Scene, ids_of


class Verdicts:
    """The rules of docs/timing.md. A span that is missing makes a verdict unknown, never no."""

    def __init__(self, exchanges: Exchanges, tables: Policy) -> None:
        self._exchanges = exchanges
        self._policy = tables

    def dispatched(self, scene: Scene) -> Verdict:
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
            return Verdict(answer="yes", spans=ids_of(proof))
        if exchange.clients and all(self._class_of(each) == "refused" for each in exchange.clients):
            return Verdict(answer="no", spans=ids_of(exchange.clients))
        if not exchange.clients and (scene.kind == "refused" or (scene.kind == "local" and scene.instrumented)):
            return Verdict(answer="no", spans=(scene.step.span.span_id,))
        budget = scene.parent_deadline
        if not exchange.clients and budget is not None and budget.deadline_ns <= scene.step.span.start_ns:
            return Verdict(answer="no", spans=(budget.span_id, scene.step.span.span_id))
        return UNKNOWN

    def received(self, scene: Scene) -> Verdict:
        """Return whether the dependency observed the request; an answer that only it can have given shows it too."""
        if scene.exchange.receipts:
            return Verdict(answer="yes", spans=ids_of(scene.exchange.receipts))
        heard = [each for each in scene.exchange.clients if answered(each) and not by_another(each)]
        if heard:
            return Verdict(answer="yes", spans=ids_of(heard))
        dispatched = self.dispatched(scene)
        return dispatched if dispatched.answer == "no" else UNKNOWN

    def completed(self, scene: Scene) -> Verdict:
        """Return whether the dependency finished what was asked; a gRPC 0 on a call that was given up shows no more
        than that its span ended.
        """
        changing = [each for each in scene.exchange.receipts if not self._reads(each)]
        given_up = scene.client is not None and not answered(scene.client)
        done = [each for each in changing if succeeded(each) and not (given_up and grpc(each))]
        # A row that was written is a fact, whoever was still listening.
        done += [written for each in changing for written in self._exchanges.below(each) if self._writes_row(written)]
        if done:
            return Verdict(answer="yes", spans=ids_of(done))
        told = [each for each in scene.exchange.clients if answered(each) and succeeded(each) and not self._reads(each)]
        if told:
            return Verdict(answer="yes", spans=ids_of(told))
        if self.received(scene).answer == "no":
            return self.received(scene)
        return UNKNOWN

    def _writes_row(self, step: Step) -> bool:
        method = step.dependency.method if step.dependency is not None else None
        failed = step.error_type is not None or step.span.status_code == "error"
        return method is not None and method.upper() in self._policy.row_writes and not failed

    def _reads(self, step: Step) -> bool:
        method = step.dependency.method if step.dependency is not None else None
        return method is not None and method.upper() in self._policy.safe_methods

    def _class_of(self, step: Step) -> str | None:
        return self._policy.error_class(step.error_type, step.error_message)
