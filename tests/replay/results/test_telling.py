"""What a manifest says of how far a replay was answered and guarded."""

from __future__ import annotations

import sys
from types import ModuleType

import httpx  # noqa: F401  # loaded, so that it is intercepted
import pytest

from extractor.replay import suite
from extractor.replay.providers import intercepting
from extractor.replay.suite import Implementation

from ..documents import case


def told(agent=lambda text: "I cannot say."):
    return suite.replay(case(), Implementation(agent=agent, version="v1"))


def test_a_library_that_is_answered_is_covered():
    guard = told().guard
    assert "httpx: answered from the recording" in guard.covers
    assert not [line for line in guard.not_covered if line.startswith("httpx:")]


def test_a_library_that_is_not_as_expected_is_not_covered(monkeypatch):
    def install(_library, _serve):
        def patch(_module, _patches):
            raise AttributeError("a version that nobody has seen")

        return patch

    monkeypatch.setattr(intercepting.over_httpx, "install", install)
    guard = told().guard
    assert "httpx: not answered from the recording, left to the guard (failed: AttributeError)" in guard.not_covered
    assert not [line for line in guard.covers if line.startswith("httpx:")]


def test_a_library_that_is_not_loaded_is_neither(monkeypatch):
    monkeypatch.delitem(sys.modules, "httpx")
    guard = told().guard
    assert not [line for line in (*guard.covers, *guard.not_covered) if line.startswith("httpx:")]


def test_a_profile_function_in_the_watchs_place_is_told():
    def agent(text):
        sys.setprofile(lambda *_: None)
        return "I cannot say."

    before = sys.getprofile()
    try:
        guard = told(agent).guard
    finally:
        sys.setprofile(before)
    assert "clocks: another profile function took the watch's place in this thread" in guard.not_covered


def test_modules_that_the_first_run_imports_are_no_shared_state(monkeypatch):
    name = "grpc._cython.cygrpc"
    monkeypatch.delitem(sys.modules, name, raising=False)

    def agent(text):
        sys.modules.setdefault(name, ModuleType(name))
        return "I cannot say."

    code = Implementation(agent=agent, version="v1")
    try:
        assert suite.shared_state([case()], code) == []
    finally:
        sys.modules.pop(name, None)


def test_a_case_that_depends_on_what_ran_before_is_shared_state():
    seen: list[str] = []

    def agent(text):
        seen.append(text)
        return f"{len(seen)}"

    found = case()
    assert suite.shared_state([found], Implementation(agent=agent, version="v1")) == [found.case_id]


@pytest.mark.parametrize("name", ["case", "expect", "ledger", "tools", "guard", "ended", "hold", "finish", "labels"])
def test_what_judges_cannot_be_replaced(name):
    from ..test_session import session

    incident = session()
    with pytest.raises(AttributeError):
        setattr(incident, name, None)


def test_a_fault_stays():
    from ..test_session import session

    incident = session().run(lambda incident: incident.call_tool("mail.send"))
    for view in (incident.ledger.faults, incident.ledger.served, incident.ledger.diverged):
        assert isinstance(view, tuple)
    before = incident.tools.calls
    incident.tools.calls.clear()
    assert incident.tools.calls == before
    with pytest.raises(AttributeError):
        incident.ledger.faults = ()
    with pytest.raises(AttributeError):
        incident.ledger.forward_by(lambda _fault: True)
    assert incident.label == "incomplete"
