"""JSON text cut into records: one a line, or documents over many lines, alone, concatenated, or in an array."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from extractor.model.json import MalformedJson, parse

from .frames import Broken, Cut, Finder, Frame, Framing
from .limits import Limits

_OPENINGS = frozenset({b"{", b"["})
_CLOSINGS = frozenset({b"}", b"]"})
_UNFINISHED = _OPENINGS | {b",", b":"}
_BLANK = b"\xef\xbb\xbf \t\r\n"
_OPEN, _CLOSE = b"{}"
_PAIRS = frozenset({(b"{", b"}"), (b"[", b"]")})
# What `console.dir` prints: members without quotes.
_INSPECTED = re.compile(rb"\{\s{1,20}[A-Za-z_]{1,40}: (?:\{|\[|'|\d|undefined)")
_HEADER = re.compile(rb"\"?[A-Za-z_][\w. ]{0,60}\"?(?:,\"?[A-Za-z_][\w. ]{0,60}\"?){3,200}\r?\n")
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
    """Yield the lines that hold what is sought, and those that cannot be whole records, so that they are named."""
    number = offset = 0
    for block in _blocks(chunks, limits):
        if isinstance(block, int):
            number, offset = number + 1, offset + block
            yield Broken(number=number, code="too_long")
            continue
        bounds = _bounds(block)
        for index in _wanted(block, bounds, finder):
            start = bounds[index]
            data = block[start : bounds[index + 1]].strip(_BLANK)
            if len(data) > limits.record_bytes:
                yield Broken(number=number + index + 1, code="too_long")
            elif data:
                at = offset + block.index(data[:1], start)
                yield Frame(number=number + index + 1, start=at, end=at + len(data), form="json", data=data)
        number, offset = number + len(bounds) - 1, offset + len(block)


def _blocks(chunks: Iterator[bytes], limits: Limits) -> Iterator[bytes | int]:
    """Yield bytes that end where a line ends, or the length of a line beyond the bound."""
    parts: list[bytes] = []
    held = over = 0
    for piece in chunks:
        chunk = piece
        if over:
            cut = chunk.find(b"\n") + 1
            if not cut:
                over += len(chunk)
                continue
            yield over + cut
            chunk, over = chunk[cut:], 0
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((*parts, chunk[:cut]))
            parts, held = [chunk[cut:]], len(chunk) - cut
        else:
            parts.append(chunk)
            held += len(chunk)
        if held > limits.record_bytes:
            parts, held, over = [], 0, held
    if over:
        yield over
    elif held:
        yield b"".join(parts)


def _bounds(block: bytes) -> list[int]:
    """Return where each line begins, and the end of the last one."""
    bounds = [0]
    while end := block.find(b"\n", bounds[-1]) + 1:
        bounds.append(end)
    if bounds[-1] < len(block):
        bounds.append(len(block))
    return bounds


def _wanted(block: bytes, bounds: list[int], finder: Finder | None) -> Iterable[int]:
    """Return the indexes of the lines to look at, ascending."""
    if finder is None:
        return range(len(bounds) - 1)
    wanted = {bisect_right(bounds, position) - 1 for position in finder.positions("json", block)}
    # The usual line is told by two bytes; only the others are cut out and looked at.
    wanted.update(
        index
        for index, (start, end) in enumerate(pairwise(bounds))
        if (block[start] != _OPEN or block[end - 2] != _CLOSE) and not _looks_whole(block[start:end])
    )
    return sorted(wanted)


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
    if wanted == [] and data.rstrip(_BLANK)[-1:] in _CLOSINGS:
        return
    for number, (start, end) in enumerate(_values(data), 1):
        if end is None:
            yield Broken(number=number, code="truncated")
        elif wanted is None or bisect_left(wanted, start) < bisect_left(wanted, end):
            yield Frame(number=number, start=start, end=end, form="json", data=data[start:end])


def _values(data: bytes) -> Iterator[tuple[int, int | None]]:
    """Yield ``[start, end)`` of each object at the top or in a top-level array; end None where the text breaks off."""
    depth = floor = 0
    start = -1
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
                start = -1
            if depth == 0:
                floor = 0
        elif token.end() - token.start() == 1:
            depth = max(depth, 1)
            break
    if depth:
        yield max(start, 0), None
