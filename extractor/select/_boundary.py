"""Where the failure shows: the span that the backward walk starts from."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import UsageError
from ..model.calls import words
from ..model.config import RunConfig
from ..model.json import JsonValue
from ..model.trace import Step
from ._acts import failed, last_answer
from ._facts import Facts
from ._policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The step's position, why it is the boundary, and what else the same rule would have allowed."""

    index: int
    reason: str
    candidates: tuple[int, ...] = ()


def boundary(facts: Facts, policy: Policy, config: RunConfig) -> Boundary:
    """Return the boundary by the first rule that names one; the last answer always does.

    Raises `UsageError` when ``--at`` names no span, or more than one.
    """
    if config.at is not None:
        return Boundary(index=_at(facts, config.at), reason="at_option")
    for reason, found in (
        ("failure_statement", _stated(facts, config.statement.failure)),
        ("grader", _graded(facts, policy)),
        ("uncured_error", _uncured(facts, policy)),
    ):
        if found:
            return Boundary(index=found[0], reason=reason, candidates=tuple(found[1:]))
    return Boundary(index=last_answer(facts.steps), reason="last_answer")


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


def _stated(facts: Facts, failure: str | None) -> list[int]:
    """Return attempts of a tool, or spans, that the failure statement names; failed ones first, later ones first."""
    if not failure:
        return []
    said = " " + " ".join(words(failure)) + " "
    named = [index for index, step in enumerate(facts.steps) if _named(step, said)]
    named.sort(key=lambda index: (not failed(facts.steps[index]), -index))
    return named


def _named(step: Step, said: str) -> bool:
    name = step.tool.name if step.tool is not None else step.span.name
    parts = words(name)
    # One plain word (chat, refund) is more often prose than a name.
    return step.model is None and len(parts) > 1 and f" {' '.join(parts)} " in said


def _graded(facts: Facts, policy: Policy) -> list[int]:
    """Return spans below the root that a grader marks as failing; a mark on the root speaks of the whole run."""
    marked: list[int] = []
    for index, step in enumerate(facts.steps):
        sources = [step.span.attributes, *(event.attributes for event in step.span.events)]
        if facts.parent(index) is not None and any(
            _fails(value, policy) for attributes in sources for name, value in attributes if policy.grader.fit(name)
        ):
            marked.append(index)
    return marked


def _fails(value: JsonValue, policy: Policy) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in policy.failing_words
    if value is None or isinstance(value, bool):
        return value is False
    return isinstance(value, int | float) and value < policy.failing_below


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
