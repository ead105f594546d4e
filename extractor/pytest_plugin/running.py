"""Run a test with its session, guard it, and judge what came of it."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

import pytest

from ..errors import ExtractFixtureError
from ..replay.case import load_case
from ..replay.faults import HarnessDefect, fault_within
from ..replay.project import Project, allowed, project_at, revision
from ..replay.racing.concurrency import section_of
from ..replay.results.telling import finished, started
from ..replay.session import Expect, Session
from .judging import hold
from .orders import judge_orders
from .reporting import tell
from .stash import JOURNAL, MAKE, NO_VERDICT, OF_THE_TEST, PROJECT, SESSION, NoCase


@pytest.fixture
def incident(request: pytest.FixtureRequest) -> Session:
    """Give a test the open session of one case: nothing is live in it. A case that does not load never starts an agent."""
    if isinstance(request.param, NoCase):
        pytest.fail(request.param.why, pytrace=False)
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
    request.node.stash[SESSION] = session
    if request.config.getoption("--incident-interleavings") is not None and section_of(case.tool_events):
        request.node.stash[MAKE] = make
    if JOURNAL in request.config.stash:
        request.config.stash[JOURNAL].write(request.node.nodeid, started(session))
    return session


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Guard the test itself, and judge its session when it has ended, whatever it swallowed."""
    session = item.stash.get(SESSION, None)
    if session is None:
        return (yield)
    if MAKE in item.stash:
        result = yield  # the test is run in `pytest_pyfunc_call`, once an order
        judge_orders(item, session)
        return result
    failure: BaseException | None = None
    result = None
    _refuse_setup(session)
    with session.opened():
        try:
            result = yield
        except (pytest.exit.Exception, KeyboardInterrupt):
            raise
        except NO_VERDICT as word:
            if not session.ledger.faults:
                raise
            failure = word
        except BaseException as error:  # noqa: BLE001  # raised below, unless a fault explains it
            failure = error
            fault = fault_within(error)
            if fault is not None:
                session.ledger.report(fault)
    if not session.ended:
        session.finish(session.output, error=None if isinstance(failure, OF_THE_TEST) else failure)
    tell(item, finished(session))
    hold(session, failure)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail where a fixture went on calling tools when the session had been judged."""
    session = item.stash.get(SESSION, None)
    told = len(session.ledger.faults) if session is not None else 0
    result = yield
    if session is not None and session.ended and len(session.ledger.faults) > told:
        raise session.ledger.faults[told][1]
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


def _project(config: pytest.Config) -> Project:
    if PROJECT not in config.stash:
        config.stash[PROJECT] = project_at(config.rootpath)
    return config.stash[PROJECT]


def _version(config: pytest.Config, project: Project, told: object) -> str:
    given = told or config.getoption("--incident-version") or project.version or revision(config.rootpath)
    return str(given or "unversioned")


def _expected(told: object) -> Expect:
    if told not in ("red", "green"):
        pytest.fail("expect must be 'red' or 'green'", pytrace=False)
    return "red" if told == "red" else "green"
