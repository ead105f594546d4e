"""What an extraction says when it is done: a screen for people, an object for machines, a tree of reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from extractor.assemble import vague
from extractor.bulk.units import counted
from extractor.errors import EvidenceMissing
from extractor.model.case import Fixture
from extractor.model.config import Statement
from extractor.model.json import JsonValue
from extractor.model.replayable import BLOCKING, in_short, lacking
from extractor.replay.boundary import BUILT_IN
from extractor.select import Explanation
from extractor.write import REVIEW, ROTATE, Notices, Stored, made_up

from .because import boundary_words
from .console import Console, interactive
from .view import CaseView, Members, figure, items, members, text

Rows = Sequence[tuple[str, str]]
_SHOWN = 6
_ORACLES = ("boundary", "claims", "effects", "action", "policy_decision", "authorization")
"""Members of ``expected`` of which one is enough for a replay to be judged."""


def for_machines(fixture: Fixture, stored: Stored) -> JsonValue:
    """Return the object that ``--json`` prints."""
    view = CaseView.of(fixture.files)
    spans = len(view.decisions)
    return {
        "case_id": fixture.case_id,
        "path": str(stored.path),
        "state": state(fixture),
        "fixture_sha256": view.sha256,
        "spans": {"read": spans, "kept": view.kept, "dropped": spans - view.kept},
        "missing_evidence": [dict(entry) for entry in view.missing],
        "residual": view.residual,
        "relations": view.relations,
        "leaks": fixture.proofs.leaks,
        "secrets": [dict(secret) for secret in items(members(view.predicate.get("redaction")).get("secrets"))],
        "flags": [dict(flag) for flag in items(view.predicate.get("flags"))],
    }


def state(fixture: Fixture) -> str:
    """Return the state in which extraction leaves a case."""
    if not fixture.replayable:
        return "non_replayable"
    return "incomplete" if fixture.incomplete else "in_review"


def for_people(fixture: Fixture, stored: Stored) -> Rows:
    """Return labelled lines, the next command last."""
    view = CaseView.of(fixture.files)
    return (
        ("case", f"{fixture.case_id}  ({stored.state}; quarantine, {state(fixture).replace('_', ' ')})"),
        *account(view),
        ("path", str(stored.path)),
        *next_step(view, stored.path, incomplete=fixture.incomplete),
    )


def account(view: CaseView) -> Rows:
    """Return what was kept, replaced, proved, and what is left to people."""
    if not view.predicate:
        return [("proved", "unknown: there is no provenance.json beside the fixture")]
    redaction = members(view.predicate.get("redaction"))
    classes = items(redaction.get("classes"))
    boundary = members(view.predicate.get("boundary"))
    relations, leaks = view.relations, members(view.predicate.get("leaks"))
    proved = (
        f"no leak of {figure(leaks.get('known_values'), 'known value')}; "
        f"relations preserved in {text(relations['preserved'])} of {figure(relations['occurrences'], 'occurrence')}"
    )
    rows = [
        (
            "kept",
            f"{view.kept:,} of {counted(len(view.decisions), 'span')}; boundary by {text(boundary.get('reason'))}{_dropped(view)}",
        ),
        (
            "replaced",
            f"{figure(redaction.get('values'), 'identifier')} in {counted(len(classes), 'class', 'classes')}"
            + (f": {', '.join(_largest(classes))}" if classes else ""),
        ),
        ("proved", proved),
        ("residual", f"{view.residual} for a reviewer to look at" if view.residual else "0"),
        *_noticed(view),
        *([("synthetic", answers)] if (answers := made_up(dict(view.fixture))) else []),
    ]
    if view.missing:
        named = [f"{field} ({code})" for field, code, _ in missing(view)[:_SHOWN]]
        more = len(view.missing) - len(named)
        rows.append(("missing", ", ".join(named) + (f", and {more} more" if more else "")))
    return rows


def missing(view: CaseView) -> list[tuple[str, str, str]]:
    """Return what is missing, by field, code and reason, with what makes a replay impossible before the rest."""
    entries = sorted(view.missing, key=lambda entry: entry.get("code") not in BLOCKING)
    return [(text(entry.get("field")), text(entry.get("code")), text(entry.get("reason"))) for entry in entries]


def cannot_be_replayed(fixture: Fixture, path: Path) -> EvidenceMissing:
    """Return the error that a case ends with which lacks what a replay needs, naming it."""
    lacks = in_short(lacking(CaseView.of(fixture.files).fixture))
    return EvidenceMissing(
        f"the case cannot be replayed without {lacks}", hint=f"extract-fixture show {path} --missing"
    )


def _dropped(view: CaseView) -> str:
    dropped = text(members(view.predicate.get("conversation")).get("dropped"))
    return f"; {dropped} {'message' if dropped == '1' else 'messages'} dropped" if dropped not in ("", "0") else ""


def _noticed(view: CaseView) -> Iterator[tuple[str, str]]:
    """Yield what people must know of beside identifiers: secrets to rotate, text to look at."""
    notices = Notices.standing(view.predicate)
    for line in notices.secret_lines(view.fixture):
        yield "secret", f"{line}; {ROTATE}"
    for line in notices.flag_lines(view.fixture):
        yield "flagged", f"{line}; {REVIEW}"


def _largest(classes: Sequence[Members]) -> Iterator[str]:
    ordered = sorted(classes, key=lambda each: (-_count(each), text(each.get("entity"))))
    yield from (f"{text(each.get('entity'))} {_count(each)}" for each in ordered[:_SHOWN])
    if len(ordered) > _SHOWN:
        yield "…"


def _count(entry: Members) -> int:
    values = entry.get("values")
    return values if isinstance(values, int) else 0


def next_step(view: CaseView, path: Path, *, incomplete: bool) -> Rows:
    """Return the command that brings the case on, or nothing."""
    if not incomplete:
        return (("next", f"extract-fixture validate {path}"),)
    expected = members(view.fixture.get("expected"))
    failure = members(expected.get("failure_statement"))
    wanted = (
        ("--failure", failure.get("trigger")),
        ("--prohibit", expected.get("prohibited_claims")),
        ("--evidence-needed", failure.get("evidence_needed")),
        ("--boundary", next((told for each in _ORACLES if (told := expected.get(each))), None)),
    )
    lacking = " ".join(f"{option} …" for option, given in wanted if not given)
    return (("next", f"extract-fixture annotate {path} {lacking}".rstrip()),)


def explain(console: Console, told: Explanation) -> None:
    """Print how the boundary was chosen, then every span with its decision and reason, as the tree that the trace is.

    Span ids are the trace's own, as ``--at``, ``--keep`` and ``--drop`` take them. Names are the trace's own too, and
    are shown to a person at a terminal alone.
    """
    others = ", ".join(f"{span_id} ({boundary_words(reason)})" for span_id, reason in told.others)
    console.say(f"boundary: {told.boundary} because {boundary_words(told.reason)}; others: {others or 'none'}")
    named = interactive()
    for line in told.lines:
        name = f"  {line.name}" if named else ""
        console.say(f"{'  ' * line.depth}{'+' if line.kept else '-'} {line.span_id}{name}  {line.reason}")
        flows = dict.fromkeys(f"{f.produced_at} feeds {f.consumed_at} of {f.consumer}" for f in line.flows)
        for flow in list(flows)[:_SHOWN]:
            console.say(f"{'  ' * line.depth}    {flow}")
    console.say()


def warn(console: Console, statement: Statement, view: CaseView) -> None:
    """Say which parts of a failure statement name nothing that can be observed, and which parts of what must hold the case does not know."""
    for part in vague(statement):
        console.say(f"warning: {part} names nothing that one can observe; say what was seen and what must not be")
    for line in _unknown(view):
        console.say(f"warning: {line}")


def _unknown(view: CaseView) -> Iterator[str]:
    expected = members(view.fixture.get("expected"))
    calls = [*items(view.fixture.get("tool_events")), *items(view.fixture.get("alternates"))]
    tools = dict.fromkeys(text(call.get("tool")) for call in calls)
    wanted = [
        ("--action", text(expected.get("action"))),
        *(("--effects", tool) for tool in members(expected.get("effects"))),
    ]
    for option, tool in wanted:
        if tool and tool not in tools:
            yield f"no call of the case is of the tool that {option} names, only of {', '.join(tools) or 'none'}: is it spelled so?"
    check = text(members(expected.get("boundary")).get("check"))
    if check and check not in BUILT_IN:
        yield f"--boundary names no check that is built in ({', '.join(BUILT_IN)}): the project's checks must have it, or nothing is judged"
