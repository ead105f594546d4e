"""The case on its way: with originals, redacted, proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .evidence import Attempt
from .json import JsonValue
from .reading import OutsideRecord, Reading
from .selection import Selection
from .trace import Trace

Document: TypeAlias = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The fixture's document, still with originals: in memory only.

    ``becomes`` names, for a span id, the place in the document that it turned into (``tool_events[2]``). ``attempts`` are
    the timing evidence, ``base_ns`` the start of the earliest kept span, from which its times count.
    """

    document: Document
    trace: Trace
    selection: Selection
    reading: Reading
    becomes: Mapping[str, str] = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()
    base_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionCount:
    """How often one class was replaced, and by which rules; no text."""

    entity: str
    values: int
    occurrences: int
    rules: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """A source token that survived and that no rule explains, or an ambiguous one; ``[start, end)`` in characters."""

    code: str
    path: str
    start: int
    end: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownValue:
    """An identifier of the source: memory only, never written, logged or shown (``repr`` hides the text).

    ``text`` is the spelling first met, ``entity`` its class, ``rule`` what found it; ``secret`` values are credentials.
    ``everywhere`` values must be absent from every byte; the others were found by the language model alone and were
    replaced only where it found them. ``word`` values are single tokens that could be ordinary words or codes (Will,
    Li, Mia): they must be absent as a token in exactly this spelling, other spellings are ambiguous, not leaks.
    """

    text: str = field(repr=False)
    entity: str
    rule: str
    secret: bool = False
    everywhere: bool = True
    word: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretFound:
    """A credential that stood in the trace: its kind and rule, never its value.

    ``steps`` are places of the case (``tool_events[2]``), none when it stood outside it alone; ``spans`` are synthetic ids
    of all spans that held it, in the order of the selection.
    """

    kind: str
    rule: str
    steps: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A step of the case whose text a person must look at, whatever was replaced in it; ``count`` signs spoke for it."""

    category: str
    step: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """The model that read free text. ``sha256`` is over all its files; ``pinned`` says by whom: rules, project, nobody."""

    name: str
    version: str | None
    sha256: str
    pinned: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedCase:
    """The document after rewriting, beside what verify needs to prove it: its original and the known values.

    ``span_ids`` maps original to synthetic span ids, ``attempts`` hold original ones; ``trace_refs`` are keyed digests of the trace ids, in the order of
    the trace ids.
    """

    document: Document
    original: Document = field(repr=False)
    known: tuple[KnownValue, ...] = field(repr=False)
    counts: tuple[RedactionCount, ...]
    selection: Selection
    becomes: Mapping[str, str]
    span_ids: Mapping[str, str] = field(repr=False)
    trace_refs: tuple[str, ...]
    scope: str
    key_id: str
    models: tuple[LanguageModel, ...] = ()
    secrets: tuple[SecretFound, ...] = ()
    flags: tuple[Flag, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    base_ns: int = 0
    outside: tuple[OutsideRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationCount:
    """Replaced occurrences of one class: how many values they have, and how many occurrences kept their relations."""

    entity: str
    values: int
    occurrences: int
    preserved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pseudonym:
    """One stand-in of the case and its class; ``original`` is memory only, never written, logged or shown by ``repr``."""

    text: str
    entity: str
    original: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    """What verify found true of the bytes; ``digests`` are the SHA-256, in hex, of the files that it read.

    ``searched`` counts the known values that no file holds, ``relations`` the replaced occurrences, both by class;
    ``pseudonyms`` are the distinct stand-ins of those occurrences, each with what it stands for; ``accepted`` is what would be
    residual, had a reviewer not said that it may stay.
    """

    known_values: int
    leaks: int
    residual: tuple[Residual, ...]
    classes: int
    occurrences: int
    preserved: int
    searched: Mapping[str, int] = field(default_factory=dict)
    relations: tuple[RelationCount, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    pseudonyms: tuple[Pseudonym, ...] = ()
    accepted: tuple[Residual, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A proved case: the very bytes that verify read. Only verify makes one."""

    case_id: str
    files: Mapping[str, bytes]
    proofs: Proofs
    incomplete: bool
    replayable: bool
