"""One recorded conversation's surroundings: its time, its services with the real SDK behind each, its spans."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, TypeVar
from unittest.mock import patch

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, Tracer, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Span, Status, StatusCode
from opentelemetry.util.types import AttributeValue

from .clock import SimulatedClock, SimulatedLoop

T = TypeVar("T")
Flat: TypeAlias = dict[str, AttributeValue]
"""Attributes of a span as they are being gathered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A process that writes spans: what its resource says."""

    name: str
    version: str
    host: str
    environment: str = "production"

    def resource(self) -> Resource:
        """Return the resource; built by hand, since the detected one would name this machine."""
        return Resource(
            {
                "service.name": self.name,
                "service.version": self.version,
                "service.instance.id": f"{self.host}:8080",
                "deployment.environment.name": self.environment,
                "host.name": self.host,
                "telemetry.sdk.language": "python",
                "telemetry.sdk.name": "opentelemetry",
            }
        )


class World:
    """Time, services and spans of one conversation; nothing in it depends on the machine or the moment.

    ``seed`` names the conversation: its ids are digests of it.
    """

    def __init__(self, seed: str, start: datetime) -> None:
        self.clock = SimulatedClock(start)
        self.finished: list[ReadableSpan] = []
        self._ids = _SeededIds(seed)
        self._loop = SimulatedLoop(self.clock)
        self._providers: dict[Service, TracerProvider] = {}

    @contextmanager
    def running(self) -> Iterator[World]:
        """Hold the SDK to the simulated clock while a conversation is recorded, then let late work end."""
        with patch("opentelemetry.sdk.trace.time_ns", self.clock.time_ns):
            yield self
            while tasks := asyncio.all_tasks(self._loop):
                self.finish(asyncio.wait(tasks))
        self._loop.close()

    def provider(self, service: Service) -> TracerProvider:
        """Return the one tracer provider of a service."""
        if service not in self._providers:
            provider = TracerProvider(
                sampler=ALWAYS_ON, resource=service.resource(), id_generator=self._ids, shutdown_on_exit=False
            )
            provider.add_span_processor(_Collect(self.finished))
            self._providers[service] = provider
        return self._providers[service]

    def tracer(self, service: Service, scope: str, version: str = "") -> Tracer:
        """Return a tracer of a service for one instrumentation scope."""
        tracer = self.provider(service).get_tracer(scope, version)
        assert isinstance(tracer, Tracer)
        return tracer

    def finish(self, work: Coroutine[object, object, T]) -> T:
        """Run asynchronous work, and whatever else is due meanwhile, to its end."""
        return self._loop.run_until_complete(work)

    def wait(self, milliseconds: float) -> None:
        """Let time go by for everybody."""
        self.finish(asyncio.sleep(milliseconds / 1_000))


@contextmanager
def span(tracer: Tracer, name: str, attributes: Mapping[str, AttributeValue], **options: object) -> Iterator[Span]:
    """Open a span whose failure is written as frameworks do: status, ``error.type`` and an exception event."""
    with tracer.start_as_current_span(
        name,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
        **options,  # type: ignore[arg-type]
    ) as opened:
        try:
            yield opened
        except Exception as failure:
            opened.set_attribute("error.type", type(failure).__name__)
            opened.record_exception(failure)
            opened.set_status(Status(StatusCode.ERROR, f"{type(failure).__name__}: {failure}"))
            raise


class _SeededIds(IdGenerator):
    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._drawn = 0

    def generate_trace_id(self) -> int:
        return self._draw(16)

    def generate_span_id(self) -> int:
        return self._draw(8)

    def _draw(self, size: int) -> int:
        self._drawn += 1
        return int.from_bytes(hashlib.sha256(f"{self._seed} {self._drawn}".encode()).digest()[:size], "big")


class _Collect(SpanProcessor):
    def __init__(self, finished: list[ReadableSpan]) -> None:
        self._finished = finished

    def on_end(self, span: ReadableSpan) -> None:
        self._finished.append(span)
