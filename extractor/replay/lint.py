"""Asserts that take one whole answer for the boundary: a test that wants a sentence back shows that the sentence came back.

What is seen: ``assert X == "…"`` and ``assert "…" == X``, alone or joined by ``and``, in a test that uses ``incident``, where X is
``incident.output`` or a name that was bound to the answer of a call which got the incident (``answer = agent(incident)``), also as
``await`` and through ``str()`` and methods such as ``strip()``. What is not seen: helpers, comparisons elsewhere, unittest's
methods, literals that are put together, texts that a variable holds.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

__all__ = ["WholeAnswer", "whole_answers"]

_FIXTURE = "incident"


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """An assert that compares a whole answer with ``literal``, and the line where it stands, from 1."""

    line: int
    test: str
    literal: str

    def __str__(self) -> str:
        """Return what is wrong and what to do, without the text itself."""
        return (
            f"{self.test} compares the whole answer with one text: an expected string stands in for the boundary; "
            "assert what must hold, or name the text as an exact disclosure of the case"
        )


def whole_answers(source: str, exact: Collection[str] = ()) -> list[WholeAnswer]:
    """Return the asserts of a test module that want one whole answer, but for the exact disclosures of its cases.

    A module that is no Python says nothing here: whoever runs it is told.
    """
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _uses_incident(node):
            found += [each for each in _of_test(node) if each.literal not in exact]
    return sorted(found, key=lambda each: each.line)


def _uses_incident(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    return node.name.startswith("test") and any(each.arg == _FIXTURE for each in arguments)


def _of_test(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[WholeAnswer]:
    answers = set(_answers(test))
    for node in ast.walk(test):
        if isinstance(node, ast.Assert):
            for compared in _conjuncts(node.test):
                literal = _literal(compared, answers)
                if literal is not None:
                    yield WholeAnswer(line=compared.lineno, test=test.name, literal=literal)


def _answers(test: ast.AST) -> Iterator[str]:
    """Yield the names that hold the answer of a run."""
    for node in ast.walk(test):
        targets: list[ast.expr]
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        if _is_answer(value, frozenset()) or _gets_incident(value) or _is_output(targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_output(targets: list[ast.expr]) -> bool:
    return any(_is_answer(target, frozenset()) for target in targets)  # answer = incident.output = …


def _gets_incident(value: ast.expr) -> bool:
    value = value.value if isinstance(value, ast.Await) else value
    if not isinstance(value, ast.Call) or _of_incident(value.func):
        return False  # incident.call_tool(…) returns what a tool said, no answer
    given = [*value.args, *(keyword.value for keyword in value.keywords)]
    return any(
        isinstance(part, ast.Name) and part.id == _FIXTURE and not isinstance(each, ast.Call)
        for each in given
        for part in ast.walk(each)
    ) or any(_gets_incident(each) for each in given)


def _of_incident(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == _FIXTURE
    )


def _conjuncts(test: ast.expr) -> Iterator[ast.Compare]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _conjuncts(value)
    elif isinstance(test, ast.Compare):
        yield test


def _literal(compared: ast.Compare, answers: Collection[str]) -> str | None:
    if len(compared.ops) != 1 or not isinstance(compared.ops[0], ast.Eq | ast.Is):
        return None
    left, right = compared.left, compared.comparators[0]
    for answer, text in ((left, right), (right, left)):
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and _is_answer(answer, answers):
            return text.value
    return None


def _is_answer(value: ast.expr, answers: Collection[str]) -> bool:
    """Say whether an expression is the whole answer, whatever its case or its blanks."""
    if isinstance(value, ast.Name):
        return value.id in answers
    if isinstance(value, ast.Attribute):
        return value.attr == "output" and _of_incident(value)
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Attribute) and not value.args:  # answer.strip()
            return _is_answer(value.func.value, answers)
        stringed = isinstance(value.func, ast.Name) and value.func.id == "str" and len(value.args) == 1
        return (stringed and _is_answer(value.args[0], answers)) or _gets_incident(value)
    return isinstance(value, ast.Await) and _gets_incident(value)
