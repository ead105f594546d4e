"""Answers that say more than the run holds: things done that no call did, ids that nothing told, refusals after errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from decimal import Decimal

from ..model.json import compact
from ._acts import answers, failed, last_answer, said
from ._facts import Facts
from ._policy import Policy
from ._values import asserted_amounts, asserted_ids

_WORD = re.compile(r"[\w'’]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_AMOUNT = re.compile(r"\d{1,9}(?:\.\d{1,2})?", re.ASCII)
_NEAR = 4
"""Words between an auxiliary and the act that it says is done (*has already been fully refunded*)."""


def refusals(facts: Facts, policy: Policy) -> list[int]:
    """Return the answers that refuse, where the call before them had failed."""
    found: list[int] = []
    lost = False
    for index, step in enumerate(facts.steps):
        if index in facts.calls or step.kind in ("tool_call", "retrieval"):
            lost = failed(step)
        elif answers(step):
            spoken = said(step).casefold()
            if lost and any(word in spoken for word in policy.refusing):
                found.append(index)
            lost = False
    return found


def unsupported(facts: Facts, policy: Policy) -> list[int]:
    """Return the answers that no result supports, the gravest first.

    They say that something was done while no call that changes anything had succeeded before them; or they name an id
    that neither a call nor the user nor the instructions had told. What a result reports as done (an order that was
    cancelled long ago) is no claim. An amount counts in the last answer alone, and only where it is neither sum nor
    difference of two that were told: what the agent calculated is no invention.
    """
    done, invented = [], []
    last = last_answer(facts.steps)
    changed = False
    reported: set[str] = set()
    for index, step in enumerate(facts.steps):
        calls = facts.calls.get(index, ())
        for call in calls:
            reported |= policy.done.intersection(_LETTERS.findall(compact(call.tool.result).casefold()))
        changed = changed or (not failed(step) and any(policy.changes(call.tool.name) for call in calls))
        if not answers(step):
            continue
        if not changed and _says_done(said(step), policy.done - reported, policy):
            done.append(index)
        elif any(value not in facts.told for value in asserted_ids(said(step), policy)) or (
            index == last and _invented_amount(said(step), facts, policy)
        ):
            invented.append(index)
    return [*done, *invented]


def _invented_amount(text: str, facts: Facts, policy: Policy) -> bool:
    stated = [amount for amount in asserted_amounts(text, policy) if amount not in facts.told]
    if not stated:
        return False
    known = {Decimal(value) for value in facts.told if _AMOUNT.fullmatch(value)}
    return any(
        not any(amount - each in known or amount + each in known for each in known) for amount in map(Decimal, stated)
    )


def _says_done(text: str, done: AbstractSet[str], policy: Policy) -> bool:
    """Return whether a text says that an act is done: a word for it soon after an auxiliary, not denied and not asked."""
    for sentence in _sentences(text):
        run = _WORD.findall(sentence.casefold())
        for start, word in enumerate(run):
            after = run[start + 1 : start + 1 + _NEAR]
            if (
                word in policy.auxiliaries
                and not policy.denying.intersection(run[max(0, start - _NEAR) : start + 1 + _NEAR])
                and not done.isdisjoint(after)
            ):
                return True
    return False


def _sentences(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        if not sentence.rstrip().endswith("?"):
            yield sentence
