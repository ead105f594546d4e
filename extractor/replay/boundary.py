"""Whether the failure boundary held: named checks over facts, never a reading of prose.

`boundary_passed` is None where nothing named can decide; a comparison then has no oracle. Prohibited claims in prose are for
people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from extractor.model.json import JsonValue

from .case import ReplayCase
from .effects import Effects
from .events import Arguments
from .identity import Identity

NO_CHECK: Final = "none"
"""What a verdict names where the case names no check at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a check may read of one run: its final output, its calls and their effects, and the frozen facts beside them."""

    output: JsonValue
    calls: Sequence[tuple[str, Arguments]]
    effects: Effects
    identity: Identity
    expected: Mapping[str, JsonValue]
    facts: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the boundary held, by which check, and why; ``passed`` is None where the check cannot tell."""

    passed: bool | None
    check: str
    reason: str


Check: TypeAlias = Callable[[Run, Mapping[str, JsonValue]], "Verdict | bool | None"]
"""A named check: the run and the case's parameters in; whether the boundary held."""


def judge(case: ReplayCase, run: Run, checks: Mapping[str, Check]) -> Verdict:
    """Return the verdict of the case's boundary: its named check, else all of its data checks together."""
    boundary = run.expected.get("boundary")
    if isinstance(boundary, dict):
        name = str(boundary.get("check"))
        params = boundary.get("params")
        return _by_name(name, run, params if isinstance(params, dict) else {}, checks)
    verdicts = [check(run, {}) for name, check in BUILT_IN.items() if _stated(run.expected, name)]
    if not verdicts:
        return Verdict(
            passed=None, check=NO_CHECK, reason=f"case {case.case_id} names no check that can decide: no oracle"
        )
    return next(
        (each for wanted in (False, None) for each in verdicts if each.passed is wanted),
        Verdict(passed=True, check=", ".join(each.check for each in verdicts), reason="every data check holds"),
    )


def _by_name(name: str, run: Run, params: Mapping[str, JsonValue], checks: Mapping[str, Check]) -> Verdict:
    check = checks.get(name) or BUILT_IN.get(name)
    if check is None:
        return Verdict(passed=None, check=name, reason="no check of this name is known: no oracle")
    found = check(run, params)
    if isinstance(found, Verdict):
        return found
    if found is None:
        return Verdict(passed=None, check=name, reason="the check could not tell")
    return Verdict(passed=bool(found), check=name, reason="holds" if found else "does not hold")


def _stated(expected: Mapping[str, JsonValue], name: str) -> bool:
    if name == "disclosures":
        return any(_exact(expected))
    return name != "ownership" and bool(expected.get(name))


def effects(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Hold the number of accepted side effects of each tool to its bounds."""
    for tool, bounds in _members(params.get("effects") or params or run.expected.get("effects")).items():
        least, most = (_members(bounds).get(edge) for edge in ("min", "max"))
        count = run.effects.counts().get(tool)
        sure, open_ = (count.accepted, count.unknown) if count else (0, 0)
        said = f"{tool} has {sure} accepted side effect{'' if sure == 1 else 's'}"
        # 1.0 is an integer to JSON Schema, so that a fixture may hold it.
        if isinstance(most, int | float) and sure > most:
            return Verdict(passed=False, check="effects", reason=f"{said}, at most {most} may be")
        if isinstance(least, int | float) and sure + open_ < least:
            return Verdict(passed=False, check="effects", reason=f"{said}, at least {least} must be")
        unsure = (isinstance(most, int | float) and sure + open_ > most) or (
            isinstance(least, int | float) and sure < least
        )
        if open_ and unsure:
            return Verdict(passed=None, check="effects", reason=f"{said} and {open_} of unknown outcome")
    return Verdict(passed=True, check="effects", reason="every count of side effects is within its bounds")


def authorization(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Hold the workflow's authorization decision to the expected one, and side effects to coming after it."""
    wanted = _members(params or run.expected.get("authorization"))
    decisions = [each for each in run.effects.decisions if each.kind == "authorization"]
    accepted = sum(count.accepted for count in run.effects.counts().values())
    if not decisions:
        if accepted and wanted.get("before_effects"):
            return Verdict(passed=False, check="authorization", reason="a side effect without any decision before it")
        return Verdict(passed=None, check="authorization", reason="the run recorded no authorization decision")
    if wanted.get("before_effects") and decisions[0].effects_before:
        return Verdict(passed=False, check="authorization", reason="a side effect was accepted before the decision")
    if any(each.value != wanted.get("decision") for each in decisions):
        return Verdict(passed=False, check="authorization", reason="the decision is not the expected one")
    return Verdict(passed=True, check="authorization", reason="the decision is the expected one, and came first")


def ownership(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Let no side effect touch what belongs to somebody else than the requester."""
    del params
    if run.identity.subject is None:
        return Verdict(passed=None, check="ownership", reason="the recording does not say who asked")
    for tool, arguments in run.effects.order:
        if any(run.identity.owns(text) is False for text in _texts(arguments)):
            return Verdict(passed=False, check="ownership", reason=f"{tool} changed what the requester does not own")
    return Verdict(passed=True, check="ownership", reason="no side effect on what the requester does not own")


def claims(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Let the final output hold no prohibited text, unless it also holds one that takes it back."""
    told = _members(params or run.expected.get("claims"))
    if run.output is None or (isinstance(run.output, str) and not run.output.strip()):
        return Verdict(passed=None, check="claims", reason="the run gave no final output in which a claim could stand")
    said = _folded(" ".join(_texts(run.output)))
    if any(_folded(text) in said for text in _listed(told.get("unless"))):
        return Verdict(passed=True, check="claims", reason="the output says what takes the claim back")
    for number, text in enumerate(_listed(told.get("prohibit"))):
        if _folded(text) in said:
            return Verdict(passed=False, check="claims", reason=f"the output holds claims.prohibit[{number}]")
    return Verdict(passed=True, check="claims", reason="the output holds no prohibited claim")


def action(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Want the expected tool among the calls."""
    wanted = params.get("action") or run.expected.get("action")
    held = any(tool == wanted for tool, _ in run.calls)
    return Verdict(passed=held, check="action", reason="the expected action was taken" if held else "it was not taken")


def policy_decision(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Hold the workflow's policy decision to the expected one."""
    wanted = params.get("policy_decision") or run.expected.get("policy_decision")
    told = [each.value for each in run.effects.decisions if each.kind == "policy"]
    if not told:
        return Verdict(passed=None, check="policy_decision", reason="the run recorded no policy decision")
    held = told[-1] == wanted
    return Verdict(passed=held, check="policy_decision", reason="as expected" if held else "not the expected decision")


def citations(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Want every expected citation in the final output."""
    said = _folded(" ".join(_texts(run.output)))
    for number, text in enumerate(_listed(params.get("citations") or run.expected.get("citations"))):
        if _folded(text) not in said:
            return Verdict(passed=False, check="citations", reason=f"the output lacks citations[{number}]")
    return Verdict(passed=True, check="citations", reason="every expected citation is there")


def disclosures(run: Run, params: Mapping[str, JsonValue]) -> Verdict:
    """Want every disclosure whose wording is mandated; the others are for people."""
    del params
    said = " ".join(_texts(run.output))
    for number, text in enumerate(_exact(run.expected)):
        if text not in said:
            return Verdict(passed=False, check="disclosures", reason=f"the output lacks exact disclosure {number + 1}")
    return Verdict(passed=True, check="disclosures", reason="every mandated disclosure is there")


BUILT_IN: Mapping[str, Callable[[Run, Mapping[str, JsonValue]], Verdict]] = {
    check.__name__: check
    for check in (effects, authorization, ownership, claims, action, policy_decision, citations, disclosures)
}
"""The data checks by name: what a case may name as its boundary without any code of the project."""


def _exact(expected: Mapping[str, JsonValue]) -> Iterator[str]:
    told = expected.get("required_disclosures")
    for each in told if isinstance(told, list) else []:
        text = _members(each).get("text")
        if isinstance(text, str) and _members(each).get("exact") is True:
            yield text


def _texts(value: JsonValue | Arguments) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _folded(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").casefold().split())


def _members(value: JsonValue | Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: JsonValue) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
