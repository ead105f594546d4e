"""Normalising: raw spans of any dialect to the steps they tell, by the rules in rules/dialects/."""

from __future__ import annotations

from extractor.model.reading import Reading
from extractor.model.trace import Trace
from extractor.ruleset import RuleSet

from .examples import vocabulary_of
from .speech import Said, Speech
from .trace import trace_of

__all__ = ["Said", "Speech", "check_examples", "normalise", "speech"]


def normalise(reading: Reading, rules: RuleSet) -> Trace:
    """Return the trace that the spans tell: one step for each span, in the spans' order.

    Odd input never raises: what cannot be read is noted (`Trace.notes`) and left in its span. Raises `RulesError`
    when a dialect's rules are malformed or fail their own examples.
    """
    return trace_of(reading, vocabulary_of(rules))


def speech(rules: RuleSet) -> Speech:
    """Return what says of single spans which dialect they speak and which tool they call. Raises `RulesError`."""
    return Speech(vocabulary_of(rules))


def check_examples(rules: RuleSet) -> int:
    """Return how many examples of the dialects hold. Raises `RulesError` with every fault."""
    return len(vocabulary_of(rules).examples)
