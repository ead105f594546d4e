"""Finding wanted ids in unparsed bytes, in the forms that a file's own first bytes show."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ahocorasick_rs import BytesAhoCorasick

from .frames import Form

_HALF = "0" * 16
_FEW = 8  # ids that are worth a choice of their rarest digits in each file
_LEAST_RARE = 20  # digits of an id that are enough to search for
_TRACE_ID = re.compile(rb'"trace_?id"\s*:\s*"([^"]{1,64})"', re.IGNORECASE)
# Ids as objects, as JavaScript writes bytes, or as two numbers, as Thrift does.
_UNSEARCHABLE = re.compile(rb'"trace_?id"\s*:\s*\{|"traceIdLow"', re.IGNORECASE)
_HEX_ID = re.compile(rb"(?:0x)?[0-9a-f]{16,32}", re.IGNORECASE)


def searchable(head: bytes) -> bool:
    """Return whether a file that begins so spells its ids in a way that a search of bytes knows.

    Of one that does not, all must be parsed: other records of it, or other files, may spell the same id as usual, so that
    something being found does not mean that all of it was.
    """
    return _UNSEARCHABLE.search(head) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Needles:
    """What is sought: trace ids or prefixes of them in lower-case hex, session ids, and ids as they were asked for where
    that is not hex: other systems' ids stand so in their exports.
    """

    trace_ids: tuple[str, ...] = ()
    sessions: tuple[str, ...] = field(default=(), repr=False)
    spellings: tuple[str, ...] = field(default=(), repr=False)

    def finder(self, head: bytes) -> ByteFinder:
        """Return a finder for a file that begins so: hex alone where its ids are hex, every spelling otherwise.

        One or two forms are found at the speed of memory, more of them are several times slower. What seeks many ids is made once: there
        may be as many files.
        """
        sample = _TRACE_ID.search(head)
        hexed = sample is not None and _HEX_ID.fullmatch(sample[1]) is not None
        if len(self.trace_ids) > _FEW:
            return _finder_of_many(self, hexed=hexed)
        return _finder(
            self, [_rare(trace_id, head) for trace_id in self.trace_ids] if hexed else self.trace_ids, hexed=hexed
        )


def _finder(needles: Needles, trace_ids: Sequence[str], *, hexed: bool) -> ByteFinder:
    asked = (*needles.sessions, *needles.spellings)
    texts = [form for text in asked for form in _json_forms(text)]
    forms = _hex_forms if hexed else _all_forms
    for trace_id in trace_ids:
        texts.extend(forms(trace_id))
    raws = [text.encode("utf-8", "surrogatepass") for text in asked]
    raws.extend(bytes.fromhex(trace_id[: len(trace_id) & ~1]) for trace_id in needles.trace_ids)
    return ByteFinder(json=texts, protobuf=raws)


@lru_cache(maxsize=2)
def _finder_of_many(needles: Needles, *, hexed: bool) -> ByteFinder:
    return _finder(needles, needles.trace_ids, hexed=hexed)


class ByteFinder:
    """Searches with one automaton for each form of a record."""

    def __init__(self, *, json: Sequence[bytes], protobuf: Sequence[bytes]) -> None:
        self._automata: dict[Form, BytesAhoCorasick] = {
            "json": BytesAhoCorasick(sorted(set(json))),
            "protobuf": BytesAhoCorasick(sorted(set(protobuf))),
        }

    def positions(self, form: Form, data: bytes) -> list[int]:
        """Return where wanted ids begin, ascending."""
        return [start for _, start, _ in self._automata[form].find_matches_as_indexes(data)]


def _json_forms(text: str) -> tuple[bytes, ...]:
    """Return a string as it stands inside JSON, with and without escapes for what is not ASCII."""
    literal = json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
    return (literal, literal.replace(b"/", b"\\/"), json.dumps(text)[1:-1].encode("ascii"))


def _rare(trace_id: str, head: bytes) -> str:
    """Return the end of an id that begins with the digit which the file's beginning holds least often.

    Where a search looks for the first byte of a text, a rare one makes it several times faster. What is left is long
    enough to be found nowhere else by chance, and whatever is found is parsed.
    """
    if len(trace_id) < _LEAST_RARE or trace_id.startswith(_HALF):
        return trace_id
    starts = range(len(trace_id) - _LEAST_RARE + 1)

    def often(start: int) -> int:
        digit = trace_id[start].encode()
        return head.count(digit) + (head.count(digit.upper()) if digit.isalpha() else 0)

    return trace_id[min(starts, key=often) :]


def _hex_forms(trace_id: str) -> tuple[bytes, ...]:
    short = trace_id.removeprefix(_HALF) or trace_id  # 64-bit ids are often written without their leading zeros
    return (short.encode("ascii"), short.upper().encode("ascii"))


def _all_forms(trace_id: str) -> tuple[bytes, ...]:
    raw = bytes.fromhex(trace_id[: len(trace_id) & ~1])
    # Of a prefix, only whole groups of three bytes have base64 characters of their own.
    encoded = base64.b64encode(raw if len(raw) == 16 else raw[: len(raw) // 3 * 3]).rstrip(b"=")
    dashed = "-".join((trace_id[:8], trace_id[8:12], trace_id[12:16], trace_id[16:20], trace_id[20:])).rstrip("-")
    return (
        *_hex_forms(trace_id),
        encoded,
        encoded.translate(bytes.maketrans(b"+/", b"-_")),
        encoded.replace(b"/", b"\\/"),
        dashed.encode("ascii"),
        dashed.upper().encode("ascii"),
    )
