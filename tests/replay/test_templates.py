"""Prompt templates: the recorded text or none, never today's (S48)."""

from __future__ import annotations

import contextlib
import hashlib
import socket

import pytest

from extractor.replay.faults import NothingRecorded
from extractor.replay.project import Project
from extractor.replay.session import Session
from extractor.replay.suite import Implementation, replay

from .documents import call, case

TEXT = "Refund nothing above 50 euros."
FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})


def template(text=TEXT, *, name="refund-policy", role="system", **told):
    return {
        "role": role,
        "name": name,
        "version": "3",
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        **told,
    }


def asked(*templates, name="refund-policy", resolver=None):
    session = Session(case(FIND, templates=list(templates)), version="v", templates=resolver)
    with session.opened():
        return session.template(name)


def test_a_recorded_template_is_served_by_name_and_by_role():
    assert asked(template(content=TEXT)) == TEXT
    assert asked(template(content=TEXT, name=None), name="system") == TEXT


def test_a_protected_template_is_fetched_by_the_project_and_held_to_its_digest():
    assert asked(template(ref="policies/refund@3"), resolver={"policies/refund@3": TEXT}.__getitem__) == TEXT


def test_it_may_come_from_a_service_since_it_is_fetched_before_anything_is_cut_off():
    server = socket.create_server(("127.0.0.1", 0))

    def resolver(_ref):
        with socket.create_connection(server.getsockname()):
            return TEXT

    assert asked(template(ref="x"), resolver=resolver) == TEXT
    server.close()


def fails(_ref):
    raise OSError("canary euros")


@pytest.mark.parametrize(
    ("templates", "resolver", "code"),
    [
        ([], None, "template_missing"),
        ([template(ref="x")], None, "template_missing"),
        ([template(ref="x")], fails, "template_missing"),
        ([template(ref="x")], lambda _: None, "template_missing"),
        ([template()], lambda _: TEXT, "template_missing"),
        ([template(content=TEXT), template("b", content="b")], None, "template_missing"),
        ([template(ref="x")], lambda _: TEXT + " ", "template_changed"),
        ([template(content=TEXT + " ")], None, "template_changed"),
    ],
    ids=["none", "no resolver", "failing", "no text", "digest alone", "two", "another text", "edited"],
)
def test_what_is_not_the_text_of_then_is_missing_evidence(templates, resolver, code):
    with pytest.raises(NothingRecorded) as fault:
        asked(*templates, resolver=resolver)
    assert (fault.value.code, fault.value.label) == (code, "incomplete")
    assert "euros" not in str(fault.value)


def test_a_template_that_nobody_asks_for_is_no_fault():
    session = Session(case(FIND, templates=[template(ref="x")]), version="v", templates=fails)
    with session.opened():
        session.call_tool("order.find", {"id": "O-1"})
    session.finish("I cannot say.")
    assert session.label is None


def test_a_miss_that_the_agent_swallows_stays():
    session = Session(case(FIND), version="v")
    with session.opened(), contextlib.suppress(BaseException):
        session.template("refund-policy")
    session.finish("I cannot say.")
    assert session.label == "incomplete"


def test_a_suite_takes_the_resolver_of_the_project():
    def agent(incident):
        incident.call_tool("order.find", {"id": "O-1"})
        return incident.template("refund-policy")

    project = Project(templates=lambda _: TEXT)
    told = replay(case(FIND, templates=[template(ref="x")]), Implementation(agent=agent, version="v", project=project))
    assert (told.label, told.outcome) == (None, TEXT)
