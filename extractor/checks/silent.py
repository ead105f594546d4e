"""Loops that did not run, and ``all`` of nothing, while checks accepted real records (S94): found by watching the checks run.

The modules named, and no others, are loaded a second time with a counter at each loop that judges and at each ``all`` and
``any``; what was loaded before stays as it is.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from extractor.errors import UsageError

from .case import CheckCase
from .declaring import checks_of
from .loops import claiming_functions, claims, judging_errors, spelled
from .record import RunRecord
from .running import run_all_checks

_NAME: Final = "@extract_fixture_loops"  # no identifier, so no name of a project
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentLoop:
    """A loop at ``line`` of ``file`` that did not run in ``records``, each of which ``check`` accepted.

    It ran in ``ran`` others; the check looked at ``seen`` records in all.
    """

    file: str
    line: int
    collection: str
    check: str
    records: tuple[str, ...]
    ran: int
    seen: int

    def text(self) -> str:
        """Return one line for people."""
        often = "never ran, in" if self.ran == 0 else f"ran in {self.ran} of"
        shown = ", ".join(self.records[:_SHOWN]) + (", …" if len(self.records) > _SHOWN else "")
        return (
            f"{self.file}:{self.line}: the loop over {self.collection} {often} {self.seen} records;"
            f" {self.check} accepted {len(self.records)} of them without it: {shown}"
        )


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int
    collection: str


class _Counters:
    """How often each loop was met and how often its body ran, since they were last cleared."""

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self._met: set[int] = set()
        self._ran: set[int] = set()

    def met(self, number: int) -> None:
        self._met.add(number)

    def ran(self, number: int) -> None:
        self._ran.add(number)

    def over(self, number: int, items: Iterable[object]) -> Iterator[object]:
        """Yield what ``all`` or ``any`` asks for, one by one as it asks."""
        self._met.add(number)
        for each in items:
            self._ran.add(number)
            yield each

    def taken(self) -> tuple[set[int], set[int]]:
        """Return the loops that ran and those that were met and did not, and begin anew."""
        ran, silent = self._ran, self._met - self._ran
        self._met, self._ran = set(), set()
        return ran, silent


def silent(modules: Sequence[str], runs: Sequence[tuple[str, RunRecord, CheckCase]]) -> tuple[SilentLoop, ...]:
    """Return the loops of checking modules that let records pass by not running, by place.

    ``runs`` are records with their names and cases. Raises `UsageError` for no record, no check, or no such module.
    """
    if not runs:
        raise UsageError("there is no record to watch the checks over")
    counters = _Counters()
    ran: dict[tuple[int, str], int] = {}
    passed: dict[tuple[int, str], list[str]] = {}
    with _watched(modules, counters):
        for check in checks_of(modules):
            for name, record, case in runs:
                counters.taken()
                accepted = run_all_checks(record, case, [check]).outcomes[0].verdict == "accepted"
                running, quiet = counters.taken()
                for number in running:
                    ran[number, check.id] = ran.get((number, check.id), 0) + 1
                for number in quiet if accepted else ():
                    passed.setdefault((number, check.id), []).append(name)
    found = (
        SilentLoop(
            file=counters.places[number].file,
            line=counters.places[number].line,
            collection=counters.places[number].collection,
            check=check,
            records=tuple(names),
            ran=ran.get((number, check), 0),
            seen=len(runs),
        )
        for (number, check), names in passed.items()
    )
    return tuple(sorted(found, key=lambda each: (each.file, each.line, each.check)))


@contextmanager
def _watched(modules: Sequence[str], counters: _Counters) -> Iterator[None]:
    """Load the modules anew, with counters, wherever they are imported inside of this block."""
    finder = _Finder(frozenset(modules), counters)
    before = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in modules:
            sys.modules.pop(name, None)
        sys.modules.update(before)


class _Finder(MetaPathFinder):
    def __init__(self, modules: frozenset[str], counters: _Counters) -> None:
        self._modules = modules
        self._counters = counters

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that is watched; None for all others."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self._modules else None
        if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
            return None
        return spec_from_file_location(
            fullname,
            spec.origin,
            loader=_Loader(fullname, spec.origin, self._counters),
            submodule_search_locations=spec.submodule_search_locations,
        )


class _Loader(SourceFileLoader):
    def __init__(self, fullname: str, path: str, counters: _Counters) -> None:
        super().__init__(fullname, path)
        self._counters = counters

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code with counters in it; never from a cache, never into it."""
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), filename=path)
        shown = Path(path)
        here = Path.cwd()
        file = shown.relative_to(here).as_posix() if shown.is_relative_to(here) else shown.name
        judging = judging_errors(tree)
        _Instrument(self._counters.places, file, judging, claiming_functions(tree, judging)).visit(tree)
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with the counters at hand."""
        vars(module)[_NAME] = self._counters
        super().exec_module(module)


class _Instrument(ast.NodeTransformer):
    def __init__(self, places: list[_Place], file: str, judging: frozenset[str], claiming: frozenset[str]) -> None:
        self._places = places
        self._file = file
        self._judging = judging
        self._claiming = claiming

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> list[ast.stmt]:
        judges = any(self._judges(each) for each in ast.walk(node))
        over = spelled(node.test if isinstance(node, ast.While) else node.iter)
        self.generic_visit(node)
        if not judges:
            return [node]
        number = self._number(node.lineno, over)
        node.body.insert(0, _statement("ran", number, node))
        return [_statement("met", number, node), node]

    visit_For = visit_AsyncFor = visit_While = _loop  # noqa: N815  # names of ast

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return a call of ``all`` or ``any`` with its items counted."""
        match node:
            case ast.Call(func=ast.Name(id="all" | "any"), args=[items], keywords=[]):
                plain = isinstance(items, ast.GeneratorExp | ast.ListComp | ast.SetComp) and not items.generators[0].ifs
                over = spelled(items.generators[0].iter if plain else items)  # type: ignore[attr-defined]  # said by plain
                number = self._number(node.lineno, over)
                self.generic_visit(node)
                node.args = [_called("over", [ast.Constant(value=number), node.args[0]])]
                return ast.copy_location(node, node)
            case _:
                return self.generic_visit(node)

    def _judges(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Raise)
            or (isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and node.value.value is False)
            or claims(node, self._judging, self._claiming)
        )

    def _number(self, line: int, collection: str) -> int:
        self._places.append(_Place(self._file, line, collection))
        return len(self._places) - 1


def _called(method: str, arguments: list[ast.expr]) -> ast.Call:
    counters = ast.Name(id=_NAME, ctx=ast.Load())
    return ast.Call(func=ast.Attribute(value=counters, attr=method, ctx=ast.Load()), args=arguments, keywords=[])


def _statement(method: str, number: int, beside: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Expr(value=_called(method, [ast.Constant(value=number)])), beside)
