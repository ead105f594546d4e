"""Known values in disguise: plain digests, which confirm whoever guesses the value, and short values in hex or base64."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .fold import Folded

_ALGORITHMS = {16: "md5", 20: "sha1", 32: "sha256", 64: "sha512"}  # by size in bytes
_HEX = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-f]{32,128}|[0-9A-F]{32,128})(?![0-9a-fA-F])")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{22,86}(?![A-Za-z0-9+/_-])={0,2}")
_BASE64_LENGTHS = {22: 16, 27: 20, 43: 32, 86: 64}  # without padding, in bytes
_PLAIN = "plain"
# Values so short that no decoder takes them for text: only a known one is meant.
_SHORT_HEX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{2}){5,8}(?![0-9A-Za-z])|(?<![0-9A-Za-z])(?:[0-9A-F]{2}){5,8}(?![0-9A-Za-z])"
)
_SHORT_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{8,11}(?![A-Za-z0-9+/_-])={0,2}")
_LEAST_HASHED = 5
_LEAST_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a digest is one of: an identity by its canonical form, the spelling that was hashed, and by which algorithm.

    The algorithm ``plain`` hashes nothing: the spelling itself stands there in hex or base64.
    """

    algorithm: str
    canonical: str = field(repr=False)
    spelling: str = field(repr=False)

    def of(self, spelling: str, like: str) -> str:
        """Return the same kind of digest of another spelling, written as ``like`` is: hex in its case, or base64."""
        raw = _digest(self.algorithm, spelling)
        if _IS_HEX.fullmatch(like):
            return raw.hex().upper() if like.isupper() else raw.hex()
        written = base64.b64encode(raw).decode("ascii")
        if "-" in like or "_" in like:
            written = written.translate(_URL_SAFE)
        return written if like.endswith("=") else written.rstrip("=")


_IS_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_URL_SAFE = str.maketrans("+/", "-_")


def candidates(view: Folded) -> Iterator[str]:
    """Yield what in a text has the form of a digest: MD5, SHA-1, SHA-256 or SHA-512, as hex or base64."""
    for found in _HEX.finditer(view.clean):
        if len(found.group()) // 2 in _ALGORITHMS and len(found.group()) % 2 == 0:
            yield found.group()
    for found in _BASE64.finditer(view.clean):
        if len(found.group().rstrip("=")) in _BASE64_LENGTHS:
            yield found.group()
    for short in (_SHORT_HEX, _SHORT_BASE64):
        for found in short.finditer(view.clean):
            if not _is_word(found.group()) and (_raw(found.group()) or b"").isascii():
                yield found.group()


def traced(found: Iterable[str], known: Iterable[tuple[str, str]]) -> Mapping[str, Source]:
    """Return, for those of the candidates that are digests of known texts, what they are digests of.

    ``known`` holds texts, each with the canonical form of its identity. A text is tried as it stands, in lower and upper
    case, and as its digits alone.
    """
    wanted: dict[bytes, list[str]] = {}
    for text in sorted(found):
        if (raw := _raw(text)) is not None:
            wanted.setdefault(raw, []).append(text)
    algorithms = sorted({_ALGORITHMS.get(len(raw), _PLAIN) for raw in wanted})
    sources: dict[str, Source] = {}
    for text, canonical in sorted(known) if wanted else ():
        for spelling in dict.fromkeys(_spellings(text)):
            for algorithm in algorithms:
                for digest in wanted.get(_digest(algorithm, spelling), ()):
                    source = Source(algorithm=algorithm, canonical=canonical, spelling=spelling)
                    sources.setdefault(digest, source)
    return sources


def _digest(algorithm: str, text: str) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return content if algorithm == _PLAIN else hashlib.new(algorithm, content, usedforsecurity=False).digest()


def _is_word(text: str) -> bool:
    return text.isalpha() and (text.islower() or text.isupper() or text.istitle())


def _raw(text: str) -> bytes | None:
    """Return the bytes that a candidate stands for."""
    if _IS_HEX.fullmatch(text) and len(text) % 2 == 0:
        return bytes.fromhex(text)
    body = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return None if len(body) % 4 == 1 else base64.b64decode(body + "=" * (-len(body) % 4))


def _spellings(text: str) -> Iterator[str]:
    plain = text.strip()
    digits = "".join(char for char in plain if char.isdecimal())
    if len(plain) < _LEAST_HASHED:
        return
    yield from (plain, plain.lower(), plain.upper())
    if len(digits) >= _LEAST_DIGITS:
        yield from (digits, "+" + digits)
