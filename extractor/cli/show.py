"""``extract-fixture show``: a case on one screen."""

from __future__ import annotations

from pathlib import Path

import click

from extractor.errors import InputUnreadable
from extractor.model.layout import APPROVED, FIXTURE, PLACES, PROVENANCE, QUARANTINE
from extractor.model.misnamed import instead
from extractor.model.replayable import replayable
from extractor.write import graded

from . import because, options, proofs, suggested, summary, timing
from .console import Console
from .view import CaseView, Members, items, members, text

_WIDTH = 110
_MESSAGES = 4


@click.command(epilog=options.examples("extract-fixture show fixtures/quarantine/CASE --proofs"))
@click.argument("case", metavar="CASE", type=click.Path(path_type=Path))
@click.option(
    "--proofs", "as_proofs", is_flag=True, help="Say what was proved, what is open, and what would settle it."
)
@click.option(
    "--timing", "as_timing", is_flag=True, help="Say of each attempt what is known of it, and where that points."
)
@click.option("--missing", "as_missing", is_flag=True, help="List all that the trace lacks, what stops a replay first.")
@click.option("--why", metavar="SPAN", help="Say why a span was kept or dropped: its id, or its place in the case.")
@options.as_json
def command(*, case: Path, as_proofs: bool, as_timing: bool, as_missing: bool, why: str | None, as_json: bool) -> None:
    """Show a case on one screen, its proofs, the timing of its attempts, or the reasons of one span.

    CASE is the folder of a case. Everything shown stands in its fixture.json or its provenance.json.
    """
    view = CaseView.of(case_files(case))
    console = Console(json=as_json)
    if as_json and as_timing:
        console.data(timing.for_machines(view))
        return
    if as_json:
        console.data({"fixture": dict(view.fixture), "provenance": dict(view.predicate)})
        return
    if why is not None:
        console.rows((("case", view.case_id), *because.why(view, why)))
        return
    if as_proofs:
        console.rows((("case", view.case_id), ("sha256", view.sha256), *proofs.report(view, case)))
        return
    if as_timing:
        console.rows((("case", view.case_id), *timing.report(view)))
        return
    if as_missing:
        lacks = [(field, f"{code}: {reason}") for field, code, reason in summary.missing(view)]
        console.rows((("case", view.case_id), *(lacks or [("missing", "nothing")])))
        return
    _screen(console, view, case)


def _screen(console: Console, view: CaseView, case: Path) -> None:
    problems = view.problems
    state = "non-replayable" if not replayable(view.fixture) else "incomplete" if problems else "whole"
    place = case.resolve().parent.name
    console.rows(
        (
            ("case", f"{view.case_id}  ({f'{place}, ' if place in PLACES else ''}{state})"),
            ("incident", text(view.fixture.get("incident_id")) or "not named"),
            ("frozen at", f"{text(view.fixture.get('frozen_at'))}  {text(view.fixture.get('time_zone'))}".rstrip()),
            ("sha256", view.sha256),
            *summary.account(view),
            *((("grade", grade),) if (grade := graded(view.predicate)) else ()),
        )
    )
    console.say()
    for message in items(members(view.fixture.get("input")).get("messages"))[-_MESSAGES:]:
        said = " ".join(text(part.get("text")) for part in items(message.get("parts")))
        console.say(f"{text(message.get('role'))}: {_short(said)}")
    for event in items(view.fixture.get("tool_events")):
        console.say(_event(event))
    if answer := _answer(view):
        console.say(f"answer: {_short(answer)}")
    console.say()
    if told := _told(view):
        console.rows(told)
        console.say()
    if near := list(suggested.suggested(view)):
        console.rows([("controls" if not index else "", f"freeze at {line}") for index, line in enumerate(near)])
        console.say()
    for problem in problems:
        console.say(f"not whole: {problem}")
    console.rows(_next(view, case, state, place))


def _next(view: CaseView, case: Path, state: str, place: str) -> summary.Rows:
    """Return what brings the case on from where it stands."""
    if state == "incomplete":
        return summary.next_step(view, case, incomplete=True)
    if state == "non-replayable":
        return (
            (
                "next",
                f"extract it again from an export that holds what it lacks: extract-fixture show {case} --missing",
            ),
        )
    if place == APPROVED:
        return (("next", f"extract-fixture replay {case} --entrypoint MODULE:FUNCTION"),)
    return (("next", f"extract-fixture review {case}"),) if place == QUARANTINE else ()


def case_files(case: Path) -> dict[str, bytes]:
    """Return the files of a case that its view needs. Raises `InputUnreadable`."""
    files = {}
    for name in (FIXTURE, PROVENANCE):
        try:
            files[name] = (case / name).read_bytes()
        except OSError:
            if name == FIXTURE:
                raise InputUnreadable(f"no case here: {FIXTURE} cannot be read", hint=instead(case)) from None
    return files


def _event(event: Members) -> str:
    outcome = members(event.get("outcome"))
    kind = text(outcome.get("type"))
    shown = text(outcome.get("error_type")) or text(outcome.get("error")) if kind == "error" else kind
    ended = text(outcome.get("ended_by"))
    effect = text(event.get("side_effect"))
    details = ", ".join(
        part
        for part in (
            shown,
            f"ended by {ended}" if ended and ended != "response" else "",
            f"side effect {effect}" if effect and effect != "none" else "",
        )
        if part
    )
    return f"{text(event.get('attempt')):>3}. {text(event.get('tool'))}: {_short(details)}"


def _answer(view: CaseView) -> str:
    answer = view.fixture.get("final_output")
    if isinstance(answer, str):
        return answer
    parts = items(members(answer).get("parts"))
    return " ".join(text(part.get("text")) for part in parts)


def _told(view: CaseView) -> list[tuple[str, str]]:
    """Return what people said of the incident: the failure statement and its prohibited claims."""
    expected = members(view.fixture.get("expected"))
    statement = members(expected.get("failure_statement"))
    claims = expected.get("prohibited_claims")
    rows = [("trigger", text(statement.get("trigger")))]
    rows += [("prohibited", text(claim)) for claim in (claims if isinstance(claims, list) else ())]
    rows.append(("evidence needed", text(statement.get("evidence_needed"))))
    return [(name, _short(said)) for name, said in rows if said]


def _short(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
