"""S31: where an agent read its clock for a call, that instant is the frozen one: a replay must make the same call."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.model.config import Override, RunConfig
from extractor.model.json import JsonValue
from extractor.model.trace import Subject, ToolCall

from ..select.traces import HELLO, Builder, message
from .test_timing import document_of

ALL = Override(keep=("all",))
DECIDED = "2025-10-09T08:53:20.060000Z"


def frozen(*arguments: JsonValue, attributes: dict[str, JsonValue] | None = None, **given: Any) -> tuple[str, bool]:
    """The frozen instant of a case whose answer begins 60 ms after a call, and whether it was taken from the span."""
    build = Builder()
    root = build.step("other", "run", 0, 100)
    for number, each in enumerate(arguments):
        call = ToolCall(name="get_policy", arguments=each, result={"version": "7"}, has_result=True)
        build.tool(1 + number, 2 + number, root, call, attributes=attributes)
    build.model(60, 65, root, [HELLO], message("assistant", "Done."))
    subject = Subject(time_zone=given.pop("zone", None))
    document = document_of(build.trace(subject), RunConfig(override=ALL, **given))
    return document["frozen_at"], ("frozen_at", "taken_from_span") in {
        (entry["field"], entry["code"]) for entry in document["missing_evidence"]
    }


def test_the_clock_that_a_call_carries_is_the_frozen_instant_in_the_zone_of_the_case() -> None:
    assert frozen({"at": "2025-10-09T08:53:20Z"}, zone="Europe/Berlin") == ("2025-10-09T10:53:20+02:00", False)
    assert frozen({"as_of": "2025-10-09T10:53:21+02:00"}) == ("2025-10-09T08:53:21Z", False)


def test_the_clock_nearest_to_the_boundary_is_taken() -> None:
    """A coarser reading of the same instant stands farther away."""
    near, coarse = {"at": "2025-10-09T08:53:20Z"}, {"local_time": "2025-10-09T10:53+02:00"}
    assert frozen(near, coarse) == frozen(coarse, near) == ("2025-10-09T08:53:20Z", False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"at": "2025-10-09T08:53:20"},  # of no known offset
        {"at": "2025-10-09T07:53:20Z"},  # an hour before: another event's instant
        {"at": "2025-10-10"},
        {"today": "2025-10-09"},
        {"now": 1_760_000_000},
        {"created_at": "2025-10-09T08:53:20Z"},
        {"at": "9999-12-31T23:59:59-12:00"},
        {"at": "noon, the 9th"},
    ],
)
def test_what_is_no_instant_or_not_of_this_moment_leaves_the_spans_start(arguments: JsonValue) -> None:
    assert frozen(arguments) == (DECIDED, True)


def test_a_clock_in_the_attributes_counts_as_well() -> None:
    assert frozen({"id": 1}, attributes={"app.clock.now": "2025-10-09T08:53:19Z"}) == ("2025-10-09T08:53:19Z", False)


def test_what_a_service_answers_with_is_its_own_clock() -> None:
    build = Builder()
    call = ToolCall(name="get_order", arguments={}, result={"at": "2025-10-09T08:53:20Z"}, has_result=True)
    build.tool(1, 2, None, call)
    build.model(60, 65, None, [HELLO], message("assistant", "Done."))
    assert document_of(build.trace())["frozen_at"] == DECIDED


def test_a_clock_that_is_a_tool_counts() -> None:
    build = Builder()
    build.tool(1, 2, None, ToolCall(name="get_time", arguments={}, result="2025-10-09T08:53:20Z", has_result=True))
    build.model(60, 65, None, [HELLO], message("assistant", "Done."))
    assert document_of(build.trace())["frozen_at"] == "2025-10-09T08:53:20Z"


def test_a_given_instant_wins() -> None:
    assert frozen({"at": "2025-10-09T08:53:20Z"}, frozen_at="2026-01-01T00:00:00Z") == ("2026-01-01T00:00:00Z", False)
