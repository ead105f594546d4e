"""Corruptions of a good run, one line of data each: what a check with teeth rejects.

A record is data, so a failing one is made of a passing one by a single change (S114). What a mutation changes is found by
pattern (`patterns`), so that each makes its variants in document order, the same every time.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from extractor.errors import UsageError
from extractor.model.json import JsonValue

from .case import CheckCase
from .patterns import Steps, beside, opened, places, spelled, with_instead
from .record import RunRecord

MOST: Final = 256
"""How many variants of one mutation are made of one record, unless told otherwise; the others are counted."""

_CASE = "case."
_PHRASES = ("As an AI language model, I cannot",)
_PEOPLE = frozenset(
    f"{who}{suffix}"
    for who in ("subject", "owner", "user", "customer", "account", "tenant", "recipient")
    for suffix in ("", "_id")
)
_FILLER = " and so on" * 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A value to corrupt, the member that it is, and the words and tools that the checks at hand forbid."""

    value: JsonValue
    name: str
    phrases: Sequence[str]
    tools: Sequence[str]


Change: TypeAlias = Callable[[Site], Iterator[Sequence[JsonValue]]]
"""Yields what may stand instead of a value: nothing, one value, or in a list several; yields none where it does not apply."""


def text(change: Callable[[str], JsonValue]) -> Change:
    """Change a text."""
    return lambda at: iter([[change(at.value)]] if isinstance(at.value, str) and at.value else [])


def number(change: Callable[[float], JsonValue]) -> Change:
    """Change a number; true and false are none."""
    return lambda at: iter([[change(at.value)]] if _is_number(at.value) else [])  # type: ignore[arg-type]  # it is one


def listed(change: Callable[[list[JsonValue]], JsonValue]) -> Change:
    """Change a list."""
    return lambda at: iter([[change(at.value)]] if isinstance(at.value, list) else [])


def json_text(change: Callable[[str], JsonValue]) -> Change:
    """Change the JSON of an object or a list, or of a text that holds one."""

    def changed(at: Site) -> Iterator[Sequence[JsonValue]]:
        if isinstance(opened(at.value), dict | list):
            yield [change(_spelled(at.value))]

    return changed


def call(change: Callable[[dict[str, JsonValue]], dict[str, JsonValue]]) -> Change:
    """Let a call be followed by a changed one."""
    return lambda at: iter([[at.value, change(at.value)]] if isinstance(at.value, dict) else [])


def whom(change: Callable[[str], JsonValue]) -> Change:
    """Change a text that says by its member's name whom it means."""
    return lambda at: text(change)(at) if at.name in _PEOPLE else iter(())


def moment(**by: int) -> Change:
    """Move an instant."""
    return text(lambda instant: (datetime.fromisoformat(instant) + timedelta(**by)).isoformat())


def _rekeyed(made: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {**made, "idempotency_key": f"{made.get('idempotency_key') or 'key'}-other"}


def dropped(at: Site) -> Iterator[Sequence[JsonValue]]:
    """Take the value away."""
    del at
    yield []


def retyped(at: Site) -> Iterator[Sequence[JsonValue]]:
    """Give a leaf another type: a number becomes its text, a text a list that holds it."""
    if isinstance(at.value, str):
        yield [[at.value]]
    elif at.value is not None and not isinstance(at.value, dict | list):
        yield [json.dumps(at.value)]


def with_phrase(at: Site) -> Iterator[Sequence[JsonValue]]:
    """Add each forbidden phrase to a text."""
    if isinstance(at.value, str) and not isinstance(opened(at.value), dict | list):
        yield from ([f"{at.value} {phrase}"] for phrase in at.phrases)


def to_tool(at: Site) -> Iterator[Sequence[JsonValue]]:
    """Call each forbidden tool instead."""
    yield from ([tool] for tool in at.tools)


@dataclass(frozen=True, slots=True)
class Mutation:
    """One corruption. ``row`` is its number among the ten (0: beyond them); ``where`` are patterns of what it corrupts, of the
    record or, after ``case.``, of the case's ``now, input, expectations, facts``; ``said`` is the corruption in words.
    """

    row: int
    name: str
    said: str
    where: tuple[str, ...]
    change: Change = field(repr=False)


_OUTPUT = ("output",)
_SAID = ("output", "output.**")
_ARGUMENTS = ("tool_calls[].arguments.**",)
_TYPED = ("output.**", "tool_calls[].arguments.**")
_MEMBERS = ("output.*", "tool_calls[].arguments.*")
_OWNED = ("tool_calls[].arguments.*", "tool_calls[].result.*", "documents.*", "case.facts.identity.*", "case.input.*")

# fmt: off
MUTATIONS: Final[tuple[Mutation, ...]] = (
    Mutation(1, "malformed_output", "output that is JSON ends too early", _OUTPUT, json_text(lambda spelling: spelling[:-1])),
    Mutation(2, "changed_type", "a member has another type", _TYPED, retyped),
    Mutation(3, "dropped_field", "a member is gone", _MEMBERS, dropped),
    Mutation(4, "empty_tool_calls", "no tool was called", ("tool_calls",), listed(lambda _: [])),
    Mutation(5, "wrong_tool_name", "another tool was called", ("tool_calls[].name",), text(lambda name: f"{name}_other")),
    Mutation(6, "wrong_argument", "a number given to a tool is a hundredfold", _ARGUMENTS, number(lambda given: given * 100)),
    Mutation(7, "duplicate_call", "a call was made twice", ("tool_calls[]",), call(lambda made: made)),
    Mutation(8, "forbidden_phrase", "the output says what it must not", _SAID, with_phrase),
    Mutation(9, "token_budget", "a million tokens more were used", ("usage.**",), number(lambda used: used + 1_000_000)),
    Mutation(10, "completion_too_long", "a text of the output goes on and on", _SAID, text(lambda said: said + _FILLER)),
    Mutation(0, "completion_truncated", "a text of the output stops after a tenth", _SAID, text(lambda said: said[: len(said) // 10])),
    Mutation(0, "cut_off", "the model stopped at its limit", ("finish_reason",), text(lambda _: "length")),
    Mutation(0, "empty_output", "nothing was said", _OUTPUT, text(lambda _: "")),
    Mutation(0, "hundredth_argument", "a number given to a tool is a hundredth", _ARGUMENTS, number(lambda given: given // 100 or given / 100)),
    Mutation(0, "other_argument", "a text given to a tool is another", _ARGUMENTS, text(lambda given: f"{given}-other")),
    Mutation(0, "forbidden_tool", "a tool was called that must not be", ("tool_calls[].name",), to_tool),
    Mutation(0, "missing_call", "one call was not made", ("tool_calls[]",), dropped),
    Mutation(0, "second_key", "a call was made again under another key", ("tool_calls[]",), call(_rekeyed)),
    Mutation(0, "changed_key", "a call has another idempotency key", ("tool_calls[].idempotency_key",), text(lambda key: f"{key}-other")),
    Mutation(0, "reordered_calls", "the calls were made in reverse order", ("tool_calls",), listed(lambda calls: calls[::-1])),
    Mutation(0, "wrong_result", "a number that a tool answered is a hundredfold", ("tool_calls[].result.**",), number(lambda got: got * 100)),
    Mutation(0, "unknown_effect", "whether a call had an effect is not known", ("tool_calls[].side_effect",), text(lambda _: "unknown")),
    Mutation(0, "swapped_identity", "an owner or a subject is somebody else", _OWNED, whom(lambda who: f"{who}-other")),
    Mutation(0, "empty_citations", "nothing is cited", ("citations",), listed(lambda _: [])),
    Mutation(0, "foreign_citation", "a citation names something else", ("citations.**", "output.citations.**"), text(lambda cited: f"{cited}-other")),
    Mutation(0, "empty_documents", "nothing was retrieved", ("documents",), listed(lambda _: [])),
    Mutation(0, "other_model", "another model answered", ("model",), text(lambda model: f"{model}-other")),
    Mutation(0, "clock_ahead", "the clock shows a year later", ("case.now",), moment(days=366)),
    Mutation(0, "clock_behind", "the clock shows a year earlier", ("case.now",), moment(days=-366)),
)
# fmt: on
"""The ten first, then ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A corrupted run: the field path that was changed, and the record and the case as they are now.

    ``beside`` are other paths whose reading may tell of the change; None where it may concern a check that read nothing: it is the
    case that was changed, or an object or list as a whole, of which a check may have asked the mere type, or how many items there are
    in a list, so that those behind stand elsewhere.
    """

    mutation: str
    path: str
    beside: tuple[str, ...] | None
    record: RunRecord
    case: CheckCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrupted:
    """All that one mutation made of one record. ``left_out`` counts variants beyond the bound; ``why`` says why there is none."""

    mutation: Mutation
    variants: tuple[Variant, ...]
    left_out: int = 0
    why: str | None = None


def named(name: str) -> Mutation:
    """Return a mutation by its name. Raises `UsageError`."""
    for each in MUTATIONS:
        if each.name == name:
            return each
    raise UsageError("there is no mutation of this name", hint="extract-fixture mutate --list")


def corrupted(
    mutation: Mutation,
    record: RunRecord,
    case: CheckCase,
    *,
    phrases: Sequence[str] = (),
    tools: Sequence[str] = (),
    most: int = MOST,
) -> Corrupted:
    """Return what one mutation makes of a record and its case, which stay as they are.

    ``phrases`` and ``tools`` are what checks forbid beside the claims that the case prohibits.
    """
    document = record.document
    told = _members(case) if any(pattern.startswith(_CASE) for pattern in mutation.where) else {}
    words = tuple(dict.fromkeys((*_prohibited(case), *phrases))) or _PHRASES
    variants: list[Variant] = []
    found = count = 0
    for pattern in mutation.where:
        of_case = pattern.startswith(_CASE)
        tree = told if of_case else document
        for steps, value in places(tree, pattern.removeprefix(_CASE) if of_case else pattern):
            found += 1
            site = Site(value=value, name=str(steps[-1]), phrases=words, tools=tools)
            for items in mutation.change(site):
                if len(items) == 1 and items[0] == value:
                    continue
                count += 1
                if count > most:
                    continue
                made = with_instead(tree, steps, items)
                variants.append(
                    Variant(
                        mutation=mutation.name,
                        path=(_CASE if of_case else "") + spelled(steps),
                        beside=None if of_case or _whole(steps, value, items) else beside(document, steps),
                        record=RunRecord(document if of_case else _echoed(document, made, steps)),
                        case=_case(case, made) if of_case else case,
                    )
                )
    why = None if variants else _why(mutation, found)
    return Corrupted(mutation=mutation, variants=tuple(variants), left_out=max(0, count - most), why=why)


def _why(mutation: Mutation, found: int) -> str:
    where = " or ".join(mutation.where)
    return f"nothing at {where} can be changed so" if found else f"the record has no {where}"


def _whole(steps: Steps, value: JsonValue, items: Sequence[JsonValue]) -> bool:
    if len(steps) == 1:
        return True
    if isinstance(steps[-1], int):
        return len(items) != 1  # the items after it stand elsewhere now
    return isinstance(value, dict | list)


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spelled(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _echoed(before: Mapping[str, JsonValue], after: dict[str, JsonValue], steps: Steps) -> dict[str, JsonValue]:
    """Spell anew the text beside what changed, where a record keeps both: a run says one thing, not two."""
    if steps[0] == "output":
        return _respelled(before, after, "output", "output_text")
    if steps[0] == "tool_calls" and len(steps) > 3 and isinstance(steps[1], int):
        old, new = before["tool_calls"], after["tool_calls"]
        if isinstance(old, list) and isinstance(new, list):
            was, now = old[steps[1]], new[steps[1]]
            if isinstance(was, dict) and isinstance(now, dict):
                new[steps[1]] = _respelled(was, now, "arguments", "arguments_text")
    return after


def _respelled(
    before: Mapping[str, JsonValue], after: dict[str, JsonValue], value: str, spelling: str
) -> dict[str, JsonValue]:
    known = before.get(spelling)
    if not isinstance(known, str) or opened(known) != opened(before.get(value)):
        return after
    return {**after, spelling: _spelled(after.get(value))}


def _members(case: CheckCase) -> dict[str, JsonValue]:
    return {
        "now": case.now.isoformat() if case.now else None,
        "input": copy.deepcopy(case.input),
        "expectations": copy.deepcopy(case.expectations),
        "facts": copy.deepcopy(case.facts),
    }


def _case(case: CheckCase, made: Mapping[str, JsonValue]) -> CheckCase:
    now, expectations, facts = made["now"], made["expectations"], made["facts"]
    return CheckCase(
        name=case.name,
        now=datetime.fromisoformat(now) if isinstance(now, str) else None,
        input=made["input"],
        expectations=expectations if isinstance(expectations, dict) else {},
        facts=facts if isinstance(facts, dict) else {},
    )


def _prohibited(case: CheckCase) -> Iterator[str]:
    claims = case.expectations.get("claims")
    for listed_ in (
        case.expectations.get("prohibited_claims"),
        claims.get("prohibit") if isinstance(claims, dict) else None,
    ):
        yield from (each for each in (listed_ if isinstance(listed_, list) else []) if isinstance(each, str))
