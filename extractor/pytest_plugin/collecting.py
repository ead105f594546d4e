"""Which tests there are: one a case, of the lane that is wanted, and none in a case folder."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from ..errors import ExtractFixtureError
from ..model import layout
from ..replay.case import case_folders, load_case
from ..replay.lint import whole_answers
from .stash import FOLDERS, LINTED, NoCase, WholeAnswerWarning

_DEFAULT: Final = "incidents"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Never look for tests in a case folder: a ``conftest.py`` laid into one would be run."""
    return True if (collection_path / layout.FIXTURE).is_file() else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``incident`` once a case; one without a case is an error, never a pass."""
    if not _is_ours(metafunc):
        return
    found = _cases(metafunc.definition.get_closest_marker("incident"), metafunc.config)
    if isinstance(found, NoCase):
        # Raised here, it would end the whole run, under a traceback of pytest's own.
        metafunc.parametrize("incident", [found], ids=["no-case"], indirect=True)
        return
    metafunc.config.stash.setdefault(FOLDERS, set()).update(found)
    metafunc.parametrize("incident", found, ids=[folder.name for folder in found], indirect=True)


def _cases(marker: pytest.Mark | None, config: pytest.Config) -> list[Path] | NoCase:
    """Return the case folders that a test is for, or why there are none; a folder is called as it was given."""
    if marker is not None and (len(marker.args) > 1 or marker.kwargs.keys() - {"folder", "expect", "version"}):
        return NoCase("the marker is incident(folder, *, expect, version)")
    named = (marker.args[0] if marker.args else marker.kwargs.get("folder")) if marker else None
    given = str(named or config.getini("incidents") or "")
    place = config.rootpath / (given or _DEFAULT)
    found = case_folders(place) if place.is_dir() else []
    if found:
        return found
    if given:
        why = "no folder in it holds fixture.json" if place.is_dir() else "no such folder"
        return NoCase(f"there is no incident case in {given}: {why}")
    state = "holds no case" if place.is_dir() else "is not there"
    return NoCase(
        "there is no incident case: no folder is named by a marker or by `incidents` in the ini file; "
        f"the default, {_DEFAULT}, {state}"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the cases of one lane, and look at what their tests assert."""
    ours = [(item, folder) for item in items if (folder := _folder(config, item)) is not None]
    lane = config.getoption("--incident-lane")
    if lane is not None and ours:
        # A case that does not load stands in no lane: it fails in all of them.
        others = {item for item, folder in ours if _lane(folder) not in (lane, None)}
        if len(others) == len(ours):
            raise pytest.UsageError(f"there is no incident case in the lane {lane}")
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]
        ours = [each for each in ours if each[0] not in others]
    if config.getoption("--incident-lint"):
        config.stash[LINTED] = _lint(ours, config.rootpath)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say what the lint saw before any test runs."""
    return [f"harness_defect: {line}" for line in config.stash.get(LINTED, [])]


def _folder(config: pytest.Config, item: pytest.Item) -> Path | None:
    """Return the case folder of a test of this plugin, None for every other test."""
    given = (
        item.callspec.params.get("incident")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else None
    )
    return given if isinstance(given, Path) and given in config.stash.get(FOLDERS, ()) else None


def _lint(ours: Sequence[tuple[pytest.Item, Path]], root: Path) -> list[str]:
    """Return a line for each assert that wants a whole answer which none of the test file's cases says exactly."""
    exact: dict[Path, set[str]] = {}
    for item, folder in ours:
        exact.setdefault(item.path, set()).update(_exact(folder))
    lines = []
    for file, texts in exact.items():
        name = file.relative_to(root) if file.is_relative_to(root) else file.name
        for found in whole_answers(file.read_text("utf-8"), texts):
            lines.append(f"{name}:{found.line}: {found}")
            warnings.warn_explicit(f"harness_defect: {found}", WholeAnswerWarning, str(file), found.line)
    return lines


def _exact(folder: Path) -> set[str]:
    try:
        duties = load_case(folder).expected.get("required_disclosures")
    except ExtractFixtureError:
        return set()
    listed = duties if isinstance(duties, list) else []
    return {str(each.get("text")) for each in listed if isinstance(each, dict) and each.get("exact") is True}


def _lane(folder: Path) -> str | None:
    try:
        return load_case(folder).lane
    except ExtractFixtureError:
        return None


def _is_ours(metafunc: pytest.Metafunc) -> bool:
    """Say whether the test means this plugin's fixture: a project may have one of its own by that name."""
    # pytest has no public word for which definition of a fixture a test would get.
    found = metafunc._arg2fixturedefs.get("incident", ())  # noqa: SLF001
    given = any(
        "incident" in str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize") if mark.args
    )
    return (
        "incident" in metafunc.fixturenames
        and not given
        and bool(found)
        and found[-1].baseid == ""
        and (getattr(found[-1].func, "__module__", None) == f"{__package__}.running")
    )
