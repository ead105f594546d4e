"""Ways to put one document through the engine, alone or as a trace export through the command."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from extractor.cli.app import run
from extractor.model.config import RunConfig
from extractor.model.json import compact
from extractor.redact import WorkspaceKey, redact_documents
from extractor.ruleset import load

DEFAULT = RunConfig()
RULES = load()
KEY = WorkspaceKey(material=bytes(range(32)))
OTHER_KEY = WorkspaceKey(material=bytes(range(100, 132)))

Redacted = Callable[..., Any]
Exported = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def redacted() -> Redacted:
    """Return a value redacted by itself; ``also`` is a document that is known beside it."""

    def of(
        value: Any, *, also: Any = None, config: RunConfig = DEFAULT, scope: str = "case", other_key: bool = False
    ) -> Any:
        values = [value] if also is None else [value, also]
        return redact_documents(values, RULES, config, OTHER_KEY if other_key else KEY, scope=scope)[0]

    return of


@pytest.fixture
def kept(redacted) -> Callable[..., Any]:
    """Redact a value and see to it that some texts are gone, in any case, and others stand as they stood."""

    def of(value: Any, gone: tuple[str, ...], stays: tuple[str, ...] = (), **options: Any) -> Any:
        made = redacted(value, **options)
        before, after = (one if isinstance(one, str) else compact(one) for one in (value, made))
        for text in gone:
            assert text in before or json.dumps(text)[1:-1] in before
            assert text.casefold() not in after.casefold()
        for text in stays:
            assert text in after or json.dumps(text)[1:-1] in after
        return made

    return of


@pytest.fixture
def exported(monkeypatch, tmp_path, capsys) -> Exported:
    """Put a span with some members through ``extract-fixture redact`` as an OTLP export and return the span."""
    key = tmp_path / "workspace.key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)

    def of(*, scope: Any = (), resource: Any = (), **members: Any) -> dict[str, Any]:
        span = {
            "traceId": TRACE_ID,
            "spanId": SPAN_ID,
            "name": "execute_tool parcel.track",
            "kind": 1,
            "startTimeUnixNano": "1780000000000000123",
            "endTimeUnixNano": "1780000000250000123",
            "attributes": [],
        } | members
        scopes = [{"scope": {"name": "parcel-agent", "attributes": list(scope)}, "spans": [span]}]
        export = {"resourceSpans": [{"resource": {"attributes": list(resource)}, "scopeSpans": scopes}]}
        stream = io.TextIOWrapper(io.BytesIO(json.dumps(export).encode()), encoding="utf-8")
        monkeypatch.setattr("sys.stdin", stream)
        assert run(["redact", "--key-file", str(key)]) == 0
        (batch,) = json.loads(capsys.readouterr().out)["resourceSpans"]
        (made,) = batch["scopeSpans"]
        found: dict[str, Any] = made["spans"][0]
        return found | {"scope": made["scope"], "resource": batch["resource"]}

    return of


TRACE_ID = "4be1c07a92d35f68b0a7e4193c5d8f26"
SPAN_ID = "9d04b7e2c61fa853"


@pytest.fixture
def ids() -> tuple[str, str]:
    """The trace id and the span id of what ``exported`` makes."""
    return TRACE_ID, SPAN_ID


@pytest.fixture
def digits() -> Callable[[str], str]:
    return lambda text: re.sub(r"\D", "", text)
