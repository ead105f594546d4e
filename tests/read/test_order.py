"""What is read does not depend on the order of lines, on how files are cut, or on repetition."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.model.config import Wanted
from extractor.model.reading import Reading
from extractor.read import read

from .build import OTHER, TRACE, Node, attribute, lines, request, rich, span


def _requests() -> list[Node]:
    partial = span(3, attributes=[attribute("only.here", "intValue", "7")], endTimeUnixNano="0")
    return [*rich(), request(span(9, trace_id=OTHER)), request(partial), request(span(7, parent=99))]


def _read(groups: list[list[Node]]) -> Reading:
    with tempfile.TemporaryDirectory() as folder:
        for number, group in enumerate(groups):
            Path(folder, f"{number}.jsonl").write_bytes(lines(group))
        return read([folder], Wanted(trace_ids=(TRACE,)))


@settings(max_examples=40)
@given(data=st.data())
def test_spans_and_their_notes_are_independent_of_the_files(data: st.DataObject) -> None:
    requests = _requests()
    expected = _read([requests])
    repeated = data.draw(st.lists(st.sampled_from(requests), max_size=3))
    shuffled = data.draw(st.permutations([*requests, *repeated]))
    cut = data.draw(st.integers(0, len(shuffled)))
    found = _read([shuffled[:cut], shuffled[cut:]])
    assert repr(found.spans) == repr(expected.spans)
    assert found.span_notes == expected.span_notes


def test_spans_come_in_product_order() -> None:
    spans = _read([_requests()]).spans
    assert [one.order for one in spans] == sorted(one.order for one in spans)
