"""All spans of the wanted traces, over all sources: by id, by prefix, by session, and one hop along links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from extractor.errors import InputUnreadable, TraceNotFound, UsageError
from extractor.model.config import Wanted
from extractor.model.reading import Note, Reading, SourceFile
from extractor.model.span import Span

from .attach import attached
from .containers import ids
from .containers.interface import Attachment, RefusedError
from .ledger import LOST
from .locate import ByteFinder, Needles
from .merge import merged
from .observe import observe
from .scan import Hit, Scanner
from .sessions import sessions_of

_LEAST_DIGITS = 8
# What a reader says of its source that makes a trace incomplete, whichever files hold the rest of it.
_OF_TRACE = frozenset(
    {
        "partial_answer", "further_pages", "sampled_spans", "content_stored_elsewhere", "annotation_row_not_joined", "server_warning",
        "times_adjusted_by_server", "row_deleted", "file_unreadable", "order_between_kinds_not_recorded", "times_not_recorded",
        "arguments_not_recorded", "decoded_from_string", "error_without_text", "output_beside_error",
    }
)  # fmt: skip
# What tells that spans of a trace are absent.
_PARTIAL = frozenset({"missing_root", "orphan_span"})
_MOST_CHARACTERS = 300
_ID_LIKE = re.compile(r"\w[\w.:/=+-]*")


@dataclass(slots=True, kw_only=True)
class _Catch:
    """What passes have brought in so far."""

    spans: dict[tuple[str, str], list[Span]] = field(default_factory=dict)
    attachments: dict[str, Attachment] = field(default_factory=dict)
    records: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)
    containers: dict[int, set[str]] = field(default_factory=dict)
    by_prefix: dict[str, set[str]] = field(default_factory=dict)
    by_session: dict[str, set[str]] = field(default_factory=dict)
    traces_seen: set[str] = field(default_factory=set)
    of_source: dict[int, list[Span]] = field(default_factory=dict)
    told_in: dict[str, set[int]] = field(default_factory=dict)
    unspelled: bool = False
    """Whether a trace has an id that its records do not hold as it was sought: no byte search finds all of it."""

    def trace_ids(self) -> set[str]:
        """Return the traces whose spans are held."""
        return {trace_id for trace_id, _ in self.spans}

    def take(self, hit: Hit, spans: Iterable[Span], attachments: Iterable[Attachment]) -> None:
        """Hold spans and what is told of them, and remember where they stood."""
        for attachment in attachments:
            self.attachments[repr(attachment)] = attachment
            self.told_in.setdefault(repr(attachment), set()).add(hit.source.number)
            self._note(hit)
        for span in spans:
            self.spans.setdefault((span.trace_id, span.span_id), []).append(span)
            self.of_source.setdefault(hit.source.number, []).append(span)
            self._note(hit)

    def forget(self, source: int) -> None:
        """Let go of all that a source gave: it turned out damaged, so that nothing in it can be relied on."""
        for span in self.of_source.pop(source, ()):
            versions = self.spans[span.trace_id, span.span_id]
            versions.remove(span)
            if not versions:
                del self.spans[span.trace_id, span.span_id]
        for text, sources in self.told_in.items():
            sources.discard(source)
            if not sources:
                self.attachments.pop(text, None)
        self.records.pop(source, None)
        self.containers.pop(source, None)

    def _note(self, hit: Hit) -> None:
        self.records.setdefault(hit.source.number, {})[hit.frame.number] = (hit.frame.start, hit.frame.end)
        self.containers.setdefault(hit.source.number, set()).add(hit.container)


def gather(scanner: Scanner, wanted: Wanted) -> Reading:
    """Return the reading. Raises `TraceNotFound`, `InputUnreadable`, and `UsageError` for ids that are none.

    A damaged source among several is no error where the wanted traces, asked for by whole ids, stand whole in the others:
    no span without its parent, and a root. Since it may hold more of them, the notes of the spans tell it.
    """
    if len(scanner.sources) < 2:
        return _gathered(scanner, wanted)
    damaged: dict[int, InputUnreadable] = {}
    try:
        reading = _gathered(replace(scanner, damaged=damaged), wanted)
    except (TraceNotFound, InputUnreadable):
        _refuse_damaged(damaged)
        raise
    exact = not wanted.sessions and all(len(_asked(text)) == ids.TRACE_DIGITS for text in wanted.trace_ids)
    if not exact or is_partial(reading):
        _refuse_damaged(damaged)
    return reading


def is_partial(reading: Reading) -> bool:
    """Return whether spans of the traces are absent: one without its parent, or no root."""
    return not _PARTIAL.isdisjoint(note.code for note in reading.span_notes)


def gather_again(scanner: Scanner, trace_id: str, hits_of: Callable[[str], Iterable[Hit]]) -> Reading:
    """Return the reading of a trace whose records are known: what `gather` finds by its whole id.

    ``hits_of`` gives every record that says something of a trace, in source order. Raises `TraceNotFound`.
    """
    catch = _Catch()
    _take_all(catch, trace_id, hits_of)
    linked = _linked(catch)
    for target in sorted(linked):
        _take_all(catch, target, hits_of)
    return _reading(scanner, catch, linked)


def _take_all(catch: _Catch, trace_id: str, hits_of: Callable[[str], Iterable[Hit]]) -> None:
    for hit in hits_of(trace_id):
        spans = [span for span in hit.spans if span.trace_id == trace_id]
        catch.take(hit, spans, [told for told in hit.attachments if told.trace_id == trace_id])


def _linked(catch: _Catch) -> set[str]:
    targets = {link.trace_id for versions in catch.spans.values() for span in versions for link in span.links}
    return targets - catch.trace_ids()


def _refuse_damaged(damaged: Mapping[int, InputUnreadable]) -> None:
    """Raise the fault of the first damaged source, if there is one."""
    for _, fault in sorted(damaged.items()):
        raise fault


def _gathered(scanner: Scanner, wanted: Wanted) -> Reading:
    asked = tuple(dict.fromkeys(_asked(trace_id) for trace_id in wanted.trace_ids))
    spellings = tuple(text for text in dict.fromkeys(map(str.strip, wanted.trace_ids)) if text not in asked)
    sessions = tuple(dict.fromkeys(session for session in wanted.sessions if session))
    if not asked and not sessions:
        raise UsageError("name a trace id or a session")
    needles = Needles(trace_ids=asked, sessions=sessions, spellings=spellings)
    catch = _first_pass(scanner, needles, everything=False)
    everything = bool(_missing(catch, needles)) or catch.unspelled
    if everything:
        # Slow, once, and only when an id was not found: it may be spelled in a way that no byte search knows,
        # and if it is not there either the message can say how many traces are.
        catch = _first_pass(scanner, needles, everything=True)
        _refuse_missing(scanner, catch, needles, frozenset(map(_asked, filter(_is_odd, wanted.trace_ids))))
    _refuse_ambiguous(catch)
    of_sessions = set().union(*catch.by_session.values()) if catch.by_session else set()
    _more(scanner, catch, of_sessions - catch.trace_ids(), everything=everything)
    linked = _linked(catch)
    _more(scanner, catch, linked, everything=everything)
    return _reading(scanner, catch, linked)


def _asked(text: str) -> str:
    """Return the id or the prefix that a text asks for. Raises `UsageError`."""
    digits = text.strip().lower().removeprefix("0x")
    of_hex = not digits.strip("0123456789abcdef")
    if of_hex and _LEAST_DIGITS <= len(digits) < ids.TRACE_DIGITS:
        return digits
    # Hex of any other length is a slip of the pen rather than an id of another system.
    slip = (of_hex and len(digits) != ids.TRACE_DIGITS) or len(digits) > _MOST_CHARACTERS or not digits.isprintable()
    try:
        return ids.foreign_trace_id(None if slip else text.strip())
    except RefusedError:
        raise _no_id() from None


def whole_id(text: str) -> str | None:
    """Return the id of the trace that a text names as its system spells it, in 32 hex digits; None for what names none.

    A prefix names none: hex has 32 digits here, or the 16 of 64-bit ids.
    """
    text = text.strip()
    digits = text.lower().removeprefix("0x")
    if not digits.strip("0123456789abcdef") and len(digits) not in {ids.TRACE_DIGITS, ids.TRACE_DIGITS // 2}:
        return None
    try:
        return None if _is_odd(text) or len(text) > _MOST_CHARACTERS else ids.foreign_trace_id(text)
    except RefusedError:
        return None


def _padded(digits: str) -> str:
    """Return the id that 64-bit systems write without its leading zeros, as Zipkin and Jaeger do."""
    return digits.zfill(ids.TRACE_DIGITS) if len(digits) <= ids.TRACE_DIGITS // 2 else digits


def _is_odd(text: str) -> bool:
    """Return whether a text looks like no id at all, though some system may have it as one."""
    if not text.strip().lower().strip("0123456789abcdef") or (_ID_LIKE.fullmatch(text) and any(map(str.isdigit, text))):
        return False
    try:
        return not ids.trace_id(text.strip())
    except RefusedError:
        return True


def _no_id() -> UsageError:
    return UsageError(
        "a trace id has 32 hex digits, or is spelled as its system spells it",
        hint=f"a prefix of at least {_LEAST_DIGITS} digits is enough where only one trace begins with it",
    )


def _first_pass(scanner: Scanner, needles: Needles, *, everything: bool) -> _Catch:
    catch = _Catch()
    whole = {trace_id for trace_id in needles.trace_ids if len(trace_id) == ids.TRACE_DIGITS}
    prefixes = tuple(trace_id for trace_id in needles.trace_ids if trace_id not in whole)
    sessions = frozenset(needles.sessions)
    spelled = _Spelled(needles.spellings)
    for hit in scanner.hits(None if everything else needles):
        kept: list[Span] = []
        by_session: set[str] = set()
        told: list[Attachment] = []
        items: tuple[Span | Attachment, ...] = (*hit.spans, *hit.attachments)
        for item in items:
            begun = [prefix for prefix in prefixes if item.trace_id.startswith((prefix, _padded(prefix)))]
            for session in sessions.intersection(sessions_of(item.attributes)) if sessions else ():
                catch.by_session.setdefault(session, set()).add(item.trace_id)
                by_session.add(item.trace_id)
            if isinstance(item, Attachment):
                if begun or item.trace_id in whole:
                    told.append(item)
                continue
            catch.traces_seen.add(item.trace_id)
            for prefix in begun:
                catch.by_prefix.setdefault(prefix, set()).add(item.trace_id)
            if begun or item.trace_id in whole:
                kept.append(item)
        catch.take(hit, kept, told)
        found = by_session.union(span.trace_id for span in kept)
        catch.unspelled = catch.unspelled or not all(spelled.stands_in(hit, trace_id) for trace_id in found)
    _forget_damaged(scanner, catch)
    return catch


def _forget_damaged(scanner: Scanner, catch: _Catch) -> None:
    for source in scanner.damaged or ():
        catch.forget(source)


class _Spelled:
    """Tells whether a record holds a trace id in a form that a search of bytes knows."""

    def __init__(self, spellings: tuple[str, ...]) -> None:
        self._spellings = spellings
        self._finders: dict[str, ByteFinder] = {}

    def stands_in(self, hit: Hit, trace_id: str) -> bool:
        finder = self._finders.get(trace_id)
        if finder is None:
            finder = Needles(trace_ids=(trace_id,), spellings=self._spellings).finder(b"")
            self._finders[trace_id] = finder
        return bool(finder.positions(hit.frame.form, hit.frame.data))


def _more(scanner: Scanner, catch: _Catch, trace_ids: set[str], *, everything: bool) -> None:
    if not trace_ids:
        return
    needles = None if everything else Needles(trace_ids=tuple(sorted(trace_ids)))
    for hit in scanner.hits(needles):
        catch.take(
            hit,
            [span for span in hit.spans if span.trace_id in trace_ids],
            [told for told in hit.attachments if told.trace_id in trace_ids],
        )
    _forget_damaged(scanner, catch)


def _missing(catch: _Catch, needles: Needles) -> list[str]:
    found = catch.trace_ids()
    missing = ["trace" for trace_id in needles.trace_ids if trace_id not in found and trace_id not in catch.by_prefix]
    return missing + ["session" for session in needles.sessions if session not in catch.by_session]


def _refuse_missing(scanner: Scanner, catch: _Catch, needles: Needles, odd: frozenset[str]) -> None:
    missing = _missing(catch, needles)
    if not missing:
        return
    seen = len(catch.traces_seen)
    if not seen:
        raise scanner.no_span()
    if odd - catch.trace_ids():
        raise _no_id()
    what = "session" if "trace" not in missing else "trace"
    some = f"{len(missing)} of the wanted {what}s are" if len(missing) > 1 else f"the wanted {what} is"
    faults = ", ".join(f"{note.code} {note.count}" for note in scanner.ledger.notes() if note.code in LOST)
    raise TraceNotFound(
        f"{some} not among the {seen} {'trace' if seen == 1 else 'traces'} in the sources"
        + (f" ({faults})" if faults else ""),
        hint=f"`inspect` lists them; a unique prefix of at least {_LEAST_DIGITS} hex digits is enough",
    )


def _refuse_ambiguous(catch: _Catch) -> None:
    for prefix, trace_ids in sorted(catch.by_prefix.items()):
        if len(trace_ids) > 1:
            raise TraceNotFound(
                f"{len(trace_ids)} traces begin with the same {len(prefix)} digits that were given",
                hint="a prefix must be unique: give more digits",
            )


def _reading(scanner: Scanner, catch: _Catch, linked: set[str]) -> Reading:
    spans = []
    duplicates = 0
    conflicting = set()
    for key, versions in catch.spans.items():
        span, different = merged(versions)
        spans.append(span)
        duplicates += len(versions) - 1
        if different > 1:
            conflicting.add(key)
    spans.sort(key=lambda span: span.order)
    if not spans:
        raise TraceNotFound("the sources say something of the wanted trace, but hold no span of it")
    spans, unattached = attached(spans, catch.attachments.values())
    shown = scanner.limits.places
    present = catch.trace_ids()
    file_notes = [Note(code="records_read", count=sum(map(len, catch.records.values())))]
    if duplicates:
        file_notes.append(Note(code="duplicates_merged", count=duplicates))
    span_notes = [*observe(spans, shown=shown)]
    noted = scanner.ledger.notes()
    # Of its own records: what stands beside a trace, and how it was found, must not show in what is told of it.
    told = scanner.ledger.counts(catch.records)
    span_notes += [Note(code=code, count=count) for code, count in told.items() if code in _OF_TRACE]
    if unattached:
        span_notes.append(Note(code="log_without_span", count=unattached))
    if conflicting:
        where = [
            f"span {number}" for number, span in enumerate(spans, 1) if (span.trace_id, span.span_id) in conflicting
        ]
        span_notes.append(Note(code="versions_merged", count=len(where), places=tuple(where[:shown])))
    for code, count in (
        ("linked_trace_added", len(linked & present)),
        ("linked_trace_absent", len(linked - present)),
    ):
        if count:
            span_notes.append(Note(code=code, count=count))
    return Reading(
        spans=tuple(spans),
        files=_files(scanner, catch),
        file_notes=tuple(sorted((*file_notes, *noted), key=lambda note: note.code)),
        span_notes=tuple(sorted(span_notes, key=lambda note: note.code)),
    )


def _files(scanner: Scanner, catch: _Catch) -> tuple[SourceFile, ...]:
    return tuple(
        SourceFile(
            name=source.name,
            digest=source.digest(),
            container=",".join(sorted(catch.containers[source.number])),
            ranges=tuple(sorted(set(catch.records[source.number].values()))),
        )
        for source in scanner.sources
        if source.number in catch.records
    )
