"""What one Spark task reads: whole files, or a range of the lines of a large one, with the numbers the lines have in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heapreplace
from typing import BinaryIO

from extractor.errors import InputUnreadable
from extractor.read import comma, text
from extractor.read.frames import Broken
from extractor.read.inflate import compression
from extractor.read.limits import Limits
from extractor.read.locate import Needles
from extractor.read.scan import Hit, Scanner
from extractor.read.sources import Source

_PIECE = 1 << 20
_NEWLINE = b"\n"
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1f]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some work on one source: all of it, or the lines that begin in ``[begin, end)`` of its bytes.

    ``before`` counts the newlines that stand before ``begin``.
    """

    source: int
    size: int
    begin: int = 0
    end: int | None = None
    before: int = 0


def parts(sources: Sequence[Source], limits: Limits, part_bytes: int) -> list[Part]:
    """Return the parts of all sources: files of one record a line are cut into ranges, all others stay whole.

    A file that cannot be opened is a part like any other: whoever reads it will say so.
    """
    found: list[Part] = []
    for source in sources:
        if source.size <= part_bytes or not _of_lines(source, limits):
            found.append(Part(source=source.number, size=source.size))
            continue
        found.extend(
            Part(
                source=source.number,
                size=min(part_bytes, source.size - begin),
                begin=begin,
                end=min(begin + part_bytes, source.size),
            )
            for begin in range(0, source.size, part_bytes)
        )
    return found


def numbered(cut: Iterable[Part], newlines: Callable[[Part], int]) -> list[Part]:
    """Return parts that know how many newlines stand before them; ``newlines`` says how many a part holds."""
    found: list[Part] = []
    before = 0
    for part in cut:
        before = before if part.begin else 0
        found.append(replace(part, before=before))
        if part.end is not None:
            before += newlines(part)
    return found


def tasks(cut: Sequence[Part], least: int, part_bytes: int) -> list[list[Part]]:
    """Return parts dealt to tasks of about ``part_bytes`` each, and at least ``least`` tasks where parts suffice.

    The largest are dealt first, each to the task that has least, so that tasks end together.
    """
    wanted = max(1, min(len(cut), max(least, sum(part.size for part in cut) // part_bytes)))
    dealt: list[list[Part]] = [[] for _ in range(wanted)]
    loads = [(0, index) for index in range(wanted)]
    heapify(loads)
    for part in sorted(cut, key=lambda one: (-one.size, one.source, one.begin)):
        load, index = loads[0]
        dealt[index].append(part)
        heapreplace(loads, (load + part.size + 1, index))
    return [sorted(one, key=lambda part: (part.source, part.begin)) for one in dealt]


def count_newlines(source: Source, part: Part) -> int:
    """Return how many newlines stand in a part. Raises `InputUnreadable`."""
    with source.open() as file:
        return sum(piece.count(_NEWLINE) for piece in _pieces(file, part.begin, part.end or source.size))


def hits(scanner: Scanner, source: Source, part: Part, needles: Needles | None) -> Iterator[Hit]:
    """Yield the records of a part that hold a needle, numbered and placed as in the whole file; all without needles.

    What must be left out is entered in the scanner's ledger. Raises `InputUnreadable`.
    """
    if part.end is None:
        yield from replace(scanner, sources=(source,), use_indexes=False).hits(needles)
        return
    with source.open() as file:
        if file.seek(0, os.SEEK_END) != source.size:
            scanner.ledger.add("file_changed_while_read", file=source.number)
        file.seek(0)
        head = file.read(scanner.limits.head_bytes)
        first, skipped = _line_start(file, part.begin, source.size)
        last, _ = _line_start(file, part.end, source.size)
        finder = None if needles is None else needles.finder(head)
        for item in text.lines(_pieces(file, first, last), finder, scanner.limits):
            number = item.number + part.before + skipped
            if isinstance(item, Broken):
                scanner.ledger.add("record_refused", file=source.number, record=number, reason=item.code)
            else:
                frame = replace(item, number=number, start=item.start + first, end=item.end + first)
                yield from scanner.again(source, frame)


def _of_lines(source: Source, limits: Limits) -> bool:
    try:
        with source.open() as file:
            head = file.read(limits.head_bytes)
    except (InputUnreadable, OSError):
        return False
    if compression(head) is not None or not _TEXT.fullmatch(head):
        return False
    return comma.framing_of(head) is None and text.framing_of(head) is text.lines


def _line_start(file: BinaryIO, at: int, size: int) -> tuple[int, int]:
    """Return where the first line that begins at or behind ``at`` begins, and how many newlines stand on the way there."""
    if at == 0 or at >= size:
        return min(at, size), 0
    place = at - 1
    for piece in _pieces(file, place, size):
        found = piece.find(_NEWLINE)
        if found >= 0:
            first = place + found + 1
            return first, 0 if first == at else 1
        place += len(piece)
    return size, 0


def _pieces(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    left = end - begin
    while left > 0 and (piece := file.read(min(_PIECE, left))):
        yield piece
        left -= len(piece)
