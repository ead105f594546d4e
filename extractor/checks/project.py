"""What a project says of its checks: ``[tool.extract-fixture.checks] module = "shop.checks"``, nearest upwards."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from extractor.errors import UsageError
from extractor.model.project_table import nearest_table

from .declaring import Check, checks_of


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
    found = next(
        (each for start in starts or (Path.cwd(),) if (each := nearest_table(start.resolve(), "checks"))), None
    )
    if found is None:
        hint = "[tool.extract-fixture.checks] module names the module of checks"
        raise UsageError("no project here says which module holds its checks", hint=hint)
    return _modules(found.members), found.file.parent


def known_drift(start: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the pairs of case and field path that ``checks.known_drift`` lists, each as ``"CASE PATH"``: people have looked at them.

    An incident may be the very call of a tool that never existed. Raises `UsageError` for a list of anything else.
    """
    found = nearest_table((start or Path.cwd()).resolve(), "checks")
    return frozenset(_pairs(found.members.get("known_drift", []))) if found else frozenset()


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
