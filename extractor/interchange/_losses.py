"""What a case holds and another format has no place for: named one by one, so that nobody takes a copy for the case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..model.json import JsonValue
from ._document import Members, Source, concurrent, items, members


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something without a place in a format: its code, what is lost, and where it stands in the case, by field path."""

    code: str
    what: str
    places: tuple[str, ...]


_Where = Callable[[Source], Iterable[str]]


def losses(source: Source, codes: Sequence[str]) -> tuple[Loss, ...]:
    """Return those of a format's losses that this case really meets, in the order of the table."""
    found = ((code, what, tuple(where(source))) for code, (what, where) in _TABLE.items() if code in codes)
    return tuple(Loss(code=code, what=what, places=places) for code, what, places in found if places)


def _events(tells: Callable[[Members], bool], member: str = "") -> _Where:
    def where(source: Source) -> Iterable[str]:
        return (f"tool_events[{index}]{member}" for index, event in enumerate(source.tools) if tells(event))

    return where


def _outcomes(tells: Callable[[Members], bool], member: str) -> _Where:
    return _events(lambda event: tells(members(event.get("outcome"))), f".outcome{member}")


def _filled(*names: str) -> _Where:
    return lambda source: (name for name in names if not _is_empty(source.document.get(name)))


def _expected(*names: str) -> _Where:
    return lambda source: (f"expected.{name}" for name in names if not _is_empty(source.expected.get(name)))


def _is_empty(value: JsonValue) -> bool:
    """Return whether nothing is said: null, an empty container, or one whose members say nothing."""
    if isinstance(value, dict):
        return all(_is_empty(child) for child in value.values())
    return value is None or value in ("", [])


def _parts(kind: str, member: str = "") -> _Where:
    def where(source: Source) -> Iterable[str]:
        for name, messages in (("input.messages", source.said), ("messages", items(source.document.get("messages")))):
            for index, message in enumerate(messages):
                parts = enumerate(items(message.get("parts")))
                yield from (
                    f"{name}[{index}].parts[{place}]{member and f'.{member}'}"
                    for place, part in parts
                    if part.get("type") == kind and (not member or member in part)
                )

    return where


def _both_kinds(source: Source) -> Iterable[str]:
    return ("tool_events", "model_events") if source.tools and source.models else ()


def _repeated(source: Source) -> Iterable[str]:
    for name, member, events in (("tool_events", "tool", source.tools), ("model_events", "model", source.models)):
        seen: list[JsonValue] = []
        for index, event in enumerate(events):
            if event.get(member) in seen:
                yield f"{name}[{index}]"
            seen.append(event.get(member))


def _ordering(source: Source) -> Iterable[str]:
    mode = members(source.document.get("ordering")).get("mode")
    yield from ("ordering",) if mode in ("per_key", "none") else ()
    yield from (f"tool_events[{index}].after" for index in concurrent(source))


def _said(event: Members, *silent: JsonValue, name: str) -> bool:
    value = event.get(name)
    return value is not None and value not in silent


_TABLE: Final[Mapping[str, tuple[str, _Where]]] = {
    "order_between_kinds": ("the order between tool calls and turns of the model", _both_kinds),
    "partial_order": ("which attempts were concurrent, and how strictly a replay keeps the order", _ordering),
    "arguments": (
        "what tools were called with",
        _events(lambda event: event.get("arguments") is not None, ".arguments"),
    ),
    "errors": ("calls that failed", _outcomes(lambda outcome: outcome.get("type") == "error", "")),
    "error_class": (
        "the class of an error: a replay raises one class for all",
        _outcomes(lambda outcome: bool(outcome.get("error_type")), ".error_type"),
    ),
    "ended_by": (
        "how a call ended: a timeout of the service, a deadline of the caller, a cancellation",
        _outcomes(lambda outcome: outcome.get("ended_by") not in (None, "response"), ".ended_by"),
    ),
    "value_text": (
        "that the trace held a result as text: it is written as the value that the text spells",
        _outcomes(lambda outcome: "value_text" in outcome, ".value_text"),
    ),
    "side_effect": (
        "whether a call had a side effect",
        _events(lambda event: _said(event, "none", name="side_effect"), ".side_effect"),
    ),
    "role": (
        "which calls were the recorded harm, so that a fixed version need not make them",
        _events(lambda event: event.get("role") == "violation", ".role"),
    ),
    "retries": (
        "which calls are tries of one call",
        _events(lambda event: event.get("retry_of") is not None, ".retry_of"),
    ),
    "idempotency_key": (
        "that a value is the call's idempotency key",
        _events(lambda event: event.get("idempotency_key") is not None, ".idempotency_key"),
    ),
    "timing": (
        "when calls were sent, received and answered, and their deadlines",
        _events(lambda event: not _is_empty(event.get("timing")), ".timing"),
    ),
    "receipts": (
        "budgets and deadlines, and when the dependency received a call",
        _events(
            lambda event: any(
                members(event.get("timing")).get(name) is not None
                for name in ("budget_start_ms", "deadline_ms", "receipt_ms")
            ),
            ".timing",
        ),
    ),
    "repeated_calls": ("every call but the first of a name", _repeated),
    "tool_events": (
        "the recorded tool calls: nothing is replayed",
        lambda source: ("tool_events",) if source.tools else (),
    ),
    "model_events": (
        "the recorded turns of the model: nothing is replayed",
        lambda source: ("model_events",) if source.models else (),
    ),
    "model_input": (
        "what the model was told",
        lambda source: (f"model_events[{index}].input" for index, _ in enumerate(source.models)),
    ),
    "usage": (
        "tokens that turns used",
        lambda source: (
            f"model_events[{index}].usage"
            for index, turn in enumerate(source.models)
            if not _is_empty(turn.get("usage"))
        ),
    ),
    "reasoning": ("what the model thought", _parts("reasoning")),
    "earlier_turns": (
        "what the user said before the last message",
        lambda source: (f"input.messages[{index}]" for index in range(len(source.said) - 1)),
    ),
    "clock": ("the frozen clock and its zone", _filled("frozen_at", "time_zone")),
    "locale": ("the user's locale", _filled("locale")),
    "identity": ("who the run was for, roles, claims, and who owns what", _filled("identity")),
    "resources": (
        "who owns what",
        lambda source: (
            ("identity.resources",) if items(members(source.document.get("identity")).get("resources")) else ()
        ),
    ),
    "versions": (
        "versions of workflow, prompt and deployment, the model's parameters",
        _filled("workflow_version", "prompt_version", "adapter", "deployment", "model"),
    ),
    "adapter": ("which reader of the application's schema the case needs", _filled("adapter")),
    "templates": ("names, versions and digests of prompts", _filled("templates")),
    "facts": ("facts that a decision or a check reads", _filled("facts")),
    "documents": ("what retrieval returned", _filled("documents")),
    "final_output": ("what the agent said last: it is the recorded failure, no expectation", _filled("final_output")),
    "alternates": ("synthetic answers for calls that only a fixed version makes", _filled("alternates")),
    "checks": (
        "what people expect and only a check of the application can judge",
        _expected("boundary", "claims", "effects", "authorization", "action", "citations", "policy_decision", "grade"),
    ),
    "own_checks": (
        "what people expect and only a check of the application can judge",
        _expected("boundary", "effects", "authorization", "action", "citations", "policy_decision", "grade"),
    ),
    "unless": (
        "what makes a prohibited claim true: such claims are left out",
        lambda source: ("expected.claims.unless",) if members(source.expected.get("claims")).get("unless") else (),
    ),
    "disclosures": ("what must be said", _expected("required_disclosures")),
    "inexact_disclosures": (
        "what must be said in other words",
        lambda source: (
            f"expected.required_disclosures[{index}]"
            for index, item in enumerate(items(source.expected.get("required_disclosures")))
            if item.get("exact") is not True
        ),
    ),
    "statements": (
        "what people say in prose: only people can judge it",
        _expected("failure_statement", "prohibited_claims", "required_behaviours", "expert_review"),
    ),
    "missing_evidence": ("which evidence is missing", _filled("missing_evidence")),
}
"""By code: what is lost, and where it stands. A format names the codes that it has no place for."""

CODES = frozenset(_TABLE)
