"""Which client and server spans belong to a tool call: those below it, and those that only time or a key ties to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .trace import Step

_TOGETHER_NS = 2_000_000
"""Exporters round starts, to milliseconds at worst: a child may seem to begin that much before its parent."""

_MAX_RUNNING = 64
"""Owners at one instant among which time alone can tell nothing."""

EVIDENCE_SENT = "evidence.sent"
"""Attribute of such a span: a client's log says that the request was written."""

EVIDENCE_ID = "evidence.id"
"""Attribute of a span made of a record from outside the trace: the call id, span id or request id that it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What passed between one tool call and its dependencies: our sides and theirs, each in product order.

    A receipt in a proxy of the caller's own service is not among ``receipts``: it proves nothing of the dependency.
    ``logged`` are records of a client's log beside client spans, which tell of the same sends.
    """

    clients: tuple[Step, ...] = ()
    receipts: tuple[Step, ...] = ()
    logged: tuple[Step, ...] = ()

    def receipts_of(self, client: Step, exchanges: Exchanges) -> tuple[Step, ...]:
        """Return the receipts of one client span; those that stand below no client belong to any."""
        below = {each.span.span_id for each in exchanges.below(client)} | exchanges.linked(client)
        others = {span.span.span_id for other in self.clients if other is not client for span in exchanges.below(other)}
        return tuple(
            each
            for each in self.receipts
            if each.span.span_id in below or (not below & _ids(self.receipts) and each.span.span_id not in others)
        )


class Exchanges:
    """Who stands above, below and beside each step of a trace.

    Instrumentation does not always nest: some frameworks leave HTTP spans beside the tool's span, filters drop the client
    and orphan the server. Such a span belongs to the tool whose idempotency key it carries, else to the one tool, model
    or retrieval during which it began; where two of them are possible, to none.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = {step.span.span_id: step for step in steps}
        self._children: dict[str, list[Step]] = defaultdict(list)
        self._linked: dict[str, list[Step]] = defaultdict(list)
        for step in steps:
            if step.span.parent_id is not None:
                self._children[step.span.parent_id].append(step)
            if step.kind == "dependency_receipt":
                for link in step.span.links:
                    self._linked[link.span_id].append(step)
        self._told: dict[str, bool] = {}
        self._kinds: dict[str, frozenset[str]] = {}
        self._beside = self._adopted(steps)

    def of(self, step: Step) -> Exchange:
        """Return the exchanges of a tool call that has a span of its own."""
        near = [*self.below(step), *self.beside(step)]
        found = sorted({each.span.span_id: each for each in near}.values(), key=lambda each: each.span.order)
        receipts = [each for each in found if each.kind == "dependency_receipt"]
        # What the dependency calls in its turn, its database say, is no dispatch of ours.
        theirs = {inner.span.span_id for receipt in receipts for inner in self.below(receipt)}
        clients = [each for each in found if each.kind == "dependency_call" and each.span.span_id not in theirs]
        spans = [each for each in clients if each.span.get("evidence.kind") is None]
        return Exchange(
            clients=tuple(spans or clients),
            receipts=tuple(each for each in receipts if not self._forwards(each, step)),
            logged=tuple(each for each in clients if spans and each.span.get("evidence.kind") is not None),
        )

    def beside(self, step: Step) -> list[Step]:
        """Return the spans of a tool call's exchanges that do not stand below it: adopted ones, and linked consumers."""
        adopted = self._beside.get(step.span.span_id, ())
        found = [each for outer in adopted for each in (outer, *self.below(outer))]
        callers = (each for each in (*self.below(step), *found) if each.kind == "dependency_call")
        return [*found, *(consumer for each in callers for consumer in self._linked.get(each.span.span_id, ()))]

    def above(self, step: Step) -> Iterator[Step]:
        """Yield the steps above one, nearest first; a cycle of parents ends it."""
        seen = {step.span.span_id}
        parent_id = step.span.parent_id
        while parent_id is not None and parent_id not in seen and parent_id in self._steps:
            seen.add(parent_id)
            yield self._steps[parent_id]
            parent_id = self._steps[parent_id].span.parent_id

    def below(self, step: Step) -> Iterator[Step]:
        """Yield the steps below one, in product order, without those of tools and models nested in it."""
        found: list[Step] = []
        seen = {step.span.span_id}
        stack = list(self._children.get(step.span.span_id, ()))
        while stack:
            each = stack.pop()
            if each.span.span_id not in seen and not _owns(each):
                seen.add(each.span.span_id)
                found.append(each)
                stack.extend(self._children.get(each.span.span_id, ()))
        yield from sorted(found, key=lambda each: each.span.order)

    def answering(self, client: Step) -> list[Step]:
        """Return the receipts of one client span that its parent or a link ties to it, of the other service alone."""
        near = {each.span.span_id: each for each in (*self.below(client), *self._linked.get(client.span.span_id, ()))}
        first = [each for each in near.values() if each.kind == "dependency_receipt"]
        theirs = {inner.span.span_id for each in first for inner in self.below(each)}
        return [each for each in first if each.span.span_id not in theirs and not self._forwards(each, client)]

    def linked(self, client: Step) -> set[str]:
        """Return the ids of receipts that link to a client span, as consumers of a message do."""
        return _ids(self._linked.get(client.span.span_id, ()))

    def _forwards(self, receipt: Step, caller: Step) -> bool:
        """Return whether a receipt is that of a proxy of ours: it passed the call on, from our own service."""
        ours = service(caller)
        if ours is None or service(receipt) != ours:
            return False
        return any(each.kind == "dependency_call" for each in self.below(receipt))

    def _adopted(self, steps: Sequence[Step]) -> dict[str, list[Step]]:
        """Return the dependency spans that stand below no owner, by the span id of the tool they belong to."""
        owners = [step for step in steps if _owns(step)]
        loose = [step for step in steps if step.dependency is not None and not self._placed(step)]
        during = _during(loose, owners) if loose else {}
        named, keyed = _by_id(owners), _by_key(owners)
        found: dict[str, list[Step]] = defaultdict(list)
        for step in loose:
            then = during[step.span.span_id]
            owner = self._named(step, named) or self._same_key(step, keyed, then) or self._overlapping(step, then)
            if owner is not None and owner.tool is not None:
                found[owner.span.span_id].append(step)
        return found

    def _placed(self, step: Step) -> bool:
        """Return whether a span's place is told: below an owner, or as the other side of a call that is here."""
        line: list[str] = []
        told = False
        for each in self.above(step):
            known = self._told.get(each.span.span_id)
            told = known if known is not None else _owns(each) or each.dependency is not None
            if known is not None or told:
                break
            line.append(each.span.span_id)
        self._told.update(dict.fromkeys(line, told))
        return told

    def _named(self, step: Step, named: Mapping[str, Sequence[Step]]) -> Step | None:
        reference = step.span.get(EVIDENCE_ID)
        fitting = named.get(reference, ()) if isinstance(reference, str) else ()
        return fitting[0] if len(fitting) == 1 else None

    def _same_key(self, step: Step, keyed: Mapping[str, Sequence[Step]], then: Sequence[Step]) -> Step | None:
        key = step.dependency.idempotency_key if step.dependency is not None else None
        same = keyed.get(key, ()) if key is not None else ()
        known = _ids(same)
        now = [each for each in then if each.span.span_id in known]
        # Clocks may run apart, so a key ties what time does not; but never to a call that has its own receipt.
        return self._one(now or [each for each in same if "dependency_receipt" not in self._kinds_below(each)])

    def _overlapping(self, step: Step, then: Sequence[Step]) -> Step | None:
        if step.kind == "dependency_receipt" and step.span.parent_id is None:
            return None  # an entry of its own
        key = step.dependency.idempotency_key if step.dependency is not None else None
        # A tool whose own spans nest shows its clients below it: what stands elsewhere is somebody else's.
        return self._one(
            [each for each in then if _may_be(step, key, each) and "dependency_call" not in self._kinds_below(each)]
        )

    def _kinds_below(self, owner: Step) -> frozenset[str]:
        """Return which kinds of steps stand below an owner, looked at once for all spans that may be its own."""
        kinds = self._kinds.get(owner.span.span_id)
        if kinds is None:
            kinds = self._kinds[owner.span.span_id] = frozenset(each.kind for each in self.below(owner))
        return kinds

    def _one(self, owners: Sequence[Step]) -> Step | None:
        """Return the innermost owner, None when there is none or more than one."""
        outer = {above.span.span_id for each in owners for above in self.above(each)}
        inner = [each for each in owners if each.span.span_id not in outer]
        return inner[0] if len(inner) == 1 else None


def service(step: Step) -> str | None:
    """Return the name of the service that wrote a span, None when its resource does not say."""
    for name, value in reversed(step.span.resource.attributes):
        if name == "service.name" and isinstance(value, str) and not value.startswith("unknown_service"):
            return value
    return None


def _owns(step: Step) -> bool:
    return step.tool is not None or step.model is not None or step.retrieval is not None


def _by_id(owners: Sequence[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for each in owners:
        if each.tool is not None:
            for name in {each.span.span_id, each.tool.call_id, each.tool.idempotency_key} - {None}:
                found[name or ""].append(each)
    return found


def _by_key(owners: Sequence[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for each in owners:
        if each.tool is not None and each.tool.idempotency_key is not None:
            found[each.tool.idempotency_key].append(each)
    return found


def _during(loose: Sequence[Step], owners: Sequence[Step]) -> dict[str, list[Step]]:
    """Return for each span the owners during which it began, in one pass over both in the order of time."""
    result: dict[str, list[Step]] = {}
    waiting = sorted(owners, key=lambda each: each.span.start_ns, reverse=True)
    running: list[Step] = []
    for step in sorted(loose, key=lambda each: each.span.start_ns):
        now = step.span.start_ns
        while waiting and waiting[-1].span.start_ns - _TOGETHER_NS <= now:
            running.append(waiting.pop())
        running = [each for each in running if each.span.end_ns is None or each.span.end_ns >= now]
        result[step.span.span_id] = list(running) if len(running) <= _MAX_RUNNING else []
    return result


def _may_be(step: Step, key: str | None, owner: Step) -> bool:
    """Return whether nothing speaks against it: another key, or a service that cannot be this side of the call."""
    theirs = owner.tool.idempotency_key if owner.tool is not None else None
    if key is not None and theirs is not None and key != theirs:
        return False
    here, there = service(owner), service(step)
    if here is None or there is None:
        return True
    return (here == there) == (step.kind == "dependency_call")


def _ids(steps: Sequence[Step]) -> set[str]:
    return {each.span.span_id for each in steps}
