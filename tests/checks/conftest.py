"""A refund of a hundredth of the amount as a suite holds it: the bad run, its twin, and checks with and without teeth."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from extractor.checks.declaring import Check, Rejected

CASE = """\
input: Please refund order A-7741.
now: 2026-06-14T10:00:00+00:00
expectations:
  order_id: A-7741
  amount_cents: 4200
"""


def document(amount=42, **members):
    call = {"name": "issue_refund", "arguments": {"order_id": "A-7741", "amount_cents": amount}}
    return {"tool_calls": [call], "output": "Your refund is on its way.", "citations": ["policy-4"]} | members


def write(folder: Path, *, expect: str, record=None, case: str = CASE) -> Path:
    folder.mkdir(parents=True)
    (folder / "case.yaml").write_text(case)
    (folder / "record.json").write_text(json.dumps(record if record is not None else document()))
    (folder / "expect.yaml").write_text(textwrap.dedent(expect))
    (folder / "README.md").write_text("A refund was a hundredth of what was owed.\n\nTicket: INC-1042\n")
    return folder


REJECT = "verdict: reject\nby: assert_refund\nreason: amount_cents\n"
ACCEPT = "verdict: accept\nby: assert_refund\n"


def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    (call,) = record.tool_calls
    assert call.name == "issue_refund"
    assert call.arguments_parsed["order_id"] == case.order_id
    assert call.arguments_parsed["amount_cents"] == case.amount_cents, f"{call.name} refunds another amount"


def vacuous(record, case):
    for call in record.tool_calls:
        assert call.name == "issue_refund"
        assert call.arguments_parsed["order_id"] == case.order_id


def blanket(record, case):
    for call in record.tool_calls:
        assert call.arguments_parsed["amount_cents"] is None


def cited(record, case):
    if not record.citations:
        raise Rejected("citations")


def named(body, identity="assert_refund"):
    return Check(id=identity, body=body, module="shop", line=1)


@pytest.fixture
def suite_folder(tmp_path):
    write(tmp_path / "refund-reject", expect=REJECT)
    write(tmp_path / "refund-accept", expect=ACCEPT, record=document(4200))
    return tmp_path
