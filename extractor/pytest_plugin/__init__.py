"""The pytest plugin: a fixture ``incident``, one test a case, and a report that says what makes results comparable.

A test that asks for ``incident`` runs once for every case below the folder that its marker, or the ini option ``incidents``,
names. Whatever the test itself asserts, it fails when the replay had a fault that something swallowed, when recorded evidence
was left out, and when the case's boundary did not hold, each under its own label.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from ..replay.results.journal import Journal
from .collecting import (
    pytest_collection_modifyitems,
    pytest_generate_tests,
    pytest_ignore_collect,
    pytest_report_collectionfinish,
)
from .orders import pytest_pyfunc_call
from .reporting import pytest_runtest_makereport, pytest_terminal_summary
from .running import incident, pytest_runtest_call, pytest_runtest_teardown
from .stash import JOURNAL, BoundaryViolated, NotJudged, NotReproduced, WholeAnswerWarning

__all__ = [
    "BoundaryViolated",
    "NotJudged",
    "NotReproduced",
    "WholeAnswerWarning",
    "incident",
    "pytest_collection_modifyitems",
    "pytest_generate_tests",
    "pytest_ignore_collect",
    "pytest_pyfunc_call",
    "pytest_report_collectionfinish",
    "pytest_runtest_call",
    "pytest_runtest_makereport",
    "pytest_runtest_teardown",
    "pytest_terminal_summary",
]
LANES: Final = ("shadow", "gate", "provider")
pytest_plugins = ("extractor.assert_audit",)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a run and of a project."""
    group = parser.getgroup("incidents", "replay of incident cases")
    group.addoption(
        "--incident-report", metavar="FILE", type=Path, help="Write every case's manifest to this JSON file."
    )
    group.addoption(
        "--incident-version", metavar="VERSION", help="The implementation that is tested (default: the revision)."
    )
    group.addoption(
        "--incident-interleavings",
        metavar="N",
        type=int,
        help="Run the test of a concurrent case in every order of its calls, at most N of them.",
    )
    group.addoption("--incident-lane", choices=LANES, help="Run the cases of this lane alone.")
    group.addoption(
        "--incident-lint",
        action="store_true",
        help="Name asserts that want one whole answer of a run, before it is judged.",
    )
    parser.addini("incidents", "Folder of incident cases, from the root folder (default: incidents).", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and begin the report: one of an earlier run is gone before the first test."""
    config.addinivalue_line(
        "markers",
        "incident(folder, *, expect='green', version=None): the cases of the incident fixture; "
        "expect='red' for the affected version",
    )
    limit = config.getoption("--incident-interleavings")
    if limit is not None and limit < 1:
        raise pytest.UsageError("--incident-interleavings must be at least 1")
    report = config.getoption("--incident-report")
    if report is not None:
        config.stash[JOURNAL] = Journal(Path(report), fresh=not hasattr(config, "workerinput"))
