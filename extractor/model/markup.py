"""Texts of others in pages of ours."""

from __future__ import annotations

import html
import unicodedata


def as_html(text: str) -> str:
    """Return text as HTML text or a quoted attribute: marked up nowhere, without controls or marks that turn its direction."""
    plain = "".join(char if unicodedata.category(char)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for char in text)
    return html.escape(plain, quote=True)
