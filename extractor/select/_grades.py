"""What graders and people said of a span: labels, verdicts and scores, in the conventions of many tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model.json import JsonValue, MalformedJson, parse
from ..model.selection import Grade
from ..model.span import Attributes, Span, lookup
from ._policy import Policy

_VERDICTS = ("passed", "success", "pass")
_LABELS = ("label", "string_value", "stringvalue", "verdict")
_SCORES = ("score", "value", "avg", "mean")
_MARKS = ("reward", "boundary")
_NAMES = ("name", "assessment_name", "key", "metric", "scorer", "evaluator_name")
_INSIDE = ("feedback", "result", "score", "expectation")
_DEPTH = 3
_NAME = re.compile(r"[\w.:/@+ -]{1,80}")


def grades(span: Span, policy: Policy) -> Iterator[Grade]:
    """Yield each grade of a span, in its attributes or its events, that says that it failed.

    A label or verdict beside a score wins over it: a scale may run either way. Grades are single attributes
    (``gen_ai.evaluation.score.label``, ``eval.score``), or members that hold one or many of them (Langfuse and
    Braintrust ``scores``, LangSmith ``feedback_stats``, MLflow ``assessments``, Phoenix ``annotations``, Inspect AI
    ``score``, DeepEval ``metrics_data``).
    """
    for attributes in (span.attributes, *(event.attributes for event in span.events)):
        yield from _marked(attributes, policy)
        for name, value in attributes:
            if policy.grades.fit(name):
                yield from _judged(_opened(value), policy, _DEPTH)


def failing(span: Span, policy: Policy) -> bool:
    """Return whether a grade of a span says that it failed."""
    return any(True for _ in grades(span, policy))


def _marked(attributes: Attributes, policy: Policy) -> Iterator[Grade]:
    """Yield what attributes that stand beside each other under one prefix say together."""
    groups: dict[str, dict[str, JsonValue]] = {}
    for name, value in attributes:
        prefix, _, last = name.rpartition(".")
        named = name.startswith(policy.grader_prefixes) and last in (*_VERDICTS, *_LABELS, "score")
        if named or policy.grader.fit(name):
            groups.setdefault(prefix.removesuffix(".score"), {})[last] = value
    for prefix, group in groups.items():
        if (found := _failed(group, policy)) is not None:
            own = next((prefix.removeprefix(each) for each in policy.grader_prefixes if prefix.startswith(each)), None)
            yield Grade(
                name=_told(lookup(attributes, f"{prefix}.name")) or own,
                version=_told(lookup(attributes, f"{prefix}.version")),
                result=found.result,
            )


def _judged(value: JsonValue, policy: Policy, depth: int, name: str | None = None) -> Iterator[Grade]:
    if isinstance(value, list):
        for each in value if depth > 0 else ():
            yield from _judged(each, policy, depth - 1, name)
    elif not isinstance(value, dict):
        if _bad(value, policy):
            yield Grade(name=name, version=None, result=value)
    else:
        own = {key.lower(): each for key, each in value.items()}
        if not own.keys() & {*_VERDICTS, *_LABELS, *_SCORES, *_INSIDE}:
            # A member for each grade: its score, or an object about it.
            for key, each in value.items() if depth > 0 else ():
                yield from _judged(each, policy, depth - 1, key)
            return
        name = next((told for key in _NAMES if (told := _told(own.get(key)))), name)
        if (found := _failed(own, policy)) is not None:
            yield Grade(name=name, version=_told(own.get("version")), result=found.result)
        for inside in _INSIDE if depth > 0 else ():
            if isinstance(own.get(inside), dict | list):
                yield from _judged(own[inside], policy, depth - 1, name)


def _told(value: JsonValue) -> str | None:
    """Return a name or a version, which is short and no prose."""
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    return text if _NAME.fullmatch(text) else None


@dataclass(frozen=True, slots=True)
class _Failed:
    result: JsonValue


def _failed(members: Mapping[str, JsonValue], policy: Policy) -> _Failed | None:
    """Return what members say where that is a failure; the first kind of them that says anything decides."""
    for names in (_VERDICTS, _LABELS):
        said = [members[name] for name in names if isinstance(members.get(name), str | bool)]
        if said:
            return next((_Failed(each) for each in said if _bad(each, policy)), None)
    scored = [value for name, value in members.items() if name in _SCORES or name in _MARKS]
    return next((_Failed(each) for each in scored if not isinstance(each, dict | list) and _bad(each, policy)), None)


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
