"""Which spans are decisive: a backward walk from the boundary, with a reason for each span kept and each dropped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..model.span import Span
from ..ruleset import RuleSet
from ._explain import ExplainLine, Explanation, explain
from ._grades import failing
from ._policy import policy
from ._select import select

__all__ = ["ExplainLine", "Explanation", "explain", "failing_grade", "select"]


def failing_grade(rules: RuleSet) -> Callable[[Span], bool]:
    """Return what says of a span whether a grader, or a person, found that it failed. Raises `RulesError`."""
    return partial(failing, policy=policy(rules))
