"""An export of invented conversations, as large as wanted: ``bulk_export.py FILE [--size 64MiB] [--traces N] [--seed 7]``.

OTLP/JSON lines as a collector writes them: eight spans a line, of conversations that go on at the same time. Agents of an
airline, a shop and a telephone company talk with customers, each call of a model carrying the whole history. Every
conversation has its own people, ids, amounts and wording; nothing depends on anything but the seed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import bulk_share
from bulk_spans import Object, request, spans
from bulk_talk import talk

_UNITS = {"": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(" + "|".join(filter(None, _UNITS)) + r")?")
_AT_ONCE = 6
_SPANS_A_LINE = 8
# Nobody should take one text for the next merely because both are few: more than this is repeated too often.
MOST_REPEATED = 0.05


def main() -> None:
    """Write an export and print what it repeats; the exit status is 1 when prose repeats too often across traces."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--size", type=size, default=size("64MiB"), help="least bytes, as 64MiB or 2GiB")
    arguments.add_argument("--traces", type=int, default=1, help="least traces")
    arguments.add_argument("--seed", type=int, default=7)
    asked = arguments.parse_args()
    write(asked.file, least_bytes=asked.size, least_traces=asked.traces, seed=asked.seed)
    shares = bulk_share.measure(asked.file)
    print(shares)
    raise SystemExit(max(shares.texts, shares.characters, shares.distinct) >= MOST_REPEATED)


def size(text: str) -> int:
    """Return bytes of a text such as ``2GiB``. Raises `ValueError`."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ValueError("a size is a number and one of " + ", ".join(filter(None, _UNITS)))
    return int(float(found[1]) * _UNITS[found[2] or ""])


def write(file: Path, *, least_bytes: int, least_traces: int, seed: int) -> int:
    """Write whole conversations until there are as many bytes and traces as wanted; return how many traces."""
    draw = random.Random(f"{seed}:order")
    active: list[tuple[str, Iterator[Object]]] = []
    begun = 0
    batch: list[tuple[str, Object]] = []
    with file.open("w", encoding="ascii") as out:
        while active or begun < least_traces or out.tell() < least_bytes:
            while len(active) < _AT_ONCE and (begun < least_traces or out.tell() < least_bytes):
                begins = talk(seed, begun)
                active.append((begins.service, spans(begins, seed)))
                begun += 1
            chosen = draw.randrange(len(active))
            service, remaining = active[chosen]
            span = next(remaining, None)
            if span is None:
                active.pop(chosen)
            else:
                batch.append((service, span))
            if len(batch) == _SPANS_A_LINE or (batch and not active):
                out.write(json.dumps(_line(batch), separators=(",", ":")) + "\n")
                batch.clear()
    return begun


def _line(batch: list[tuple[str, Object]]) -> Object:
    services = sorted({service for service, _ in batch})
    return {"resourceSpans": [request(service, [span for of, span in batch if of == service]) for service in services]}


if __name__ == "__main__":
    main()
