"""A project's tables: ``[tool.extract-fixture.NAME]`` of pyproject.toml, ``[NAME]`` of extract-fixture.toml, nearest upwards."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..errors import UsageError

_FILES: Final = (("extract-fixture.toml", ()), ("pyproject.toml", ("tool", "extract-fixture")))


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """One table as TOML has it, and the file that it stands in."""

    members: Mapping[str, Any]
    file: Path


def nearest_table(start: Path, name: str) -> ProjectTable | None:
    """Return the nearest table of a name from a folder upwards; None where no project says anything of it.

    Raises `UsageError` for a file on the way that is no TOML.
    """
    for folder in (start, *start.parents):
        for file, way in _FILES:
            table = _table(folder / file, (*way, name))
            if table is not None:
                return ProjectTable(table, folder / file)
    return None


def _table(file: Path, way: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        table: Any = tomllib.loads(file.read_text("utf-8"))
    except OSError:
        return None
    except ValueError:
        raise UsageError(f"{file.name} is no TOML") from None
    for name in way:
        table = table.get(name) if isinstance(table, dict) else None
    return table if isinstance(table, dict) else None
