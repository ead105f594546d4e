"""What graders and people said of a span: labels, verdicts and scores, in the conventions of many tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.json import JsonValue, MalformedJson, parse
from ..model.span import Attributes, Span
from ._policy import Policy

_VERDICTS = ("passed", "success", "pass")
_LABELS = ("label", "string_value", "stringvalue", "verdict")
_SCORES = ("score", "value", "avg", "mean")
_MARKS = ("reward", "boundary")
_INSIDE = ("feedback", "result", "score", "expectation")
_DEPTH = 3


def failing(span: Span, policy: Policy) -> bool:
    """Return whether a grade of a span, in its attributes or its events, says that it failed.

    A label or verdict beside a score wins over it: a scale may run either way. Grades are single attributes
    (``gen_ai.evaluation.score.label``, ``eval.score``), or members that hold one or many of them (Langfuse and
    Braintrust ``scores``, LangSmith ``feedback_stats``, MLflow ``assessments``, Phoenix ``annotations``, Inspect AI
    ``score``, DeepEval ``metrics_data``).
    """
    sources = [span.attributes, *(event.attributes for event in span.events)]
    return any(_marked(attributes, policy) or any(_held(attributes, policy)) for attributes in sources)


def _marked(attributes: Attributes, policy: Policy) -> bool:
    """Return whether attributes that stand beside each other under one prefix fail together."""
    groups: dict[str, dict[str, JsonValue]] = {}
    for name, value in attributes:
        prefix, _, last = name.rpartition(".")
        named = name.startswith(policy.grader_prefixes) and last in (*_VERDICTS, *_LABELS, "score")
        if named or policy.grader.fit(name):
            groups.setdefault(prefix.removesuffix(".score"), {})[last] = value
    return any(_fails(group, policy) for group in groups.values())


def _held(attributes: Attributes, policy: Policy) -> Iterator[bool]:
    for name, value in attributes:
        if policy.grades.fit(name):
            yield _judged(_opened(value), policy, _DEPTH)


def _judged(value: JsonValue, policy: Policy, depth: int) -> bool:
    if isinstance(value, list):
        return depth > 0 and any(_judged(each, policy, depth - 1) for each in value)
    if not isinstance(value, dict):
        return _bad(value, policy)
    own = {name.lower(): each for name, each in value.items()}
    if own.keys() & {*_VERDICTS, *_LABELS, *_SCORES, *_INSIDE}:
        inside = [own[name] for name in _INSIDE if isinstance(own.get(name), dict | list)]
        return _fails(own, policy) or (depth > 0 and any(_judged(each, policy, depth - 1) for each in inside))
    # A member for each grade: its score, or an object about it.
    return depth > 0 and any(_judged(each, policy, depth - 1) for each in value.values())


def _fails(members: Mapping[str, JsonValue], policy: Policy) -> bool:
    for names in (_VERDICTS, _LABELS):
        said = [members[name] for name in names if isinstance(members.get(name), str | bool)]
        if said:
            return any(_bad(each, policy) for each in said)
    scored = [value for name, value in members.items() if name in _SCORES or name in _MARKS]
    return any(_bad(each, policy) for each in scored if not isinstance(each, dict | list))


def _bad(value: JsonValue, policy: Policy) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in policy.failing_words
    if value is None or isinstance(value, bool):
        return value is False
    return isinstance(value, int | float) and value < policy.failing_below


def _opened(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return parse(value)
        except MalformedJson:
            return value
    return value
