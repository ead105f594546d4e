"""Rule documents below rules/dialects to a `Vocabulary`; every fault of every document is listed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, get_args  # Any: a TOML document before it is checked

from extractor.errors import RulesError
from extractor.model.span import SpanKind
from extractor.model.trace import Role, StepKind
from extractor.ruleset import RuleSet

from .dialects import (
    Condition,
    Dialect,
    Example,
    KindRule,
    Mark,
    PartType,
    Source,
    Vocabulary,
    Words,
)
from .parsing import RULES

FACTS = frozenset({
    "tool.name", "tool.call_id", "tool.arguments", "tool.result", "error.type", "error.other", "error.message",
    "exception.type",
    "model.name", "model.provider", "model.operation", "model.parameters", "model.usage",
    "model.system", "model.input", "model.output", "retrieval.query", "retrieval.documents",
    "dependency.protocol", "dependency.method", "dependency.target", "dependency.status",
    "dependency.idempotency_key", "dependency.replayed",
})  # fmt: skip
SUBJECT = frozenset({
    "session", "user", "tenant", "roles", "claims", "locale", "time_zone", "workflow_version",
    "prompt_version", "service", "service_version", "environment", "flags", "grade",
})  # fmt: skip
_TABLES = frozenset({
    "title", "why", "source", "inherits", "mark", "kind", "facts", "subject", "messages", "arguments", "masked",
    "external", "known", "known_events", "example",
})  # fmt: skip
_SOURCE = frozenset({
    "attr", "prefix", "event", "resource", "name", "status", "parse", "member", "where", "label", "unwrap", "skip", "ignore",
    "constant", "strip", "whole_keys",
})  # fmt: skip
_CONDITION = frozenset({
    "attr", "attr_prefix", "equals", "event", "name_prefix", "scope_prefix", "span_kind", "called",
})  # fmt: skip
_TEXTS = frozenset({"title", "why", "source", "inherits"})
_LISTS = frozenset({"mark", "kind", "masked", "external", "known", "known_events", "example"})


def compile_rules(rules: RuleSet) -> Vocabulary:
    """Return what the dialect documents say together. Raises `RulesError`; examples are not run here."""
    compiler = _Compiler()
    documents = rules.family("dialects")
    for name, document in documents.items():
        compiler.read(name, document)
    vocabulary = compiler.finish(documents) if not compiler.faults else None
    if vocabulary is None or compiler.faults:
        raise RulesError(compiler.faults)
    return vocabulary


class _Compiler:
    """Reads documents one by one and gathers their faults."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.dialects: dict[str, Dialect] = {}
        self.examples: list[Example] = []

    def fault(self, where: str, what: str) -> None:
        self.faults.append(f"dialects/{where}: {what}")

    def read(self, name: str, document: Mapping[str, Any]) -> None:
        before = len(self.faults)
        self._only(name, document, _TABLES)
        for key in ("title", "why", "source"):
            if not document.get(key):
                self.fault(name, f"needs a {key}")
        if not document.get("example"):
            self.fault(name, "needs an example")
        for key, value in document.items():
            fits = isinstance(value, str if key in _TEXTS else list if key in _LISTS else dict)
            if key in _TABLES and not fits:
                self.fault(name, f"{key} has the wrong type")
        if len(self.faults) > before:
            return
        self.dialects[name] = Dialect(
            name=name,
            marks=tuple(self._mark(f"{name} mark {n}", mark) for n, mark in enumerate(document.get("mark", ()), 1)),
            kinds=tuple(self._kind(f"{name} kind {n}", kind) for n, kind in enumerate(document.get("kind", ()), 1)),
            facts=self.sources(name, document.get("facts", {}), FACTS),
        )
        for number, example in enumerate(document["example"], 1):
            where = f"dialects/{name} example {number}"
            if not example.get("why") or not example.get("span") or not example.get("expect"):
                self.faults.append(f"{where}: needs why, span and expect")
                continue
            self.examples.append(Example(where=where, spans=tuple(example["span"]), expect=example["expect"]))

    def _only(self, where: str, table: Mapping[str, Any], allowed: frozenset[str]) -> None:
        for key in sorted(set(table) - allowed):
            self.fault(where, f"unknown key {key}")

    def _mark(self, where: str, table: Mapping[str, Any]) -> Mark:
        rank = table.get("rank")
        if not isinstance(rank, int):
            self.fault(where, "needs a rank")
        if not set(table) - {"rank"}:
            self.fault(where, "marks every span")
        return Mark(rank=rank if isinstance(rank, int) else 0, when=self._condition(where, table, {"rank"}))

    def _kind(self, where: str, table: Mapping[str, Any]) -> KindRule:
        step = table.get("step")
        if step not in get_args(StepKind):
            self.fault(where, "step names no kind of step")
        return KindRule(step=step or "other", when=self._condition(where, table, {"step"}))

    def _condition(self, where: str, table: Mapping[str, Any], own: set[str]) -> Condition:
        self._only(where, table, _CONDITION | own)
        kinds = _texts(table.get("span_kind"))
        if set(kinds) - set(get_args(SpanKind)):
            self.fault(where, "span_kind names no kind of span")
        return Condition(
            attr=_texts(table.get("attr")),
            attr_prefix=table.get("attr_prefix"),
            equals=tuple(table.get("equals", ())),
            event=_texts(table.get("event")),
            name_prefix=table.get("name_prefix"),
            scope_prefix=_texts(table.get("scope_prefix")),
            span_kind=kinds,  # type: ignore[arg-type]  # checked above
            called=table.get("called"),
        )

    def sources(self, where: str, table: Mapping[str, Any], allowed: frozenset[str]) -> dict[str, tuple[Source, ...]]:
        self._only(where, table, allowed)
        return {
            fact: tuple(self._source(f"{where} {fact} source {n}", one) for n, one in enumerate(sources, 1))
            for fact, sources in table.items()
        }

    def _source(self, where: str, table: Mapping[str, Any]) -> Source:
        self._only(where, table, _SOURCE)
        parse = table.get("parse", "as_is")
        if parse not in RULES:
            self.fault(where, "parse names no rule")
        if not set(table) & {"attr", "prefix", "event", "resource", "name", "status"}:
            self.fault(where, "says no place")
        resource = _texts(table.get("resource"))
        place = "event" if "event" in table else "resource" if resource else "attribute"
        place = "name" if table.get("name") else "status" if table.get("status") else place
        return Source(
            place=place,  # type: ignore[arg-type]  # one of the five words above
            keys=resource or _texts(table.get("attr")),
            prefix=table.get("prefix"),
            events=_texts(table.get("event")),
            parse=parse,
            member=tuple(str(table["member"]).split(".")) if "member" in table else (),
            where=table.get("where", {}),
            label=table.get("label"),
            unwrap=_texts(table.get("unwrap")),
            skip=_texts(table.get("skip")),
            ignore=tuple(table.get("ignore", ())),
            constant=table.get("constant"),
            strip=table.get("strip"),
            whole_keys=bool(table.get("whole_keys")),
        )

    def finish(self, documents: Mapping[str, Mapping[str, Any]]) -> Vocabulary:
        """Merge what documents share; documents without marks say what holds for every span."""
        dialects = {name: self._inherit(name, document) for name, document in documents.items()}
        subject: dict[str, tuple[Source, ...]] = {}
        for name, document in documents.items():
            for fact, found in self.sources(f"{name} subject", document.get("subject", {}), SUBJECT).items():
                subject[fact] = (*subject.get(fact, ()), *found)
        fallback = [dialect.facts for dialect in dialects.values() if not dialect.marks]
        masked, known = _all(documents, "masked"), _all(documents, "known")
        shared = _merge(fallback)
        read = [*chain.from_iterable(dialect.facts.values() for dialect in dialects.values()), *subject.values()]
        sources = list(chain.from_iterable(read))
        marked = (mark.when for dialect in dialects.values() for mark in dialect.marks)
        plain = {key for source in sources for key in source.keys if source.place == "attribute"}
        mime = {key.rpartition(".")[0] + ".mime_type" for s in sources if s.parse == "mime" for key in s.keys}
        return Vocabulary(
            dialects={name: dialect for name, dialect in dialects.items() if dialect.marks},
            subject=subject,
            fallback=shared,
            words=self._words(documents),
            masked=frozenset(text for text in masked if not text.endswith("*")),
            masked_prefixes=tuple(text[:-1] for text in masked if text.endswith("*")),
            external=frozenset(_all(documents, "external")),
            known=frozenset(
                {*plain, *mime, *chain.from_iterable(when.attr for when in marked), *_all(documents, "external")}
                | {key for key in known if not key.endswith("*")}
            ),
            known_prefixes=tuple(key[:-1] for key in known if key.endswith("*"))
            + tuple(source.prefix for source in sources if source.prefix and source.place == "attribute"),
            known_events=frozenset(_all(documents, "known_events"))
            | frozenset(chain.from_iterable(source.events for source in sources)),
            examples=tuple(self.examples),
        )

    def _inherit(self, name: str, document: Mapping[str, Any]) -> Dialect:
        own, parent = self.dialects[name], self.dialects.get(document.get("inherits", ""))
        if "inherits" not in document:
            return own
        if parent is None:
            self.fault(name, "inherits from a dialect that is not there")
            return own
        facts = {
            fact: (*own.facts.get(fact, ()), *parent.facts.get(fact, ())) for fact in {**own.facts, **parent.facts}
        }
        return Dialect(name=name, marks=own.marks, kinds=(*own.kinds, *parent.kinds), facts=facts)

    def _words(self, documents: Mapping[str, Mapping[str, Any]]) -> Words:
        tables: dict[str, dict[str, tuple[str, ...]]] = {"roles": {}, "parts": {}, "members": {}, "arguments": {}}
        for name, document in documents.items():
            self._only(f"{name} messages", document.get("messages", {}), frozenset({"roles", "parts", "members"}))
            found = {**document.get("messages", {}), "arguments": document.get("arguments", {})}
            for table, entries in found.items():
                for key, words in entries.items():
                    merged = tables.setdefault(table, {})
                    merged[key] = (*merged.get(key, ()), *_texts(words))
        if set(tables["roles"]) - set(get_args(Role)) or set(tables["parts"]) - set(get_args(PartType)):
            self.faults.append("dialects: messages name a role or part type that is not ours")
        return Words(
            roles={word: role for role, words in tables["roles"].items() for word in words},  # type: ignore[misc]
            parts={word: part for part, words in tables["parts"].items() for word in words},  # type: ignore[misc]
            members=tables["members"],
            in_messages=frozenset(chain.from_iterable(tables["members"].values())),
            idempotency=tables["arguments"].get("idempotency_key", ()),
        )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _all(documents: Mapping[str, Mapping[str, Any]], key: str) -> list[str]:
    return [str(one) for document in documents.values() for one in document.get(key, ())]


def _merge(tables: Iterable[Mapping[str, tuple[Source, ...]]]) -> dict[str, tuple[Source, ...]]:
    merged: dict[str, tuple[Source, ...]] = {}
    for table in tables:
        for fact, sources in table.items():
            merged[fact] = (*merged.get(fact, ()), *sources)
    return merged
