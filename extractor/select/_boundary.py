"""Where the failure shows: the span that the backward walk starts from."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError
from ..model.config import RunConfig
from ..model.selection import Grade
from ._acts import answers, failed, last_answer
from ._claims import refusals, unsupported
from ._facts import Facts
from ._grades import grades
from ._policy import Policy
from ._stated import stated


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The step's position, why it is the boundary, and what else could have been, each with its reason."""

    index: int
    reason: str
    candidates: tuple[tuple[int, str], ...] = ()
    grade: Grade | None = None


_MAX_CANDIDATES = 20


def boundary(facts: Facts, policy: Policy, config: RunConfig) -> Boundary:
    """Return the boundary by the first rule that names one; the last answer always does.

    What the same rule and those after it would have named are candidates, each with its reason. Raises `UsageError` when
    ``--at`` names no span, or more than one.
    """
    found: dict[int, str] = {}
    graded = _graded(facts, policy)
    if config.at is not None:
        found[_at(facts, config.at)] = "at_option"
    for reason, named in (
        ("failure_statement", stated(facts, policy, config.statement.failure)),
        ("grader", graded),
        ("uncured_error", _uncured(facts, policy)),
        ("refusal_after_error", refusals(facts, policy)),
        ("unsupported_claim", unsupported(facts, policy)),
        ("last_answer", [last_answer(facts.steps)]),
    ):
        for index in named:
            found.setdefault(index, reason)
    (index, reason), *others = found.items()
    # Without an answer the run's last act is a stopgap, no candidate.
    others = [(each, why) for each, why in others if why != "last_answer" or answers(facts.steps[each])]
    return Boundary(
        index=index,
        reason=reason,
        candidates=tuple(others[:_MAX_CANDIDATES]),
        grade=graded.get(index) or _of_run(facts, policy),
    )


def _at(facts: Facts, wanted: str) -> int:
    exact = facts.position.get(wanted.lower())
    if exact is not None:
        return exact
    named = [
        index
        for index, step in enumerate(facts.steps)
        if wanted == step.span.name or (step.tool is not None and wanted == step.tool.name)
    ]
    if not named:
        raise UsageError("--at names no span of this trace", hint="give a span id, a span name or a tool name")
    if len(named) > 1:
        raise UsageError(f"--at fits {len(named)} spans of this trace", hint="give the span id of one of them")
    return named[0]


def _graded(facts: Facts, policy: Policy) -> dict[int, Grade]:
    """Return spans below the root that a grader marks as failing; a mark on the root speaks of the whole run.

    A mark on the evaluator's own span, below the act that it judges, speaks of that act.
    """
    marked: dict[int, Grade] = {}
    for index, step in enumerate(facts.steps):
        above = facts.parent(index)
        grade = next(grades(step.span, policy), None) if above is not None else None
        if above is not None and grade is not None:
            judged = facts.steps[above].kind != "other" and step.kind == "other"
            marked.setdefault(above if judged else index, grade)
    return marked


def _of_run(facts: Facts, policy: Policy) -> Grade | None:
    """Return the first failing grade of the run as a whole."""
    roots = (step.span for index, step in enumerate(facts.steps) if facts.parent(index) is None)
    return next((grade for span in roots for grade in grades(span, policy)), None)


def _uncured(facts: Facts, policy: Policy) -> list[int]:
    """Return errors that nothing later made good, deepest act first; an error that only passed upwards counts once."""
    errors = [index for index, step in enumerate(facts.steps) if failed(step)]
    passive = ("dependency_call", "dependency_receipt", "other")
    acts = [index for index in errors if facts.steps[index].kind not in passive]
    if not acts:
        acts = [index for index in errors if not any(failed(facts.steps[below]) for below in facts.descendants(index))]
    last_success = _last_success(facts)
    return [index for index in acts if not _cured(facts, index, last_success, policy)]


def _last_success(facts: Facts) -> dict[str, int]:
    """Return the last step that succeeded, by tool name and by kind."""
    last: dict[str, int] = {}
    for index, step in enumerate(facts.steps):
        if not failed(step):
            last[step.kind] = index
            if step.tool is not None:
                last["tool " + step.tool.name] = index
    return last


def _cured(facts: Facts, index: int, last: dict[str, int], policy: Policy) -> bool:
    step = facts.steps[index]
    if step.tool is None:
        return last.get(step.kind, -1) > index
    if last.get("tool " + step.tool.name, -1) > index:
        return True
    # A failed look-up harms nobody when the run found another way.
    return not policy.changes(step.tool.name) and last.get("tool_call", -1) > index
