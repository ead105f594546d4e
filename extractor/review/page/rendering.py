"""Templates to HTML: escaped by default, undefined names refused, styles inline under a nonce or a digest."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .runs import escaped
from .views import CasePage

_HERE = Path(__file__).parent / "templates"
_MOST_HOVERS = 400


def _finalized(value: object) -> object:
    """Spell as escapes what could steer a screen, in whatever a template puts out; markup of ours holds none."""
    return escaped(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """Return the one environment of page and packet."""
    return Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_finalized,
    )


def render(template: str, **context: object) -> str:
    """Return a template's HTML. Nothing of a case reaches it but through escaping."""
    return environment().get_template(template).render(**context)


def style(page: CasePage | None = None) -> Markup:
    """Return the style sheet; for a case with rules that light up all occurrences of what the pointer is on.

    It is made of our own file and of numbers alone, which is why it may stand unescaped.
    """
    sheet = (_HERE / "style.css").read_text("utf-8")
    numbers = [] if page is None else [value.number for value in page.marker.values][:_MOST_HOVERS]
    lit = "".join(
        f"body:has(.v{number}:is(:hover,:focus)) .v{number}{{outline:2px solid currentColor}}" for number in numbers
    )
    return Markup(f"{sheet}\n{lit}")  # noqa: S704  # nothing of a case stands in it


def digest(content: str) -> str:
    """Return the source expression by which a policy allows exactly this inline content."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode("ascii") + "'"
