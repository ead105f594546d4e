"""The test of a concurrent case, run once for every order of its calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

import pytest

from ..replay.faults import HarnessDefect, NotExpressible, fault_within
from ..replay.results.telling import finished
from ..replay.session import Session
from .judging import hold
from .reporting import tell
from .stash import MAKE, NO_VERDICT, OF_THE_TEST, ORDERS, SESSION


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run the test of a concurrent case once for every order of its calls, each with a session of its own."""
    make = pyfuncitem.stash.get(MAKE, None)
    session = pyfuncitem.stash.get(SESSION, None)
    if make is None or session is None:
        return None
    if _fixtures_with_incident(pyfuncitem):
        return True  # it is not run at all: `judge_orders` says why
    from ..replay.racing.interleaved import interleave  # it imports asyncio, which takes longer than all of replay

    # pytest has no public word for the arguments of a test.
    names = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001
    pyfuncitem.stash[ORDERS] = interleave(
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
        session.finish(session.output, error=None if isinstance(failure, OF_THE_TEST) else failure)
    if failure is not None:
        raise failure


def _fixtures_with_incident(item: pytest.Function) -> list[str]:
    """Return the test's other fixtures that hold the incident: they are made once, and would stay with the first order."""
    found = item._fixtureinfo.name2fixturedefs  # noqa: SLF001  # see above
    return sorted(name for name, defined in found.items() if name != "incident" and "incident" in defined[-1].argnames)


def judge_orders(item: pytest.Item, session: Session) -> None:
    """Tell the one manifest of all orders, and raise what was wrong in the first of them that failed."""
    told = item.stash.get(ORDERS, None)
    if told is None:
        names = _fixtures_with_incident(item) if isinstance(item, pytest.Function) else []
        fault = HarnessDefect(
            f"the test cannot be run in every order of its calls: {', '.join(names) or 'something else'} is made once",
            code="incident_made_once",
            cure="let the test itself ask for the incident, and hand it on",
        )
        session.finish(None, error=session.ledger.fail(fault))
        tell(item, finished(session))
        raise fault
    without = next((raised for raised in told.raised if isinstance(raised, NO_VERDICT)), None)
    if without is not None:
        raise without
    tell(item, told.manifest())
    for order, each, raised in zip(told.exploration.interleavings, told.sessions, told.raised, strict=True):
        try:
            hold(each, raised)
        except BaseException as error:
            error.add_note(f"in this order of the calls: {', '.join(order.calls)}")
            raise
    if told.label is not None:
        raise NotExpressible(
            f"{told.exploration.tried} orders of the calls were tried, and there are more",
            code="interleavings_left",
            cure="raise --incident-interleavings: a race of which a part was tried is never green",
        )
