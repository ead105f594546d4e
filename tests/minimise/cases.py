"""A case that has every kind of piece, as documents and as a folder in quarantine; and random stories."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from extractor.model.case import KnownValue
from extractor.model.json import pretty
from extractor.redact import WorkspaceKey, remembered
from extractor.standing import Standing

KEY = WorkspaceKey(material=bytes(range(32)))
SCOPE = "case:test"
GOLDEN = Path(__file__).parent.parent / "golden" / "complete_fixture.json"
DIGEST = "ab" * 32


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def message(number: int, role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"m{number}", "role": role, "parts": list(parts)}


def event(attempt: int, call: int, number: int, after: Sequence[int], **more: Any) -> dict[str, Any]:
    retry = {"retry_of": more.pop("retry_of")} if "retry_of" in more else {}
    return {
        "attempt": attempt,
        "tool": more.pop("tool", f"tool.{call}"),
        "call_id": f"call-{call}",
        "logical_call": call,
        "try": number,
        **retry,
        "arguments": {"order": "A-7741", "amount": 10.1},
        "idempotency_key": f"idem-{call}",
        "role": "evidence",
        "outcome": {"type": "result", "value": {"status": f"state-{attempt}"}},
        "side_effect": more.pop("side_effect", "none"),
        "timing": dict.fromkeys(
            ("budget_start_ms", "deadline_ms", "dispatch_ms", "receipt_ms", "response_ms", "end_ms"), attempt
        ),
        "after": list(after),
        **more,
    }


def model_event(inputs: Sequence[int], outputs: Sequence[int], after: Sequence[int]) -> dict[str, Any]:
    return {
        "model": "some-model",
        "input": [f"m{number}" for number in inputs],
        "output": [f"m{number}" for number in outputs],
        "usage": {},
        "after": list(after),
    }


def missing(field: str, code: str = "effect_unknown") -> dict[str, Any]:
    return {"field": field, "code": code, "reason": f"About {field}."}


def story(**changed: Any) -> dict[str, Any]:
    """A refund tried three times with a look-up before and a note between, told over nine messages."""
    document = json.loads(GOLDEN.read_text())
    document |= {
        "case_id": "2026-03-02-refund-create-timeout-0a1b2c3d",
        "templates": [
            {"role": "system", "name": None, "version": "p3", "sha256": DIGEST, "content": f"You are desk {number}."}
            for number in (1, 2)
        ],
        "facts": [
            {"name": "window", "value": 30, "source": "policy"},
            {"name": "clock", "value": "09:00", "source": "tool_events[1]"},
        ],
        "documents": [{"query": "q", "content": f"Page {number}.", "sha256": DIGEST} for number in range(3)],
        "input": {"messages": [message(1, "user", text("Refund it.")), message(2, "user", text("Order A-7741."))]},
        "identity": {
            "subject": "user-31",
            "tenant": None,
            "roles": ["customer", "owner", "payer"],
            "claims": {"verified": True, "plan": "gold"},
            "resources": [
                {"type": "order", "id": "A-7741", "owner": "user-31"},
                {"type": "order", "id": "A-7742", "owner": "user-32"},
            ],
        },
        "messages": [
            message(3, "system", {"type": "other", "value": {"template": 0}}),
            message(4, "system", {"type": "other", "value": {"template": 1}}),
            message(5, "assistant", text("One moment."), {"type": "tool_call", "call_id": "call-1", "tool": "tool.1"}),
            message(6, "tool", {"type": "tool_result", "call_id": "call-1"}),
            message(7, "assistant", text("It is done."), text("Anything else?"), text("Good-bye.")),
        ],
        "conversation": ["m1", "m5", "m2", "m6", "m7", "m1"],
        "tool_events": [
            event(1, 1, 1, []),
            event(2, 2, 1, [1]),
            event(3, 3, 1, [1]),
            event(4, 2, 2, [2, 3], retry_of=2),
            event(5, 2, 3, [4], retry_of=4),
        ],
        "model_events": [
            model_event([3, 4, 1], [5], []),
            model_event([3, 4, 1, 5, 6, 2], [7], [5]),
        ],
        "missing_evidence": [
            missing("adapter", "not_judged"),
            missing("tool_events[1].side_effect"),
            missing("tool_events[3].outcome.ended_by"),
            missing("messages[4].parts[2].text"),
        ],
    }
    return document | changed


def statement(document: dict[str, Any], **changed: Any) -> dict[str, Any]:
    predicate = {
        "source": {"incident_id": document["incident_id"], "trace_refs": ["ref"], "dialects": [], "evidence": []},
        "boundary": {"span_id": "s1", "reason": "last_answer", "candidates": []},
        "selection": [decision("s0", None, reason="path"), decision("s1", "tool_events[1]")],
        "attempts": [],
        "overrides": {"keep": 0, "drop": 0, "treat": {}},
        "redaction": {
            "scope": SCOPE,
            "scope_of": None,
            "structural": False,
            "key_id": KEY.key_id,
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
        "rules": {"sha256": DIGEST},
        "versions": {"tool": "0", "schema": "1", "models": []},
    }
    secrets = changed.pop("secrets", [])
    predicate["redaction"]["secrets"] = secrets
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": "fixture.json", "digest": {"sha256": hashlib.sha256(pretty(document).encode()).hexdigest()}}
        ],
        "predicateType": "urn:extract-fixture:provenance:1",
        "predicate": predicate | changed,
    }


def attempt(place: str | None) -> dict[str, Any]:
    unknown = {"answer": "unknown", "spans": []}
    return {
        "event": place,
        "span_id": None,
        "dispatched": unknown,
        "received": unknown,
        "completed": unknown,
        "ended_by": {"verdict": "response", "spans": [], "lacks": None},
        "deadline": None,
        "queue_ms": None,
        "completion_ms": None,
        "sends": 0,
        "statuses": [],
        "skew": None,
        "remarks": [],
    }


def decision(span: str, becomes: str | None, *, reason: str = "attempt") -> dict[str, Any]:
    return {
        "span_id": span,
        "decision": "kept",
        "reason": reason,
        "becomes": becomes,
        "distance": None,
        "overridden": False,
        "flows": [],
    }


def capture(*originals: str, word: bool = False) -> bytes:
    known = [KnownValue(text=each, entity="person", rule="test", word=word) for each in originals]
    return pretty(
        {
            "trace_id": "original-trace",
            "traces": ["original-trace"],
            "spans": {},
            "files": [],
            "ledger": [],
            "known": remembered(known, KEY, SCOPE),
            "extracted_at": "2026-01-01T00:00:00+00:00",
            "host": "somewhere",
            "expires_at": "2026-01-31T00:00:00+00:00",
        }
    ).encode()


def standing_of(document: dict[str, Any], *originals: str, word: bool = False, **changed: Any) -> Standing:
    return Standing(document=document, statement=statement(document, **changed), capture=capture(*originals, word=word))


def write(standing: Standing, root: Path) -> Path:
    """Write a case into ``root/quarantine`` and return its folder."""
    case = root / "quarantine" / str(standing.document["case_id"])
    case.mkdir(parents=True)
    (case / "fixture.json").write_text(pretty(standing.document))
    (case / "provenance.json").write_text(pretty(standing.statement))
    (case / "capture.json").write_bytes(standing.capture)
    (case / "README.md").write_text("# A case\n")
    return case


@st.composite
def stories(draw: st.DrawFn) -> dict[str, Any]:
    """Stories with any order among attempts, any retries, any messages, any references."""
    number = draw(st.integers(0, 7))
    calls = [draw(st.integers(1, 3)) for _ in range(number)]
    events: list[dict[str, Any]] = []
    tries: dict[int, list[int]] = {}
    ranks: dict[int, int] = {}
    for attempt, call in enumerate(calls, start=1):
        earlier = tries.setdefault(call, [])
        retry = {"retry_of": earlier[-1]} if earlier else {}
        after = sorted(draw(st.sets(st.integers(1, attempt - 1), max_size=3))) if attempt > 1 else []
        rank = ranks.setdefault(call, len(ranks) + 1)
        events.append(event(attempt, rank, len(earlier) + 1, after, **retry))
        earlier.append(attempt)
    templates = draw(st.integers(0, 2))
    said = draw(st.integers(0, 3))
    others = draw(st.integers(0, 5))
    messages = [
        message(said + each, "assistant", *[text(f"part {part}") for part in range(draw(st.integers(0, 3)))])
        for each in range(1, others + 1)
    ]
    for each in messages[:templates]:
        each |= {"role": "system", "parts": [{"type": "other", "value": {"template": templates - 1}}]}
    ids = st.lists(st.integers(1, said + others), max_size=5) if said + others else st.just([])
    done = st.sets(st.integers(1, number), max_size=3).map(sorted) if number else st.just([])
    return story(
        templates=story()["templates"][:templates],
        facts=[{"name": "f", "value": each, "source": f"tool_events[{each}]"} for each in range(number)],
        input={"messages": [message(each, "user", text(f"said {each}")) for each in range(1, said + 1)]},
        messages=messages,
        conversation=[f"m{each}" for each in draw(ids)],
        tool_events=events,
        model_events=[model_event(draw(ids), draw(ids), draw(done)) for _ in range(draw(st.integers(0, 3)))],
        missing_evidence=[missing(f"tool_events[{each}].side_effect") for each in range(number)],
    )
