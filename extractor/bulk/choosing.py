"""Which traces of an export become cases: those on a list, and those that rules describe."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, reduce
from operator import or_
from typing import Final, Literal, TypeAlias

from extractor import normalise
from extractor.errors import UsageError
from extractor.model.calls import side_effecting
from extractor.model.json import JsonValue, compact
from extractor.model.span import Span, lookup
from extractor.redact import WorkspaceKey
from extractor.redact.keys import keyed_digest
from extractor.ruleset import RuleSet
from extractor.select import failing_grade

Kind: TypeAlias = Literal["error", "tool", "side_effect", "grade", "attr", "since", "until", "sample"]

_BARE: Final = frozenset({"error", "side_effect", "grade"})
_VALUED: Final = frozenset({"error", "tool", "since", "until", "sample"})
_OF_TRACE: Final = frozenset({"since", "until", "sample"})
_MOST_TERMS: Final = 60  # bits of an integer in SQLite
_HELP: Final = (
    "terms: error, error=TYPE, tool=NAME, side_effect, grade, attr:KEY=VALUE, since=TIME, until=TIME, sample=1%;"
    " terms of one --where must all hold, several --where are alternatives"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. ``value`` is a name, a text, nanoseconds since the epoch, or a share from 0 to 1."""

    kind: Kind
    key: str = ""
    value: str = ""
    number: float = 0


Rule: TypeAlias = tuple[Term, ...]
"""Terms that must all hold of a trace; each of a span of its own."""


def rule(text: str) -> Rule:
    """Return what a rule says: ``"error tool=refund.create since=2026-11-01"``. Raises `UsageError`."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if not words:
        raise UsageError("a rule of --where is empty, or has a quote that does not close", hint=_HELP)
    return tuple(map(_term, words))


def _term(word: str) -> Term:
    name, equals, value = word.partition("=")
    kind, colon, key = name.partition(":")
    if kind == "attr" and colon and key and equals:
        return Term("attr", key=key, value=value)
    if colon or (equals and (kind not in _VALUED or not value)) or (not equals and kind not in _BARE):
        raise UsageError("a rule of --where has a term that is not understood", hint=_HELP)
    if kind in ("since", "until"):
        return Term(kind, number=_nanoseconds(value))  # type: ignore[arg-type]  # one of the two
    if kind == "sample":
        return Term("sample", number=_share(value))
    return Term(kind, value=value)  # type: ignore[arg-type]  # one of the bare or valued kinds


def _nanoseconds(text: str) -> float:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError("since and until take a day or a time (RFC 3339)", hint="since=2026-11-01") from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1e9


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1
    if not 0 < share <= 1:
        raise UsageError("sample takes a share of the traces", hint="sample=1%")
    return share


class Marks:
    """Asks spans for the terms of rules, and answers in bits. It holds no key and may go to other processes."""

    def __init__(self, terms: Sequence[Term], rules: RuleSet) -> None:
        self._made_of = (terms, rules)
        self._asks = [_asks(term, rules) for term in terms]

    def __reduce__(self) -> tuple[type[Marks], tuple[Sequence[Term], RuleSet]]:
        """Be made anew where it goes: what it asks with are functions."""
        return Marks, self._made_of

    def __call__(self, span: Span) -> int:
        """Return which terms one span fulfils, a bit each."""
        return sum(1 << place for place, asks in enumerate(self._asks) if asks(span))


class Choice:
    """Says of each trace whether it becomes a case. Without list and rules every trace does.

    What spans say is gathered a record at a time, as bits; what a trace as a whole says is asked when all of it was seen.
    """

    def __init__(
        self, rules: RuleSet, key: WorkspaceKey, *, where: Sequence[Rule] = (), flagged: AbstractSet[str] | None = None
    ) -> None:
        """Raises `UsageError` for more terms than can be told apart."""
        self._where = tuple(where)
        self._flagged = flagged
        self._terms = [*dict.fromkeys(term for one in where for term in one if term.kind not in _OF_TRACE)]
        if len(self._terms) > _MOST_TERMS:
            raise UsageError(f"--where takes at most {_MOST_TERMS} different terms")
        self.marks = Marks(self._terms, rules)
        self._masks = [sum(1 << self._terms.index(term) for term in one if term in self._terms) for one in where]
        self._digest = partial(keyed_digest, key.derive("bulk-sample"))

    def bits(self, spans: Iterable[Span]) -> int:
        """Return which terms some of the spans fulfil, a bit each."""
        return reduce(or_, map(self.marks, spans), 0)

    def takes(self, trace_id: str, start_ns: int, bits: int) -> bool:
        """Say whether a trace becomes a case; ``start_ns`` is 0 where no span has a start."""
        if self._flagged is not None and trace_id in self._flagged:
            return True
        if not self._where:
            return self._flagged is None
        return any(
            bits & mask == mask and all(self._of_trace(term, trace_id, start_ns) for term in one)
            for one, mask in zip(self._where, self._masks, strict=True)
        )

    def absent(self, seen: AbstractSet[str]) -> int:
        """Return how many traces of the list were not seen."""
        return len(self._flagged - seen) if self._flagged is not None else 0

    def parts(self) -> tuple[str, ...]:
        """Return what is chosen by, as texts of which a keyed digest can be made."""
        return (repr(self._where), *(sorted(self._flagged) if self._flagged is not None else ("every",)))

    @property
    def only_listed(self) -> bool:
        """Whether nothing but the list chooses, so that other traces need not be looked at."""
        return bool(self._flagged) and not self._where

    @property
    def flagged(self) -> AbstractSet[str]:
        """The traces of the list."""
        return self._flagged or frozenset()

    def _of_trace(self, term: Term, trace_id: str, start_ns: int) -> bool:
        if term.kind == "since":
            return start_ns >= term.number
        if term.kind == "until":
            return 0 < start_ns < term.number
        if term.kind == "sample":
            # The same traces on every engine and in every run: by their ids under the key.
            return int.from_bytes(self._digest(trace_id)[:8]) < term.number * 2**64
        return True


def _asks(term: Term, rules: RuleSet) -> Callable[[Span], bool]:
    if term.kind == "error":
        return partial(_failed, kind=term.value)
    if term.kind == "attr":
        return partial(_has, key=term.key, value=term.value)
    if term.kind == "grade":
        return failing_grade(rules)
    speech = normalise.speech(rules)

    def called(span: Span) -> Iterator[str]:
        tool = speech.said(span).tool
        yield from speech.asked(span) if tool is None else (tool,)

    if term.kind == "tool":
        return lambda span: term.value in called(span)
    words = rules.documents["decisive"]["effects"]
    changes = partial(side_effecting, write=frozenset(words["write"]), read=frozenset(words["read"]))
    return lambda span: any(map(changes, called(span)))


def _failed(span: Span, *, kind: str) -> bool:
    types = [
        lookup(span.attributes, "error.type"),
        *(lookup(event.attributes, "exception.type") for event in span.events),
    ]
    if not kind:
        return span.status_code == "error" or any(types)
    return any(isinstance(each, str) and (each == kind or each.rpartition(".")[2] == kind) for each in types)


def _has(span: Span, *, key: str, value: str) -> bool:
    return any(_spelled(lookup(attributes, key)) == value for attributes in (span.attributes, span.resource.attributes))


def _spelled(value: JsonValue) -> str | None:
    return value if isinstance(value, str) or value is None else compact(value)
