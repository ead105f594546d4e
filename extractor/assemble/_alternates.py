"""Synthetic answers to calls that only a fixed path makes: typed by people, held to the format, marked as synthetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..errors import UsageError
from ..model.json import JsonValue

_MEMBERS = ("tool", "arguments", "idempotency_key", "outcome", "side_effect", "reason")
_OUTCOME = ("type", "value", "value_text", "error", "error_type", "ended_by")
_EFFECTS = ("none", "accepted", "rejected", "unknown")
_ENDINGS = (
    *("response", "remote_timeout", "local_deadline", "caller_cancelled", "connection_error", "late_response"),
    "undetermined",
)


def alternates(given: Sequence[JsonValue]) -> list[JsonValue]:
    """Return ``alternates[]`` of a fixture: each with ``synthetic: true``, members in the format's order.

    Raises `UsageError` for what is no answer to a call; it names the alternate by its number and the member, never a value.
    """
    return [_alternate(each, number) for number, each in enumerate(given, start=1)]


def _alternate(given: JsonValue, number: int) -> JsonValue:
    def must(held: object, rule: str) -> None:
        if not held:
            raise UsageError(f"alternate {number} {rule}")

    if not isinstance(given, dict):
        raise UsageError(f"alternate {number} must be an object with tool, arguments and outcome")
    must(given.keys() - {"synthetic"} <= set(_MEMBERS), f"may hold {', '.join(_MEMBERS)}, and nothing else")
    must(given.get("synthetic", True) is True, "is synthetic, whatever it says")
    must(isinstance(tool := given.get("tool"), str) and tool, "lacks the name of its tool")
    must(isinstance(given.get("arguments"), dict), "lacks arguments: an object, as the tool is called")
    for name in ("idempotency_key", "reason"):
        must(isinstance(given.get(name, ""), str), f"needs a text for {name}")
    must(given.get("side_effect", "none") in _EFFECTS, f"needs a side_effect of {', '.join(_EFFECTS)}")
    outcome = given.get("outcome")
    if not isinstance(outcome, dict):
        raise UsageError(f"alternate {number} lacks an outcome: type result with value, or type error with error")
    _hold(outcome, must)
    return {
        **{name: given[name] for name in _MEMBERS if name in given and name != "outcome"},
        "outcome": {name: outcome[name] for name in _OUTCOME if name in outcome},
        "synthetic": True,
    }


def _hold(outcome: Mapping[str, JsonValue], must: Callable[[object, str], None]) -> None:
    must(outcome.keys() <= set(_OUTCOME), f"may have an outcome of {', '.join(_OUTCOME)}, and nothing else")
    kind = outcome.get("type")
    must(kind in ("result", "error"), "needs an outcome of type result or error")
    if kind == "result":
        must("value" in outcome and "error" not in outcome, "has a result, which needs a value and no error")
    else:
        must(isinstance(outcome.get("error"), str), "has an error, which needs the text that the agent is told")
    for name in ("value_text", "error_type"):
        must(isinstance(outcome.get(name, ""), str), f"needs a text for {name} of its outcome")
    must(outcome.get("ended_by", "response") in _ENDINGS, f"needs an ended_by of {', '.join(_ENDINGS)}")
