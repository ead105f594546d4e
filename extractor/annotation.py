"""What people say of a quarantined case afterwards: put in, redacted and proved like the trace's own text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from .assemble import alternates, demanded, hold_lane, incomplete, restated
from .errors import InputUnreadable, StructureChanged, UsageError
from .model.case import Case, Document, Fixture, Proofs, RedactedCase
from .model.config import RunConfig, Statement
from .model.json import JsonValue, leaves, number, pretty
from .model.layout import FIXTURE, PROVENANCE, README
from .model.reading import Reading
from .model.replayable import replayable
from .model.selection import NOTHING_SELECTED
from .model.trace import Subject, Trace
from .redact import WorkspaceKey, recalled, redact
from .ruleset import RuleSet
from .schemas import schema_problems
from .standing import Standing, standing
from .verify import prove, seal
from .write import Notices, render_fixture, render_readme, stand_ins

_WORD = re.compile(r"\w(?:[\w.@+-]*\w)?")
_PUNCTUATION = re.compile(r"[\W_]+")
_LONG = 5
_Scalar: TypeAlias = tuple[str, str]
"""A member's name, and the text or the number's spelling that is its value."""
_NO_TRACE = Trace(trace_ids=(), spans=(), steps=(), subject=Subject(), dialects=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """The case as it may be stored again."""

    fixture: Fixture
    capture: bytes = field(repr=False)


def annotate(case: Path, told: Statement, config: RunConfig, rules: RuleSet, key: WorkspaceKey) -> Annotated:
    """Return the case with what was told in its expectations, incident and versions (those of ``config``).

    What stands in the case already may be named as it stands there. Raises `UsageError` when nothing is told, and what
    `standing`, redaction and the proofs raise.
    """
    now = standing(case, key, control=True)
    now = replace(now, document=_violating(now.document, told.violations))
    typed = _typed(told, config)
    if not typed and not told.violations:
        raise UsageError("nothing to note: give at least one option", hint="extract-fixture annotate --help")
    redacted = _redacted(typed, now, config, rules, key)
    document = redacted.document
    hold_lane(document)
    can_replay = replayable(document)
    notices = Notices.standing(now.predicate).and_more(Notices.of(redacted))
    files = {
        FIXTURE: render_fixture(document),
        README: render_readme(
            document,
            replayable=can_replay,
            notices=notices,
            minimised="minimised" in now.predicate,
            control=now.predicate.get("control"),
        ),
    }
    proofs = prove(redacted, [typed], files, rules)
    if problems := schema_problems(document, "fixture"):
        raise StructureChanged([f"schema: {problem}" for problem in problems])
    sidecar = pretty(_sidecar(now.statement, document, files[FIXTURE], proofs, notices)).encode("utf-8")
    fixture = seal(
        str(document["case_id"]),
        {**files, PROVENANCE: sidecar},
        redacted,
        proofs,
        incomplete=incomplete(document),
        replayable=can_replay,
    )
    return Annotated(fixture=fixture, capture=now.capture)


def _violating(document: Document, violations: Sequence[str]) -> Document:
    """Return the document with the attempts that are the recorded harm called so, by their number or their tool."""
    events = document.get("tool_events")
    listed = [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []
    for position, wanted in enumerate(violations, start=1):
        meant = [event for event in listed if wanted in (str(event.get("attempt")), event.get("tool"))]
        if not meant:
            raise UsageError(f"--violation number {position} names no attempt and no tool of this case")
        listed = [{**event, "role": "violation"} if event in meant else event for event in listed]
    return {**document, "tool_events": list(listed)} if violations else document


def _typed(told: Statement, config: RunConfig) -> Document:
    """Return the members that are told, as a fixture has them."""
    adapter: Document | None = {"name": told.adapter[0], "version": told.adapter[1]} if told.adapter else None
    members: Document = {
        "incident_id": told.incident,
        "workflow_version": config.workflow_version,
        "prompt_version": config.prompt_version,
        "adapter": adapter,
        "alternates": alternates(told.alternates),
        "expected": demanded(told),
        "lane": told.lane,
    }
    return {name: value for name, value in members.items() if value}


def _redacted(typed: Document, now: Standing, config: RunConfig, rules: RuleSet, key: WorkspaceKey) -> RedactedCase:
    """Return the whole case with the told members redacted, beside what a proof of them needs."""
    redacted, kept = told_members(typed, now, config, rules, key)
    return replace(redacted, document=_merged(now.document, kept), original=_merged(now.document, typed))


def told_members(
    typed: Document, now: Standing, config: RunConfig, rules: RuleSet, key: WorkspaceKey
) -> tuple[RedactedCase, Document]:
    """Return the redaction of typed members under the scope of a case, and the members as they may be put into it.

    ``known`` of the redaction are the originals among what was typed: what stands in the case has been proved to be none.
    """
    empty = Case(document=typed, trace=_NO_TRACE, selection=NOTHING_SELECTED, reading=Reading(spans=()))
    texts = [leaf for _, leaf in leaves(typed) if isinstance(leaf, str)]
    also = recalled(texts, now.known, key, now.scope)
    redacted = redact(empty, rules, replace(config, scope=now.scope), key, also=also)
    originals = frozenset(value.text.casefold() for value in also)
    # A number that stands in the case may be part of an original here, and a known value is one wherever it stands.
    own = frozenset(word for word in _words(now.document) if not word.isdigit() and word.casefold() not in originals)
    # Not so one that is the whole value of the same member: an answer that people type has the recorded ones' values.
    whole = frozenset(each for each in _scalars(now.document) if each[1].casefold() not in originals)
    given = {text.casefold() for name, text in _scalars(typed) if (name, text) in whole}
    # What stands in the case has been proved to be no original.
    known = tuple(
        value
        for value in redacted.known
        if (text := value.text.casefold()) in originals or (text not in given and not _stands(value.text, own))
    )
    return replace(redacted, known=known), _keeping(typed, redacted.document, own, whole)


def _merged(document: Document, members: Mapping[str, JsonValue]) -> Document:
    """Return the document with members put in and the evidence that they are no longer missing left out."""
    expected, told = document.get("expected"), members.get("expected")
    merged = {**document, **members}
    if isinstance(expected, dict) and isinstance(told, dict):
        merged["expected"] = restated(expected, told)
    missing = document.get("missing_evidence")
    if isinstance(missing, list):
        merged["missing_evidence"] = [
            entry for entry in missing if not (isinstance(entry, dict) and entry.get("field") in members)
        ]
    return merged


def _words(value: JsonValue) -> Iterator[str]:
    for _, leaf in leaves(value):
        if isinstance(leaf, str):
            yield from _WORD.findall(leaf)


def _stands(text: str, own: frozenset[str]) -> bool:
    """Say whether every word of a known value stands in the case, whole or, from five characters on, inside another."""
    plain = [_PUNCTUATION.sub("", word).casefold() for word in own]
    words = [_PUNCTUATION.sub("", word).casefold() for word in _WORD.findall(text)]
    return bool(words) and all(
        any(word == other or (len(word) >= _LONG and word in other) for other in plain) for word in words
    )


def _scalars(value: JsonValue, name: str = "") -> Iterator[_Scalar]:
    """Yield each text and number with the name of the member that it is the value of, or is listed under."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _scalars(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from _scalars(child, name)
    elif isinstance(value, str):
        yield name, value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, number(value)


def _keeping(before: JsonValue, after: JsonValue, own: AbstractSet[str], whole: AbstractSet[_Scalar]) -> Document:
    """Return ``after`` with what stands in the case already given back: whole values, and words where word answers to word."""
    kept = _given_back(before, after, own, whole)
    if not isinstance(kept, dict):
        raise StructureChanged(["the told members lost their shape"])
    return kept


def _given_back(
    before: JsonValue, after: JsonValue, own: AbstractSet[str], whole: AbstractSet[_Scalar], name: str = ""
) -> JsonValue:
    if isinstance(before, dict) and isinstance(after, dict):
        return {
            now: _given_back(old, new, own, whole, was)
            for (now, new), (was, old) in zip(after.items(), before.items(), strict=True)
        }
    if isinstance(before, list) and isinstance(after, list):
        return [_given_back(old, new, own, whole, name) for old, new in zip(before, after, strict=True)]
    if not whole.isdisjoint(_scalars(before, name)):
        return before
    if not isinstance(before, str) or not isinstance(after, str):
        return after
    words = _WORD.findall(before)
    if len(words) != len(_WORD.findall(after)):
        return after
    answers = iter(words)
    return _WORD.sub(lambda match: word if (word := next(answers)) in own else match.group(), after)


def _sidecar(statement: Document, document: Document, fixture: bytes, proofs: Proofs, notices: Notices) -> Document:
    """Return the case's statement about the new bytes; what it says of the extraction stays."""
    predicate, subject = statement.get("predicate"), statement.get("subject")
    if not isinstance(predicate, dict) or not isinstance(subject, list) or not isinstance(subject[0], dict):
        raise InputUnreadable(f"{PROVENANCE} is no statement about a fixture")
    source, residual, redaction, relations = (
        predicate.get(name) for name in ("source", "residual", "redaction", "relations")
    )
    found: list[JsonValue] = [dict(asdict(place)) for place in proofs.residual]
    standing = residual if isinstance(residual, list) else []
    changed = {
        "source": {**source, "incident_id": document.get("incident_id")} if isinstance(source, dict) else source,
        "residual": [*standing, *(place for place in found if place not in standing)],
        "redaction": {**redaction, "secrets": list(notices.secrets)} if isinstance(redaction, dict) else redaction,
        "flags": list(notices.flags),
        "relations": related(relations, proofs),
    }
    digest: JsonValue = {"sha256": hashlib.sha256(fixture).hexdigest()}
    return {**statement, "subject": [{**subject[0], "digest": digest}], "predicate": {**predicate, **changed}}


def related(relations: JsonValue, proofs: Proofs) -> JsonValue:
    """Return what the sidecar says of relations with the pseudonyms of the told text among those of the trace."""
    if not isinstance(relations, dict) or not isinstance(standing := relations.get("pseudonyms"), list):
        return relations
    new = [one for one in stand_ins(proofs.pseudonyms) if one not in standing]
    return {**relations, "pseudonyms": [*standing, *new]}
