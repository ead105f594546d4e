"""Reason codes in words, and the chain of reasons from one span of a case back to its boundary."""

from __future__ import annotations

from collections.abc import Sequence

from extractor.errors import UsageError

from .view import CaseView, Members, items, members, text

BOUNDARY = {
    "at_option": "--at names it",
    "failure_statement": "the failure statement points to it",
    "grader": "a grader marks it as failing",
    "uncured_error": "it failed and nothing later made that good",
    "refusal_after_error": "it refuses after a call had failed",
    "unsupported_claim": "it says what no result supports",
    "last_answer": "it is the last answer, and nothing else speaks",
}
REASONS = {
    "boundary": "the failure shows here",
    "path": "it stands between the boundary and the root",
    "side_effect": "it tried to change something, before the boundary",
    "same_resource": "it acts on the same resource as a kept change",
    "consequence": "the harm reached somebody here: the answer or act that the boundary came to",
    "effect_shown": "it shows what a kept change made: evidence that the change took place",
    "attempt": "it is another try of a kept call",
    "requested": "it asked for a kept call",
    "announced": "it told what it would do while it asked for a kept call",
    "value_flow": "a value that it produced is used by a kept span",
    "gathered": "a kept answer states a figure that no result holds, and this is what it had to go by",
    "user_words": "the user said it",
    "heard": "the user heard it and replied",
    "authorization": "it holds a claim, a permission or a guardrail's verdict",
    "clock": "a decision may have read its time",
    "version": "it names a version of a prompt, policy or workflow, a locale or a flag for the first time",
    "receipt": "it is the dependency's side of a kept call",
    "budget": "it states a budget above a kept call",
    "cancellation": "it gave up above a kept call",
    "handoff": "it handed the conversation over",
    "content_unknown": "its content was not captured: no flow can be shown, and none excluded",
    "same_turn": "the agent made this call in the boundary's turn: a replay meets it, whatever came of it",
    "override_keep": "--keep names it",
    "override_drop": "--drop names it",
    "over_budget": "--at-most left no room for it",
    "minimised": "a command that judges the case does not need it",
    "not_in_control": "the control's own outcome takes its place",
    "no_flow": "nothing that it produced is used by a kept span",
    "unrelated": "it is no act of the agent, its user or a dependency",
    "transport": "it is transport of a call that is not kept",
    "after_boundary": "it comes after the failure and changed nothing",
    "repeated_history": "it says again what an earlier span said",
}
_STEPS = 12


def boundary_words(reason: str) -> str:
    """Return why a span is the boundary, in words."""
    return BOUNDARY.get(reason, reason)


def why(view: CaseView, wanted: str) -> Sequence[tuple[str, str]]:
    """Return labelled lines on one span: the decision, its reason, the flows from it to the boundary.

    ``wanted`` is a synthetic span id of the sidecar, or a place of the case (``tool_events[2]``). Raises `UsageError`
    when the sidecar knows no such span.
    """
    decisions = {text(each.get("span_id")): each for each in view.decisions}
    found = [each for each in view.decisions if wanted in (text(each.get("span_id")), text(each.get("becomes")))]
    if not found:
        raise UsageError(
            "--why names no span of this case",
            hint="give a span id of provenance.json, or a place as in tool_events[2]",
        )
    decision = found[0]
    reason, distance = text(decision.get("reason")), text(decision.get("distance"))
    boundary = members(view.predicate.get("boundary"))
    at = text(boundary.get("span_id"))
    rows = [
        ("span", _named(decision)),
        ("decision", text(decision.get("decision")) + (" by people's word" if decision.get("overridden") else "")),
        ("reason", f"{reason}: {REASONS.get(reason, reason)}"),
    ]
    if distance:
        rows.append(("distance", f"{distance} steps from the boundary"))
    rows.extend(_chain(decision, decisions, at))
    rows.append(
        ("boundary", f"{_named(decisions.get(at, {}))}, because {boundary_words(text(boundary.get('reason')))}")
    )
    return rows


def _chain(decision: Members, decisions: dict[str, Members], boundary: str) -> Sequence[tuple[str, str]]:
    """Return the flows from a span towards the boundary, each time to the consumer that is nearest to it."""
    rows: list[tuple[str, str]] = []
    seen: set[str] = set()
    while len(rows) < _STEPS and (flows := items(decision.get("flows"))):
        flow = min(flows, key=lambda each: _distance(decisions.get(text(each.get("consumer")), {})))
        consumer = text(flow.get("consumer"))
        if consumer in seen:
            break
        seen.add(consumer)
        decision = decisions.get(consumer, {})
        rows.append(
            (
                "feeds",
                f"{text(flow.get('produced_at'))} goes into {text(flow.get('consumed_at'))} of {_named(decision)}",
            )
        )
        if consumer == boundary:
            break
    return rows


def _distance(decision: Members) -> int:
    distance = decision.get("distance")
    return distance if isinstance(distance, int) else 1_000_000


def _named(decision: Members) -> str:
    span_id, becomes = text(decision.get("span_id")), text(decision.get("becomes"))
    return f"{becomes} ({span_id})" if becomes else span_id
