"""What a container is: one way of writing spans as JSON. A new one is one new file and one line in the table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, TypeAlias

from extractor.model.json import JsonValue
from extractor.model.span import Span

Report: TypeAlias = Callable[[str], None]
"""Takes a ledger code about the record in hand."""


class RefusedError(Exception):
    """A span, or a whole record, cannot be read as one; ``code`` says why and nothing else."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class JsonContainer(ABC):
    """Reads the records of one container."""

    name: ClassVar[str]

    @abstractmethod
    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the record's own members say that it belongs here; cheap, first levels only."""

    @abstractmethod
    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span]:
        """Yield the spans of a record. A span that cannot be read is reported as ``span_refused`` and passed over.

        What a record says of a whole trace comes as a span whose ``span_id`` is empty: it is no span of its own, and
        what it says is told to the roots of the trace once all of them are known.
        """
