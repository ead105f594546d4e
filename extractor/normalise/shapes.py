"""The shape of a dialect document: which members stand where, and of which type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, get_args

from extractor.model.span import SpanKind, StatusCode
from extractor.model.trace import StepKind

from .parsing import RULES

Shape: TypeAlias = Mapping[str, "type | tuple[str, ...] | None"]
"""Member to type; a tuple is a choice of words, None a text or a list of texts."""

FACTS = frozenset({
    "tool.name", "tool.call_id", "tool.arguments", "tool.result", "error.type", "error.other", "error.message",
    "exception.type", "model.name", "model.provider", "model.operation", "model.parameters", "model.usage",
    "model.system", "model.input", "model.output", "agent.input", "retrieval.query", "retrieval.documents",
    "dependency.protocol", "dependency.method", "dependency.target", "dependency.status",
    "dependency.idempotency_key", "dependency.replayed",
})  # fmt: skip
SUBJECT = frozenset({
    "session", "user", "tenant", "roles", "claims", "locale", "time_zone", "workflow_version",
    "prompt_version", "policy_version", "service", "service_version", "environment", "flags",
})  # fmt: skip
DOCUMENT: Shape = {
    "title": str, "why": str, "source": str, "inherits": str, "mark": list, "kind": list, "facts": dict,
    "subject": dict, "messages": dict, "arguments": dict, "masked": list, "external": list, "known": list,
    "known_events": list, "example": list,
}  # fmt: skip
CONDITION: Shape = {
    "attr": None, "attr_prefix": str, "equals": list, "event": None, "name_prefix": str, "scope_prefix": None,
    "span_kind": None, "called": bool,
}  # fmt: skip
MARK: Shape = {**CONDITION, "rank": int}
KIND: Shape = {**CONDITION, "step": get_args(StepKind)}
SOURCE: Shape = {
    "attr": None, "prefix": str, "event": None, "resource": None, "name": bool, "status": bool,
    "parse": tuple(RULES), "member": str, "where": dict, "label": str, "unwrap": list, "skip": list, "ignore": list,
    "constant": str, "strip": str,
}  # fmt: skip
EXAMPLE: Shape = {"why": str, "span": list, "expect": dict}
EXAMPLE_SPAN: Shape = {
    "name": str, "kind": get_args(SpanKind), "attributes": dict, "events": list, "status": get_args(StatusCode),
    "message": str, "resource": dict, "scope": str, "root": bool,
}  # fmt: skip
EXAMPLE_EVENT: Shape = {"name": str, "attributes": dict}
MESSAGES: Shape = {"roles": dict, "parts": dict, "members": dict, "wrapped": dict}


def misfits(table: object, shape: Shape, *, needs: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield in words how a table differs from a shape; ``needs`` must be there and not empty."""
    if not isinstance(table, dict):
        yield "is no table"
        return
    for key in needs:
        if table.get(key) in (None, "", [], {}):
            yield f"needs a {key}"
    for key in sorted(table):
        if key not in shape:
            yield f"unknown key {key}"
        elif not _fits(table[key], shape[key]):
            choice = isinstance(shape[key], tuple)
            yield f"{key} is none of our words" if choice else f"{key} has the wrong type"


def words_misfit(table: object) -> Iterator[str]:
    """Yield what is wrong with a table of lists of texts."""
    if not isinstance(table, dict):
        yield "is no table"
        return
    yield from (f"{key} has the wrong type" for key, value in sorted(table.items()) if not _fits(value, None))


def _fits(value: object, wanted: type | tuple[str, ...] | None) -> bool:
    if wanted is None:
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    return value in wanted if isinstance(wanted, tuple) else isinstance(value, wanted)
