"""Which traces hold a term: sought in the raw bytes first, then in the spans of the records that hold it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from extractor.model.json import JsonValue
from extractor.model.span import Span, tree

from .ledger import Ledger
from .limits import Limits
from .locate import Needles
from .scan import Scanner
from .sources import Progress, expand

_DEFAULTS = Limits()


def search(
    sources: Sequence[str],
    term: str,
    *,
    progress: Progress | None = None,
    stdin: BinaryIO | None = None,
    limits: Limits = _DEFAULTS,
) -> tuple[str, ...]:
    """Return the ids of the traces in whose keys or values the term stands, spelled as given; sorted.

    Raises `InputUnreadable` for sources that cannot be read.
    """
    scanner = Scanner(
        sources=expand(sources, stdin, limits), limits=limits, ledger=Ledger(shown=limits.places), progress=progress
    )
    # Inside JSON that is itself a JSON string, the term's quotes and newlines stand escaped.
    spellings = {term, json.dumps(term, ensure_ascii=False)[1:-1]}
    found: set[str] = set()
    for hit in scanner.hits(Needles(sessions=tuple(spellings))):
        for span in hit.spans:
            if span.trace_id not in found and any(s in text for text in _texts(span) for s in spellings):
                found.add(span.trace_id)
    return tuple(sorted(found))


def _texts(span: Span) -> Iterator[str]:
    stack: list[JsonValue] = [tree(span)]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield from node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, str):
            yield node
        elif node is not None:
            yield str(node)
