"""What stands above and below a call: the dependency's side of it, and the budget or cancellation that limits it."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ..model.exchanges import Exchanges
from ._acts import failed
from ._facts import Facts
from ._policy import Policy


class Surroundings:
    """Each span is looked at once, whichever of the calls above or below it comes first."""

    def __init__(self, ground: Facts, tables: Policy) -> None:
        self._facts = ground
        self._policy = tables
        self._leading = _leading_to_transport(ground)
        self._exchanges = Exchanges(ground.steps)
        self._below: set[int] = set()
        self._above: set[int] = set()

    def receipts(self, index: int) -> Iterator[int]:
        """Yield the transport spans of a call: below it, with those that stand between, and beside it."""
        for beside in self._exchanges.beside(self._facts.steps[index]):
            place = self._facts.position[beside.span.span_id]
            if place in self._leading and place not in self._below:
                self._below.add(place)
                yield place
        stack = [index]
        while stack:
            for below in self._facts.children.get(stack.pop(), ()):
                if below in self._leading and below not in self._below:
                    self._below.add(below)
                    stack.append(below)
                    yield below

    def limits(self, index: int) -> Iterator[tuple[int, str]]:
        """Yield the spans above a step that state a budget or gave up, with the reason that each of them is."""
        for above in self._facts.ancestors(index):
            if above in self._above:
                return
            self._above.add(above)
            step = self._facts.steps[above]
            if self._policy.budget_keys.among(step.span.attributes):
                yield above, "budget"
            elif failed(step) and self._gave_up(step.error_type):
                yield above, "cancellation"

    def _gave_up(self, error_type: str | None) -> bool:
        said = (error_type or "").lower()
        return any(word in said for word in self._policy.giving_up)


def _leading_to_transport(ground: Facts) -> AbstractSet[int]:
    """Return the transport spans and every span above one."""
    leading: set[int] = set()
    for index, step in enumerate(ground.steps):
        if step.kind in ("dependency_call", "dependency_receipt") and index not in leading:
            leading.add(index)
            for above in ground.ancestors(index):
                if above in leading:
                    break
                leading.add(above)
    return leading
