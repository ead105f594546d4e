"""What is told of a test: its manifest, its properties, its line, the report."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Final

import pluggy
import pytest

from ..model.json import JsonValue
from ..replay.results.journal import by_lane
from ..replay.results.manifest import Manifest
from .stash import JOURNAL, LINTED, SESSION

_PROPERTIES: Final = (
    "case_id",
    "fixture_hash",
    "implementation_version",
    "boundary_passed",
    "label",
    "lane",
    "expect",
)
_OURS: Final = Path(__file__).parents[1]
_RUNNER: Final = tuple(Path(inspect.getfile(of)).parent for of in (pluggy, pytest.Item))
_MANIFEST: Final = "extract_fixture_manifest"


def _within(file: str | Path, places: Sequence[Path]) -> bool:
    return any(Path(file).is_relative_to(place) for place in places)


def tell(item: pytest.Item, manifest: Manifest) -> None:
    """Keep what is known of a test now: as properties, for its report, and in the journal."""
    members = manifest.members()
    item.user_properties.extend((name, members[name]) for name in _PROPERTIES)
    item.user_properties.append((_MANIFEST, members))
    if JOURNAL in item.config.stash:
        item.config.stash[JOURNAL].write(item.nodeid, manifest)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Move the whole manifest out of what JUnit prints, where its members of one line stay as properties; show no code of ours.

    What the test's own code did not raise is told by its message alone. ``--full-trace`` shows everything.
    """
    raised = call.excinfo if SESSION in item.stash and not item.config.getoption("fulltrace", default=False) else None
    theirs = None
    if raised is not None:
        theirs = any(not _within(entry.path, (*_RUNNER, _OURS)) for entry in raised.traceback)
        for entry in raised.traceback:
            if _within(entry.path, (_OURS / "replay",)):
                # A traceback that is filtered here would be cut anew from the whole one.
                entry.frame.f_globals["__tracebackhide__"] = True
    report = yield
    if raised is not None and report.failed and not theirs:
        told = raised.getrepr(style="value", chain=False)
        (only,) = told.reprtraceback.reprentries
        only.lines = [*only.lines, *getattr(raised.value, "__notes__", ())]
        report.longrepr = told
    kept = [each for each in report.user_properties if each[0] != _MANIFEST]
    whole = [value for name, value in report.user_properties if name == _MANIFEST]
    report.user_properties[:] = kept
    if whole and report.when == "call":
        setattr(report, _MANIFEST, whole[-1])  # travels with the report from a worker process
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a line a case with the four facts that make it comparable, and write the report."""
    told = [
        (report, getattr(report, _MANIFEST))
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and hasattr(report, _MANIFEST)
    ]
    if not told:
        return
    terminalreporter.section("incidents")
    for line in config.stash.get(LINTED, []):
        terminalreporter.line(f"harness_defect: {line}")
    for report, manifest in sorted(told, key=lambda each: each[0].nodeid):
        judged = None if manifest["label"] == "non_replayable" else manifest["boundary_passed"]
        passed = {True: "boundary holds", False: "boundary violated", None: "no verdict"}[judged]
        terminalreporter.line(
            f"{manifest['case_id']}  {manifest['fixture_hash'][:12]}  {manifest['implementation_version']}  {passed}"
            f"  {manifest['label'] or report.outcome}"
        )
    cases: list[JsonValue] = [{"outcome": report.outcome, "manifest": manifest} for report, manifest in told]
    for lane, counts in by_lane(cases).items():
        terminalreporter.line(f"lane {lane}: {', '.join(f'{count} {ending}' for ending, count in counts.items())}")
    if JOURNAL in config.stash:
        config.stash[JOURNAL].close({report.nodeid: (report.outcome, manifest) for report, manifest in told})
