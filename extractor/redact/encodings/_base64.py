"""Base64 of text, in either alphabet, padded or not, wrapped or not; long binary is a blob."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from functools import partial

from extractor.model.json import JsonValue
from extractor.redact.encodings._opened import Draft, Opened, plain

_WHOLE = re.compile(r"[A-Za-z0-9+/_\-]++(?:\r?\n[A-Za-z0-9+/_\-]++)*+={0,2}\s*")
RUN = re.compile(r"[A-Za-z0-9+/_\-]{12,}+={0,2}")
_PIECES = (re.compile(r"[A-Za-z0-9_\-]{12,}={0,2}"), re.compile(r"[A-Za-z0-9+]{12,}={0,2}"))
_NOT_BASE64 = re.compile(r"[0-9]++|[0-9a-fA-F\-]++|[a-z]++|[A-Z]++")
_MAGIC = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"PK\x03\x04", b"\x1f\x8b\x08", b"RIFF", b"OggS", b"ID3",
    b"\xff\xfb", b"fLaC", b"BM", b"\x28\xb5\x2f\xfd", b"\x7fELF", b"\x00\x00\x00\x18ftyp", b"\x00\x00\x00\x20ftyp",
)  # fmt: skip
_LEAST = 12
# Below this many bytes random ids read as text too often: a span id has eight.
_LEAST_BYTES, _SURE_BYTES = 9, 24
_LEAST_MAGIC, _LEAST_BINARY = 48, 512


def decoded(raw: str) -> bytes | None:
    """Return the bytes of a base64 text, padding optional; None where it is none or mixes the two alphabets."""
    body = "".join(raw.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1 or (("-" in raw or "_" in raw) and ("+" in raw or "/" in raw)):
        return None
    try:
        return base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def text_of(raw: str) -> str | None:
    """Return the text that a base64 text stands for, or None when the bytes do not read as text."""
    content = decoded(raw)
    if not content:
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    odd = sum(not char.isprintable() and char not in "\t\r\n" for char in text)
    return None if odd * 50 > len(text) or text.isspace() else text


def encode_like(text: str, raw: str) -> str:
    """Return a text as base64 in the alphabet, padding and line width of ``raw``."""
    written = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
    if "-" in raw or "_" in raw:
        written = written.replace("+", "-").replace("/", "_")
    compact = "".join(raw.split())
    # A length that needs no padding does not say whether padding is wanted: only url-safe texts do without.
    if not compact.endswith("=") and (len(compact) % 4 or "-" in raw or "_" in raw):
        written = written.rstrip("=")
    lines = raw.split()
    if len(lines) > 1:
        width, ending = len(lines[0]), "\r\n" if "\r\n" in raw else "\n"
        written = ending.join(written[place : place + width] for place in range(0, len(written), width))
    return written + raw[len(raw.rstrip()) :]


def _spell(raw: str, new: JsonValue) -> str:
    return encode_like(plain(new), raw)


def open_base64(text: str, *, least: int = _LEAST) -> Opened | None:
    """Open a whole text that is base64 of text (one part) or of something binary and large (a blob)."""
    if len(text) < least or not _WHOLE.fullmatch(text):
        return None
    if _NOT_BASE64.fullmatch(text.strip()):
        return None
    draft = Draft("base64")
    inner = text_of(text)
    if inner is not None and _reads_as_text(inner):
        draft.part(inner, text, partial(_spell, text), role="text")
    elif _is_blob(text):
        draft.verbatim(text, role="blob")
    else:
        return None
    return draft.opened()


def _reads_as_text(inner: str) -> bool:
    size = len(inner.encode("utf-8"))
    if size >= _SURE_BYTES:
        return True
    words = sum(char.isalnum() or char == " " for char in inner)
    return size >= _LEAST_BYTES and inner.isascii() and (inner[0] in "{[" or words * 10 >= len(inner) * 6)


def _is_blob(raw: str) -> bool:
    if len(raw) < _LEAST_MAGIC:
        return False
    head = decoded(raw[:64])
    if head and head.startswith(_MAGIC):
        return True
    kinds = (str.isupper, str.islower, str.isdigit)
    return len(raw) >= _LEAST_BINARY and all(any(map(kind, raw)) for kind in kinds) and decoded(raw) is not None


def embedded_base64(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield the base64 islands of a text: whole runs of the alphabet, else their pieces between ``/`` or ``-``."""
    for run in RUN.finditer(text):
        if (opened := open_base64(run.group(), least=_LEAST)) is not None:
            yield run.start(), run.end(), opened
            continue
        for alphabet in (r"[A-Za-z0-9_\-]{12,}+={0,2}", r"[A-Za-z0-9+]{12,}+={0,2}"):
            for piece in re.compile(alphabet).finditer(text, run.start(), run.end()):
                if piece.span() == run.span():
                    continue
                if (opened := open_base64(piece.group(), least=_LEAST)) is not None:
                    yield piece.start(), piece.end(), opened
