"""JSON text cut into records: one a line, or documents over many lines, alone, concatenated, or in an array."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from extractor.model.json import MalformedJson, parse

from .frames import Broken, Cut, Finder, Frame, Framing
from .limits import Limits

_OPENINGS = frozenset({b"{", b"["})
_CLOSINGS = frozenset({b"}", b"]"})
_UNFINISHED = _OPENINGS | {b",", b":"}
_BLANK = b"\xef\xbb\xbf \t\r\n"
_OPEN, _CLOSE = b"{}"
_NEWLINE = ord("\n")
_SAMPLE = 64 << 10  # bytes at the beginning of a chunk
_MANY = 64  # lines in them
_PAIRS = frozenset({(b"{", b"}"), (b"[", b"]")})
# What `console.dir` prints: members without quotes.
_INSPECTED = re.compile(rb"\{\s{1,20}[A-Za-z_]{1,40}: (?:\{|\[|'|\d|undefined)")
_HEADER = re.compile(rb"\"?[A-Za-z_][\w. ]{0,60}\"?(?:,\"?[A-Za-z_][\w. ]{0,60}\"?){3,200}\r?\n")
# An array's comma that nothing follows: what should have followed is lost.
_TRAILING_COMMA = re.compile(rb",[ \t\r\n]*+\][ \t\r\n]*+\Z")
# Strings whole (so that braces inside them do not count), brackets, or a quote that never closes.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]"]', re.DOTALL)


def kind_of(head: bytes) -> str:
    """Return the ledger code of a text that is no JSON, from its first bytes."""
    text = head.lstrip(_BLANK)
    if _INSPECTED.match(text):
        return "file_javascript_text"
    return "file_comma_separated" if _HEADER.match(text) else "file_not_recognised"


def framing_of(head: bytes) -> Framing | None:
    """Return how a text is cut, from its first bytes; None when it is no JSON."""
    text = head.lstrip(_BLANK)
    if _INSPECTED.match(text):
        return None
    first, newline, rest = text.partition(b"\n")
    if text[:1] in _OPENINGS:
        if not newline:
            return lines if text[:1] == b"{" else documents
        if _is_json(first):
            return lines
        if text[:1] == b"[":
            return documents  # an array that goes on
        following = rest.lstrip(_BLANK).partition(b"\n")[0]
        return documents if first.rstrip()[-1:] in _UNFINISHED and not _is_json(following) else lines
    candidates = (line for line in text.split(b"\n") if line.lstrip(_BLANK)[:1] in _OPENINGS)
    return lines if any(_is_json(line) for line in candidates) else None


def _is_json(line: bytes) -> bool:
    try:
        value = parse(line.strip(_BLANK), non_finite_as_text=True)
    except MalformedJson as refusal:
        return refusal.code not in {"syntax", "encoding"}
    return isinstance(value, dict | list)


def lines(chunks: Iterator[bytes], finder: Finder | None, limits: Limits) -> Cut:
    """Yield the lines that hold what is sought, and those that cannot be whole records, so that they are named.

    Chunks are searched as they come; only a line that crosses two of them is put together.
    """
    number = offset = 0
    line = _Line(limits.record_bytes)
    for chunk in chunks:
        begin = chunk.find(b"\n") + 1 if line.begun else 0
        if line.begun and not begin:
            line.add(chunk)
            continue
        if begin:
            line.add(chunk[:begin])
            number += 1
            yield from line.record(number, finder)
            offset += line.take()
        last = chunk.rfind(b"\n", begin) + 1 or begin
        bounds = _bounds(chunk, begin, last)
        for index in _wanted(chunk, bounds, finder):
            start, end = int(bounds[index]), int(bounds[index + 1])
            yield from _record(chunk[start:end], number + int(index) + 1, offset + start - begin, limits.record_bytes)
        number += len(bounds) - 1
        offset += last - begin
        if last < len(chunk):
            line.add(chunk[last:])
        line.offset = offset
    if line.begun:
        yield from line.record(number + 1, finder)


class _Line:
    """A line that goes on in the next chunk; beyond the bound its bytes are only counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self.offset = 0

    @property
    def begun(self) -> bool:
        return self._size > 0

    def add(self, part: bytes) -> None:
        self._size += len(part)
        self._parts = [*self._parts, part] if self._size <= self._most else []

    def record(self, number: int, finder: Finder | None) -> Cut:
        """Yield the line as a record, unless it is whole and holds nothing that is sought."""
        if self._size > self._most:
            yield Broken(number=number, code="too_long")
            return
        data = b"".join(self._parts)
        if finder is None or finder.positions("json", data) or not _looks_whole(data):
            yield from _record(data, number, self.offset, self._most)

    def take(self) -> int:
        """Return how long the line was, and begin anew."""
        size, self._size, self._parts = self._size, 0, []
        return size


def _record(line: bytes, number: int, offset: int, most: int) -> Cut:
    data = line.strip(_BLANK)
    if len(data) > most:
        yield Broken(number=number, code="too_long")
    elif data:
        at = offset + line.index(data[:1])
        yield Frame(number=number, start=at, end=at + len(data), form="json", data=data)


def _bounds(chunk: bytes, begin: int, last: int) -> Sequence[int]:
    """Return where each line of ``chunk[begin:last]`` begins, and where the last one ends."""
    if last - begin > _SAMPLE and chunk.count(b"\n", begin, begin + _SAMPLE) > _MANY:
        return _bounds_of_many(chunk, begin, last)
    bounds = [begin]
    while bounds[-1] < last and (end := chunk.find(b"\n", bounds[-1], last) + 1):
        bounds.append(end)
    return bounds


def _bounds_of_many(chunk: bytes, begin: int, last: int) -> Sequence[int]:
    import numpy as np  # heavy, and worth it for short lines alone

    ends = np.flatnonzero(np.frombuffer(chunk, np.uint8, last - begin, begin) == _NEWLINE) + (begin + 1)
    return np.concatenate(([begin], ends))  # type: ignore[return-value]  # an array, read as a sequence of int


def _wanted(chunk: bytes, bounds: Sequence[int], finder: Finder | None) -> Iterable[int]:
    """Return the indexes of the lines to look at, ascending."""
    if finder is None or len(bounds) < 2:
        return range(len(bounds) - 1)
    first, last = bounds[0], bounds[-1]
    found = (position for position in finder.positions("json", chunk) if first <= position < last)
    wanted = {bisect_right(bounds, position) - 1 for position in found}
    # The usual line is told by two bytes; only the others are cut out and looked at.
    wanted.update(index for index in _odd(chunk, bounds) if not _looks_whole(chunk[bounds[index] : bounds[index + 1]]))
    return sorted(wanted)


def _odd(chunk: bytes, bounds: Sequence[int]) -> Iterable[int]:
    """Return the indexes of the lines that do not begin and end as objects do."""
    if isinstance(bounds, list):
        pairs = enumerate(pairwise(bounds))
        return [index for index, (start, end) in pairs if chunk[start] != _OPEN or chunk[end - 2] != _CLOSE]
    import numpy as np  # loaded already

    told = np.frombuffer(chunk, np.uint8)
    starts = np.asarray(bounds)
    odd = (told[starts[:-1]] != _OPEN) | (told[starts[1:] - 2] != _CLOSE)
    return [int(index) for index in np.flatnonzero(odd)]


def _looks_whole(line: bytes) -> bool:
    text = line.strip(_BLANK)
    return not text or (text[:1], text[-1:]) in _PAIRS


def documents(chunks: Iterator[bytes], finder: Finder | None, limits: Limits) -> Cut:
    """Yield the top-level values, or the elements of a top-level array, that hold what is sought."""
    parts: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limits.document_bytes:
            yield Broken(number=1, code="too_long")
            return
        parts.append(chunk)
    data = b"".join(parts)
    wanted = None if finder is None else finder.positions("json", data)
    if wanted == [] and data.rstrip(_BLANK)[-1:] in _CLOSINGS and _TRAILING_COMMA.search(data) is None:
        return
    for number, (start, end) in enumerate(_values(data), 1):
        if end is None:
            yield Broken(number=number, code="truncated")
        elif wanted is None or bisect_left(wanted, start) < bisect_left(wanted, end):
            yield Frame(number=number, start=start, end=end, form="json", data=data[start:end])


def _values(data: bytes) -> Iterator[tuple[int, int | None]]:
    """Yield ``[start, end)`` of each object at the top or in a top-level array; end None where the text breaks off."""
    depth = floor = 0
    start = last = -1
    for token in _TOKEN.finditer(data):
        kind = data[token.start()]
        if kind in b"{[":
            if kind == ord("[") and depth == 0:
                floor = 1
            elif depth == floor:
                start = token.start()
            depth += 1
        elif kind in b"}]":
            depth = max(depth - 1, 0)
            if depth == floor and start >= 0:
                yield start, token.end()
                start, last = -1, token.end()
            if depth == 0:
                if floor and last >= 0 and data[last : token.start()].strip(_BLANK) == b",":
                    yield token.start(), None
                floor, last = 0, -1
        elif token.end() - token.start() == 1:
            depth = max(depth, 1)
            break
    if depth:
        yield max(start, 0), None
