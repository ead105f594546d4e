"""What a role must have said beside yes, given what the case's own files tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..assemble import vague
from ..model.config import Statement as Failure
from ..model.json import JsonValue
from ._folder import CaseFolder
from ._policy import Policy
from ._statement import Confirmations, Statement

_PARTS = {
    "trigger": "the trigger (what led to the failure)",
    "prohibited": "the observable outcome (what must not be)",
    "evidence_needed": "the evidence needed to decide",
}
_ACCEPTANCES = ("before", "after", "unknown")


def unmet(statement: Statement, case: CaseFolder, policy: Policy, *, red: bool) -> list[str]:
    """Return what an approval leaves unsaid that its role must say of this case, one line each with the option that says it.

    ``red`` is whether a red run of these very bytes is on record. A rejection owes nothing.
    """
    if statement.decision == "rejected":
        return []
    said, lines = statement.confirmations, list(_of_red(statement, case, policy, red=red))
    match statement.role:
        case "privacy":
            lines += _of_privacy(said, case)
        case "incident-owner":
            lines += _of_grade(said, case)
        case "dependency":
            lines += _of_acceptance(said, case)
        case _:
            pass
    return lines


def unclear(case: CaseFolder) -> list[str]:
    """Return which parts of the failure statement are missing or name nothing that can be observed (S6)."""
    expected = case.document.get("expected")
    failure = expected.get("failure_statement") if isinstance(expected, dict) else None
    claims = _texts(expected.get("prohibited_claims")) if isinstance(expected, dict) else ()
    parts = failure if isinstance(failure, dict) else {}
    trigger, prohibited, needed = (_text(parts.get(name)) for name in ("trigger", "prohibited", "evidence_needed"))
    lines = []
    if trigger is None:
        lines.append(f"the failure statement lacks {_PARTS['trigger']}: annotate --failure")
    if prohibited is None and not claims:
        lines.append(f"the failure statement lacks {_PARTS['prohibited']}: annotate --prohibit")
    told = Failure(failure=trigger, prohibit=claims or ((prohibited,) if prohibited else ()), evidence_needed=needed)
    return [*lines, *(f"{_PARTS[part]} names nothing that one can observe: annotate the case" for part in vague(told))]


def ambiguous(case: CaseFolder) -> tuple[str, ...]:
    """Return the field paths where a value may be a word or a name, and nobody has said which."""
    return tuple(dict.fromkeys(_member(entry, "path") for entry in _entries(case, "residual") if _code(entry)))


def secrets(case: CaseFolder) -> int:
    """Return how many credentials stood in the trace."""
    redaction = case.predicate.get("redaction")
    found = redaction.get("secrets") if isinstance(redaction, dict) else None
    return len(found) if isinstance(found, list) else 0


def flagged(case: CaseFolder) -> tuple[str, ...]:
    """Return the categories of sensitive text that the case shows."""
    return tuple(dict.fromkeys(_member(entry, "category") for entry in _entries(case, "flags")))


def failed_attempts(case: CaseFolder) -> tuple[str, ...]:
    """Return the numbers of the attempts that ended in an error."""
    events = case.document.get("tool_events")
    return tuple(
        str(event.get("attempt"))
        for event in (events if isinstance(events, list) else ())
        if isinstance(event, dict)
        and isinstance(outcome := event.get("outcome"), dict)
        and outcome.get("type") == "error"
    )


def _of_red(statement: Statement, case: CaseFolder, policy: Policy, *, red: bool) -> Iterator[str]:
    if red or statement.role not in policy.missing_red:
        return
    cites = statement.confirmations.cites
    if not cites:
        yield "no red run of this case is on record: cite the evidence in its trace, --cite PATH"
    for position, place in enumerate(cites, start=1):
        if not case.holds(place):
            yield f"citation {position} names no evidence of this case: a field path of fixture.json, or a span id of the sidecar"


def _of_privacy(said: Confirmations, case: CaseFolder) -> Iterator[str]:
    if (found := secrets(case)) and not said.rotated:
        held = "a credential: confirm that it" if found == 1 else f"{found} credentials: confirm that each"
        yield f"the trace held {held} has been rotated, --confirm-rotated"
    for category in flagged(case):
        if category not in said.flags:
            yield f"the case shows {category.replace('_', ' ')}: look at it, then --accept-flag {category}"
    for place in ambiguous(case):
        if place not in said.residual:
            yield f"{place} may hold a name: extract again with --treat {place}=name, or --accept-residual {place}"


def _of_grade(said: Confirmations, case: CaseFolder) -> Iterator[str]:
    if case.predicate.get("grader") is not None and said.grade is None:
        yield "a grade says that this failed (show CASE names it): say whether it is right, --grade confirmed or --grade overruled"


def _of_acceptance(said: Confirmations, case: CaseFolder) -> Iterator[str]:
    attempts = failed_attempts(case)
    for attempt in attempts:
        if said.acceptance.get(attempt) not in _ACCEPTANCES:
            yield f"attempt {attempt} failed: had it been accepted? --acceptance {attempt}=before, after or unknown"
    if set(said.acceptance) - set(attempts):
        yield "an acceptance is given for what is no failed attempt of this case"


def _entries(case: CaseFolder, name: str) -> Sequence[JsonValue]:
    found = case.predicate.get(name)
    return found if isinstance(found, list) else ()


def _code(entry: JsonValue) -> bool:
    return isinstance(entry, dict) and entry.get("code") == "ambiguous"


def _member(entry: JsonValue, name: str) -> str:
    return _text(entry.get(name)) or "?" if isinstance(entry, dict) else "?"


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str) and each) if isinstance(value, list) else ()
