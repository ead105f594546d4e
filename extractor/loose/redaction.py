"""Redaction of JSON lines, one document and plain text: what is learnt, under which scope, and how it is written again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from extractor.errors import InputUnreadable
from extractor.redact import read_ahead

from .engine import Engine
from .lines import Held, Line, Source, holding
from .otlp import is_export
from .spelling import Spelled, broken_line, is_like_json, spelled
from .traces import Record, Traces

MAX_DOCUMENT = 512 << 20  # bytes; one document, and text, are read whole

Write = Callable[[str], None]
Batches = Iterator[list[Line]]


class Redaction:
    """One run over one source: lines one by one, or what must be read whole."""

    def __init__(self, engine: Engine, write: Write, *, joint: bool) -> None:
        self._engine = engine
        self._write = write
        self._joint = joint
        self.not_finite: set[int] = set()  # the lines where a number was none

    def run(self, source: Source) -> None:
        """Redact a source. Raises `InputUnreadable` at the first line that breaks the form of the others."""
        batches = source.batches()
        head: list[list[Line]] = []
        first: Line | None = None
        second = False
        for batch in batches:
            head.append(batch)
            filled = [line for line in batch if line.filled]
            second = second or len(filled) > 1 or (first is not None and bool(filled))
            first = first or next(iter(filled), None)
            if second:
                break
        everything = chain(head, batches)
        value = spelled(first.text(), f"line {first.number}") if first is not None else None
        if first is None or value is None or not isinstance(value.value, (dict, list)):
            self._whole(everything)
        elif is_export(value.value):
            with holding(source) as held:
                _fill(held, everything)
                Traces(len(held), lambda index: self._record(held.line(index)), self._engine).write(self._write)
        elif self._joint and second:
            with holding(source) as held:
                _fill(held, everything)
                self._together(held)
        else:
            self._apart(everything)

    def _json(self, line: Line) -> Spelled:
        """Return a filled line read as JSON. Raises `InputUnreadable`."""
        value = spelled(line.text(), f"line {line.number}")
        if value is None:
            # Read as text, the other lines would lose what their member names tell.
            raise InputUnreadable(f"line {line.number} is no JSON, though the first one is")
        if value.not_finite:
            self.not_finite.add(line.number)
        return value

    def _record(self, line: Line) -> Record:
        return Record(line=line.number, text=line.text(), json=self._json(line) if line.filled else None)

    def _apart(self, batches: Iterable[list[Line]]) -> None:
        """Redact each line by itself; what is held is one batch."""
        for batch in batches:
            known = []
            for line in batch:
                value = self._json(line) if line.filled else None
                documents = self._engine.documents()
                if value is not None:
                    documents.learn(value.value)
                known.append((line, value, documents))
            read_ahead((documents for _, value, documents in known if value is not None), self._engine.config)
            for line, value, documents in known:
                if value is None:
                    self._write(line.text())
                    continue
                documents.settle(self._engine.scope("line", value.text.strip()))
                self._at(line.number)
                self._write(value.rewritten(documents.rewritten(value.value)))

    def _together(self, held: Held) -> None:
        """Redact all lines under one scope: the first reading learns, the second writes."""
        documents, digest = self._engine.documents(), hashlib.sha256()
        for index in range(len(held)):
            line = held.line(index)
            if line.filled:
                documents.learn(self._json(line).value)
            digest.update(line.data)
        documents.settle(self._engine.scope("document", digest.hexdigest()))
        for index in range(len(held)):
            line = held.line(index)
            self._at(line.number)
            value = self._json(line) if line.filled else None
            self._write(line.text() if value is None else value.rewritten(documents.rewritten(value.value)))

    def _whole(self, batches: Iterable[list[Line]]) -> None:
        """Redact one document over many lines, or text."""
        text = "".join(_bounded(batches))
        value = spelled(text, "the document")
        self.not_finite.update([1] if value is not None and value.not_finite else ())
        if value is None and is_like_json(text):
            raise InputUnreadable(f"the source begins as JSON and is none, from line {broken_line(text)} on")
        if value is None and "\0" in text:
            raise InputUnreadable("the source holds NUL characters: it is no text in UTF-8")
        if value is not None and is_export(value.value):
            record = Record(line=None, text=text, json=value)
            Traces(1, lambda _index: record, self._engine).write(self._write)
            return
        documents = self._engine.documents()
        documents.learn(value.value if value is not None else text)
        documents.settle(self._engine.scope("document", hashlib.sha256(text.encode()).hexdigest()))
        self._at(None)
        after = documents.rewritten(value.value if value is not None else text)
        if value is not None:
            self._write(value.rewritten(after))
        elif isinstance(after, str):
            self._write(after)

    def _at(self, line: int | None) -> None:
        if self._engine.teller is not None:
            self._engine.teller.at(line)


def _fill(held: Held, batches: Iterable[list[Line]]) -> None:
    for batch in batches:
        for line in batch:
            held.add(line)


def _bounded(batches: Iterable[list[Line]]) -> Iterator[str]:
    held = 0
    for batch in batches:
        for line in batch:
            held += len(line.data)
            if held > MAX_DOCUMENT:
                raise InputUnreadable(f"one document, or text, holds more than {MAX_DOCUMENT >> 20} MiB")
            yield line.text()
