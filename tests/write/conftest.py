from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.model.case import Fixture, Proofs
from extractor.model.json import parse

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"


@pytest.fixture
def document() -> Any:
    return parse((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes())


@pytest.fixture
def capture() -> bytes:
    return json.dumps({"extracted_at": "2026-03-03T09:00:00Z"}).encode()


@pytest.fixture
def fixture_of() -> Callable[..., Fixture]:
    def make(content: str = "one", *, case_id: str = CASE) -> Fixture:
        return Fixture(
            case_id=case_id,
            files={name: f"{content} {name}\n".encode() for name in ("fixture.json", "README.md", "provenance.json")},
            proofs=Proofs(known_values=0, leaks=0, residual=(), classes=0, occurrences=0, preserved=0),
            incomplete=False,
            replayable=True,
        )

    return make
