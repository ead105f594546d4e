"""What an expression says of how many items a list holds: which lists it proves to hold one, and which a loop needs to.

A list is known by its expression, ``record.tool_calls``, with the names that it was given resolved, and by the names in it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Mapping
from typing import TypeAlias

Known: TypeAlias = dict[str, frozenset[str]]
"""Expression (as ``ast.dump`` has it) of a list that cannot be empty here, with the names that it is made of."""

_SAME_LENGTH = frozenset({"list", "tuple", "sorted", "set", "frozenset", "reversed", "enumerate", "iter"})
_SIZED = frozenset({"list", "tuple", "sorted", "set", "frozenset"})
_VIEWS = frozenset({"items", "keys", "values"})
_COUNTING = frozenset({"exactly", "at_least"})
_FLIPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_DEPTH = 5  # of names that stand for each other


def expanded(node: ast.expr, aliases: Mapping[str, ast.expr]) -> ast.expr:
    """Return the expression with every name that stands for one expression replaced by it."""
    return _Expand(aliases, _DEPTH).visit(copy.deepcopy(node)) if aliases else node


class _Expand(ast.NodeTransformer):
    def __init__(self, aliases: Mapping[str, ast.expr], depth: int) -> None:
        self._aliases = aliases
        self._depth = depth

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return what the name stands for."""
        value = self._aliases.get(node.id) if isinstance(node.ctx, ast.Load) and self._depth else None
        return node if value is None else _Expand(self._aliases, self._depth - 1).visit(copy.deepcopy(value))


def needs(items: ast.expr) -> Known:
    """Return the lists that must hold an item for a loop over ``items`` to run; none where it always runs."""
    match items:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return _nothing() if any(not isinstance(each, ast.Starred) for each in elements) else _key(items)
        case ast.Dict(keys=[_, *_]) | ast.JoinedStr(values=[ast.Constant(), *_]):
            return _nothing()
        case ast.Constant(value=str() | bytes() as text) if text:
            return _nothing()
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as end)]) if end > 0:
            return _nothing()
        case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[inner])]):
            return needs(inner)
        case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _SAME_LENGTH:
            return needs(inner)
        case (
            ast.Call(func=ast.Name(id="map"), args=[_, *several])
            | ast.Call(func=ast.Name(id="zip"), args=[_, *_] as several)
        ):
            return {key: names for each in several for key, names in needs(each).items()}
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[]) if name in _VIEWS:
            return needs(inner)
        case ast.BoolOp(op=ast.Or(), values=[inner, *_]) | ast.NamedExpr(value=inner):
            return needs(inner)
        case ast.ListComp(generators=[only]) | ast.GeneratorExp(generators=[only]) | ast.SetComp(generators=[only]) if (
            not only.ifs
        ):
            return needs(only.iter)
        case _:
            return _key(items)


def runs(items: ast.expr, known: Known) -> bool:
    """Say whether a loop over ``items`` runs, by what is known of lists."""
    match items:
        case ast.Call(
            func=ast.Name(id="zip"), args=several, keywords=[ast.keyword(arg="strict", value=ast.Constant(value=True))]
        ):
            return any(runs(each, known) for each in several)  # it breaks unless all are of one length
        case ast.Call(func=ast.Name(id=name), args=[inner, *_]) if name in _SAME_LENGTH:
            return runs(inner, known)
        case _:
            return needs(items).keys() <= known.keys()


def proves(test: ast.expr) -> Known:
    """Return the lists that hold an item wherever ``test`` is true."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return _union(proves(each) for each in values)
        case ast.BoolOp(op=ast.Or(), values=values):
            return _common([proves(each) for each in values])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return refutes(operand)
        case ast.NamedExpr(value=value):
            return proves(value)
        case ast.Call():
            return _call(test)
        case ast.Compare():
            places = [test.left, *test.comparators]
            pairs = zip(places, test.ops, places[1:], strict=False)
            return _union(_compared(left, type(operator), right) for left, operator, right in pairs)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.ListComp() | ast.SetComp():
            return _filled(test)
        case _:
            return _nothing()


def refutes(test: ast.expr) -> Known:
    """Return the lists that hold an item wherever ``test`` is false."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return _union(refutes(each) for each in values)
        case ast.BoolOp(op=ast.And(), values=values):
            return _common([refutes(each) for each in values])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return proves(operand)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            opposite = {
                ast.Eq: ast.NotEq,
                ast.NotEq: ast.Eq,
                ast.Lt: ast.GtE,
                ast.LtE: ast.Gt,
                ast.Gt: ast.LtE,
                ast.GtE: ast.Lt,
            }
            against = opposite.get(type(operator))
            return _nothing() if against is None else _compared(left, against, right)
        case _:
            return _nothing()


def counted(call: ast.expr) -> Known:
    """Return the list whose number a call of ``exactly`` or ``at_least`` states."""
    if not isinstance(call, ast.Call):
        return _nothing()
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", None)
    told = {each.arg: each.value for each in call.keywords}
    number = call.args[0] if call.args else told.get("number")
    items = call.args[1] if len(call.args) > 1 else told.get("items")
    if name not in _COUNTING or items is None or (isinstance(number, ast.Constant) and not number.value):
        return _nothing()
    return _filled(items)


def indexed(node: ast.expr) -> Known:
    """Return the lists of which an expression takes an item by its position, whatever comes of it: it breaks where there is none."""
    match node:
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return _nothing()
        case ast.BoolOp(values=[inner, *_]) | ast.IfExp(test=inner):
            return indexed(inner)
        case ast.Subscript(
            value=items, slice=ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int()))
        ):
            return _filled(items) | indexed(items)
        case _:
            return _union(indexed(each) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))


def without(known: Known, names: Iterable[str]) -> None:
    """Forget what was known of lists that a name is part of: it stands for something else now."""
    gone = {*names}
    for key in [key for key, parts in known.items() if parts & gone]:
        del known[key]


def _call(call: ast.Call) -> Known:
    match call:
        case ast.Call(func=ast.Name(id="len" | "bool"), args=[items]):
            return _filled(items)
        case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() | ast.ListComp() as items]):
            return _filled(items)
        case ast.Call(func=ast.Name(id="any"), args=[items]):
            return needs(items)
        case ast.Call(func=ast.Name(id=name), args=[items, *_]) if name in _SIZED:
            return _filled(items)
        case _:
            return counted(call)


def _compared(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> Known:
    size, other, way = _size(left), right, operator
    if size is None:
        size, other, way = _size(right), left, _FLIPPED.get(operator, operator)
    if size is not None:
        return _filled(size) if _some(way, other) or (operator is ast.In and _none_is_zero(other)) else _nothing()
    if operator is ast.In and isinstance(left, ast.Constant):
        return _filled(right)
    return _equal(left, operator, right)


def _equal(left: ast.expr, operator: type[ast.cmpop], right: ast.expr) -> Known:
    """A list that equals one with items holds some; a list built on the spot that equals any has its number stated."""
    if operator is ast.NotEq and _empty(right):
        return _filled(left)
    if operator is not ast.Eq or _empty(right) or _empty(left):
        return _nothing()
    built = isinstance(left, ast.ListComp) or (isinstance(left, ast.Call) and getattr(left.func, "id", "") in _SIZED)
    return _filled(left) if built or isinstance(right, ast.List | ast.Tuple) else _nothing()


def _some(operator: type[ast.cmpop], number: ast.expr) -> bool:
    """Say whether a size so compared is stated and not zero."""
    if not (isinstance(number, ast.Constant) and isinstance(number.value, int)):
        return operator in (ast.Eq, ast.Gt, ast.GtE)
    wanted = number.value
    return (
        (operator is ast.Eq and wanted > 0)
        or (operator is ast.NotEq and wanted == 0)
        or (operator is ast.Gt and wanted >= 0)
        or (operator is ast.GtE and wanted >= 1)
    )


def _none_is_zero(numbers: ast.expr) -> bool:
    """Say whether a size that is among these numbers is not zero."""
    match numbers:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return all(isinstance(each, ast.Constant) and each.value not in (0, False) for each in elements)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as start), _, *_]):
            return start > 0
        case _:
            return False


def _size(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.NamedExpr):
        node = node.value
    return node.args[0] if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args else None


def _empty(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and not node.elts


def _filled(items: ast.expr) -> Known:
    """Return what holds an item when ``items`` does: itself, and what it was filtered from."""
    if isinstance(items, ast.NamedExpr):
        return _filled(items.target) | _filled(items.value)
    base = items.generators[0].iter if isinstance(items, ast.ListComp | ast.SetComp | ast.GeneratorExp) else None
    return _key(items) | needs(items) | (_filled(base) if base is not None else {})


def _key(node: ast.expr) -> Known:
    # Not unparse: of an expanded f-string it may have no spelling.
    return {ast.dump(node): frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))}


def _nothing() -> Known:
    return {}


def _union(several: Iterable[Known]) -> Known:
    return {key: names for each in several for key, names in each.items()}


def _common(several: list[Known]) -> Known:
    return {key: names for key, names in several[0].items() if all(key in each for each in several)}
