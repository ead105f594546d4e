"""Redaction of what is no case: any JSON, JSON lines or text, its form kept; an OTLP/JSON export trace by trace."""

from .engine import Engine
from .lines import Source, opened
from .redaction import Redaction
from .told import Teller, Told

__all__ = ["Engine", "Redaction", "Source", "Teller", "Told", "opened"]
