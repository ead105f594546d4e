"""The scripted tool events of a case, one for each kept attempt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ..errors import UsageError
from ..model.calls import Call, logical_calls
from ..model.config import Statement
from ..model.evidence import Evidence, milliseconds
from ..model.json import JsonValue
from ._effects import Effect, succeeded
from ._missing import entry

Interval = tuple[int, int]


def tool_events(
    calls: Sequence[Call],
    evidence: Sequence[Evidence],
    changed: Sequence[Effect],
    base_ns: int,
    statement: Statement,
) -> tuple[list[JsonValue], list[dict[str, JsonValue]]]:
    """Return the events in product order, attempts 1…n, and the missing evidence about them.

    Raises `UsageError` when a violation names no event.
    """
    events: list[JsonValue] = []
    missing: list[dict[str, JsonValue]] = []
    violations = _violations(calls, statement)
    after = predecessors([interval(call) for call in calls], [call.start_ns for call in calls])
    groups: dict[int, list[int]] = {}
    numbers = logical_calls(calls)
    for index, (call, seen) in enumerate(zip(calls, evidence, strict=True)):
        tries = groups.setdefault(numbers[index], [])
        event: dict[str, JsonValue] = {
            "attempt": index + 1,
            "tool": call.tool.name,
            "call_id": call.tool.call_id,
            **({"attempt_id": call.step.span.span_id} if call.own else {}),
            "logical_call": numbers[index],
            "try": len(tries) + 1,
        }
        if tries:
            event["retry_of"] = tries[-1]
        event["arguments"] = call.tool.arguments
        if call.tool.idempotency_key is not None:
            event["idempotency_key"] = call.tool.idempotency_key
        event["role"] = "violation" if index + 1 in violations else "evidence"
        event["outcome"] = _outcome(call, seen)
        event["side_effect"] = changed[index].kind
        event["timing"] = _times(seen, base_ns)
        event["after"] = list(after[index])
        events.append(event)
        missing.extend(_lacking(f"tool_events[{index}]", call, seen, changed[index]))
        tries.append(index + 1)
    return events, missing


def predecessors(intervals: Sequence[Interval], starts: Sequence[int]) -> list[list[int]]:
    """Return for each start the attempts (from 1) that ended by then and that no other of them came after.

    What is not ordered by this was concurrent: a green sequential replay says nothing about it (S71).
    """
    by_end = sorted(range(len(intervals)), key=lambda index: (intervals[index][1], index))
    ends = [intervals[index][1] for index in by_end]
    latest = list(accumulate((intervals[index][0] for index in by_end), max))
    result: list[list[int]] = []
    for position, start in enumerate(starts):
        count = bisect_right(ends, start)
        chosen: list[int] = []
        for place in range(count - 1, -1, -1):
            index = by_end[place]
            if index == position:
                continue
            if chosen and ends[place] <= latest[count - 1]:
                break
            chosen.append(index + 1)
        result.append(sorted(chosen))
    return result


def interval(call: Call) -> Interval:
    """Return start and end of an attempt; one without an end lasted no known time."""
    return (call.start_ns, call.end_ns if call.end_ns is not None else call.start_ns)


def _outcome(call: Call, seen: Evidence) -> JsonValue:
    tool = call.tool
    outcome: dict[str, JsonValue]
    if succeeded(call, seen):
        outcome = {"type": "result", "value": tool.result}
        # A string that was parsed stays beside its value: the application saw exactly this text.
        if tool.result_text is not None and tool.result_text != tool.result:
            outcome["value_text"] = tool.result_text
    else:
        error = tool.error if tool.error is not None else call.step.error_message
        outcome = {"type": "error", "error": error or "", "error_type": tool.error_type or call.step.error_type}
    outcome["ended_by"] = seen.ended_by
    return outcome


def _times(seen: Evidence, base_ns: int) -> JsonValue:
    return {
        "budget_start_ms": milliseconds(seen.budget_start_ns, base_ns),
        "deadline_ms": milliseconds(seen.deadline_ns, base_ns),
        "dispatch_ms": milliseconds(seen.dispatch_ns, base_ns),
        "receipt_ms": milliseconds(seen.receipt_ns, base_ns),
        "response_ms": milliseconds(seen.response_ns, base_ns),
        "end_ms": milliseconds(seen.end_ns, base_ns),
    }


def _violations(calls: Sequence[Call], statement: Statement) -> frozenset[int]:
    """Return the attempts that people call the recorded harm, by number or by tool name."""
    marked: set[int] = set()
    for position, wanted in enumerate(statement.violations, start=1):
        found = {
            number
            for number, call in enumerate(calls, start=1)
            if wanted == call.tool.name or (wanted.isascii() and wanted.isdigit() and int(wanted) == number)
        }
        if not found:
            raise UsageError(
                f"violation number {position} names no tool event of this case", hint="give an attempt or a tool name"
            )
        marked |= found
    return frozenset(marked)


def _lacking(field: str, call: Call, seen: Evidence, effect: Effect) -> list[dict[str, JsonValue]]:
    missing: list[dict[str, JsonValue]] = []
    if call.tool.arguments is None and call.tool.arguments_text is None:
        missing.append(entry(f"{field}.arguments", "arguments_missing"))
    if call.tool.call_id is None:
        missing.append(entry(f"{field}.call_id", "call_id_missing"))
    if succeeded(call, seen) and not call.tool.has_result:
        missing.append(entry(f"{field}.outcome.value", "content_switched_off"))
    if seen.lacks is not None:
        missing.append(entry(f"{field}.outcome.ended_by", seen.lacks))
    if effect.lacks is not None:
        missing.append(entry(f"{field}.side_effect", effect.lacks))
    missing.extend(entry(f"{field}.timing", remark) for remark in seen.remarks)
    return missing
