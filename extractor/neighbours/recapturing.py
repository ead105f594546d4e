"""The next version of a case: the same words of the user, recorded again from the fixed code; the old version stays."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputUnreadable, UsageError, ValidationFailed
from ..minimise.pieces import items, levels
from ..minimise.project import project
from ..model.case import Document, Fixture
from ..model.json import JsonValue, parse
from ..model.layout import FIXTURE, PROVENANCE
from ..pipeline import Extraction
from ..redact import WorkspaceKey
from ..ruleset import RuleSet
from ..standing import Standing
from .proving import digest, proved

_CARRIED = ("incident_id", "adapter", "lane")


def recapture(
    old: Mapping[str, JsonValue],
    predicate: Mapping[str, JsonValue],
    made: Extraction,
    rules: RuleSet,
    key: WorkspaceKey,
) -> Fixture:
    """Return what was extracted of the fixed code's trace as the next version of a case, proved again as a whole.

    ``old`` is the fixture of the version before, ``predicate`` what its sidecar says; ``made`` was extracted under its
    scope. Incident, everything expected, lane and adapter are the old version's. Raises `ValidationFailed` for another
    input, `UsageError` for the trace of the case itself, and what the proofs raise.
    """
    document, statement = _parsed(made.fixture.files[FIXTURE]), _parsed(made.fixture.files[PROVENANCE])
    now = Standing(document=document, statement=statement, capture=made.capture)
    if _refs(now.predicate) == _refs(predicate):
        raise UsageError("this is the trace that the case was made of", hint="name a trace of the fixed code")
    require_same_input(old, document)
    carried = {name: old.get(name) for name in _CARRIED if old.get(name) is not None}
    merged: Document = {
        **document,
        **carried,
        "expected": old.get("expected"),
        "missing_evidence": [each for each in items(document, "missing_evidence") if each.get("field") not in carried],
    }
    before = predicate.get("recapture")
    version = before.get("version") if isinstance(before, dict) else None
    told: JsonValue = {
        "of": old.get("case_id"),
        "of_sha256": digest(dict(old)),
        "version": version + 1 if isinstance(version, int) else 2,
    }
    whole = project(merged, [piece for level in levels(merged) for piece in level.order])
    return proved(now.redacted(whole.document), {}, now, {"recapture": told}, rules, key, kept=whole.kept)


def require_same_input(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> None:
    """Raise `ValidationFailed` unless the user says the same in both, message by message, after redaction.

    The messages that differ are named by their position among the user's, never by what they say.
    """
    was, now = _said(old), _said(new)
    problems = []
    if len(was) != len(now):
        problems.append(f"the trace holds {len(now)} messages of the user, the case {len(was)}")
    problems += [
        f"message {position} of the user is not the one of the case"
        for position, (one, other) in enumerate(zip(was, now, strict=False), start=1)
        if one != other
    ]
    if not was:
        problems.append("the case holds no words of the user: nothing shows that the input is the same")
    if problems:
        raise ValidationFailed([*problems, "a recapture has the input of its case: record the fixed code with it"])


def _said(document: Mapping[str, JsonValue]) -> list[list[JsonValue]]:
    return [
        [part.get("text", part.get("value")) for part in items(message, "parts")]
        for message in items(dict(document), "input.messages")
        if message.get("role") == "user"
    ]


def _refs(predicate: Mapping[str, JsonValue]) -> JsonValue:
    source = predicate.get("source")
    return source.get("trace_refs") if isinstance(source, dict) else None


def _parsed(content: bytes) -> Document:
    document = parse(content)
    if not isinstance(document, dict):
        raise InputUnreadable("what was extracted is no JSON object")
    return document
