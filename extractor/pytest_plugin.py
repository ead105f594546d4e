"""The pytest plugin: a fixture ``incident``, one test a case, and a report that says what makes results comparable.

A test that asks for ``incident`` runs once for every case below the folder that its marker, or the ini option ``incidents``,
names. Whatever the test itself asserts, it fails when the replay had a fault that something swallowed, when recorded evidence
was left out, and when the case's boundary did not hold, each under its own label.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from .errors import ExtractFixtureError
from .model import layout
from .model.json import JsonValue
from .replay.case import case_folders, load_case
from .replay.concurrency import section_of
from .replay.faults import HarnessDefect, NotExpressible, fault_within
from .replay.journal import Journal, by_lane
from .replay.lint import whole_answers
from .replay.manifest import Manifest
from .replay.project import Project, allowed, project_at, revision
from .replay.session import Expect, Session
from .replay.telling import finished, started

if TYPE_CHECKING:  # it imports asyncio
    from .replay.interleaved import Interleaved

LANES: Final = ("shadow", "gate", "provider")
_PROJECT: pytest.StashKey[Project] = pytest.StashKey()
_JOURNAL: pytest.StashKey[Journal] = pytest.StashKey()
_SESSION: pytest.StashKey[Session] = pytest.StashKey()
_MAKE: pytest.StashKey[Callable[..., Session]] = pytest.StashKey()
_ORDERS: pytest.StashKey[Interleaved] = pytest.StashKey()
_FOLDERS: pytest.StashKey[set[Path]] = pytest.StashKey()
_LINTED: pytest.StashKey[list[str]] = pytest.StashKey()
_PROPERTIES = ("case_id", "fixture_hash", "implementation_version", "boundary_passed", "label", "lane", "expect")
_MANIFEST = "extract_fixture_manifest"
_NO_VERDICT = (pytest.skip.Exception, pytest.xfail.Exception)
_OF_THE_TEST = (AssertionError, pytest.fail.Exception, *_NO_VERDICT)
"""What a test ends with by its own word; a fault that came before it says more."""


class BoundaryViolated(AssertionError):
    """The run had no fault, and its boundary did not hold."""


class WholeAnswerWarning(UserWarning):
    """A test wants one whole answer, where the boundary is meant."""


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
    parser.addini("incidents", "Folder of incident cases, from the root folder.", default="incidents")


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
        config.stash[_JOURNAL] = Journal(Path(report), fresh=not hasattr(config, "workerinput"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Never look for tests in a case folder: a ``conftest.py`` laid into one would be run."""
    return True if (collection_path / layout.FIXTURE).is_file() else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``incident`` once a case; an empty suite is an error, never a pass."""
    if not _is_ours(metafunc):
        return
    marker = metafunc.definition.get_closest_marker("incident")
    place = Path(str(marker.args[0] if marker and marker.args else metafunc.config.getini("incidents")))
    place = place if place.is_absolute() else metafunc.config.rootpath / place
    found = case_folders(place) if place.is_dir() else []
    if not found:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: there is no incident case to replay")
    metafunc.config.stash.setdefault(_FOLDERS, set()).update(found)
    metafunc.parametrize("incident", found, ids=[folder.name for folder in found], indirect=True)


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
        config.stash[_LINTED] = _lint(ours, config.rootpath)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say what the lint saw before any test runs."""
    return [f"harness_defect: {line}" for line in config.stash.get(_LINTED, [])]


def _folder(config: pytest.Config, item: pytest.Item) -> Path | None:
    """Return the case folder of a test of this plugin, None for every other test."""
    given = (
        item.callspec.params.get("incident")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
        else None
    )
    return given if isinstance(given, Path) and given in config.stash.get(_FOLDERS, ()) else None


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
        and (getattr(found[-1].func, "__module__", None) == __name__)
    )


@pytest.fixture
def incident(request: pytest.FixtureRequest) -> Session:
    """Give a test the open session of one case: nothing is live in it. A case that does not load never starts an agent."""
    marker = request.node.get_closest_marker("incident")
    told = marker.kwargs if marker else {}
    try:
        project, case = _project(request.config), load_case(request.param)
        version = _version(request.config, project, told.get("version"))
        make = partial(
            Session,
            case,
            version=version,
            expect=_expected(told.get("expect", "green")),
            checks=project.checks,
            adapters=project.adapters,
            allow=allowed(project),
            clock=project.clock,
            templates=project.templates,
        )
        session = make()
    except ExtractFixtureError as error:
        pytest.fail(f"the case cannot be replayed: {error.message}", pytrace=False)
    request.node.stash[_SESSION] = session
    if request.config.getoption("--incident-interleavings") is not None and section_of(case.tool_events):
        request.node.stash[_MAKE] = make
    if _JOURNAL in request.config.stash:
        request.config.stash[_JOURNAL].write(request.node.nodeid, started(session))
    return session


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Guard the test itself, and judge its session when it has ended, whatever it swallowed."""
    session = item.stash.get(_SESSION, None)
    if session is None:
        return (yield)
    if _MAKE in item.stash:
        result = yield  # the test is run in `pytest_pyfunc_call`, once an order
        _judge_orders(item, session)
        return result
    failure: BaseException | None = None
    result = None
    with session.opened():
        try:
            result = yield
        except (pytest.exit.Exception, KeyboardInterrupt):
            raise
        except _NO_VERDICT as word:
            if not session.ledger.faults:
                raise
            failure = word
        except BaseException as error:  # noqa: BLE001  # raised below, unless a fault explains it
            failure = error
            fault = fault_within(error)
            if fault is not None:
                session.ledger.report(fault)
    if not session.ended:
        session.finish(session.output, error=None if isinstance(failure, _OF_THE_TEST) else failure)
    _tell(item, finished(session))
    _hold(session, failure)
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the test of a concurrent case once for every order of its calls, each with a session of its own."""
    make = pyfuncitem.stash.get(_MAKE, None)
    session = pyfuncitem.stash.get(_SESSION, None)
    if make is None or session is None:
        return None
    if _fixtures_with_incident(pyfuncitem):
        return True  # it is not run at all: `_judge_orders` says why
    from .replay.interleaved import interleave  # it imports asyncio, which takes longer than all of replay

    # pytest has no public word for the arguments of a test.
    names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001
    pyfuncitem.stash[_ORDERS] = interleave(
        lambda schedule: make(schedule=schedule),
        lambda each: _run_test(
            each, pyfuncitem.obj, {name: each if name == "incident" else pyfuncitem.funcargs[name] for name in names}
        ),
        limit=pyfuncitem.config.getoption("--incident-interleavings"),
        expect=session.expect,
    )
    return True


def _run_test(session: Session, test: Callable[..., object], arguments: Mapping[str, object]) -> None:
    failure: BaseException | None = None
    with session.opened():
        try:
            made = test(**arguments)
            if inspect.iscoroutine(made):
                import asyncio  # see above

                asyncio.run(made)
        except (pytest.exit.Exception, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # raised below
            failure = error
            fault = fault_within(error)
            if fault is not None:
                session.ledger.report(fault)
    if not session.ended:
        session.finish(session.output, error=None if isinstance(failure, _OF_THE_TEST) else failure)
    if failure is not None:
        raise failure


def _fixtures_with_incident(item: pytest.Function) -> list[str]:
    """Return the test's other fixtures that hold the incident: they are made once, and would stay with the first order."""
    found = item._fixtureinfo.name2fixturedefs  # noqa: SLF001  # see above
    return sorted(name for name, defined in found.items() if name != "incident" and "incident" in defined[-1].argnames)


def _judge_orders(item: pytest.Item, session: Session) -> None:
    """Tell the one manifest of all orders, and raise what was wrong in the first of them that failed."""
    told = item.stash.get(_ORDERS, None)
    if told is None:
        names = _fixtures_with_incident(item) if isinstance(item, pytest.Function) else []
        fault = HarnessDefect(
            f"the test cannot be run in every order of its calls: {', '.join(names) or 'something else'} is made once",
            code="incident_made_once",
            cure="let the test itself ask for the incident, and hand it on",
        )
        session.finish(None, error=session.ledger.fail(fault))
        _tell(item, finished(session))
        raise fault
    without = next((raised for raised in told.raised if isinstance(raised, _NO_VERDICT)), None)
    if without is not None:
        raise without
    _tell(item, told.manifest())
    for order, each, raised in zip(told.exploration.interleavings, told.sessions, told.raised, strict=True):
        try:
            _hold(each, raised)
        except BaseException as error:
            error.add_note(f"in this order of the calls: {', '.join(order.calls)}")
            raise
    if told.label is not None:
        raise NotExpressible(
            f"{told.exploration.tried} orders of the calls were tried, and there are more",
            code="interleavings_left",
            cure="raise --incident-interleavings: a race of which a part was tried is never green",
        )


def _hold(session: Session, failure: BaseException | None) -> None:
    """Raise what the test raised, unless a fault explains it; then what the session says."""
    if failure is not None and not (session.ledger.faults and isinstance(failure, _OF_THE_TEST)):
        raise fault_within(failure) or failure
    session.hold()
    _judge(session)


def _judge(session: Session) -> None:
    verdict = session.verdict
    if verdict is None or verdict.passed is None:
        return  # the test's own assertions decide
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
    for line in config.stash.get(_LINTED, []):
        terminalreporter.line(f"harness_defect: {line}")
    for report, manifest in sorted(told, key=lambda each: each[0].nodeid):
        passed = {True: "boundary holds", False: "boundary violated", None: "no verdict"}[manifest["boundary_passed"]]
        terminalreporter.line(
            f"{manifest['case_id']}  {manifest['fixture_hash'][:12]}  {manifest['implementation_version']}  {passed}"
            f"  {manifest['label'] or report.outcome}"
        )
    cases: list[JsonValue] = [{"outcome": report.outcome, "manifest": manifest} for report, manifest in told]
    for lane, counts in by_lane(cases).items():
        terminalreporter.line(f"lane {lane}: {', '.join(f'{count} {ending}' for ending, count in counts.items())}")
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
