"""Controls beside a case: which there are to be, and each of them proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..annotation import told_members
from ..errors import UsageError
from ..minimise.pieces import items
from ..model.case import Document, Fixture
from ..model.config import RunConfig
from ..model.json import JsonValue
from ..redact import WorkspaceKey
from ..ruleset import RuleSet
from ..standing import Standing, owner_of, standing
from .calls import Call, boundary_tool, call, outcome
from .instants import at, instants, slug
from .outcomes import answered_otherwise
from .proving import digest, proved
from .told import KINDS, Derived, Kind, Plan, Told

_LONGEST = 100
_RULES: dict[Kind, str] = {
    "success": "attempt {attempt}, {tool}, answers with {source}; any later try of it goes",
    "rejection": "attempt {attempt}, {tool}, and any later try of it: explicitly rejected, without effect",
    "timeout": "attempt {attempt}, {tool}, and any later try of it: no answer in time, without effect",
    "uncertain": "attempt {attempt}, {tool}, and any later try of it: nobody knows whether it had an effect",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A proved control: the name of its folder, the rule that made it, and its bytes."""

    name: str
    rule: str
    fixture: Fixture = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which controls: kinds of outcome (none: all that fit), of the boundary's call or another ``tool``'s; instants."""

    kinds: tuple[Kind, ...] = ()
    tool: str | None = None
    time: bool = False


def controls(
    case: Path, wanted: Wanted, told: Told, config: RunConfig, rules: RuleSet, key: WorkspaceKey
) -> Sequence[Control]:
    """Return the controls of a quarantined case, proved; the same case, options and key give the same bytes.

    Raises `UsageError` for what cannot be derived, and what `standing`, redaction and the proofs raise.
    """
    if owner_of(case) is not None:
        raise UsageError("a control has no controls; name the folder of its case")
    now = standing(case, key)
    about = call(now.document, now.predicate, wanted.tool) if wanted.kinds or not wanted.time else None
    plans = [*_outcomes(now, about, wanted, told), *(instants(now.document) if wanted.time else ())]
    if (told.given or told.states) and all(plan.kind != "success" for plan in plans):
        raise UsageError("--result and --states are about the success control, which is not made here")
    if not plans:
        raise UsageError("the case has no time fact with a limit, so there is no instant to stand on either side of")
    if strange := sorted(told.actions.keys() - {plan.name for plan in plans if plan.kind == "time"}):
        raise UsageError(
            f"--expect names {len(strange)} controls that are not made here",
            hint=f"with --time there are: {', '.join(plan.name for plan in plans if plan.kind == 'time') or 'none'}",
        )
    return [_made(plan, now, about, told, config, rules, key) for plan in plans]


def _outcomes(now: Standing, about: Call | None, wanted: Wanted, told: Told) -> list[Plan]:
    if about is None:
        return []
    events = items(now.document, "tool_events")
    first = events[about.first]
    answered = outcome(first).get("type") == "result"
    if answered and "success" in wanted.kinds and not told.given:
        raise UsageError(
            "the call was answered with a result: its success is what the case itself records",
            hint="--result @FILE gives another result; --tool names another call",
        )
    kinds = wanted.kinds or tuple(kind for kind in KINDS if kind != "success" or told.given or not answered)
    # The boundary's own call needs no name beside the kind.
    own = boundary_tool(now.document, now.predicate)
    suffix = "" if own == about.tool else f"-{slug(about.tool)}"
    source = "a result given for it" if told.given else "the recorded result of the same tool"
    return [
        Plan(
            name=f"{kind}{suffix}",
            kind=kind,
            rule=_RULES[kind].format(attempt=first.get("attempt"), tool=about.tool, source=source),
        )
        for kind in dict.fromkeys(kinds)
    ]


def _made(
    plan: Plan, now: Standing, about: Call | None, told: Told, config: RunConfig, rules: RuleSet, key: WorkspaceKey
) -> Control:
    typed = _typed(plan, told)
    if typed:
        redacted, kept = told_members(typed, now, config, rules, key)
        after, before = (_derived(plan, now.document, about, _told(plan, each)) for each in (kept, typed))
        redacted = replace(redacted, document=after.document, original=before.document)
    else:
        after = _derived(plan, now.document, about, Told())
        redacted = now.redacted(after.document)
    # A control in which people have said what is right is never made anew over their word.
    generated = _derived(plan, now.document, about, Told()) if plan.kind == "time" and typed else after
    control: JsonValue = {
        "kind": plan.kind,
        "rule": plan.rule,
        "of_sha256": digest(now.document),
        "generated_sha256": digest(generated.document),
    }
    fixture = proved(redacted, typed, now, {"control": control}, rules, key, kept=after.kept, synthetic=after.synthetic)
    return Control(name=plan.name, rule=plan.rule, fixture=fixture)


def _typed(plan: Plan, told: Told) -> Document:
    """Return what people typed for one control, under the names that a fixture has for it."""
    typed: Document = {}
    if plan.kind == "success" and told.given:
        typed["tool_events"] = [{"outcome": {"type": "result", "value": told.result}}]
    if plan.kind == "success" and told.states:
        typed["expected"] = {"required_disclosures": [{"text": text, "exact": True} for text in told.states]}
    if plan.name in told.actions and plan.kind == "time":
        typed["expected"] = {"action": told.actions[plan.name]}
    return typed


def _told(plan: Plan, typed: Document) -> Told:
    """Return what `_typed` laid down, as it stands now."""
    events, expected = items(typed, "tool_events"), typed.get("expected")
    demanded: Document = expected if isinstance(expected, dict) else {}
    action = demanded.get("action")
    return Told(
        result=outcome(events[0]).get("value") if events else None,
        given=bool(events),
        states=tuple(str(each.get("text")) for each in items(demanded, "required_disclosures")),
        actions={plan.name: action} if isinstance(action, str) else {},
    )


def _derived(plan: Plan, document: Document, about: Call | None, told: Told) -> Derived:
    """Return the control's document under an id of its own; a pure function of case, plan and what was told."""
    if plan.kind == "time":
        made = at(document, str(plan.instant), told.actions.get(plan.name))
    elif about is not None:
        made = answered_otherwise(document, plan.kind, about, told)
    else:
        raise UsageError("no call to answer otherwise")
    case = str(document.get("case_id"))
    own = f"{case[: _LONGEST - len(plan.name) - 1]}-{plan.name}"
    named: Document = {}
    for name, value in made.document.items():
        named[name] = own if name == "case_id" else value
        if name == "case_id":
            named["control_of"] = case
    return replace(made, document=named)
