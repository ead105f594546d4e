"""The pytest plugin: a fixture ``incident``, one test a case, and a report that says what makes results comparable.

A test that asks for ``incident`` runs once for every case below the folder that its marker, or the ini option ``incidents``,
names. Whatever the test itself asserts, it fails when the replay had a fault that something swallowed, when recorded evidence
was left out, and when the case's boundary did not hold, each under its own label.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from .errors import ExtractFixtureError
from .model import layout
from .replay.boundary import NO_CHECK
from .replay.case import case_folders, load_case
from .replay.faults import HarnessDefect
from .replay.journal import Journal
from .replay.manifest import Manifest
from .replay.project import Project, allowed, project_at, revision
from .replay.session import Expect, Session
from .replay.telling import finished, started

_PROJECT: pytest.StashKey[Project] = pytest.StashKey()
_JOURNAL: pytest.StashKey[Journal] = pytest.StashKey()
_SESSION: pytest.StashKey[Session] = pytest.StashKey()
_PROPERTIES = ("case_id", "fixture_hash", "implementation_version", "boundary_passed", "label", "lane", "expect")
_MANIFEST = "extract_fixture_manifest"
_NO_VERDICT = (pytest.skip.Exception, pytest.xfail.Exception)
_ASSERTED = (AssertionError, pytest.fail.Exception)


class BoundaryViolated(AssertionError):
    """The run had no fault, and its boundary did not hold."""


class NotJudged(AssertionError):
    """The case names what must hold, and nothing could tell whether it did: that is no pass."""


class NotReproduced(AssertionError):
    """The affected version was expected to violate the boundary, and did not."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a run and of a project."""
    group = parser.getgroup("incidents", "replay of incident cases")
    group.addoption(
        "--incident-report", metavar="FILE", type=Path, help="Write every case's manifest to this JSON file."
    )
    group.addoption(
        "--incident-version", metavar="VERSION", help="The implementation that is tested (default: the revision)."
    )
    parser.addini("incidents", "Folder of incident cases, from the root folder.", default="incidents")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and begin the report: one of an earlier run is gone before the first test."""
    config.addinivalue_line(
        "markers",
        "incident(folder, *, expect='green', version=None): the cases of the incident fixture; "
        "expect='red' for the affected version",
    )
    report = config.getoption("--incident-report")
    if report is not None:
        config.stash[_JOURNAL] = Journal(Path(report), fresh=not hasattr(config, "workerinput"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Never look for tests in a case folder: a ``conftest.py`` laid into one would be run."""
    return True if (collection_path / layout.FIXTURE).is_file() else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``incident`` once a case; an empty suite is an error, never a pass."""
    if not _is_ours(metafunc):
        return
    marker = metafunc.definition.get_closest_marker("incident")
    if marker is not None and (len(marker.args) > 1 or marker.kwargs.keys() - {"folder", "expect", "version"}):
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: the marker is incident(folder, *, expect, version)")
    given = (marker.args[0] if marker.args else marker.kwargs.get("folder")) if marker else None
    place = Path(str(metafunc.config.getini("incidents") if given is None else given))
    place = place if place.is_absolute() else metafunc.config.rootpath / place
    found = case_folders(place) if place.is_dir() else []
    if not found:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: there is no incident case to replay")
    metafunc.parametrize("incident", found, ids=[folder.name for folder in found], indirect=True)


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
        and (getattr(found[-1].func, "__module__", None) == __name__)
    )


@pytest.fixture
def incident(request: pytest.FixtureRequest) -> Session:
    """Give a test the open session of one case: nothing is live in it. A case that does not load never starts an agent."""
    marker = request.node.get_closest_marker("incident")
    told = marker.kwargs if marker else {}
    try:
        project = _project(request.config)
        session = Session(
            load_case(request.param),
            version=_version(request.config, project, told.get("version")),
            expect=_expected(told.get("expect", "green")),
            checks=project.checks,
            adapters=project.adapters,
            allow=allowed(project),
            clock=project.clock,
        )
    except ExtractFixtureError as error:
        pytest.fail(f"the case cannot be replayed: {error.message}", pytrace=False)
    request.node.stash[_SESSION] = session
    if _JOURNAL in request.config.stash:
        request.config.stash[_JOURNAL].write(request.node.nodeid, started(session))
    return session


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Guard the test itself, and judge its session when it has ended, whatever it swallowed."""
    session = item.stash.get(_SESSION, None)
    if session is None:
        return (yield)
    failure: BaseException | None = None
    skipped: BaseException | None = None
    result: object = None
    _refuse_setup(session)
    with session.opened():
        try:
            result = yield
        except (pytest.exit.Exception, KeyboardInterrupt):
            raise
        except _NO_VERDICT as outcome:
            skipped = outcome
        except BaseException as error:  # noqa: BLE001  # raised below, unless a fault explains it
            failure = error
    if skipped is not None and not session.ledger.faults:
        raise skipped  # nothing was swallowed before it
    if not session.ended:
        session.finish(session.output, error=None if isinstance(failure, _ASSERTED) else failure)
    _tell(item, finished(session))
    if failure is not None and not (session.ledger.faults and isinstance(failure, _ASSERTED)):
        raise failure
    session.hold()
    _judge(session)
    return result


def _refuse_setup(session: Session) -> None:
    """Record that an agent ran in another fixture, before the guard was on: what it reached for was live."""
    if session.ledger.served and not session.guarded:
        session.ledger.report(
            HarnessDefect(
                "the case answered calls before the test began: a fixture ran the agent while nothing guarded it",
                code="outside_guard",
                cure="run the agent in the test itself, or by incident.run(agent), which is guarded wherever it stands",
            )
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail where a fixture went on calling tools when the session had been judged."""
    session = item.stash.get(_SESSION, None)
    told = len(session.ledger.faults) if session is not None else 0
    result = yield
    if session is not None and session.ended and len(session.ledger.faults) > told:
        raise session.ledger.faults[told][1]
    return result


def _judge(session: Session) -> None:
    verdict = session.verdict
    if session.label is not None:
        raise NotJudged(f"{session.label}: the case lacks evidence without which it cannot be judged")
    if verdict is None or verdict.check == NO_CHECK:
        return  # the test's own assertions decide
    if verdict.passed is None:
        raise NotJudged(f"nothing can tell whether the incident boundary holds ({verdict.check}: {verdict.reason})")
    if session.expect == "red" and verdict.passed:
        raise NotReproduced("original implementation did not reproduce the incident")
    if session.expect != "red" and not verdict.passed:
        raise BoundaryViolated(
            f"current implementation still violates the incident boundary ({verdict.check}: {verdict.reason})"
        )


def _tell(item: pytest.Item, manifest: Manifest) -> None:
    members = manifest.members()
    item.user_properties.extend((name, members[name]) for name in _PROPERTIES)
    item.user_properties.append((_MANIFEST, members))
    if _JOURNAL in item.config.stash:
        item.config.stash[_JOURNAL].write(item.nodeid, manifest)


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
    for report, manifest in sorted(told, key=lambda each: each[0].nodeid):
        passed = {True: "boundary holds", False: "boundary violated", None: "no verdict"}[manifest["boundary_passed"]]
        terminalreporter.line(
            f"{manifest['case_id']}  {manifest['fixture_hash'][:12]}  {manifest['implementation_version']}  {passed}"
            f"  {manifest['label'] or report.outcome}"
        )
    if _JOURNAL in config.stash:
        config.stash[_JOURNAL].close({report.nodeid: (report.outcome, manifest) for report, manifest in told})


def _project(config: pytest.Config) -> Project:
    if _PROJECT not in config.stash:
        config.stash[_PROJECT] = project_at(config.rootpath)
    return config.stash[_PROJECT]


def _version(config: pytest.Config, project: Project, told: object) -> str:
    given = told or config.getoption("--incident-version") or project.version or revision(config.rootpath)
    return str(given or "unversioned")


def _expected(told: object) -> Expect:
    if told not in ("red", "green"):
        pytest.fail("expect must be 'red' or 'green'", pytrace=False)
    return "red" if told == "red" else "green"
