"""What dialects share, merged over all documents: subject, fallback facts, spellings, masked values, known keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, cast  # Any: a TOML document whose shape was checked

from extractor.model.trace import Role

from .dialects import Dialect, Example, PartType, Source, Vocabulary, Words

_Documents = Mapping[str, Mapping[str, Any]]
_Facts = Mapping[str, tuple[Source, ...]]


def merged(
    documents: _Documents, dialects: Mapping[str, Dialect], subject: Sequence[_Facts], examples: Sequence[Example]
) -> Vocabulary:
    """Return the vocabulary of checked documents; those without marks say what holds for every span."""
    who = _joined(subject)
    facts = chain.from_iterable(dialect.facts.values() for dialect in dialects.values())
    sources = list(chain.from_iterable([*facts, *who.values()]))
    masked, known = _all(documents, "masked"), _all(documents, "known")
    return Vocabulary(
        dialects={name: dialect for name, dialect in dialects.items() if dialect.marks},
        subject=who,
        fallback=_joined(dialect.facts for dialect in dialects.values() if not dialect.marks),
        words=_words(documents),
        masked=frozenset(text for text in masked if not text.endswith("*")),
        masked_prefixes=tuple(text[:-1] for text in masked if text.endswith("*")),
        external=frozenset(_all(documents, "external")),
        known=frozenset(
            (*_read(sources, dialects), *_all(documents, "external"), *(key for key in known if not key.endswith("*")))
        ),
        known_prefixes=(
            *(key[:-1] for key in known if key.endswith("*")),
            *(source.prefix for source in sources if source.prefix and source.place == "attribute"),
        ),
        known_events=frozenset((*_all(documents, "known_events"), *chain(*(source.events for source in sources)))),
        examples=tuple(examples),
    )


def texts(value: object) -> tuple[str, ...]:
    """Return a text or a list of texts as a tuple."""
    if isinstance(value, str):
        return (value,)
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _read(sources: Iterable[Source], dialects: Mapping[str, Dialect]) -> Iterable[str]:
    for source in sources:
        if source.place == "attribute":
            yield from source.keys
        if source.parse == "mime":
            yield from (key.rpartition(".")[0] + ".mime_type" for key in source.keys)
    for dialect in dialects.values():
        yield from chain.from_iterable(mark.when.attr for mark in dialect.marks)


def _words(documents: _Documents) -> Words:
    messages = [document.get("messages", {}) for document in documents.values()]
    roles, parts, members, wrapped = (
        _lists(table.get(name, {}) for table in messages) for name in ("roles", "parts", "members", "wrapped")
    )
    arguments = _lists(document.get("arguments", {}) for document in documents.values())
    return Words(
        roles=cast("dict[str, Role]", _by_word(roles)),
        parts=cast("dict[str, PartType]", _by_word(parts)),
        wrapped=cast("dict[str, PartType]", _by_word(wrapped)),
        members=members,
        in_messages=frozenset(chain.from_iterable(members.values())),
        idempotency=arguments.get("idempotency_key", ()),
    )


def _lists(tables: Iterable[Mapping[str, object]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for table in tables:
        for key, words in table.items():
            found[key] = (*found.get(key, ()), *texts(words))
    return found


def _by_word(lists: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {word: key for key, words in lists.items() for word in words}


def _joined(tables: Iterable[_Facts]) -> dict[str, tuple[Source, ...]]:
    found: dict[str, tuple[Source, ...]] = {}
    for table in tables:
        for fact, sources in table.items():
            found[fact] = (*found.get(fact, ()), *sources)
    return found


def _all(documents: _Documents, key: str) -> list[str]:
    return [str(one) for document in documents.values() for one in document.get(key, ())]
