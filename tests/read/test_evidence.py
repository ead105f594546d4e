"""Records from outside the trace become spans beside the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import InputUnreadable
from extractor.model.reading import Reading
from extractor.model.span import Span
from extractor.read import with_evidence

START = "2026-03-01T10:00:00Z"


@pytest.fixture
def reading() -> Reading:
    span = Span(
        trace_id="0af7651916cd43dd8448eb211c80319c",
        span_id="00000000000000a1",
        parent_id=None,
        name="run",
        kind="internal",
        start_ns=1,
        end_ns=2,
    )
    return Reading(spans=(span,))


def record(kind: str, second: float = 0, **members: Any) -> dict[str, Any]:
    return {"time": f"2026-03-01T10:00:{second:06.3f}Z", "clock": "payments", "key": "k-1", "kind": kind, **members}


def written(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "evidence.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    return file


def added(reading: Reading, file: Path) -> list[Span]:
    return [span for span in with_evidence(reading, [file]).spans if span.name == "evidence"]


def test_records_of_one_exchange_are_one_span(reading: Reading, tmp_path: Path) -> None:
    (span,) = added(reading, written(tmp_path, record("received", 1), record("completed", 3)))
    assert (span.kind, span.end_ns) == ("server", span.start_ns + 2_000_000_000)
    assert span.get("evidence.status") == "200"
    assert span.get("evidence.idempotency_key") == "k-1"


def test_a_new_opening_and_what_follows_a_close_begin_another_exchange(reading: Reading, tmp_path: Path) -> None:
    file = written(
        tmp_path, record("received", 1), record("received", 2), record("completed", 3), record("rejected", 4)
    )
    assert [span.get("evidence.kind") for span in added(reading, file)] == ["received", "completed", "rejected"]


def test_clocks_sides_and_attempts_are_kept_apart(reading: Reading, tmp_path: Path) -> None:
    file = written(
        tmp_path,
        record("received", 1),
        record("completed", 2, clock="ledger"),
        record("completed", 3, key="k-2"),
        record("timed_out", 4),
    )
    assert len(added(reading, file)) == 4


def test_the_order_of_the_lines_does_not_matter(reading: Reading, tmp_path: Path) -> None:
    records = [record("received", 1), record("completed", 3), record("sent", 0.5, clock="agent")]
    forwards = with_evidence(reading, [written(tmp_path, *records)])
    backwards = with_evidence(reading, [written(tmp_path, *reversed(records))])
    assert forwards.spans == backwards.spans
    assert forwards.outside == backwards.outside


def test_which_spans_are_no_spans_of_the_trace_is_said(reading: Reading, tmp_path: Path) -> None:
    file = written(tmp_path, record("received", 1), record("completed", 3))
    found = with_evidence(reading, [file])
    (outside,) = found.outside
    assert outside.kinds == ("received", "completed")
    assert outside.span_id in {span.span_id for span in found.spans}
    assert found.files[-1].container == "evidence"
    assert found.file_notes[-1].places == ("evidence 1 record 1", "evidence 1 record 2")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "is no JSON"),
        ("[]", "must be an object of"),
        (json.dumps(record("received", name="Odalys Brannock")), "must be an object of"),
        (json.dumps(record("observed")), "kind must be one of"),
        (json.dumps(record("received", clock=" ")), "clock must name"),
        (json.dumps(record("received", id="call_1")), "one of key and id"),
        (json.dumps({**record("received"), "key": None}), "one of key and id"),
        (json.dumps(record("received", time="around noon")), "time must be an instant"),
        (json.dumps(record("completed", status="fine")), "status must be a code"),
    ],
)
def test_a_record_of_another_form_is_named_by_its_place_alone(
    reading: Reading, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "evidence.jsonl"
    file.write_text(json.dumps(record("received")) + "\n" + line + "\n")
    with pytest.raises(InputUnreadable, match=r"evidence 1 record 2") as fault:
        with_evidence(reading, [file])
    assert said in str(fault.value)
    assert "Odalys" not in str(fault.value)
    assert "noon" not in str(fault.value)


def test_a_file_without_a_record_is_no_evidence(reading: Reading, tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="holds no record"):
        with_evidence(reading, [written(tmp_path)])
    with pytest.raises(InputUnreadable, match="cannot be opened"):
        with_evidence(reading, [tmp_path / "absent.jsonl"])
