"""The table of what is asked of the tool: ``requirements.toml`` says what and where, the tests say which numbers they show."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["NUMBERS", "Requirement", "faults", "page", "requirements", "tests_by_number"]

NUMBERS = range(1, 141)
_MOST_WORDS = 18
_SHOWN = 4
# Three digits at most, nothing of a word before or behind: no field, no rule of a linter, no name of a store.
_NUMBER = re.compile(r"(?<![A-Za-z0-9])S(\d{1,3})(?![A-Za-z0-9])(?:\s*(?:-|–|to)\s*S(\d{1,3})(?![A-Za-z0-9]))?")
_HEAD = """\
# What is asked, where it works, what shows it

Written by `make docs` from `docs/requirements.toml` and from the numbers in the names and docstrings of the tests.
A test is listed with its module, a module alone where all of it is about the number. Where something is missing, the row
says so as a gap. `tests/test_requirements.py` holds that no row lacks its place or, without a gap, its test.

| | asked | works in | shown by |
|---|---|---|---|
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One number: what is asked, the paths where it works (from the root), and what is missing, or nothing."""

    number: int
    says: str
    where: tuple[str, ...]
    gap: str


def requirements(data: Path) -> tuple[Requirement, ...]:
    """Return the rows of a file of data, in the order of their numbers; raises `ValueError` for a table that is none."""
    rows = [_requirement(name, table) for name, table in tomllib.loads(data.read_text("utf-8")).items()]
    return tuple(sorted(rows, key=lambda row: row.number))


def _requirement(name: str, table: Mapping[str, Any]) -> Requirement:
    found = _NUMBER.fullmatch(name)
    if found is None or not {"says", "where"} <= table.keys() <= {"says", "where", "gap"}:
        raise ValueError(f"{name} is no row: [S1] has says, where and perhaps gap")
    return Requirement(number=int(found[1]), says=table["says"], where=tuple(table["where"]), gap=table.get("gap", ""))


def tests_by_number(root: Path) -> Mapping[int, tuple[str, ...]]:
    """Return the tests that name each number, as ``tests/path.py::name``; a module alone where none of its tests does."""
    found: dict[int, list[str]] = {}
    for module in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(module.read_text("utf-8"))
        path = module.relative_to(root).as_posix()
        named = [(f"{path}::{name}", _numbers(texts)) for name, texts in _tests(tree)]
        inside = {number for _, numbers in named for number in numbers}
        whole = _numbers([ast.get_docstring(tree) or "", module.stem]) - inside
        for place, numbers in [*named, (path, whole)]:
            for number in numbers:
                found.setdefault(number, []).append(place)
    # Single tests say more than modules, so they come first.
    return {number: tuple(sorted(places, key=lambda place: "::" not in place)) for number, places in found.items()}


def _tests(tree: ast.Module | ast.ClassDef, inside: str = "") -> Iterator[tuple[str, list[str]]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            name = f"{inside}{node.name}"
            yield name, [node.name, ast.get_docstring(node) or ""]
            yield from _tests(node, f"{name}::")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield f"{inside}{node.name}", [node.name, ast.get_docstring(node) or ""]


def _numbers(texts: Iterable[str]) -> set[int]:
    pairs = [found.groups() for text in texts for found in _NUMBER.finditer(text.replace("_", " "))]
    return {number for first, last in pairs for number in range(int(first), int(last or first) + 1)}


def page(root: Path) -> str:
    """Return the page, from the data and the tests of a working copy."""
    tests = tests_by_number(root)
    lines = [_line(row, tests.get(row.number, ())) for row in requirements(root / "docs" / "requirements.toml")]
    return _HEAD + "\n".join(lines) + "\n"


def _line(row: Requirement, tests: tuple[str, ...]) -> str:
    shown = [f"`{test}`" for test in tests[:_SHOWN]]
    if len(tests) > _SHOWN:
        shown.append(f"and {len(tests) - _SHOWN} more")
    if row.gap:
        shown.append(f"**gap:** {row.gap}")
    return f"| S{row.number} | {row.says} | {', '.join(map(_place, row.where))} | {', '.join(shown)} |"


def _place(path: str) -> str:
    return f"[{Path(path).name}]({path.removeprefix('docs/')})" if path.startswith("docs/") else f"`{path}`"


def faults(root: Path) -> tuple[str, ...]:
    """Return what the table lacks, or says too much: one line for each fault, none for a table that is whole."""
    rows = {row.number: row for row in requirements(root / "docs" / "requirements.toml")}
    tests = tests_by_number(root)
    named = _every_number(root / "tests")
    missing = [f"S{number} has no row" for number in NUMBERS if number not in rows]
    unknown = [f"S{number} is no requirement" for number in rows if number not in NUMBERS]
    strange = [f"tests/{path} names S{number}" for path, number in named if number not in NUMBERS]
    return (*missing, *unknown, *strange, *(fault for row in rows.values() for fault in _wrong(row, root, tests)))


def _every_number(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield each number with its module, from every docstring and every test's name, whatever it belongs to."""
    for module in sorted(folder.rglob("*.py")):
        tree = ast.parse(module.read_text("utf-8"))
        documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        texts = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, documented)]
        numbers = _numbers([*texts, *(name for name, _ in _tests(tree))])
        yield from ((module.relative_to(folder).as_posix(), number) for number in sorted(numbers))


def _wrong(row: Requirement, root: Path, tests: Mapping[int, tuple[str, ...]]) -> Iterator[str]:
    if not 0 < len(row.says.split()) <= _MOST_WORDS:
        yield f"S{row.number} is said in {len(row.says.split())} words, 1 to {_MOST_WORDS} are wanted"
    if not row.where and not row.gap:
        yield f"S{row.number} works nowhere"
    for path in row.where:
        if not path.startswith(("extractor/", "docs/")) or not (root / path).exists():
            yield f"S{row.number} works in {path}, which is no place"
    if row.number not in tests and not row.gap:
        yield f"S{row.number} is shown by no test"
