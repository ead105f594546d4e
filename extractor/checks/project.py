"""What a project says of its checks: ``[tool.extract-fixture.checks] module = "shop.checks"``, nearest upwards."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from extractor.errors import UsageError

from .declaring import Check, checks_of

_FILES: Final = (("extract-fixture.toml", ()), ("pyproject.toml", ("tool", "extract-fixture")))


def project_checks(*starts: Path) -> tuple[Check, ...]:
    """Return the checks of the nearest project from a folder upwards, from the first that has one (default: the working folder).

    Raises `UsageError` where no table names a module, and as `checks_of` does.
    """
    modules, folder = checking_modules(*starts)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return checks_of(modules)


def checking_modules(*starts: Path) -> tuple[tuple[str, ...], Path]:
    """Return the modules that the nearest table names, and the folder of its file. Raises `UsageError`."""
    found = next((each for start in starts or (Path.cwd(),) if (each := _nearest(start))), None)
    if found is None:
        hint = "[tool.extract-fixture.checks] module names the module of checks"
        raise UsageError("no project here says which module holds its checks", hint=hint)
    table, folder = found
    return _modules(table), folder


def known_drift(start: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the pairs of case and field path that ``checks.known_drift`` lists, each as ``"CASE PATH"``: people have looked at them.

    An incident may be the very call of a tool that never existed. Raises `UsageError` for a list of anything else.
    """
    found = _nearest(start or Path.cwd())
    return frozenset(_pairs(found[0].get("known_drift", []))) if found else frozenset()


def _nearest(start: Path) -> tuple[Mapping[str, Any], Path] | None:
    """Return the nearest table upwards from a folder, and the folder of its file."""
    start = start.resolve()
    for folder in (start, *start.parents):
        for name, way in _FILES:
            table = _table(folder / name, way)
            if table is not None:
                return table, folder
    return None


def _pairs(told: object) -> Iterator[tuple[str, str]]:
    for each in told if isinstance(told, list) else [None]:
        case, _, path = each.partition(" ") if isinstance(each, str) else ("", "", "")
        if not (case and path):
            raise UsageError('checks.known_drift must be a list of "CASE PATH"')
        yield case, path


def _modules(table: Mapping[str, Any]) -> tuple[str, ...]:
    told = table.get("modules", [table["module"]] if "module" in table else [])
    if not (isinstance(told, list) and told and all(isinstance(each, str) for each in told)):
        raise UsageError("checks.module must be a module's name, checks.modules a list of them")
    if "module" in table and "modules" in table:
        raise UsageError("checks.module and checks.modules say the same twice")
    return tuple(told)


def _table(file: Path, way: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        table: Any = tomllib.loads(file.read_text("utf-8"))
    except OSError:
        return None
    except ValueError:
        raise UsageError(f"{file.name} is no TOML") from None
    for name in (*way, "checks"):
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None
