from __future__ import annotations

from extractor.model.config import RunConfig
from extractor.redact import redact_documents
from extractor.redact.blobs import LONGEST_ARRAY, is_array, left_out

FLOATS = [place / 7 for place in range(LONGEST_ARRAY + 1)]


def test_more_fractions_than_anybody_reads_are_an_array():
    assert is_array(FLOATS)
    assert not is_array(FLOATS[1:])
    assert not is_array([*range(100)])
    assert not is_array([*FLOATS, "text"])


def test_an_array_becomes_a_marker_and_equal_ones_stay_equal(rules, key):
    value = {"embedding": FLOATS, "again": FLOATS, "other": FLOATS[::-1], "scores": [0.5, 0.25]}
    (redacted,) = redact_documents([value], rules, RunConfig(), key)
    assert redacted["embedding"] == redacted["again"] != redacted["other"]
    assert set(redacted["embedding"]) == {"type", "items", "digest"}
    assert redacted["embedding"]["items"] == len(FLOATS)
    assert redacted["scores"] == [0.5, 0.25]
    assert redact_documents([redacted], rules, RunConfig(), key) == (redacted,)


def test_a_case_names_where_something_was_left_out():
    original = {"tool_events": [{"outcome": {"type": "result", "value": {"vector": FLOATS}}}], "final_output": "data"}
    marked = {"type": "floats", "items": 65, "digest": "0"}
    redacted = {
        "tool_events": [{"outcome": {"type": "result", "value": {"vector": marked}}}],
        "final_output": "blob:4096:0123456789abcdef",
    }
    assert [(entry["field"], entry["code"]) for entry in left_out(original, redacted)] == [
        ("tool_events[0].outcome.value", "array_left_out"),
        ("final_output", "blob_left_out"),
    ]
    assert not list(left_out(original, original))
