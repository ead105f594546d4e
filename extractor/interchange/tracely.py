"""Tracely's recordings: the fixture bundle in both versions, and the case artifact of its server.

Its readers ignore members that they do not know, so that ``x_fixture`` carries what the format has no place for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from ..errors import EvidenceMissing
from ..model.json import JsonValue, pretty
from ._chat import chat, user_text
from ._document import Members, Source, in_order, members, numbers, text
from ._exported import Exported, Warned
from ._losses import losses

_BUNDLE: Final = (
    "order_between_kinds", "partial_order", "error_class", "ended_by", "value_text", "side_effect", "role", "retries",
    "idempotency_key", "timing", "usage", "reasoning", "clock", "locale", "identity", "versions", "templates", "facts",
    "documents", "alternates", "checks", "disclosures", "statements", "missing_evidence",
)  # fmt: skip
_ARTIFACT: Final = (*_BUNDLE, "earlier_turns")
_LEGACY: Final = (*_BUNDLE, "arguments", "errors", "repeated_calls", "model_input")
_NO_STATE = "external state is not captured; the recorded fixtures stand in for it"
_MATCH_MODE = "superset"


def bundle(source: Source) -> Exported:
    """Return a bundle of version 2: typed arguments, never null, and errors that have a text."""
    warnings: list[Warned] = []
    made = _bundle(source, _BUNDLE, warnings)
    return Exported(text=pretty(made), losses=losses(source, _BUNDLE), warnings=tuple(warnings))


def legacy_bundle(source: Source) -> Exported:
    """Return a bundle of version 1: the first result of each tool and model by name; calls that failed have no place."""
    tools: dict[str, JsonValue] = {}
    for event in source.tools:
        outcome = members(event.get("outcome"))
        if outcome.get("type") == "result":
            tools.setdefault(text(event.get("tool")), outcome.get("value"))
    models: dict[str, JsonValue] = {}
    for turn in source.models:
        models.setdefault(text(turn.get("model")), _output(source, turn))
    made: JsonValue = {"tools": tools, "llm": models, "x_fixture": _ours(source, ())}
    return Exported(text=pretty(made), losses=losses(source, _LEGACY))


def artifact(source: Source) -> Exported:
    """Return a case artifact of format 1 with the digest that its server pins. Raises `EvidenceMissing` without an input.

    Tools that every version calls are required; one that may have no side effect, and was called as the recorded harm
    alone, is forbidden.
    """
    said = user_text(source)
    if not said:
        raise EvidenceMissing("the case has no text that the user said, and an artifact needs one as its input")
    warnings: list[Warned] = []
    made: JsonValue = {
        "format_version": 1,
        "case_id": source.case_id,
        "case_version": 1,
        "input": {"type": "text", "value": said},
        "initial_state": {"captured": False, "note": _NO_STATE},
        "fixtures": _bundle(source, _ARTIFACT, warnings),
        "expectations": {"assertions": _assertions(source), "match_mode": _MATCH_MODE},
        "evaluators": {},
        "execution": {"mode": "recorded"},
        "provenance": {
            "source": "extract-fixture",
            "fixture_hash": source.fixture_hash,
            "standing": source.standing,
            "captured_at": source.document.get("frozen_at"),
        },
    }
    written = pretty(made)
    return Exported(
        text=written, losses=losses(source, _ARTIFACT), warnings=tuple(warnings), digest=artifact_digest(written)
    )


def artifact_digest(written: str) -> str:
    """Return the SHA-256 by which the server names an artifact: of its members sorted, as Python's json spells them.

    It covers ``provenance`` with ``captured_at``: the same calls captured at another time have another digest.
    """
    return hashlib.sha256(json.dumps(json.loads(written), sort_keys=True).encode()).hexdigest()


def _bundle(source: Source, codes: tuple[str, ...], warnings: list[Warned]) -> JsonValue:
    return {
        "version": 2,
        "tools": [_tool(event, f"tool_events[{index}]", warnings) for index, event in enumerate(source.tools)],
        "llm": [_turn(source, turn, f"model_events[{index}]", warnings) for index, turn in enumerate(source.models)],
        "x_fixture": _ours(source, codes),
    }


def _tool(event: Members, place: str, warnings: list[Warned]) -> JsonValue:
    arguments, outcome = event.get("arguments"), members(event.get("outcome"))
    if arguments is None or arguments == {}:
        # Null would match any call; what is called without arguments takes the first recording of its name.
        warnings.append(Warned(code="no_arguments", place=place))
        arguments = {}
    failed = outcome.get("type") == "error"
    error = text(outcome.get("error"))
    if failed and not error:
        # A replay takes an empty text for success.
        warnings.append(Warned(code="error_without_text", place=place))
        error = text(outcome.get("error_type")) or "error"
    return {
        "name": text(event.get("tool")),
        "args": arguments,
        "tool_call_id": text(event.get("call_id")),
        "output": None if failed else outcome.get("value"),
        "error": error if failed else None,
    }


def _turn(source: Source, turn: Members, place: str, warnings: list[Warned]) -> JsonValue:
    output = _output(source, turn)
    if output is None:
        warnings.append(Warned(code="no_output", place=place))
    return {
        "model": text(turn.get("model")),
        "input": chat(source, turn.get("input")),
        "output": output,
        "error": None,
    }


def _output(source: Source, turn: Members) -> JsonValue:
    """Return a turn's output: a text where it is nothing else, one message where it is one, else a list."""
    said = chat(source, turn.get("output"))
    if len(said) != 1:
        return said or None
    only = said[0]
    if isinstance(only, dict) and only.keys() == {"role", "content"} and only["role"] == "assistant":
        content = only["content"]
        return content if isinstance(content, str) else only
    return only


def _ours(source: Source, codes: tuple[str, ...]) -> dict[str, JsonValue]:
    """Return what the format has no place for and a reader of ours can use, and the codes of what is lost."""
    return {
        "case_id": source.case_id,
        "fixture_hash": source.fixture_hash,
        "standing": source.standing,
        "frozen_at": source.document.get("frozen_at"),
        "values": "typed",
        "order": [f"{kind}[{index}]" for kind, index in in_order(source)],
        "attempts": [_attempt(event) for event in source.tools],
        "losses": [loss.code for loss in losses(source, codes)],
    }


_OF_AN_ATTEMPT: Final = ("attempt", "logical_call", "try", "retry_of", "role", "side_effect")


def _attempt(event: Members) -> JsonValue:
    outcome = members(event.get("outcome"))
    told: dict[str, JsonValue] = {name: event[name] for name in _OF_AN_ATTEMPT if name in event}
    told |= {name: outcome.get(name) for name in ("error_type", "ended_by")}
    return {**told, "timing": event.get("timing"), "after": [*numbers(event.get("after"))]}


def _assertions(source: Source) -> dict[str, JsonValue]:
    roles: dict[str, set[JsonValue]] = {}
    for event in source.tools:
        roles.setdefault(text(event.get("tool")), set()).add(text(event.get("role")))
    effects: Mapping[str, JsonValue] = members(source.expected.get("effects"))
    none_allowed = [tool for tool, bounds in effects.items() if members(bounds).get("max") == 0]
    failed = any(members(event.get("outcome")).get("type") == "error" for event in source.tools)
    return {
        "required_tools": [tool for tool, found in roles.items() if "evidence" in found],
        "forbidden_tools": [tool for tool in none_allowed if "evidence" not in roles.get(tool, set())],
        "no_error": True,
        "allow_tool_errors": failed,
    }
