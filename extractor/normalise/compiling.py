"""Rule documents below rules/dialects to dialects; every fault of every document is listed at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast, get_args  # Any: a TOML document, whose shape is checked here

from extractor.errors import RulesError
from extractor.model.span import SpanKind
from extractor.model.trace import Role
from extractor.ruleset import RuleSet

from . import shapes
from .dialects import Condition, Dialect, Example, KindRule, Mark, PartType, Place, Source, Vocabulary
from .merging import merged, texts

_Table = Mapping[str, Any]
_PLACES = frozenset({"attr", "prefix", "event", "resource", "name", "status"})


def compile_rules(rules: RuleSet) -> Vocabulary:
    """Return what the dialect documents say together; examples are not run here.

    A dialect that inherits another tries its own kinds and sources first; what the other inherits does not come along.
    Raises `RulesError`.
    """
    documents = rules.family("dialects")
    faults = [f"dialects/{name}{fault}" for name, document in documents.items() for fault in _faults(document)]
    for name, document in documents.items():
        if document.get("inherits", name) not in documents:
            faults.append(f"dialects/{name}: inherits from a dialect that is not there")
    if faults:
        raise RulesError(faults)
    own = {name: _dialect(name, document) for name, document in documents.items()}
    dialects = {name: _inheriting(own[name], own.get(documents[name].get("inherits", ""))) for name in documents}
    subject = [_sources(document.get("subject", {})) for document in documents.values()]
    examples = [example for name, document in documents.items() for example in _examples(name, document)]
    return merged(documents, dialects, subject, examples)


def _faults(document: _Table) -> Iterator[str]:
    found = list(shapes.misfits(document, shapes.DOCUMENT, needs=("title", "why", "source", "example")))
    yield from (f": {fault}" for fault in found)
    if found:
        return
    for table, shape, needs in (
        ("mark", shapes.MARK, ("rank",)),
        ("kind", shapes.KIND, ("step",)),
        ("example", shapes.EXAMPLE, ("why", "span", "expect")),
    ):
        for number, entry in enumerate(document.get(table, ()), 1):
            yield from (f" {table} {number}: {fault}" for fault in _entry_faults(table, entry, shape, needs))
    for table, names in (("facts", shapes.FACTS), ("subject", shapes.SUBJECT)):
        for fact, sources in document.get(table, {}).items():
            yield from (f" {table} {fact}{fault}" for fault in _fact_faults(fact, sources, names))
    yield from (f" messages: {fault}" for fault in _message_faults(document.get("messages", {})))
    yield from (f" arguments: {fault}" for fault in shapes.words_misfit(document.get("arguments", {})))


def _entry_faults(table: str, entry: object, shape: shapes.Shape, needs: tuple[str, ...]) -> Iterator[str]:
    found = list(shapes.misfits(entry, shape, needs=needs))
    yield from found
    if found or not isinstance(entry, dict):
        return
    if table == "mark" and not set(entry) - {"rank"}:
        yield "marks every span"
    if set(texts(entry.get("span_kind"))) - set(get_args(SpanKind)):
        yield "span_kind is none of our words"
    for span in entry.get("span", ()):
        faults = list(shapes.misfits(span, shapes.EXAMPLE_SPAN))
        yield from (f"a span: {fault}" for fault in faults)
        events = span.get("events", ()) if not faults else ()
        yield from (f for event in events for f in shapes.misfits(event, shapes.EXAMPLE_EVENT, needs=("name",)))


def _fact_faults(fact: str, sources: object, names: frozenset[str]) -> Iterator[str]:
    if fact not in names:
        yield ": unknown key"
    if not isinstance(sources, list):
        yield ": is no list of sources"
        return
    for number, source in enumerate(sources, 1):
        where = f" source {number}"
        yield from (f"{where}: {fault}" for fault in shapes.misfits(source, shapes.SOURCE))
        if isinstance(source, dict) and not set(source) & _PLACES:
            yield f"{where}: says no place"
        gathered = isinstance(source, dict) and source.get("parse") in ("pairs", "answer")
        if gathered and len(texts(source.get("attr"))) < 2:
            yield f"{where}: {source['parse']} needs two attributes or more"


def _message_faults(table: object) -> Iterator[str]:
    found = list(shapes.misfits(table, shapes.MESSAGES))
    yield from found
    if found or not isinstance(table, dict):
        return
    for name, entries in table.items():
        yield from (f"{name} {fault}" for fault in shapes.words_misfit(entries))
    kinds = {*table.get("parts", ()), *table.get("wrapped", ())}
    if set(table.get("roles", ())) - set(get_args(Role)) or kinds - set(get_args(PartType)):
        yield "a role or part type that is not ours"


def _dialect(name: str, document: _Table) -> Dialect:
    return Dialect(
        name=name,
        marks=tuple(Mark(rank=entry["rank"], when=_condition(entry)) for entry in document.get("mark", ())),
        kinds=tuple(KindRule(step=entry["step"], when=_condition(entry)) for entry in document.get("kind", ())),
        facts=_sources(document.get("facts", {})),
    )


def _inheriting(own: Dialect, parent: Dialect | None) -> Dialect:
    if parent is None:
        return own
    facts = {fact: (*own.facts.get(fact, ()), *parent.facts.get(fact, ())) for fact in {**own.facts, **parent.facts}}
    return Dialect(name=own.name, marks=own.marks, kinds=(*own.kinds, *parent.kinds), facts=facts)


def _condition(table: _Table) -> Condition:
    return Condition(
        attr=texts(table.get("attr")),
        attr_prefix=table.get("attr_prefix"),
        equals=tuple(table.get("equals", ())),
        event=texts(table.get("event")),
        name_prefix=table.get("name_prefix"),
        scope_prefix=texts(table.get("scope_prefix")),
        span_kind=cast("tuple[SpanKind, ...]", texts(table.get("span_kind"))),
        called=table.get("called"),
    )


def _sources(facts: Mapping[str, Sequence[_Table]]) -> dict[str, tuple[Source, ...]]:
    return {fact: tuple(_source(table) for table in tables) for fact, tables in facts.items()}


def _source(table: _Table) -> Source:
    places: tuple[Place, ...] = ("event", "resource", "name", "status")
    return Source(
        place=next((place for place in places if table.get(place)), "attribute"),
        keys=texts(table.get("resource")) or texts(table.get("attr")),
        prefix=table.get("prefix"),
        events=texts(table.get("event")),
        parse=table.get("parse", "as_is"),
        member=tuple(table["member"].split(".")) if "member" in table else (),
        where=table.get("where", {}),
        label=table.get("label"),
        unwrap=texts(table.get("unwrap")),
        skip=texts(table.get("skip")),
        ignore=tuple(table.get("ignore", ())),
        constant=table.get("constant"),
        strip=table.get("strip"),
    )


def _examples(name: str, document: _Table) -> Iterator[Example]:
    for number, entry in enumerate(document["example"], 1):
        where = f"dialects/{name} example {number}"
        yield Example(where=where, spans=tuple(entry["span"]), expect=entry["expect"])
