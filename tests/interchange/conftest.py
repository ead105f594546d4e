from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.interchange import Source

Node = dict[str, Any]
GOLDEN = Path(__file__).parent.parent / "golden" / "complete_fixture.json"


@pytest.fixture
def source() -> Callable[..., Source]:
    """Return a function that gives the complete case, with some members replaced."""

    def make(*, approved: bool = True, **members: Any) -> Source:
        document = json.loads(GOLDEN.read_text()) | members
        return Source(document=document, fixture_hash="ab" * 32, approved=approved)

    return make


def event(attempt: int, tool: str = "look", **members: Any) -> Node:
    """Return a tool event that answered after the one before it."""
    return {
        "attempt": attempt,
        "tool": tool,
        "call_id": f"c{attempt}",
        "logical_call": attempt,
        "try": 1,
        "arguments": {"n": attempt},
        "role": "evidence",
        "outcome": {"type": "result", "value": {"n": attempt}, "ended_by": "response"},
        "side_effect": "none",
        "timing": dict.fromkeys(("dispatch_ms", "response_ms", "end_ms")),
        "after": [attempt - 1] if attempt > 1 else [],
    } | members


def turn(*after: int, asked: tuple[str, ...] = ("m1",), said: tuple[str, ...] = ("m4",)) -> Node:
    """Return a turn of a model that began when some attempts had ended."""
    return {"model": "gpt-x", "input": list(asked), "output": list(said), "usage": {}, "after": list(after)}
