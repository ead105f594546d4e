"""What a dialect's rules say: marks, kinds, and where each fact is kept. Data in, data out; no span is read here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue
from extractor.model.span import SpanKind
from extractor.model.trace import Role, StepKind

Place: TypeAlias = Literal["attribute", "event", "resource", "name", "status"]
PartType: TypeAlias = Literal["text", "tool_call", "tool_result", "reasoning", "external"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What must be true of a span; every member that is given must hold, and none given always holds.

    ``calls`` asks whether somebody in the trace called this span over a wire (its parent or a link says so).
    """

    attr: tuple[str, ...] = ()
    attr_prefix: str | None = None
    equals: tuple[JsonValue, ...] = ()
    event: tuple[str, ...] = ()
    name_prefix: str | None = None
    scope_prefix: tuple[str, ...] = ()
    span_kind: tuple[SpanKind, ...] = ()
    called: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where one value may stand, and how it is read.

    ``keys`` are tried in order; ``prefix`` takes a whole family of attributes. ``member`` goes into the parsed value,
    where its members are as ``where`` says (``*`` is any value), and reads JSON that stands there once more; ``ignore`` are values that say nothing, ``constant`` replaces a value whose presence alone counts.
    ``label`` names the value in a mapping: for parameters and usage the member, for pairs the key that holds the name.
    """

    place: Place = "attribute"
    keys: tuple[str, ...] = ()
    prefix: str | None = None
    events: tuple[str, ...] = ()
    parse: str = "as_is"
    member: tuple[str, ...] = ()
    where: Mapping[str, JsonValue] = field(default_factory=dict)
    label: str | None = None
    unwrap: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    ignore: tuple[JsonValue, ...] = ()
    constant: str | None = None
    strip: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A sign that a span speaks a dialect; the lowest rank among all dialects wins."""

    rank: int
    when: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRule:
    """The step that a span of the dialect is when the condition holds."""

    step: StepKind
    when: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One vocabulary: how its spans are told, which steps they are, where the facts stand."""

    name: str
    marks: tuple[Mark, ...] = ()
    kinds: tuple[KindRule, ...] = ()
    facts: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Spellings inside messages and arguments: roles, part types, member names; list order is precedence.

    ``wrapped`` are members that hold a part and say by their own name what it is. ``in_messages`` are all the members of a message that are read, or need not be.
    """

    roles: Mapping[str, Role] = field(default_factory=dict)
    parts: Mapping[str, PartType] = field(default_factory=dict)
    wrapped: Mapping[str, PartType] = field(default_factory=dict)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    in_messages: frozenset[str] = frozenset()
    idempotency: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Spans, each the child of the one before, and what must be read of the last one."""

    where: str
    spans: tuple[Mapping[str, JsonValue], ...] = field(repr=False)
    expect: Mapping[str, JsonValue] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All dialects in force, merged where they share: subject, fallback facts, masked values, known keys."""

    dialects: Mapping[str, Dialect]
    subject: Mapping[str, tuple[Source, ...]]
    fallback: Mapping[str, tuple[Source, ...]]
    words: Words
    masked: frozenset[str]
    masked_prefixes: tuple[str, ...]
    external: frozenset[str]
    known: frozenset[str]
    known_prefixes: tuple[str, ...]
    known_events: frozenset[str]
    examples: tuple[Example, ...] = ()

    def is_masked(self, value: JsonValue) -> bool:
        """Return whether a value was masked before export, so that it is not data."""
        return isinstance(value, str) and (value in self.masked or value.startswith(self.masked_prefixes))

    def knows(self, key: str) -> bool:
        """Return whether any rule reads the attribute, or says that it need not be read."""
        return key in self.known or key.startswith(self.known_prefixes)
