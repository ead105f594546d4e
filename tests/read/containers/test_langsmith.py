"""LangSmith runs: lists, lines, trees, batches as sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extractor.model.config import Wanted

from ..conftest import ReadBytes

ROOT = "01970000-0000-7000-8000-0000000000a1"
CHILD = "01970000-0000-7000-8000-0000000000a2"
STEP = "20250615T150640123456Z"
Run = dict[str, Any]


def run(run_id: str = ROOT, **members: Any) -> Run:
    order = f"{STEP}{ROOT}" if run_id == ROOT else f"{STEP}{ROOT}.20250615T150641000001Z{run_id}"
    return {
        "id": run_id,
        "name": "refund_flow",
        "run_type": "chain",
        "start_time": "2025-06-15T15:06:40.123456",
        "end_time": "2025-06-15T15:06:42+00:00",
        "inputs": {"q": "refund A-7"},
        "outputs": {"answer": "done"},
        "error": None,
        "status": "success",
        "extra": {"metadata": {"thread_id": "chat-9", "ls_provider": "openai"}, "runtime": {"sdk": "x"}},
        "events": [{"name": "start", "time": "2025-06-15T15:06:40Z"}],
        "parent_run_id": None if run_id == ROOT else ROOT,
        "trace_id": ROOT,
        "dotted_order": order,
        "session_name": "refunds",
        "tags": ["refund"],
    } | members


def lines(*runs: Run) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in runs)


WANTED = Wanted(trace_ids=(ROOT,))
TOOL = run(
    CHILD,
    name="issue_refund",
    run_type="tool",
    outputs=None,
    status="error",
    error="ReadTimeout('timed out')Traceback (most recent call last):\n  File 'x.py', line 1, in f\nReadTimeout: timed out",
    extra={"tool_call_id": "call_1", "metadata": {"thread_id": "chat-9"}},
)


@pytest.mark.parametrize("form", ["lines", "tree", "page"])
def test_runs_in_every_wrapping(read_bytes: ReadBytes, form: str) -> None:
    nameless = {key: TOOL[key] for key in TOOL if key not in {"trace_id", "parent_run_id", "dotted_order"}}
    data = {
        "lines": lines(TOOL, run()),
        "tree": json.dumps(run(child_runs=[nameless]), indent=2).encode(),
        "page": json.dumps({"runs": [run(), TOOL], "cursors": {}}).encode(),
    }[form]
    root, call = read_bytes(data, wanted=WANTED).spans
    assert root.trace_id == ROOT.replace("-", "")
    assert (root.parent_id, call.parent_id) == (None, root.span_id)
    assert root.start_ns % 10**9 == 123_456_000
    assert root.get("langsmith.span.kind") == "chain"
    assert root.get("gen_ai.prompt") == {"q": "refund A-7"}
    assert root.get("langsmith.metadata.thread_id") == "chat-9"
    assert root.get("langsmith.trace.session_name") == "refunds"
    assert (root.status_code, root.events) == ("ok", ())
    assert call.get("gen_ai.tool.name") == "issue_refund"
    assert call.get("gen_ai.tool.call.id") == "call_1"
    assert (call.status_code, call.status_message) == ("error", "timed out")
    (raised,) = call.events
    assert dict(raised.attributes)["exception.type"] == "ReadTimeout"
    assert str(dict(raised.attributes)["exception.stacktrace"]).startswith("ReadTimeout('timed out')Traceback")


def test_dotted_order_alone_tells_trace_parent_and_start(read_bytes: ReadBytes) -> None:
    bare = {key: TOOL[key] for key in ("name", "run_type", "dotted_order", "end_time")}
    root, call = read_bytes(lines(run(), bare), wanted=WANTED).spans
    assert call.parent_id == root.span_id
    assert call.start_ns == root.start_ns + 876_545_000


def test_beginning_and_end_of_a_batch_are_one_run(read_bytes: ReadBytes) -> None:
    begun = run(end_time=None, outputs=None, status=None, start_time=1750000000123)
    ended = {key: run()[key] for key in ("end_time", "outputs", "dotted_order", "trace_id")}
    for data in (
        json.dumps({"post": [begun], "patch": [ended]}).encode(),
        lines({"post": [begun]}, {"patch": [ended]}),
    ):
        (span,) = read_bytes(data, wanted=WANTED).spans
        assert (span.name, span.get("gen_ai.completion")) == ("refund_flow", {"answer": "done"})
        assert span.end_ns is not None


def test_a_thread_is_a_session(read_bytes: ReadBytes) -> None:
    other = run(trace_id=CHILD, id=CHILD, parent_run_id=None, dotted_order=STEP + CHILD, extra={})
    found = read_bytes(lines(run(), other), wanted=Wanted(sessions=("chat-9",)))
    assert len(found.spans) == 1
