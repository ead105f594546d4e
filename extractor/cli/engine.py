"""Redaction of loose documents, each under the scope it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from extractor.model.config import RunConfig
from extractor.model.json import JsonValue
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.keys import keyed_digest
from extractor.ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The engine with what a run gives it. ``name`` is a scope asked for by name, which goes before every other."""

    rules: RuleSet
    config: RunConfig
    key: WorkspaceKey = field(repr=False)
    name: str | None = None

    def together(self, values: Sequence[JsonValue], scope: str) -> tuple[JsonValue, ...]:
        """Return the values redacted together."""
        return redact_documents(values, self.rules, self.config, self.key, scope=self.name or scope)

    def keeping(self, ids: Iterable[str]) -> Engine:
        """Return an engine that lets some ids stand wherever they are repeated."""
        own = replace(self.config.own, ids=(*self.config.own.ids, *sorted(ids)))
        return replace(self, config=replace(self.config, own=own))

    def digest(self, purpose: str, text: str) -> str:
        """Return a name for the scope of something that only its content names."""
        return f"{purpose}:{keyed_digest(self.key.derive('redact-scope'), purpose, text).hex()[:32]}"

    def trace_scope(self, trace_id: str) -> str:
        """Return the scope of one trace: the one its case has."""
        return "case:" + keyed_digest(self.key.derive("case-scope"), trace_id).hex()[:32]
