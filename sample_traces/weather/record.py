"""Three runs of the weather agent, recorded by the seam itself: the silent failure, the good run, the time-out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from extractor.replay.seam import fixtures, recording
from sample_traces.recording.clock import SimulatedClock

from .agent import Live, Messages, Observation, run, run_broken, run_handles

START = datetime(2026, 9, 14, 6, 12, 40, 250_000, tzinfo=UTC)
QUESTION = "What is the weather in Bergen?"
RESOURCE = {
    "service.name": "weather-agent",
    "service.version": "2026.9.1",
    "deployment.environment.name": "production",
}


def record(file: Path) -> None:
    """Write the recording; the same bytes every time."""
    clock = SimulatedClock(START)

    def weather(place: str) -> Observation:
        clock.pass_seconds(0.31)
        return {"place": place, "condition": "light rain", "temperature_c": 11, "observed_at": "06:00"}

    def silent(_place: str) -> Observation:
        clock.pass_seconds(2)
        raise TimeoutError("no answer from the weather service within 2000 ms")

    def chat(messages: Messages) -> str:
        clock.pass_seconds(0.84)
        told = str(messages[-1]["content"])
        if "light rain" in told:
            return "There is light rain, 11 degrees."
        if "error" in told:
            return "I cannot reach the weather service right now, so I do not know."
        return "It is sunny and 24 degrees, enjoy your day!"

    ids = iter(range(1_000))

    def random_bytes(size: int) -> bytes:
        return hashlib.sha256(f"weather {next(ids)}".encode()).digest()[:size]

    file.unlink(missing_ok=True)
    with fixtures(None), recording(file, resource=RESOURCE, now_ns=clock.time_ns, random_bytes=random_bytes):
        _each(clock, run_broken, Live(weather=weather, chat=chat))
        _each(clock, run, Live(weather=weather, chat=chat))
        _each(clock, run_handles, Live(weather=silent, chat=chat))


def _each(clock: SimulatedClock, agent: Callable[[str, Live], str], live: Live) -> None:
    clock.pass_seconds(41)
    agent(QUESTION, live)
