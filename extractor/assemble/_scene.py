"""What stands around one attempt: its exchange, the spans above it, the budgets, the clocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model.calls import Call
from ..model.evidence import Skew
from ..model.exchanges import Exchange
from ..model.trace import Step
from ._budget import Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One attempt with everything around it.

    ``client`` is our side of the last send and ``receipts`` what belongs to it, ``kind`` the class of the attempt's own error.
    ``siblings_received`` says that other calls of the same target show a receipt, ``instrumented`` that some tool of the trace
    shows a client span.
    """

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
    remarks: tuple[str, ...] = ()

    @property
    def parent_deadline(self) -> Budget | None:
        """The earliest budget that something above the tool set."""
        return earliest(each for each in self.budgets if each.owner == "parent")

    @property
    def moved_ns(self) -> int:
        """What the dependency's instants are moved by."""
        return self.skew.moved_ns if self.skew is not None else 0

    @property
    def message(self) -> str | None:
        """The error message that the application saw, else the span's."""
        return self.call.tool.error or self.step.error_message

    @property
    def error_type(self) -> str | None:
        """The class of that error."""
        return self.call.tool.error_type or self.step.error_type


def earliest(budgets: Iterable[Budget]) -> Budget | None:
    return min(budgets, key=lambda each: each.deadline_ns, default=None)


def target(client: Step) -> tuple[str | None, str | None]:
    call = client.dependency
    return (call.method, call.target) if call is not None else (None, None)


def ids_of(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.span.span_id for each in steps))
