"""Redaction of loose documents, each under the scope it belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from extractor.model.config import RunConfig
from extractor.redact import Documents, WorkspaceKey
from extractor.redact.keys import keyed_digest
from extractor.ruleset import RuleSet

from .told import Teller


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The engine with what a run gives it. ``name`` is a scope asked for by name, which goes before every other."""

    rules: RuleSet
    config: RunConfig
    key: WorkspaceKey = field(repr=False)
    name: str | None = None
    teller: Teller | None = None

    def documents(self) -> Documents:
        """Return an empty set of documents; what is rewritten in it is told where that was asked for."""
        return Documents(self.rules, self.config, self.key, listener=self.teller.hear if self.teller else None)

    def scope(self, purpose: str, text: str) -> str:
        """Return the scope asked for by name, else one of something that only its content names."""
        return self.name or f"{purpose}:{keyed_digest(self.key.derive('redact-scope'), purpose, text).hex()[:32]}"

    def keeping(self, ids: Iterable[str]) -> Engine:
        """Return an engine that lets some ids stand wherever they are repeated."""
        own = replace(self.config.own, ids=(*self.config.own.ids, *sorted(ids)))
        return replace(self, config=replace(self.config, own=own))

    def trace_scope(self, trace_id: str) -> str:
        """Return the scope asked for by name, else that of one trace: the one its case has."""
        return self.name or "case:" + keyed_digest(self.key.derive("case-scope"), trace_id).hex()[:32]
