"""Replaces every identifier of a case by a keyed pseudonym that keeps the relations, and remembers what to prove."""

from .engine import Documents, load_model, read_ahead, redact, redact_documents
from .keys import WorkspaceKey, create_key, load_key
from .marked import token_digest
from .recall import recalled, remembered
from .traced import Replaced

__all__ = [
    "Documents",
    "Replaced",
    "WorkspaceKey",
    "create_key",
    "load_key",
    "load_model",
    "read_ahead",
    "recalled",
    "redact",
    "redact_documents",
    "remembered",
    "token_digest",
]
