from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.errors import UsageError
from extractor.model.json import parse
from extractor.model.layout import is_case_id
from extractor.write import case_id, render_fixture


def test_the_bytes_are_the_golden_ones_in_source_order(document: Any) -> None:
    golden = Path(__file__).parents[1] / "golden" / "complete_fixture.json"
    assert render_fixture(document) == golden.read_bytes()


def test_rendering_what_was_rendered_changes_nothing() -> None:
    document: Any = parse('{"b": 10.10, "a": [1E+2, -0, 12345678901234567890, "\\ud800 é \\u0000"], "c": {}}')
    once = render_fixture(document)
    assert render_fixture(parse(once)) == once  # type: ignore[arg-type]
    assert once.decode() == (
        '{\n  "b": 10.10,\n  "a": [\n    1E+2,\n    -0,\n    12345678901234567890,\n    "\\ud800 é \\u0000"\n  ],\n  "c": {}\n}\n'
    )


@pytest.mark.parametrize(
    ("instant", "tool", "error", "expected"),
    [
        ("2026-03-02T10:00:00Z", "refund.create", "TimeoutError", "2026-03-02-refund-create-timeout-error-0a1b2c3d"),
        ("2026-03-02T00:30:00+01:00", "refund_create", None, "2026-03-01-refund-create-no-error-0a1b2c3d"),
        ("2026-03-02T23:30:00.123456789-01:00", None, "", "2026-03-03-no-tool-no-error-0a1b2c3d"),
        ("2026-03-02T10:00:00Z", "../../etc", "APIError", "2026-03-02-etc-api-error-0a1b2c3d"),
        ("2026-03-02T10:00:00Z", "返金", "\0", "2026-03-02-no-tool-no-error-0a1b2c3d"),
    ],
)
def test_a_case_is_named_by_date_tool_error_and_digest(
    instant: str, tool: str | None, error: str | None, expected: str
) -> None:
    """S10."""
    assert case_id(frozen_at=instant, tool=tool, error_class=error, trace_digest="0a1b2c3d") == expected


@given(st.none() | st.text(), st.none() | st.text(), st.datetimes(timezones=st.timezones()))
def test_any_tool_and_error_make_a_name_that_is_safe_as_a_path(tool: str | None, error: str | None, at: Any) -> None:
    try:
        name = case_id(frozen_at=at.isoformat(), tool=tool, error_class=error, trace_digest="0a1b2c3d")
    except UsageError:
        assert at.year in {1, 9999}  # the UTC date lies outside the calendar
        return
    assert is_case_id(name)


@pytest.mark.parametrize("digest", ["", "0A1B2C3D", "0a1b2c3", "0a1b2c3d4", "../../..", "0a1b2c3d\n"])
def test_the_digest_has_one_form(digest: str) -> None:
    with pytest.raises(UsageError):
        case_id(frozen_at="2026-03-02T10:00:00Z", tool="t", error_class=None, trace_digest=digest)


@pytest.mark.parametrize("instant", ["2026-03-02T10:00:00", "yesterday", "", "0001-01-01T00:00:00+14:00"])
def test_an_instant_without_a_utc_date_is_refused(instant: str) -> None:
    with pytest.raises(UsageError, match="frozen_at must"):
        case_id(frozen_at=instant, tool="t", error_class=None, trace_digest="0a1b2c3d")
