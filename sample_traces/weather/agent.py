"""The weather agent: as it should be, as it was when it invented the weather, and with the service's failure handled."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from extractor.replay.seam import ToolError, agent, call_llm, call_tool

MODEL = "example-large"
INSTRUCTIONS = "Answer in one sentence, from the observation alone. Without one, say that you do not know."

Observation: TypeAlias = Mapping[str, object]
Messages: TypeAlias = Sequence[Mapping[str, object]]


def _no_weather(_city: str) -> Observation:
    raise RuntimeError("this sample has no weather service")


def _no_model(_messages: Messages) -> str:
    raise RuntimeError("this sample has no model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What the agent calls when it runs for real. By default there is neither service nor model."""

    weather: Callable[[str], Observation] = _no_weather
    chat: Callable[[Messages], str] = _no_model


NOTHING_LIVE = Live()


def run(text: str, live: Live = NOTHING_LIVE) -> str:
    """Look the weather up, then let the model say it."""
    with agent("weather-agent", input=text) as running:
        return running.answer(_say(text, _observe(text, live), live))


def run_broken(text: str, live: Live = NOTHING_LIVE) -> str:
    """Look nothing up: the model says whatever it likes, and no error shows."""
    with agent("weather-agent", input=text) as running:
        return running.answer(_say(text, None, live))


def run_handles(text: str, live: Live = NOTHING_LIVE) -> str:
    """Look the weather up; when that fails, let the model say so."""
    with agent("weather-agent", input=text) as running:
        try:
            observed = _observe(text, live)
        except (ToolError, TimeoutError) as failure:
            observed = {"error": str(failure)}
        return running.answer(_say(text, observed, live))


def _observe(text: str, live: Live) -> Observation:
    place = _place(text)
    return call_tool("get_weather", lambda: live.weather(place), args={"place": place, "unit": "celsius"})


def _say(text: str, observed: Observation | None, live: Live) -> str:
    messages: list[dict[str, object]] = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": text},
    ]
    if observed is not None:
        messages.append({"role": "tool", "tool_call_id": "weather-1", "content": json.dumps(observed)})
    return call_llm(MODEL, lambda: live.chat(messages), input=messages)


def _place(text: str) -> str:
    found = re.search(r"\b(?:in|at) ([^?.,]+)[?.,]", text)
    return found[1].strip() if found else ""
