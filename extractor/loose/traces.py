"""Redaction of OTLP/JSON lines, each trace under its own scope wherever its spans stand, with few of them in memory."""

from __future__ import annotations

import hashlib
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

from extractor.model.json import JsonValue, compact
from extractor.redact import Documents

from .engine import Engine
from .otlp import Steps, ids_of, is_export, located, plain, restored, spans_of, trace_id_of, with_spans
from .spelling import Spelled

_CACHED = 8 << 20  # characters of records kept parsed, which takes about ten bytes each


TraceKey = str | int
"""A trace by its id; a span without one belongs to those of its own record, by that one's index."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One line, or the one document (``line`` None). ``json`` is None for a line that is empty."""

    line: int | None
    text: str = field(repr=False)
    json: Spelled | None = field(repr=False)

    @cached_property
    def spans(self) -> list[tuple[Steps, JsonValue]]:
        """The spans of an export, none for any other value."""
        return spans_of(self.json.value) if self.json is not None and is_export(self.json.value) else []

    @cached_property
    def frame(self) -> JsonValue:
        """The record without its spans: the resources and scopes around them."""
        return with_spans(self.json.value, repeat(None)) if self.json is not None else None

    @cached_property
    def own_ids(self) -> frozenset[str]:
        """Every trace and span id that OTLP puts there."""
        return frozenset(ids_of(self.json.value)) if self.json is not None else frozenset()

    @cached_property
    def ids(self) -> list[str]:
        """The trace id of each span."""
        return [trace_id_of(span) for _, span in self.spans]


class Traces:
    """Rewrites records one by one. A first reading notes where each trace stands (a hundred bytes a trace, four a line
    that holds it) and learns what traces share; a trace is learnt when its first record is written, and let go after
    its last.
    """

    def __init__(self, count: int, record: Callable[[int], Record], engine: Engine) -> None:
        self._count = count
        self._record = _Cache(record)
        self._engine = engine
        self._places: dict[TraceKey, array[int]] = {}
        self._open: dict[TraceKey, Documents] = {}
        self._shared = engine.documents()

    def write(self, write: Callable[[str], None]) -> None:
        """Write every record in order."""
        self._index()
        for index in range(self._count):
            record = self._record(index)
            ids = [trace_id or index for trace_id in record.ids]
            if record.json is None:
                write(record.text)
            elif ids or is_export(record.json.value):
                write(record.json.rewritten(self._rewritten(record, ids)))
            else:
                write(self._apart(record, record.json))
            for trace in set(ids):
                if self._places[trace][-1] == index:
                    self._open.pop(trace, None)

    def _index(self) -> None:
        frames: set[bytes] = set()
        for index in range(self._count):
            record = self._record(index)
            for trace in dict.fromkeys(trace_id or index for trace_id in record.ids):
                self._places.setdefault(trace, array("Q")).append(index)
            if record.json is None or not is_export(record.json.value):
                continue
            digest = hashlib.sha256(compact(record.frame).encode("utf-8", "surrogatepass")).digest()
            if digest not in frames:
                frames.add(digest)
                self._shared.learn(plain(record.frame))
        self._shared.settle(
            self._engine.scope("export", " ".join(sorted(key for key in self._places if isinstance(key, str))))
        )

    def _rewritten(self, record: Record, ids: Sequence[TraceKey]) -> JsonValue:
        spans = [
            self._through([self._documents(trace)], record, span, steps)
            for (steps, span), trace in zip(record.spans, ids, strict=True)
        ]
        # What spans know is not to stand around them either.
        around = [self._documents(trace) for trace in sorted(set(ids), key=str)]
        if len(self._places) != 1:
            around.insert(0, self._shared)
        return with_spans(self._through(around, record, record.frame, ()), iter(spans))

    def _through(self, each: Iterable[Documents], record: Record, value: JsonValue, steps: Steps) -> JsonValue:
        if self._engine.teller is not None:
            self._engine.teller.at(record.line, lambda inner: (*steps, *located(value, inner)))
        after = plain(value)
        for documents in each:
            after = documents.rewritten(after)
        return restored(value, after)

    def _documents(self, trace: TraceKey) -> Documents:
        """Return what is known of a trace, learnt from every record that holds a part of it."""
        if trace not in self._open:
            # Ids stay where text repeats them, too: or a log would point nowhere.
            ids = {found for index in self._places[trace] for found in self._record(index).own_ids}
            documents = self._engine.keeping(ids).documents()
            for index in self._places[trace]:
                record = self._record(index)
                for (_, span), its in zip(record.spans, record.ids, strict=True):
                    if (its or index) == trace:
                        documents.learn(plain(span))
                documents.learn(plain(record.frame))
            if isinstance(trace, str):
                documents.settle(self._engine.trace_scope(trace))
            else:
                documents.settle(self._engine.scope("line", self._record(trace).text.strip()))
            self._open[trace] = documents
        return self._open[trace]

    def _apart(self, record: Record, json: Spelled) -> str:
        """Redact a line that is no export by itself."""
        documents = self._engine.documents()
        documents.learn(json.value)
        documents.settle(self._engine.scope("line", record.text.strip()))
        if self._engine.teller is not None:
            self._engine.teller.at(record.line)
        return json.rewritten(documents.rewritten(json.value))


class _Cache:
    """Records read lately, since those of one trace mostly stand close together."""

    def __init__(self, record: Callable[[int], Record]) -> None:
        self._read = record
        self._kept: OrderedDict[int, Record] = OrderedDict()
        self._size = 0

    def __call__(self, index: int) -> Record:
        if index in self._kept:
            self._kept.move_to_end(index)
            return self._kept[index]
        record = self._kept[index] = self._read(index)
        self._size += len(record.text)
        while self._size > _CACHED and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._size -= len(old.text)
        return record
