"""Cases as small as they may be, for tests of what answers out of them; and cases of recorded runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from extractor import pipeline, ruleset
from extractor.model.config import Override, RunConfig, Statement, Wanted
from extractor.model.layout import FIXTURE
from extractor.read import read
from extractor.redact import WorkspaceKey
from extractor.replay.case import ReplayCase, case_of

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
OCCASION = pipeline.Occasion(
    extracted_at="2026-01-01T00:00:00+00:00", expires_at="2026-01-31T00:00:00+00:00", host="somewhere"
)


def case_with(*tools: dict[str, Any], llm: list[dict[str, Any]] | None = None, **members: Any) -> ReplayCase:
    """Return a case of these tool calls ({tool, arguments, value | error, …}) and answers ({model, input, output})."""
    messages: list[dict[str, Any]] = []
    exchanges = []
    for exchange in llm or []:
        told = [*exchange.get("input", []), {"role": "assistant", "text": exchange["output"]}]
        ids = [f"m{len(messages) + place}" for place in range(len(told))]
        messages += [
            {"id": each, "role": message["role"], "parts": [{"type": "text", "text": message["text"]}]}
            for each, message in zip(ids, told, strict=True)
        ]
        exchanges.append({"model": exchange["model"], "input": ids[:-1], "output": ids[-1:]})
    return ReplayCase(
        document={
            "case_id": "2026-01-01-some-tool-error-00000000",
            "frozen_at": "2026-01-01T00:00:00+00:00",
            "tool_events": [_event(place, tool) for place, tool in enumerate(tools)],
            "model_events": exchanges,
            "messages": messages,
            "ordering": {"mode": "total"},
            **members,
        },
        fixture_hash="0" * 64,
    )


def _event(place: int, tool: dict[str, Any]) -> dict[str, Any]:
    outcome = (
        {
            "type": "error",
            "error": tool["error"],
            "error_type": tool.get("error_type"),
            "ended_by": tool.get("ended_by"),
        }
        if "error" in tool
        else {"type": "result", "value": tool.get("value")}
    )
    return {
        "attempt": place + 1,
        "tool": tool["tool"],
        "arguments": tool.get("arguments", {}),
        "side_effect": tool.get("side_effect", "none"),
        "role": tool.get("role", "evidence"),
        "outcome": outcome,
    }


def extracted(source: Path, trace_id: str, **options: Any) -> ReplayCase:
    """Return the case of a recorded run, through the whole line."""
    statement = Statement(
        incident=options.get("incident", "INC-1"),
        failure=options.get("failure", "The agent said what no tool confirmed."),
        prohibit=tuple(options.get("prohibit", ["a claim that nothing confirms"])),
        evidence_needed=options.get("evidence_needed", "A result of the tool."),
    )
    config = RunConfig(
        wanted=Wanted(trace_ids=(trace_id,)),
        override=Override(keep=tuple(options.get("keep", ()))),
        statement=statement,
        workflow_version=options.get("workflow_version", "flow@1"),
        prompt_version=options.get("prompt_version", "prompt@1"),
        time_zone=options.get("time_zone", "UTC"),
        locale=options.get("locale", "en-US"),
    )
    extraction = pipeline.extract(read([str(source)], config.wanted), config, RULES, KEY, OCCASION)
    return case_of(extraction.fixture.files[FIXTURE])
