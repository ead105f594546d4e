"""A destructive action is never replayed against a service, whatever a project allows (S1 S66)."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from extractor.errors import UsageError
from extractor.replay.project import Project, allowed
from extractor.replay.seam import ReplayError, call_tool, fixtures
from extractor.replay.suite import Implementation, replay

from .documents import call, case

FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})
REFUND = call(2, "refund.create", {"id": "O-1"}, {"done": True}, side_effect="accepted")


class Service:
    """A server that would do what it is asked; ``asked`` says whether anybody connected."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)  # its only argument
        self.host, self.port = self.server.getsockname()

    @property
    def asked(self) -> bool:
        try:
            self.server.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def tool(self) -> str:
        with socket.create_connection((self.host, self.port)):
            return "refunded"


@pytest.fixture
def service():
    made = Service()
    yield made
    made.server.close()


def test_a_host_that_the_project_allows_answers_no_tool(service):
    """The recorded call is served by the case, the other one by nobody."""
    project = Project(hosts=(f"{service.host}:{service.port}",))
    told = []

    def agent(incident):
        incident.call_tool("order.find", {"id": "O-1"})
        told.append(incident.call_tool("refund.create", {"id": "O-1"}))
        incident.call_tool("refund.cancel", {"id": "O-1"})

    manifest = replay(case(FIND, REFUND), Implementation(agent=agent, version="v", project=project))
    assert told == [{"done": True}]
    assert [each.called for each in manifest.missed] == ["tools:refund.cancel"]
    assert manifest.label == "incomplete"
    assert not service.asked


def test_a_tool_that_reaches_out_by_itself_is_stopped_before_it_does(service):
    """S1."""

    def agent(_text):
        return service.tool()

    code = Implementation(agent=agent, version="v")
    assert replay(case(FIND), code).label == "live_call"
    assert not service.asked
    # The table names what a harness needs, such as a debugger: whoever names a service there has let it through.
    named = replace(code, project=Project(hosts=(f"{service.host}:{service.port}",)))
    assert "live_call" not in {fault.label for fault in replay(case(FIND), named).faults}
    assert service.asked


@pytest.mark.parametrize("host", ["*", "127.0.0.1", "refund.create", "tool:refund.create:443"])
def test_the_table_has_no_entry_for_a_tool_or_for_everything(host):
    with pytest.raises(UsageError):
        allowed(Project(hosts=(host,)))


@pytest.mark.parametrize("strict", [True, False], ids=["strict", "lenient"])
def test_a_lenient_recording_lets_no_call_run_that_changes_something(service, strict):
    """Marked as such by the code, or recorded as such by the case."""
    with pytest.raises(ReplayError), fixtures(case(FIND, REFUND), strict=strict):
        call_tool("mail.send", service.tool, args={}, side_effect=True)
    told = []

    def agent():
        call_tool("order.find", service.tool, args={"id": "O-1"})
        told.append(call_tool("refund.create", service.tool, args={"id": "O-1"}))
        call_tool("refund.create", service.tool, args={"id": "O-1"})

    with pytest.raises(ReplayError), fixtures(case(FIND, REFUND), strict=strict):
        agent()
    assert told == [{"done": True}]
    assert not service.asked
