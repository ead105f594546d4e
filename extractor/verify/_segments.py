"""Where known values stand in an original text, in any form, and what stands there in the text that replaced it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick

from ..model.case import KnownValue
from ._decode import BASE64_RUN, HEX_RUN, from_base64, from_hex, mapped
from ._fold import fold, is_token, squeeze, view
from ._forms import dates, encodings, is_strong, reordered

_JWT = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{4,}+\.[A-Za-z0-9_-]*")
_DIGITS = re.compile(r"\D+")
_LEAST_RUN = 12
_LEAST_CARD = 12
_CANDIDATES = 8
_MAPPINGS = 3
_MORE_WORDS = 2


@dataclass(frozen=True, slots=True)
class Segment:
    """``[start, end)`` of an original text that redaction may change. ``value`` is the known value it is, if one is."""

    start: int
    end: int
    value: int | None
    encoded: bool = False


@dataclass(slots=True)
class Finder:
    """Finds known values of any kind, local ones too, in original texts."""

    known: Sequence[KnownValue]
    addresses: frozenset[str] = frozenset()
    _patterns: dict[str, tuple[int, bool, bool]] = field(default_factory=dict, repr=False)
    _names: list[str] = field(default_factory=list, repr=False)
    _automaton: AhoCorasick | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts: list[tuple[str, int]] = []
        for index, value in enumerate(self.known):
            plain = fold(value.text.strip())
            if not squeeze(plain):
                continue
            strong = is_strong(value)
            self._patterns.setdefault(plain, (index, strong, True))
            for other in (*reordered(plain), *dates(plain)):
                self._patterns.setdefault(other, (index, strong, True))
            if strong:
                for other in encodings(value.text.strip()):
                    self._patterns.setdefault(fold(other), (index, True, True))
                digits = _DIGITS.sub("", plain)
                if len(digits) == len(squeeze(plain)):
                    self._patterns.setdefault(digits, (index, True, True))
            parts.extend((part, index) for part in self._parts(plain, value.entity))
        for part, index in parts:  # whole values win over parts of others
            self._patterns.setdefault(part, (index, False, False))
        self._names = list(self._patterns)
        if self._names:
            self._automaton = AhoCorasick(self._names)

    def _parts(self, plain: str, entity: str) -> Iterator[str]:
        digits = _DIGITS.sub("", plain)
        if len(digits) >= _LEAST_CARD and len(digits) == len(squeeze(plain)):
            yield digits[-4:]
        local, at, domain = plain.partition("@")
        if at:
            yield from (part for part in (local, domain) if len(part) > 1)
        elif entity not in self.addresses:
            words = plain.split()
            if 1 < len(words) <= 5 and all(
                word.strip(".,'-").replace("-", "").replace("'", "").isalpha() for word in words
            ):
                yield from (word.strip(".,") for word in words if len(word.strip(".,")) > 1)

    def whole(self, text: str) -> int | None:
        """Return the known value that a whole text is, in any case or form; None when it is none."""
        entry = self._patterns.get(fold(text.strip()))
        return entry[0] if entry is not None and entry[2] else None

    def segments(self, text: str) -> list[Segment]:
        """Return the places of known values and of encoded runs, merged where they overlap, in order."""
        found = list(self._direct(text))
        decoded, starts = text, list(range(len(text) + 1))
        for _ in range(_MAPPINGS):
            deeper, places = mapped(decoded)
            if deeper == decoded:
                break
            starts = [starts[place] for place in places]
            decoded = deeper
            found.extend(Segment(starts[one.start], starts[one.end], one.value) for one in self._direct(decoded))
        found.extend(self._runs(text))
        return _merged(found)

    def _direct(self, text: str) -> Iterator[Segment]:
        if self._automaton is None:
            return
        seen = view(text)
        for number, start, end in self._automaton.find_matches_as_indexes(seen.folded, overlapping=True):
            index, anywhere, is_value = self._patterns[self._names[number]]
            if anywhere or is_token(seen.shape, start, end):
                yield Segment(seen.starts[start], seen.starts[end], index if is_value else None)

    def _runs(self, text: str) -> Iterator[Segment]:
        for match in _JWT.finditer(text):
            if from_base64(match.group().partition(".")[0]) is not None:
                yield Segment(match.start(), match.end(), None, encoded=True)
        for match in BASE64_RUN.finditer(text):
            if len(match.group()) >= _LEAST_RUN and from_base64(match.group()) is not None:
                yield Segment(match.start(), match.end(), None, encoded=True)
        for match in HEX_RUN.finditer(text):
            if from_hex(match.group()) is not None:
                yield Segment(match.start(), match.end(), None, encoded=True)


def _merged(found: list[Segment]) -> list[Segment]:
    """Return segments that neither overlap nor touch; one that holds others whole stays what it is."""
    merged: list[Segment] = []
    for one in sorted(found, key=lambda segment: (segment.start, -segment.end, segment.value is None)):
        if one.start == one.end:
            continue
        last = merged[-1] if merged else None
        if last is None or one.start > last.end:
            merged.append(one)
        elif one.end > last.end or one.start == last.end:
            merged[-1] = Segment(last.start, max(one.end, last.end), None)
    return merged


def align(
    original: str, segments: Sequence[Segment], redacted: str, expected: Mapping[str, str]
) -> list[tuple[Segment, str]] | None:
    """Return what stands in ``redacted`` for each segment; None when the text between them is not the same.

    ``expected`` holds, for a folded original, what replaced it elsewhere: the first guess where text is ambiguous.
    """
    bounds = [0, *(place for one in segments for place in (one.start, one.end)), len(original)]
    literals = [original[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    for careful in (True, False):
        captured = _match(original, segments, literals, redacted, expected if careful else {}, careful=careful)
        if captured is not None:
            return captured
    return None


def _match(  # one pass over five parallel things
    original: str,
    segments: Sequence[Segment],
    literals: Sequence[str],
    redacted: str,
    expected: Mapping[str, str],
    *,
    careful: bool,
) -> list[tuple[Segment, str]] | None:
    if not segments:
        return [] if original == redacted else None
    if not redacted.startswith(literals[0]) or not redacted.endswith(literals[-1]):
        return None
    place, limit = len(literals[0]), len(redacted) - len(literals[-1])
    captured: list[tuple[Segment, str]] = []
    for segment, literal in zip(segments[:-1], literals[1:-1], strict=True):
        source = original[segment.start : segment.end]
        end = _end(source, literal, redacted, place, limit, expected.get(fold(source)), careful=careful)
        if end is None:
            return None
        captured.append((segment, redacted[place:end]))
        place = end + len(literal)
    if place >= limit:
        return None
    captured.append((segments[-1], redacted[place:limit]))
    return captured if all(_fits(original[one.start : one.end], now) for one, now in captured) else None


def _fits(source: str, now: str) -> bool:
    """Say whether a capture can be a pseudonym alone: one word stays one word, a few words stay few."""
    words = len(source.split())
    return len(now.split()) <= (1 if words == 1 else words + _MORE_WORDS)


def _end(
    source: str, literal: str, redacted: str, place: int, limit: int, guess: str | None, *, careful: bool
) -> int | None:
    for likely in (guess, source) if careful else ():
        end = place + len(likely or "")
        if likely and redacted.startswith(literal, end) and fold(redacted[place:end]) == fold(likely):
            return end
    first = end = redacted.find(literal, place + 1, limit)
    for _ in range(_CANDIDATES if careful else 0):
        if end < 0:
            break
        if skeleton(redacted[place:end]) == skeleton(source):
            return end
        end = redacted.find(literal, end + 1, limit)
    return first if first >= 0 else None


def skeleton(text: str) -> str:
    """Return what is neither letter nor digit in a text, and where it stands between them."""
    return re.sub(r"[^\W_]+", "a", text)
