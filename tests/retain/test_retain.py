"""S108, S109: raw records are copied before the backend's retention ends, restricted and for a time."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from extractor import read
from extractor.errors import InputUnreadable, UsageError
from extractor.model.config import Wanted
from extractor.model.json import JsonValue
from extractor.model.reading import Reading
from extractor.model.span import Resource, Scope, Span, SpanEvent, SpanLink
from extractor.retain import odds, purge, retain

NOW = datetime(2026, 3, 1, tzinfo=UTC)
TRACE = "0af7651916cd43dd8448eb211c80319c"
DOCS = Path(__file__).parents[2] / "docs" / "retention.md"


def span(number: int, attributes: tuple[tuple[str, JsonValue], ...] = ()) -> Span:
    return Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_id="00000000000000ff" if number > 1 else None,
        name="run",
        kind="client",
        start_ns=1_760_000_000_000_000_000 + number,
        end_ns=1_760_000_000_000_000_900 + number,
        attributes=attributes,
        events=(SpanEvent(name="exception", time_ns=1_760_000_000_000_000_100, attributes=(("x", 1),)),),
        links=(SpanLink(trace_id=TRACE, span_id="00000000000000aa", attributes=(("y", True),)),),
        status_code="error",
        status_message="timed out",
        trace_state="a=b",
        flags=257,
        dropped=2,
        resource=Resource(attributes=(("service.name", "desk"),)),
        scope=Scope(name="tests", version="1"),
    )


def reread(folder: Path) -> Reading:
    return read.read([str(folder / f"{TRACE}.otlp.jsonl")], Wanted(trace_ids=(TRACE,)))


def test_a_retained_trace_is_read_as_the_one_that_was_retained(tmp_path: Path) -> None:
    spans = (span(1), span(2, (("a", "b"), ("a", "c"), ("deep", {"list": [1, 2.5, None, "x"]}))))
    retain(spans, ["errors"], tmp_path / "store", now=NOW, ttl_days=30)
    assert reread(tmp_path / "store").spans == spans


@given(
    some.recursive(
        some.none() | some.booleans() | some.integers(-(2**63), 2**63 - 1) | some.text(max_size=20),
        lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_value_survives_the_store(tmp_path_factory: pytest.TempPathFactory, value: JsonValue) -> None:
    folder = tmp_path_factory.mktemp("store")
    kept = span(1, (("key", value),))
    retain((kept,), [], folder, now=NOW, ttl_days=1)
    assert reread(folder).spans == (kept,)


def test_the_store_is_its_owners_alone_and_ignored_by_git(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    made = retain((span(1),), ["flagged"], folder, now=NOW, ttl_days=30)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"
    assert {path.name for path in folder.iterdir()} == {made.path.name, ".gitignore", "retained.jsonl"}


def test_the_same_trace_again_changes_nothing_and_a_grown_one_is_written(tmp_path: Path) -> None:
    first = retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=30)
    again = retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=30)
    grown = retain((span(1), span(2)), ["errors"], tmp_path, now=NOW, ttl_days=30)
    assert [first.written, again.written, grown.written] == [True, False, True]
    told = [json.loads(line) for line in (tmp_path / "retained.jsonl").read_text().splitlines()]
    assert [(entry["act"], entry["spans"], entry["reasons"]) for entry in told] == [
        ("retained", 1, ["errors"]),
        ("retained", 2, ["errors"]),
    ]


def test_what_is_over_goes_with_a_record(tmp_path: Path) -> None:
    """S63."""
    made = retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=30)
    assert purge(tmp_path, now=NOW + timedelta(days=29)) == []
    assert purge(tmp_path, now=NOW + timedelta(days=30)) == [TRACE]
    assert not made.path.exists()
    assert purge(tmp_path, now=NOW + timedelta(days=31)) == []
    assert json.loads((tmp_path / "retained.jsonl").read_text().splitlines()[-1])["act"] == "purged"


def test_a_file_that_no_record_tells_of_is_never_removed_in_silence(tmp_path: Path) -> None:
    retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=1)
    (tmp_path / f"{'ab' * 16}.otlp.jsonl").write_text("{}")
    with pytest.raises(InputUnreadable, match="1 files of the store stand in no record"):
        purge(tmp_path, now=NOW + timedelta(days=9))
    (tmp_path / "retained.jsonl").write_text("{broken")
    with pytest.raises(InputUnreadable, match="broken at line 1"):
        purge(tmp_path, now=NOW)


def test_a_run_cut_short_leaves_no_original_that_nothing_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(path: Path, _content: bytes) -> None:
        if path.suffix == ".jsonl":
            raise OSError("cut short")

    monkeypatch.setattr("extractor.retain._store._write", cut)
    with pytest.raises(UsageError):
        retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=1)
    monkeypatch.undo()
    assert purge(tmp_path, now=NOW + timedelta(days=2)) == []
    assert retain((span(1),), ["errors"], tmp_path, now=NOW, ttl_days=1).written


@pytest.mark.parametrize(
    "entry",
    [
        {"trace_id": "../../elsewhere", "expires_at": NOW.isoformat()},
        {"trace_id": TRACE, "expires_at": "soon"},
        {"trace_id": TRACE},
    ],
)
def test_a_record_of_another_form_removes_nothing(tmp_path: Path, entry: dict[str, str]) -> None:
    (tmp_path / "retained.jsonl").write_text(json.dumps({"act": "retained", **entry}) + "\n")
    with pytest.raises(InputUnreadable, match="broken at line 1"):
        purge(tmp_path, now=NOW)


def test_a_dozen_occurrences_at_one_in_a_hundred_are_mostly_lost() -> None:
    """S109: close to nine chances in ten of there being nothing."""
    assert odds(0.01, 12) == pytest.approx(0.8864, abs=0.0001)
    assert odds(1, 1) == 0
    for rate, occurrences in ((1.5, 1), (-0.1, 1), (0.5, 0)):
        with pytest.raises(UsageError):
            odds(rate, occurrences)


def test_the_documented_collector_configuration_holds_together() -> None:
    """S108: every component of a pipeline is configured, every policy has the settings of its type."""
    (block,) = [part.split("```")[0] for part in DOCS.read_text().split("```yaml\n")[1:]]
    config = yaml.safe_load(block)
    for pipeline in config["service"]["pipelines"].values():
        for kind in ("receivers", "processors", "exporters"):
            assert set(pipeline[kind]) <= set(config[kind])
    policies = config["processors"]["tail_sampling"]["policies"]
    assert all(policy["type"] in policy for policy in policies)
    assert len({policy["name"] for policy in policies}) == len(policies)
