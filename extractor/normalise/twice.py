"""One call told by two instrumentations at once is one step: the outer one, with what only the inner one knew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from extractor.model.json import JsonValue
from extractor.model.trace import ModelCall, Step, ToolCall

from .ledger import Ledger

_Place = tuple[str, str]
_MOST = 12  # spans between the two
_ACTS = ("tool_call", "model_call")


def told_once(steps: Sequence[Step], ledger: Ledger) -> tuple[Step, ...]:
    """Return the steps with each call once; a span that only repeats one becomes ``other``, noted as ``told_twice``.

    Only what cannot be two attempts is taken for one: two instrumentations tell it, the inner span lies within the outer one or overlaps it under the
    same call id, both name the same tool or model, and nothing that both say differs.
    """
    found = list(steps)
    places: dict[_Place, int] = {(step.span.trace_id, step.span.span_id): number for number, step in enumerate(steps)}
    # From the innermost outwards, so that three spans of one call end as one.
    for number in sorted(range(len(found)), key=lambda one: -_depth(found[one], found, places)):
        inner = found[number]
        if inner.kind not in _ACTS:
            continue
        outer = _outer(inner, found, places)
        if outer is None:
            outer = _twin(number, found)
        if outer is not None:
            found[outer] = _completed(found[outer], inner)
            found[number] = replace(inner, kind="other", tool=None, model=None)
            ledger.add("told_twice", number)
    return tuple(found)


def _depth(step: Step, steps: Sequence[Step], places: Mapping[_Place, int]) -> int:
    depth = 0
    span = step.span
    seen = {span.span_id}
    while span.parent_id and span.parent_id not in seen:
        seen.add(span.parent_id)
        number = places.get((span.trace_id, span.parent_id))
        if number is None:
            break
        span, depth = steps[number].span, depth + 1
    return depth


def _outer(inner: Step, steps: Sequence[Step], places: Mapping[_Place, int]) -> int | None:
    """Return the nearest act around a step when it is the same call."""
    span = inner.span
    for _ in range(_MOST):
        number = places.get((span.trace_id, span.parent_id)) if span.parent_id else None
        if number is None:
            return None
        step = steps[number]
        if step.kind in _ACTS:
            return number if step.kind == inner.kind and _within(inner, step) and _is_same(step, inner) else None
        span = step.span
    return None


def _twin(number: int, steps: Sequence[Step]) -> int | None:
    """Return an earlier tool call of the same id at the same time."""
    inner = steps[number]
    if inner.tool is None or inner.tool.call_id is None:
        return None
    for other in range(number):
        step = steps[other]
        same_id = step.tool is not None and step.tool.call_id == inner.tool.call_id
        if same_id and _overlap(step, inner) and _is_same(step, inner):
            return other
    return None


def _within(inner: Step, outer: Step) -> bool:
    """Tell whether a span lies within another one, a microsecond of rounding aside."""
    slack = 1_000
    start, end = outer.span.start_ns, outer.span.end_ns
    own = inner.span.end_ns or inner.span.start_ns
    return inner.span.start_ns + slack >= start and (end is None or own <= end + slack)


def _overlap(one: Step, other: Step) -> bool:
    first, second = one.span, other.span
    return first.start_ns <= (second.end_ns or second.start_ns) and second.start_ns <= (first.end_ns or first.start_ns)


def _is_same(outer: Step, inner: Step) -> bool:
    if (outer.dialect, outer.span.scope.name) == (inner.dialect, inner.span.scope.name):
        return False  # one instrumentation tells a call once
    if outer.tool is not None and inner.tool is not None:
        return _is_same_tool(outer.tool, inner.tool)
    if outer.model is not None and inner.model is not None:
        return _is_same_model(outer.model, inner.model)
    return False


def _is_same_tool(outer: ToolCall, inner: ToolCall) -> bool:
    return outer.name == inner.name and all(
        one is None or other is None or one == other
        for one, other in (
            (outer.call_id, inner.call_id),
            (outer.idempotency_key, inner.idempotency_key),
            (outer.arguments, inner.arguments),
        )
    )


def _is_same_model(outer: ModelCall, inner: ModelCall) -> bool:
    """Tell whether two spans are one model call: one of them has no content, or both say the same."""
    if not _alike(outer.model, inner.model):
        return False
    asked = not outer.input or not inner.input or outer.input[-1] == inner.input[-1]
    return asked and (not outer.output or not inner.output or outer.output == inner.output)


def _alike(one: str | None, other: str | None) -> bool:
    """Tell whether two names can be of one model: a provider before it, a date behind it."""
    if one is None or other is None:
        return True
    first, second = one.rpartition("/")[2], other.rpartition("/")[2]
    return first.startswith(second) or second.startswith(first)


def _completed(outer: Step, inner: Step) -> Step:
    """Return the outer step with what it did not know."""
    failed = outer.error_type or outer.error_message
    step = replace(
        outer,
        error_type=outer.error_type if failed else inner.error_type,
        error_message=outer.error_message if failed else inner.error_message,
    )
    if outer.tool is not None and inner.tool is not None:
        return replace(step, tool=_filled(outer.tool, inner.tool))
    if outer.model is not None and inner.model is not None:
        return replace(step, model=_joined(outer.model, inner.model))
    return step


def _filled(outer: ToolCall, inner: ToolCall) -> ToolCall:
    arguments: tuple[JsonValue, str | None] = (outer.arguments, outer.arguments_text)
    if outer.arguments is None:
        arguments = (inner.arguments, inner.arguments_text)
    failed = outer.error is not None
    answered = outer.has_result or failed
    return replace(
        outer,
        call_id=outer.call_id or inner.call_id,
        arguments=arguments[0],
        arguments_text=arguments[1],
        result=outer.result if answered else inner.result,
        result_text=outer.result_text if answered else inner.result_text,
        has_result=outer.has_result if answered else inner.has_result,
        error=outer.error if answered else inner.error,
        error_type=outer.error_type if failed or outer.has_result else inner.error_type,
        idempotency_key=outer.idempotency_key or inner.idempotency_key,
    )


def _joined(outer: ModelCall, inner: ModelCall) -> ModelCall:
    return replace(
        outer,
        model=outer.model or inner.model,
        provider=outer.provider or inner.provider,
        operation=outer.operation or inner.operation,
        parameters={**inner.parameters, **outer.parameters},
        input=outer.input or inner.input,
        output=outer.output or inner.output,
        usage={**inner.usage, **outer.usage},
        content_captured=outer.content_captured or inner.content_captured,
    )
