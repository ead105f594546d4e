"""What a container is: one way of writing spans as JSON. A new one is one new file and one line in the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Span, SpanEvent

Report: TypeAlias = Callable[[str], None]
"""Takes a ledger code about the record in hand."""


class RefusedError(Exception):
    """A span, or a whole record, cannot be read as one; ``code`` says why and nothing else."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """What a record tells of a span in another record: events of the span, or attributes of the trace's root."""

    trace_id: str
    span_id: str | None = None
    attributes: Attributes = field(default=(), repr=False)
    events: tuple[SpanEvent, ...] = field(default=(), repr=False)


class JsonContainer(ABC):
    """Reads the records of one container."""

    name: ClassVar[str]

    @abstractmethod
    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the record's own members say that it belongs here; cheap, first levels only."""

    @abstractmethod
    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans of a record, and what it tells of others. A span that cannot be read is reported as ``span_refused`` and passed over."""
