"""The timing report: one row an attempt, how it ended, and where that points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from extractor.model.json import JsonValue

from .view import CaseView, Members, items, members, text

Rows = Sequence[tuple[str, str]]

POINTS_TO = {
    "remote_timeout": "the dependency's latency, how long the caller waits, recovery by idempotency key;"
    " a larger budget above may only hide it",
    "local_deadline": "budgets, queue delay, how deadlines are passed on; a larger timeout of the tool cannot help",
    "caller_cancelled": "whoever cancelled, and what becomes of work that was accepted already",
    "late_response": "how late results are discarded; the answer came after the caller had given up",
    "connection_error": "the connection: names, pools, certificates, the network; not the dependency's work",
    "undetermined": "nothing",
}
"""Where a verdict sends whoever repairs it, and the repair that would miss. An answered attempt points nowhere."""

_ANSWERS = {"yes": "yes", "no": "no", "unknown": "?"}
_COLLECT = {
    "dispatch_unknown": "client spans of the tool's calls (HTTP or RPC instrumentation in the agent)",
    "client_unknown": "client spans of the tool's calls (HTTP or RPC instrumentation in the agent)",
    "receipt_unknown": "the dependency's own spans or its request log, with the idempotency key",
    "receipt_missing": "the client's connection log: other calls to this service show a receipt",
    "receipt_late": "what lay between caller and dependency: queues, proxies, the network",
    "span_unfinished": "the end of the client span: the process died, or the span was not exported",
    "ending_unknown": "who gave up: spans of the callers above, with their status",
    "outcome_missing": "the tool's result or error",
}


def report(view: CaseView) -> Iterator[tuple[str, str]]:
    """Yield labelled lines: one row an attempt with its times, then what it rests on and points to."""
    rows = _attempts(view)
    if not rows:
        yield "timing", "no attempt of any call is in this case"
        return
    for attempt, event in rows:
        yield _title(event), _line(attempt, event)
        yield from (("", line) for line in _reasons(attempt, event))
    yield from _effects(items(view.fixture.get("tool_events")))
    chosen = members(view.fixture.get("timing"))
    yield "fidelity", f"{text(chosen.get('fidelity'))}: {text(chosen.get('reason'))}"
    order = members(view.fixture.get("ordering"))
    yield "ordering", f"{text(order.get('mode'))}: {text(order.get('reason'))}"
    if concurrent := _concurrent(items(view.fixture.get("tool_events"))):
        yield "concurrent", f"{concurrent}; a replay in sequence says nothing about their race"


def for_machines(view: CaseView) -> JsonValue:
    """Return the same rows as JSON."""
    return [
        {
            **attempt,
            "tool": event.get("tool"),
            "timing": event.get("timing"),
            "side_effect": event.get("side_effect"),
            "points_to": POINTS_TO.get(_verdict(attempt)),
        }
        for attempt, event in _attempts(view)
    ]


def _attempts(view: CaseView) -> list[tuple[Members, Members]]:
    """Return the sidecar's attempts, each with its tool event, empty for a call that no tool made."""
    events = {f"tool_events[{index}]": event for index, event in enumerate(items(view.fixture.get("tool_events")))}
    return [(attempt, events.get(text(attempt.get("event")), {})) for attempt in items(view.predicate.get("attempts"))]


def _title(event: Members) -> str:
    if not event:
        return "a call outside any tool"
    return f"{text(event.get('attempt'))}. {text(event.get('tool'))}, try {text(event.get('try'))}"


def _line(attempt: Members, event: Members) -> str:
    parts = [
        f"dispatched {_answer(attempt, 'dispatched')}",
        f"received {_answer(attempt, 'received')}",
        f"completed {_answer(attempt, 'completed')}",
        f"ended by {_verdict(attempt)}",
    ]
    if effect := text(event.get("side_effect")):
        parts.append(f"side effect {effect}")
    return ", ".join(parts)


def _reasons(attempt: Members, event: Members) -> Iterator[str]:
    times = {**members(event.get("timing")), "completion_ms": attempt.get("completion_ms")}
    names = ("budget_start", "deadline", "dispatch", "receipt", "completion", "response", "end")
    told = [f"{name.replace('_', ' ')} {_ms(at)}" for name in names if (at := times.get(f"{name}_ms")) is not None]
    if told:
        yield f"at {', '.join(told)}"
    deadline, skew = members(attempt.get("deadline")), members(attempt.get("skew"))
    notes = []
    if isinstance(queue := attempt.get("queue_ms"), int | float) and queue:
        notes.append(f"{_ms(queue)} in a queue before dispatch")
    if deadline:
        notes.append(
            f"deadline {'from ' if deadline.get('source') != 'inferred' else ''}{text(deadline.get('source'))}"
        )
    if isinstance(sends := attempt.get("sends"), int) and sends > 1:
        notes.append(f"sent {sends} times by the transport")
    if moved := skew.get("moved_ms"):
        notes.append(f"the dependency's clock runs apart: its instants moved by {_ms(moved)}")
    if notes:
        yield "; ".join(notes)
    ending = members(attempt.get("ended_by"))
    spans = ending.get("spans")
    if isinstance(spans, list) and spans:
        yield f"rests on {', '.join(map(text, spans))}"
    points = POINTS_TO.get(_verdict(attempt))
    lacks = text(ending.get("lacks"))
    if points:
        yield f"points to {points}" + (f": collect {_COLLECT[lacks]}" if lacks in _COLLECT else "")


def _effects(events: Sequence[Members]) -> Iterator[tuple[str, str]]:
    """Yield how often each tool changed each resource, as far as the case shows it."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for event in events:
        if text(event.get("side_effect")) != "none":
            key = (text(event.get("tool")), _resource(members(event.get("arguments"))))
            counts.setdefault(key, Counter())[text(event.get("side_effect"))] += 1
    for (tool, resource), found in counts.items():
        shown = ", ".join(f"{kind} {count}" for kind, count in sorted(found.items()))
        yield "side effects", f"{tool}{f' on {resource}' if resource else ''}: {shown}"


def _resource(arguments: Mapping[str, JsonValue]) -> str:
    named = (
        (name, value)
        for name, value in arguments.items()
        if (name == "id" or name.endswith(("_id", "Id")))
        and isinstance(value, str | int)
        and name != "client_request_id"
    )
    return next((f"{name} {value}" for name, value in named), "")


def _concurrent(events: Sequence[Members]) -> str:
    """Return the attempts that some other one ran beside: neither comes after the other, however long the chain."""
    order: dict[int, set[int]] = {}
    for event in events:
        number, after = event.get("attempt"), event.get("after")
        if isinstance(number, int):
            before = {each for each in after if isinstance(each, int)} if isinstance(after, list) else set()
            order[number] = before.union(*(order.get(each, set()) for each in before))
    beside = [
        number
        for number in order
        if any(other != number and other not in order[number] and number not in order[other] for other in order)
    ]
    return f"attempts {', '.join(map(str, beside))} overlap" if beside else ""


def _verdict(attempt: Members) -> str:
    return text(members(attempt.get("ended_by")).get("verdict"))


def _answer(attempt: Members, name: str) -> str:
    return _ANSWERS.get(text(members(attempt.get(name)).get("answer")), "?")


def _ms(value: JsonValue) -> str:
    return f"{round(value)} ms" if isinstance(value, int | float) and not isinstance(value, bool) else ""
