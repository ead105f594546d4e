"""Replaces every identifier of a case by a keyed pseudonym that keeps the relations, and remembers what to prove."""

from .engine import redact, redact_documents, redact_text
from .keys import WorkspaceKey, create_key, load_key

__all__ = ["WorkspaceKey", "create_key", "load_key", "redact", "redact_documents", "redact_text"]
