"""What is told of a test: its manifest, its properties, its line, the report."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import pytest

from ..model.json import JsonValue
from ..replay.results.journal import by_lane
from ..replay.results.manifest import Manifest
from .stash import JOURNAL, LINTED

_PROPERTIES: Final = (
    "case_id",
    "fixture_hash",
    "implementation_version",
    "boundary_passed",
    "label",
    "lane",
    "expect",
)
_MANIFEST: Final = "extract_fixture_manifest"


def tell(item: pytest.Item, manifest: Manifest) -> None:
    """Keep what is known of a test now: as properties, for its report, and in the journal."""
    members = manifest.members()
    item.user_properties.extend((name, members[name]) for name in _PROPERTIES)
    item.user_properties.append((_MANIFEST, members))
    if JOURNAL in item.config.stash:
        item.config.stash[JOURNAL].write(item.nodeid, manifest)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Move the whole manifest out of what JUnit prints: its members of one line stay there as properties."""
    report = yield
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
