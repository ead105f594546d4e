"""Langfuse: rows of the blob storage export, answers of the API, traces downloaded from the UI."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from extractor.errors import TraceNotFound
from extractor.model.config import Wanted
from extractor.read import survey

from ..build import TRACE
from ..conftest import ReadBytes, codes

RUN = "order-run/7"
Row = dict[str, Any]


def observation(number: int, **members: Any) -> Row:
    """Return an observation as the blob storage export writes it; number 1 is the root."""
    return {
        "id": f"obs-{number}",
        "trace_id": RUN,
        "project_id": "p",
        "environment": "default",
        "type": "SPAN",
        "parent_observation_id": None if number == 1 else "obs-1",
        "start_time": f"2025-06-15 15:06:4{number}.123",
        "end_time": f"2025-06-15 15:06:4{number}.623",
        "name": f"step {number}",
        "metadata": {},
        "level": "DEFAULT",
        "status_message": None,
        "input": '{"order":"A-7"}',
        "updated_at": "2025-06-15 15:07:00.000",
    } | members


def trace(**members: Any) -> Row:
    return {
        "id": RUN,
        "timestamp": "2025-06-15 15:06:41.000",
        "name": "refund flow",
        "user_id": "cus_1",
        "session_id": "chat-9",
        "tags": ["refund"],
        "public": False,
        "bookmarked": False,
        "release": "r5",
        "metadata": {"tenant": "acme"},
    } | members


def jsonl(*rows: Row) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def camel(row: Row) -> Row:
    def one(name: str) -> str:
        first, *rest = name.split("_")
        return first + "".join(part.title() for part in rest)

    return {one(name): value for name, value in row.items()}


def by_name(read: Any) -> dict[str, Any]:
    return {span.name: span for span in read.spans}


def test_observations_are_spans_and_the_trace_row_is_told_to_the_root(read_bytes: ReadBytes) -> None:
    tool = observation(2, type="TOOL", name="issue_refund", level="ERROR", status_message="timed out")
    found = read_bytes(jsonl(observation(1), tool), jsonl(trace()), wanted=Wanted(trace_ids=(RUN,)))
    spans = by_name(found)
    assert set(spans) == {"step 1", "issue_refund"}
    root, call = spans["step 1"], spans["issue_refund"]
    assert root.trace_id == hashlib.sha256(RUN.encode()).hexdigest()[:32]
    assert (root.parent_id, call.parent_id) == (None, root.span_id)
    assert call.start_ns % 10**9 == 123_000_000
    assert call.get("langfuse.observation.type") == "tool"
    assert call.get("langfuse.observation.input") == '{"order":"A-7"}'
    assert (call.status_code, call.status_message) == ("error", "timed out")
    told = {"session.id": "chat-9", "user.id": "cus_1", "langfuse.trace.name": "refund flow"}
    assert {key: root.get(key) for key in told} == told
    assert root.get("langfuse.trace.metadata.tenant") == "acme"
    assert call.get("session.id") is None
    assert {file.container for file in found.files} == {"langfuse"}


def test_a_session_that_only_the_trace_row_knows_brings_the_trace(read_bytes: ReadBytes) -> None:
    other = observation(3, trace_id="another", id="obs-9", parent_observation_id=None)
    found = read_bytes(jsonl(observation(1), observation(2), other, trace()), wanted=Wanted(sessions=("chat-9",)))
    assert {span.name for span in found.spans} == {"step 1", "step 2"}


def test_the_latest_update_of_a_row_counts_whole(read_bytes: ReadBytes) -> None:
    old = observation(1, level="ERROR", status_message="early", output="x", updated_at="2025-06-15 15:06:50.000")
    new = observation(1, name="settled", updated_at="2025-06-15T15:08:00.000Z")
    for rows in ((old, new), (new, old)):
        found = read_bytes(jsonl(*rows), wanted=Wanted(trace_ids=(RUN,)))
        assert [(span.name, span.status_code) for span in found.spans] == [("settled", "unset")]
        assert found.spans[0].get("langfuse.observation.output") is None
        assert codes(found.file_notes)["duplicates_merged"] == 1


@pytest.mark.parametrize("form", ["pair", "nested", "pages", "one"])
def test_the_same_trace_in_every_wrapping(read_bytes: ReadBytes, form: str) -> None:
    rows = [camel(observation(number, metadata={"attempt": 1}, type="GENERATION")) for number in (1, 2)]
    whole = camel(trace())
    documents = {
        "pair": [{"trace": whole, "observations": rows}],
        "nested": [whole | {"observations": [{k: row[k] for k in row if k != "traceId"} for row in rows]}],
        "pages": [{"data": rows, "meta": {"page": 1}}, {"data": [whole], "meta": {"page": 1}}],
        "one": [*rows, whole],
    }[form]
    found = read_bytes(*(json.dumps(one, indent=1).encode() for one in documents), wanted=Wanted(trace_ids=(RUN,)))
    assert [span.name for span in found.spans] == ["step 1", "step 2"]
    assert found.spans[0].get("session.id") == "chat-9"
    assert found.spans[1].get("langfuse.observation.metadata.attempt") == 1
    assert found.spans[1].parent_id == found.spans[0].span_id


def test_original_attributes_resource_and_scope_are_restored(read_bytes: ReadBytes) -> None:
    original = {
        "attributes": json.dumps({"gen_ai.tool.name": "issue_refund", "gen_ai.tool.call.id": "call_1"}),
        "resourceAttributes": json.dumps({"service.name": "refund-agent"}),
        "scope": {"name": "agent.scope", "version": "2"},
        "attempt": "3",
    }
    row = observation(1, trace_id=TRACE, metadata=json.dumps(original), provided_model_name="gpt-x", prompt_version=4)
    (span,) = read_bytes(jsonl(row)).spans
    assert span.get("gen_ai.tool.call.id") == "call_1"
    assert span.resource.attributes == (("service.name", "refund-agent"),)
    assert (span.scope.name, span.scope.version) == ("agent.scope", "2")
    assert span.get("langfuse.observation.metadata.attempt") == "3"
    assert span.get("langfuse.observation.metadata.attributes") is None
    assert span.get("langfuse.observation.model.name") == "gpt-x"
    assert span.get("langfuse.observation.prompt.version") == 4


def test_an_event_ends_where_it_begins_and_an_open_observation_has_no_end(read_bytes: ReadBytes) -> None:
    event = observation(2, type="EVENT", end_time=None)
    pending = observation(3, end_time=None)
    spans = by_name(read_bytes(jsonl(observation(1), event, pending), wanted=Wanted(trace_ids=(RUN,))))
    assert spans["step 2"].end_ns == spans["step 2"].start_ns
    assert spans["step 3"].end_ns is None


def test_a_trace_row_alone_is_no_trace(read_bytes: ReadBytes, tmp_path: Any) -> None:
    with pytest.raises(TraceNotFound):
        read_bytes(jsonl(trace(), observation(1, trace_id="another")), wanted=Wanted(trace_ids=(RUN,)))
    (tmp_path / "x.jsonl").write_bytes(jsonl(trace(), observation(1, trace_id="another")))
    seen = survey([str(tmp_path / "x.jsonl")])
    assert [one.spans for one in seen] == [1]
    assert codes(seen.file_notes) == {"trace_without_spans": 1}
