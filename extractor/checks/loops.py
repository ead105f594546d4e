"""Asserts inside loops that say nothing where there is nothing to loop over (S94, S95), found in the source of checks.

"Every call is a refund" is true of a run without calls. What exists is said by a number, before anything is said of each:
``assert len(calls) == 1``, ``assert calls``, ``exactly(1, calls)``, ``at_least(1, calls)``, or a guard that raises.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .cardinality import Known, counted, expanded, needs, proves, refutes, without

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_JUDGING = ("AssertionError", "Rejected")
_SHOWN = 100  # characters of an expression


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuousLoop:
    """A claim at ``line`` of ``file`` that is not made where ``collection``, as the source spells it, is empty."""

    file: str
    line: int
    function: str
    collection: str
    whiles: bool = False

    def text(self) -> str:
        """Return one line for people: where, what is wrong, what to do."""
        if self.whiles:
            silent = f"what is inside while {self.collection} says nothing where that loop never runs; assert before it that it does"
        else:
            silent = (
                f"what is inside a loop over {self.collection} says nothing where there is none;"
                f" say first how many there are: exactly(1, {self.collection})"
            )
        return f"{self.file}:{self.line}: {self.function}: {silent}"


@dataclass(frozen=True, slots=True)
class _Loop:
    collection: str
    whiles: bool


def vacuous(source: str | bytes, file: str) -> tuple[VacuousLoop, ...]:
    """Return the claims of a module that an empty list silences, by line. Raises `ValueError` with the line for no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as fault:
        raise ValueError(f"{file} is no Python, from line {getattr(fault, 'lineno', None) or 1} on") from None
    scan = _Scan(file, _single(tree.body, ()), "module", judges=False)
    scan.block(tree.body, {}, ())
    return tuple(sorted(scan.found, key=lambda each: each.line))


class _Scan:
    """One scope: the names that stand for one expression in it, and what is found."""

    def __init__(self, file: str, aliases: Mapping[str, ast.expr], function: str, *, judges: bool) -> None:
        self.found: list[VacuousLoop] = []
        self._file = file
        self._aliases = aliases
        self._function = function
        self._judges = judges

    def block(self, body: Sequence[ast.stmt], known: Known, loops: tuple[_Loop, ...]) -> None:
        """Walk statements in order; ``known`` gathers the lists that cannot be empty from here on."""
        for statement in body:
            self._statement(statement, known, loops)

    def _statement(self, node: ast.stmt, known: Known, loops: tuple[_Loop, ...]) -> None:
        match node:
            case ast.Assert():
                self._claim(node, loops)
                self._expression(self._expand(node.test), known, node)
                known.update(proves(self._expand(node.test)))
            case ast.Raise(exc=raised) if _named(raised) in _JUDGING:
                self._claim(node, loops)
            case ast.Return(value=value) if self._judges and value is not None:
                if isinstance(value, ast.Constant) and value.value is False:
                    self._claim(node, loops)
                self._expression(self._expand(value), known, node)
            case ast.Expr(value=ast.Call() as call):
                known.update(counted(self._expand(call)))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._assigned(node, known)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node, known, loops)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._scope(node)
            case _:
                self._branches(node, known, loops)

    def _branches(self, node: ast.stmt, known: Known, loops: tuple[_Loop, ...]) -> None:
        match node:
            case ast.If():
                self.block(node.body, dict(known), loops)
                self.block(node.orelse, dict(known), loops)
                test = self._expand(node.test)
                if _leaves(node.body):
                    known.update(refutes(test))
                if _leaves(node.orelse):
                    known.update(proves(test))
            case ast.With() | ast.AsyncWith():
                self.block(node.body, known, loops)
            case ast.Try() | ast.TryStar():
                inner = dict(known)
                self.block([*node.body, *node.orelse], inner, loops)
                for handler in node.handlers:
                    self.block(handler.body, dict(known), loops)
                if all(_leaves(handler.body) for handler in node.handlers):
                    known.update(inner)
                self.block(node.finalbody, known, loops)
            case ast.Match():
                for case in node.cases:
                    self.block(case.body, dict(known), loops)
            case _:
                pass

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, known: Known, loops: tuple[_Loop, ...]) -> None:
        inner = dict(known)
        if isinstance(node, ast.While):
            test = self._expand(node.test)
            forever = isinstance(test, ast.Constant) and bool(test.value)
            silent = not forever and not (proves(test).keys() & known.keys())
            loop = _Loop(spelled(node.test), whiles=True)
            inner.update(proves(test))
        else:
            wanted = needs(self._expand(node.iter))
            silent = not wanted.keys() <= known.keys()
            loop = _Loop(spelled(node.iter), whiles=False)
            inner.update(wanted)
            without(inner, _stored(node.target))
        self.block(node.body, inner, (*loops, loop) if silent else loops)
        self.block(node.orelse, dict(known), loops)
        for rebound in _stored(node):
            without(known, (rebound,))

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, known: Known) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            without(known, _stored(target))
        unpacked = any(
            isinstance(each, ast.Tuple | ast.List) and any(not isinstance(item, ast.Starred) for item in each.elts)
            for each in targets
        )
        if unpacked and node.value is not None:  # it fails on a list that is too short
            known.update(needs(self._expand(node.value)))

    def _scope(self, node: _Function | ast.ClassDef) -> None:
        name = node.name if self._function == "module" else f"{self._function}.{node.name}"
        judges = not isinstance(node, ast.ClassDef) and _is_check(node)
        given = () if isinstance(node, ast.ClassDef) else _parameters(node)
        here = {*given, *(each for statement in node.body for each in _stored(statement))}
        outer = {each: value for each, value in self._aliases.items() if each not in here}
        aliases = outer | _single(node.body, given)
        scan = _Scan(self._file, aliases, name, judges=judges)
        scan.block(node.body, {}, ())
        self.found += scan.found

    def _expression(self, test: ast.expr, known: Known, at: ast.stmt) -> None:
        """Name ``all(…)`` and ``not any(…)`` over what may be empty; what stands left of and, or has been looked at before."""
        match test:
            case ast.BoolOp(op=operator, values=values):
                held = dict(known)
                for value in values:
                    self._expression(value, held, at)
                    held.update(proves(value) if isinstance(operator, ast.And) else refutes(value))
            case ast.Call(func=ast.Name(id="all"), args=[items]):
                self._each(items, known, at)
            case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[items])):
                self._each(items, known, at)
            case ast.NamedExpr(value=value):
                self._expression(value, known, at)
            case _:
                pass

    def _each(self, items: ast.expr, known: Known, at: ast.stmt) -> None:
        if needs(items).keys() <= known.keys():
            return
        plain = isinstance(items, ast.GeneratorExp | ast.ListComp | ast.SetComp) and not items.generators[0].ifs
        over = (
            items.generators[0].iter
            if plain and isinstance(items, ast.GeneratorExp | ast.ListComp | ast.SetComp)
            else items
        )
        self._claim(at, (_Loop(spelled(over), whiles=False),))

    def _claim(self, at: ast.stmt, loops: tuple[_Loop, ...]) -> None:
        if loops:
            innermost = loops[-1]
            self.found.append(
                VacuousLoop(
                    file=self._file,
                    line=at.lineno,
                    function=self._function,
                    collection=innermost.collection,
                    whiles=innermost.whiles,
                )
            )

    def _expand(self, node: ast.expr) -> ast.expr:
        return expanded(node, self._aliases)


def spelled(node: ast.expr) -> str:
    """Return an expression as the source has it, cut where it is long."""
    try:
        text = ast.unparse(node)
    except ValueError:  # an f-string within an f-string, in which a name was resolved
        return "a list"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _is_check(node: _Function) -> bool:
    return node.name.startswith(("assert_", "check_")) or any(_named(each) == "check" for each in node.decorator_list)


def _named(node: ast.expr | None) -> str | None:
    """Return the last name of what is raised, called or used as a decorator."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Say whether a branch ends in an error or a rejection; one that returns quietly accepts what it has not looked at."""
    match body[-1] if body else None:
        case ast.Raise():
            return True
        case ast.Return(value=ast.Constant(value=False)):
            return True
        case ast.Expr(value=ast.Call() as call):
            return _named(call) in ("fail", "skip")
        case _:
            return False


def _stored(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            yield each.id


def _parameters(node: _Function) -> tuple[str, ...]:
    return tuple(each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg))


def _single(body: Sequence[ast.stmt], given: Sequence[str]) -> dict[str, ast.expr]:
    """Return the names of a scope that are bound once, by an assignment of their own, with what they stand for."""
    bound: dict[str, int] = dict.fromkeys(given, 1)
    values: dict[str, ast.expr] = {}
    for statement in body:
        for name in _stored(statement):
            bound[name] = bound.get(name, 0) + 1
        for each in ast.walk(statement):
            match each:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                ):
                    values[name] = value
                case _:
                    pass
    return {name: value for name, value in values.items() if bound[name] == 1}
