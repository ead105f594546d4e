"""Asserts inside loops that say nothing where there is nothing to loop over (S94, S95), found in the source of checks.

"Every call is a refund" is true of a run without calls. What exists is said by a number, before anything is said of each:
``assert len(calls) == 1``, ``assert calls``, ``exactly(1, calls)``, ``at_least(1, calls)``, or a guard that raises.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .cardinality import Known, counted, expanded, indexed, needs, proves, refutes, runs, without

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_JUDGING = frozenset({"AssertionError", "Rejected"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CLAIMING = frozenset({"exactly", "at_least", "fail"})
_SWALLOWING = frozenset({"raises", "suppress", "assertRaises", "assertRaisesRegex"})
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
    judging = judging_errors(tree)
    scan = _Scan(
        file,
        _single(tree.body, ()),
        "module",
        judges=False,
        judging=judging,
        claiming=claiming_functions(tree, judging),
    )
    scan.block(tree.body, {}, ())
    return tuple(sorted(scan.found, key=lambda each: each.line))


class _Scan:
    """One scope: the names that stand for one expression in it, and what is found."""

    def __init__(
        self,
        file: str,
        aliases: Mapping[str, ast.expr],
        function: str,
        *,
        judges: bool,
        judging: frozenset[str],
        claiming: frozenset[str],
    ) -> None:
        self.found: list[VacuousLoop] = []
        self._file = file
        self._aliases = aliases
        self._function = function
        self._judges = judges
        self._judging = judging  # errors that reject
        self._claiming = claiming  # functions that assert

    def block(self, body: Sequence[ast.stmt], known: Known, loops: tuple[_Loop, ...]) -> None:
        """Walk statements in order; ``known`` gathers the lists that cannot be empty from here on."""
        for statement in body:
            self._statement(statement, known, loops)

    def _statement(self, node: ast.stmt, known: Known, loops: tuple[_Loop, ...]) -> None:
        match node:
            case ast.Assert():
                self._claim(node, loops)
                self._expression(self._expand(node.test), known, node)
                known.update(proves(self._expand(node.test)) | indexed(self._expand(node.test)))
            case ast.Raise(exc=raised) if _named(raised) in self._judging:
                self._claim(node, loops)
            case ast.Return(value=value) if self._judges and value is not None:
                if isinstance(value, ast.Constant) and value.value is False:
                    self._claim(node, loops)
                self._expression(self._expand(value), known, node)
            case ast.Expr(value=ast.ListComp(elt=ast.Call() as call) as items) if _named(call) in self._claiming:
                self._each(self._expand(items), known, node)
            case ast.Expr(value=value):
                if isinstance(value, ast.Call) and _named(value) in self._claiming:
                    self._claim(node, loops)
                known.update(counted(self._expand(value)) | indexed(self._expand(value)))
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
                self._if(node, known, loops)
            case ast.With(items=items) | ast.AsyncWith(items=items):
                swallows = any(_named(each.context_expr) in _SWALLOWING for each in items)
                self.block(node.body, dict(known) if swallows else known, loops)
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

    def _if(self, node: ast.If, known: Known, loops: tuple[_Loop, ...]) -> None:
        test = self._expand(node.test)
        then, otherwise = _leaves(node.body), _leaves(node.orelse)
        if self._rejects(node.body):  # what stays is asserted to be untrue
            self._expression(ast.UnaryOp(op=ast.Not(), operand=test), known, node)
        # A branch whose other side leaves in an error says something of the empty list, a mere `if calls:` does not.
        self.block(node.body, known | proves(test) if otherwise else dict(known), loops)
        self.block(node.orelse, known | refutes(test) if then else dict(known), loops)
        if then:
            known.update(refutes(test))
        if otherwise:
            known.update(proves(test))

    def _rejects(self, body: Sequence[ast.stmt]) -> bool:
        match body[-1]:
            case ast.Raise(exc=raised):
                return _named(raised) in self._judging
            case ast.Return(value=ast.Constant(value=False)):
                return self._judges
            case ast.Expr(value=ast.Call() as call):
                return _named(call) == "fail"
            case _:
                return False

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
            silent = not runs(self._expand(node.iter), known)
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
        if node.value is not None:  # it fails on a list that is too short
            known.update(needs(self._expand(node.value)) if unpacked else {})
            known.update(indexed(self._expand(node.value)))

    def _scope(self, node: _Function | ast.ClassDef) -> None:
        name = node.name if self._function == "module" else f"{self._function}.{node.name}"
        judges = not isinstance(node, ast.ClassDef) and _is_check(node)
        given = () if isinstance(node, ast.ClassDef) else _parameters(node)
        here = {*given, *(each for statement in node.body for each in _stored(statement))}
        outer = {each: value for each, value in self._aliases.items() if each not in here}
        aliases = outer | _single(node.body, given)
        scan = _Scan(self._file, aliases, name, judges=judges, judging=self._judging, claiming=self._claiming)
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
            case ast.UnaryOp(op=ast.Not(), operand=denied):
                self._denied(denied, known, at)
            case ast.IfExp(test=asked, body=then, orelse=otherwise):
                self._expression(then, known | proves(asked), at)
                self._expression(otherwise, known | refutes(asked), at)
            case ast.Compare(left=left, ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=bool() as wanted)]):
                self._expression(left if wanted else ast.UnaryOp(op=ast.Not(), operand=left), known, at)
            case ast.NamedExpr(value=value) | ast.Call(func=ast.Name(id="bool"), args=[value]):
                self._expression(value, known, at)
            case _:
                pass

    def _denied(self, test: ast.expr, known: Known, at: ast.stmt) -> None:
        """Name what `_expression` names, of a test that must be untrue."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                self._expression(inner, known, at)
            case ast.Call(func=ast.Name(id="any"), args=[items]):
                self._each(items, known, at)
            case ast.BoolOp(op=operator, values=values):
                turned = ast.And() if isinstance(operator, ast.Or) else ast.Or()
                denied = [ast.UnaryOp(op=ast.Not(), operand=each) for each in values]
                self._expression(ast.BoolOp(op=turned, values=[*denied]), known, at)
            case ast.NamedExpr(value=value) | ast.Call(func=ast.Name(id="bool"), args=[value]):
                self._denied(value, known, at)
            case _:
                pass

    def _each(self, items: ast.expr, known: Known, at: ast.stmt) -> None:
        if runs(items, known):
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


def judging_errors(tree: ast.Module) -> frozenset[str]:
    """Return the names of the errors that reject: ours, and those that a module derives of them."""
    found = set(_JUDGING)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any(_named(base) in found for base in node.bases):
            found.add(node.name)
    return frozenset(found)


def claiming_functions(tree: ast.Module, judging: Collection[str]) -> frozenset[str]:
    """Return the names of the functions of a module that assert something, by themselves or by another one of it."""
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    found, before = set(_CLAIMING), set[str]()
    while found != before:
        before = set(found)
        found |= {each.name for each in functions if any(claims(node, judging, before) for node in ast.walk(each))}
    return frozenset(found)


def claims(node: ast.AST, judging: Collection[str], claiming: Collection[str]) -> bool:
    """Say whether a node asserts something, or calls a function that does."""
    return (
        isinstance(node, ast.Assert)
        or (isinstance(node, ast.Raise) and _named(node.exc) in judging)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _named(node.value) in claiming)
    )


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
                    | ast.NamedExpr(target=ast.Name(id=name), value=value)
                ):
                    values[name] = value
                case _:
                    pass
    return {name: value for name, value in values.items() if bound[name] == 1}
