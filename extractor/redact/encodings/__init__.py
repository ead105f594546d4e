"""Opens one layer of encoding around text and closes it in the same style, byte for byte where nothing changed."""

from __future__ import annotations

from extractor.redact.encodings._base64 import open_base64
from extractor.redact.encodings._escapes import open_escaped
from extractor.redact.encodings._headers import open_credential, open_set_cookie
from extractor.redact.encodings._islands import embedded, open_percent
from extractor.redact.encodings._json import open_json
from extractor.redact.encodings._jwt import open_jwt
from extractor.redact.encodings._opened import Embedded, Opened, Part
from extractor.redact.encodings._pairs import open_pairs
from extractor.redact.encodings._percent import open_form
from extractor.redact.encodings._python import open_python
from extractor.redact.encodings._url import open_url

__all__ = ["Embedded", "Opened", "Part", "embedded", "open_text"]

_OPENERS = (
    open_json,
    open_python,
    open_jwt,
    open_url,
    open_credential,
    open_set_cookie,
    open_base64,
    open_form,
    open_pairs,
    open_percent,
    open_escaped,
)


def open_text(text: str) -> Opened | None:
    """Return the one layer of encoding that a whole text is, or None: it is plain text.

    Raises `RedactionRefused` for a document nested deeper than `MAX_DEPTH`.
    """
    for opener in _OPENERS:
        opened = opener(text)
        if opened is not None and opened.parts:
            return opened
    return None
