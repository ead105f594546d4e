"""Redaction as a whole: harvest over everything, one pseudonym an identity, one rewriting pass."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import lru_cache

from ..model.case import Case, Document, KnownValue, RedactedCase, RedactionCount
from ..model.config import Nlp, RunConfig
from ..model.json import JsonValue, compact
from ..model.selection import Grade
from ..model.span import tree
from ..ruleset import RuleSet, vocabulary
from .blobs import left_out
from .document import transform
from .flags import flagged
from .fold import folded
from .harvest import Harvest
from .keys import WorkspaceKey, keyed_digest
from .marked import marked
from .models import verified
from .place import Place
from .prose import ProseReader
from .pseudonym import Pseudonyms
from .rewrite import Local, Rewriter
from .rulebook import compile_identifiers
from .rules import Identifiers
from .sensitive_rules import compile_sensitive
from .sightings import secrets_found
from .structural import MISSING, structural
from .traced import Listener
from .treat import settle
from .vault import Vault

_SPAN_ID_BYTES = 8


@lru_cache(maxsize=4)
def _reader(settings: Nlp) -> ProseReader:
    """One reader a process and model: it costs seconds to load, and texts repeat across traces."""
    return ProseReader(settings)


def redact(
    case: Case, rules: RuleSet, config: RunConfig, key: WorkspaceKey, *, also: Sequence[KnownValue] = ()
) -> RedactedCase:
    """Return the case with every identifier replaced, beside all that verify needs to prove it.

    ``also`` are values known from elsewhere, as when text is added to a case whose trace is not at hand. Raises `RedactionRefused` where something cannot be redacted with certainty.
    """
    identifiers = compile_identifiers(rules)
    scope = _scope(config, key, case.trace.trace_ids)
    scope_key = key.derive("scope/" + scope)
    harvest = Harvest(identifiers, vocabulary(), config.own)
    root = Place()
    for span in case.trace.spans:
        harvest.document(tree(span), root)
    transform(case.document, harvest.document, harvest.leaf, harvest.together)
    for value in (*also, *marked(case, config.marks, key, scope)):
        harvest.recall(value)
    rewriter, vault = _prepared(harvest, identifiers, scope_key, config, case.document)
    document = transform(case.document, rewriter.value, rewriter.leaf, rewriter.together)
    missing = document.get("missing_evidence")
    if isinstance(missing, list):
        missing.extend(left_out(case.document, document))
    original, known = case.document, known_values(vault)
    if config.structural:
        original, document = structural(original, document, (value.text for value in known), rules)
        missing = document["missing_evidence"]
        if isinstance(missing, list):
            missing.append(MISSING)
    _rehash(document)
    span_ids = _span_ids(case, scope_key, rewriter, vault)
    sensitive = compile_sensitive(rules)
    secrets = secrets_found(case, vault, sensitive, span_ids, opaque=harvest.opaque_secret)
    return RedactedCase(
        document=document,
        original=original,
        known=known,
        counts=_counts(vault, rewriter),
        selection=replace(case.selection, grade=_graded(case.selection.grade, rewriter)),
        becomes=case.becomes,
        span_ids=span_ids,
        trace_refs=tuple(
            keyed_digest(key.derive("trace-ref"), trace_id).hex()[:32] for trace_id in case.trace.trace_ids
        ),
        scope=scope,
        key_id=key.key_id,
        models=(verified(config.nlp),),
        secrets=secrets,
        flags=flagged(case.document, secrets, sensitive),
        attempts=case.attempts,
        base_ns=case.base_ns,
        outside=case.reading.outside,
    )


def _graded(grade: Grade | None, rewriter: Rewriter) -> Grade | None:
    """Return a grade as it may be told: what gave it may bear anybody's name."""
    if grade is None:
        return None
    name, version = (
        None if text is None else rewriter.leaf(text, Place((member,), prose=False))
        for member, text in (("grader", grade.name), ("version", grade.version))
    )
    return replace(grade, name=name, version=version)


def redact_documents(
    values: Sequence[JsonValue], rules: RuleSet, config: RunConfig, key: WorkspaceKey, *, scope: str = "redact"
) -> tuple[JsonValue, ...]:
    """Return JSON values redacted together: one harvest over all of them, so that relations between them hold."""
    documents = Documents(rules, config, key)
    for value in values:
        documents.learn(value)
    documents.settle(scope)
    return tuple(map(documents.rewritten, values))


class Documents:
    """Values redacted together, one at a time: all are learnt, then settled, then rewritten.

    What is held is what was learnt (identities, and texts that a person would read), not the values. ``listener`` hears
    of every finding of the rewriting.
    """

    def __init__(
        self, rules: RuleSet, config: RunConfig, key: WorkspaceKey, *, listener: Listener | None = None
    ) -> None:
        self._identifiers = compile_identifiers(rules)
        self._config = config
        self._key = key
        self._listener = listener
        self._harvest: Harvest | None = Harvest(self._identifiers, vocabulary(), config.own)
        self._rewriter: Rewriter | None = None
        self._root = Place()

    def learn(self, value: JsonValue) -> None:
        """Take in one value."""
        assert self._harvest is not None  # noqa: S101  # not settled yet
        self._harvest.document(value, self._root)

    @property
    def prose(self) -> frozenset[str]:
        """The texts learnt that the language model will read."""
        return frozenset(self._harvest.prose) if self._harvest is not None else frozenset()

    def settle(self, scope: str) -> None:
        """Give every identity its pseudonym under a scope; nothing more can be learnt."""
        assert self._harvest is not None  # noqa: S101  # settled once
        scope_key = self._key.derive("scope/" + scope)
        self._rewriter, _ = _prepared(self._harvest, self._identifiers, scope_key, self._config, None)
        self._harvest = None
        if self._listener is not None:
            self._rewriter.explain(self._listener)

    def rewritten(self, value: JsonValue) -> JsonValue:
        """Return one of the values with its identifiers replaced."""
        assert self._rewriter is not None  # noqa: S101  # settled
        return self._rewriter.value(value, self._root)


def read_ahead(documents: Iterable[Documents], config: RunConfig) -> None:
    """Have the language model read the prose of many documents in one go, which is many times faster than one by one."""
    for _ in _reader(config.nlp).by_text({text for each in documents for text in each.prose}):
        pass


def load_model(config: RunConfig) -> None:
    """Load the language model now, rather than with the first prose. Raises what redaction would raise then."""
    _reader(config.nlp).load()


def known_values(vault: Vault) -> tuple[KnownValue, ...]:
    """Return what a proof must look for: every spelling of every identity."""
    return tuple(
        KnownValue(
            text=spelling,
            entity=identity.entity.name,
            rule=min(identity.rules),
            secret=identity.entity.secret,
            everywhere=not identity.local,
            word=identity.word or (spelling not in identity.spellings and vault.is_abbreviation(spelling)),
        )
        for identity in vault.sorted()
        for spelling in sorted(identity.spellings | identity.met)
    )


def _prepared(
    harvest: Harvest, identifiers: Identifiers, scope_key: bytes, config: RunConfig, document: Document | None
) -> tuple[Rewriter, Vault]:
    """Settle a harvest, read its prose, and return a rewriter for what was found."""
    harvest.deny(config.deny)
    harvest.settle()
    reader = _reader(config.nlp)
    local: dict[str, frozenset[Local]] = {}
    for text, findings in reader.by_text(harvest.prose):
        accepted = harvest.findings(text, findings)
        if accepted:
            local[text] = frozenset(accepted)
    harvest.unmask()
    if document is not None:
        settle(harvest.vault, document, config.treat)
    today = _day(document) if document is not None else None
    own = identifiers.words["reserved_domains"].union(map(folded, config.own.domains))
    words = {**identifiers.words, "vocabulary": vocabulary(), "reserved_domains": own}
    pseudonyms = Pseudonyms(harvest.vault, scope_key, words=words, today=today)
    rewriter = Rewriter(
        harvest.vault, pseudonyms, identifiers, scope_key, local, vocabulary(), harvest.kept, harvest.openings
    )
    return rewriter, harvest.vault


def _scope(config: RunConfig, key: WorkspaceKey, trace_ids: Iterable[str]) -> str:
    if config.scope != "case":
        return config.scope
    return "case:" + keyed_digest(key.derive("case-scope"), *sorted(trace_ids)).hex()[:32]


def _day(document: Document) -> date | None:
    instant = document.get("frozen_at")
    try:
        return datetime.fromisoformat(instant).date() if isinstance(instant, str) else None
    except ValueError:
        return None


def _rehash(document: Document) -> None:
    """Digests in a case are of the redacted content: one of the original would let a guess be confirmed."""
    for member in ("templates", "documents"):
        entries = document.get(member)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and "sha256" in entry:
                content = entry.get("content")
                text = content if isinstance(content, str) else compact(content)
                entry["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _counts(vault: Vault, rewriter: Rewriter) -> tuple[RedactionCount, ...]:
    values: dict[str, int] = {}
    occurrences: dict[str, int] = {}
    by_rule: dict[str, dict[str, int]] = {}
    replaced = rewriter.counts
    for identity in vault.sorted():
        hits = replaced[identity.canonical]
        if not hits:
            continue
        entity = identity.entity.name
        values[entity] = values.get(entity, 0) + 1
        occurrences[entity] = occurrences.get(entity, 0) + hits
        for rule in identity.rules:
            rules = by_rule.setdefault(entity, {})
            rules[rule] = rules.get(rule, 0) + 1
    return tuple(
        RedactionCount(
            entity=entity,
            values=values[entity],
            occurrences=occurrences[entity],
            rules=dict(sorted(by_rule[entity].items())),
        )
        for entity in sorted(values)
    )


def _span_ids(case: Case, scope_key: bytes, rewriter: Rewriter, vault: Vault) -> Mapping[str, str]:
    """Return synthetic ids of 16 hex digits, redrawn until none repeats and none holds a known value.

    An id that the case names, as that of an attempt, has its pseudonym already.
    """
    named = {span.span_id for span in case.trace.spans if vault.by_surface(span.span_id) is not None}
    given = {span_id: rewriter.leaf(span_id, Place(("attempt_id",), prose=False)) for span_id in sorted(named)}
    used = set(given.values())
    originals = {span.span_id for span in case.trace.spans}
    for span in case.trace.spans:
        if span.span_id in given:
            continue
        attempt = 0
        while True:
            made = keyed_digest(scope_key, "span-id", span.trace_id, span.span_id, str(attempt))[:_SPAN_ID_BYTES].hex()
            if made not in used and made not in originals and vault.by_surface(folded(made)) is None:
                break
            attempt += 1
        used.add(made)
        given[span.span_id] = made
    return given
