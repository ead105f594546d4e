"""What a project says of its replays: ``[tool.extract-fixture.replay]``, nearest upwards.

``checks`` are modules of named checks, ``adapters`` read the application's older schemas, ``templates`` fetches approved
protected templates. This is the only place that imports code of the project, and only replay, check and pytest ask it to.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor.errors import UsageError
from extractor.model.project_table import nearest_table

from .guard import Allow, Clock

_KNOWN = frozenset({"checks", "adapters", "templates", "entrypoint", "version", "clock", "hosts", "children"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Checks by name, adapters by ``name@version``, the resolver of templates, and what a guard may let through."""

    checks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    adapters: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    templates: Callable[[str], str] | None = None
    entrypoint: str | None = None
    version: str | None = None
    clock: Clock = "fail"
    hosts: tuple[str, ...] = ()
    children: str = "none"


def project_at(start: Path) -> Project:
    """Return what the nearest folder, from ``start`` upwards, says; an empty project where none does.

    Raises `UsageError` for a table that is not understood and for code that cannot be imported; all faults at once.
    """
    found = nearest_table(start, "replay")
    return Project() if found is None else _project(found.members, found.file.parent, found.file.name)


def resolve(place: str, folder: Path | None = None) -> Callable[..., Any]:
    """Return the function that ``module:function`` names, looking in ``folder`` first. Raises `UsageError`."""
    module, colon, name = place.partition(":")
    if not (module and colon and name):
        raise UsageError("an entry point is named module:function", hint="as in shop.agent:run")
    if folder is not None and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except Exception as error:  # noqa: BLE001  # whatever importing a project's module raises
        why = type(error).__name__
        raise UsageError(f"{place} cannot be imported: {why}", hint=_cure(error, module)) from None
    if not callable(found):
        raise UsageError(f"{place} is no function", hint="as in shop.agent:run")
    return found  # type: ignore[no-any-return]


def _cure(error: Exception, module: str) -> str:
    """Return what makes a place importable; a module that is not found is told from one that breaks by itself."""
    if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
        return (
            "run from the project's root, which is searched first, or name the folder of its packages: "
            "PYTHONPATH=src; with pytest, the setting pythonpath"
        )
    if isinstance(error, ModuleNotFoundError):
        return f"{module} was found and imports a package that this Python lacks: install the project beside extract-fixture"
    if isinstance(error, AttributeError):
        return "the module is there, and has no function of this name"
    return f"python -c 'import {module}' shows where it breaks"


def _project(table: Mapping[str, Any], folder: Path, file: str) -> Project:
    faults = [f"replay.{name}: unknown" for name in table if name not in _KNOWN]
    modules, adapters, templates = table.get("checks", []), table.get("adapters", {}), table.get("templates")
    if not (isinstance(modules, list) and all(isinstance(each, str) for each in modules)):
        faults.append("replay.checks: must be a list of modules")
    if not (isinstance(adapters, dict) and all(isinstance(each, str) for each in adapters.values())):
        faults.append('replay.adapters: must be a table of "NAME@VERSION" = "module:function"')
    if table.get("clock", "fail") not in ("fail", "note", "off"):
        faults.append("replay.clock: must be fail, note or off")
    if table.get("children", "none") not in ("none", "forked"):
        faults.append("replay.children: must be none or forked")
    faults += [
        f"replay.{name}: must be a text"
        for name in ("templates", "entrypoint", "version")
        if not isinstance(table.get(name, ""), str)
    ]
    hosts = table.get("hosts", [])
    if not (isinstance(hosts, list) and all(isinstance(each, str) for each in hosts)):
        faults.append("replay.hosts: must be a list of host:port")
    if faults:
        raise UsageError(
            f"{file} holds settings that are not understood:\n" + "\n".join(f"  {each}" for each in faults)
        )
    return Project(
        checks={name: check for module in modules for name, check in _functions(module, folder).items()},
        adapters={name: resolve(place, folder) for name, place in adapters.items()},
        templates=resolve(templates, folder) if isinstance(templates, str) else None,
        entrypoint=table.get("entrypoint"),
        version=table.get("version"),
        clock=table.get("clock", "fail"),
        hosts=tuple(hosts),
        children=table.get("children", "none"),
    )


def _functions(module: str, folder: Path) -> Mapping[str, Callable[..., Any]]:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        found = importlib.import_module(module)
    except Exception as error:  # noqa: BLE001  # whatever importing a project's module raises
        raise UsageError(f"the checks of {module} cannot be imported: {type(error).__name__}") from None
    return {
        name: value
        for name, value in vars(found).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", None) == found.__name__
    }


def allowed(project: Project) -> Allow:
    """Return what the guard lets through, by the project's table alone."""
    return Allow(hosts=project.hosts, children="forked" if project.children == "forked" else "none")


def revision(start: Path) -> str | None:
    """Return the first twelve digits of the commit that is checked out, read from its files; None outside of any."""
    for folder in (start, *start.parents):
        git = folder / ".git"
        try:
            if git.is_file():  # a worktree
                git = (folder / git.read_text("utf-8").partition("gitdir: ")[2].strip()).resolve()
            head = (git / "HEAD").read_text("utf-8").strip()
            return _commit(git, head)
        except (OSError, ValueError):
            continue
    return None


def _commit(git: Path, head: str) -> str | None:
    if not head.startswith("ref: "):
        return head[:12]
    name = head.removeprefix("ref: ")
    common = git / "commondir"
    shared = (git / common.read_text("utf-8").strip()).resolve() if common.is_file() else git
    for place in (git, shared):
        if (place / name).is_file():
            return (place / name).read_text("utf-8").strip()[:12]
    packed = shared / "packed-refs"
    lines = packed.read_text("utf-8").splitlines() if packed.is_file() else []
    return next((line[:12] for line in lines if line.endswith(f" {name}")), None)
