"""What a failure statement points to: a tool that it names, an answer that it quotes, values that it holds."""

from __future__ import annotations

import re

from ..model.calls import words
from ..model.trace import Step
from ._acts import answers, failed, said
from ._facts import Facts
from ._policy import Policy
from ._values import consumed

_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{8,})[\"”»]|(?<!\w)['‘]([^'‘’]{8,})['’](?!\w)")
_SPACE = re.compile(r"\s+")


def stated(facts: Facts, policy: Policy, failure: str | None) -> list[int]:
    """Return the steps that a failure statement points to, the most certain first.

    Attempts of a tool, or spans, that it names (failed ones first, later ones first); answers whose words it quotes;
    else the steps that share most of its values (ids, amounts, dates, sentences), answers first, later ones first.
    """
    if not failure:
        return []
    told = " " + " ".join(words(failure)) + " "
    named = [index for index, step in enumerate(facts.steps) if _named(step, told)]
    named.sort(key=lambda index: (not failed(facts.steps[index]), -index))
    quotes = [_plain(one or other) for one, other in _QUOTED.findall(failure)]
    quoted = [
        index
        for index in range(len(facts.steps) - 1, -1, -1)
        if quotes and answers(facts.steps[index]) and any(quote in _plain(said(facts.steps[index])) for quote in quotes)
    ]
    return list(dict.fromkeys((*named, *quoted))) or _sharing(facts, policy, failure)


def _sharing(facts: Facts, policy: Policy, failure: str) -> list[int]:
    shared = {index: len(consumed(failure, made, policy)) for index, made in enumerate(facts.made) if made}
    most = max(shared.values(), default=0)
    found = [index for index, count in shared.items() if count == most] if most else []
    return sorted(found, key=lambda index: (not answers(facts.steps[index]), -index))


def _named(step: Step, told: str) -> bool:
    name = step.tool.name if step.tool is not None else step.span.name
    parts = words(name)
    # One plain word (chat, refund) is more often prose than a name.
    return step.model is None and len(parts) > 1 and f" {' '.join(parts)} " in told


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip(" .,!?;:").casefold()
