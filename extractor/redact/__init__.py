"""Replaces every identifier of a case by a keyed pseudonym that keeps the relations, and remembers what to prove."""

from .engine import redact, redact_documents
from .keys import WorkspaceKey, create_key, load_key
from .recall import recalled, remembered

__all__ = [
    "WorkspaceKey",
    "create_key",
    "load_key",
    "recalled",
    "redact",
    "redact_documents",
    "remembered",
]
