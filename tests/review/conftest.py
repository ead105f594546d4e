from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from extractor.model.json import parse, pretty

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
OTHER = "2026-03-05-mail-send-no-error-11223344"
GOLDEN = (Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes()
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
Make = Callable[..., Path]


def predicate(**members: Any) -> dict[str, Any]:
    whole = {
        "source": {"incident_id": None, "trace_refs": ["r1"], "dialects": [], "evidence": []},
        "attempts": [],
        "boundary": {"span_id": "a1", "reason": "last_answer", "candidates": []},
        "selection": [
            {
                "span_id": "a1b2c3d4e5f60718",
                "decision": "kept",
                "reason": "boundary",
                "becomes": None,
                "distance": 0,
                "overridden": False,
                "flows": [],
            }
        ],
        "overrides": {"keep": 0, "drop": 0, "treat": {}},
        "redaction": {
            "scope": "case",
            "scope_of": None,
            "structural": False,
            "key_id": "k1",
            "values": 0,
            "occurrences": 0,
            "classes": [],
            "secrets": [],
        },
        "flags": [],
        "residual": [],
        "relations": {"classes": 0, "occurrences": 0, "preserved": 0, "entities": []},
        "leaks": {"known_values": 0, "found": 0, "entities": []},
        "ledger": [],
        "grader": None,
        "rules": {"sha256": "ab" * 32},
        "versions": {"tool": "0", "schema": "1", "models": []},
    }
    for name, value in members.items():
        if name == "secrets":
            whole["redaction"]["secrets"] = value
        else:
            whole[name] = value
    return whole


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Put a whole case into quarantine of ``tmp_path/fixtures``; ``edits`` change the document, the rest the sidecar."""

    def made(case_id: str = CASE, *, edits: dict[str, Any] | None = None, **members: Any) -> Path:
        document: Any = parse(GOLDEN)
        document["alternates"] = []  # they ask for a role of their own
        document.update({"case_id": case_id, **(edits or {})})
        content = pretty(document).encode()
        statement: Any = {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": "fixture.json", "digest": {"sha256": hashlib.sha256(content).hexdigest()}}],
            "predicateType": "urn:extract-fixture:provenance:1",
            "predicate": predicate(**members),
        }
        folder = tmp_path / "fixtures" / "quarantine" / case_id
        folder.mkdir(parents=True)
        (folder / "fixture.json").write_bytes(content)
        (folder / "provenance.json").write_bytes(pretty(statement).encode())
        (folder / "README.md").write_text("# What happened\n")
        (folder / "expect.yaml").write_text("verdict: reject\n")
        (folder / "capture.json").write_text(
            json.dumps({"extracted_at": "2026-03-03T09:00:00Z", "expires_at": "2026-04-02T09:00:00Z"})
        )
        (folder / "history.jsonl").write_text('{"at":"2026-03-03T09:00:00Z","event":"extracted"}\n')
        return folder

    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "fixtures"
