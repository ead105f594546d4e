"""The spans of a run in OpenTelemetry's GenAI conventions: to its API where the application uses it, and to a recording."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Final, Protocol, TypeAlias, cast

from extractor.replay.session import current

Attribute: TypeAlias = "str | int | bool"


class SpanSink(Protocol):
    """Writes one span after another."""

    def span(self, name: str, *, client: bool, root: bool) -> AbstractContextManager[OpenSpan]:
        """Open a span below the one that is open here; it fails when an exception leaves it.

        Where none is open, as in a thread, one that is no ``root`` of its own goes below the one agent that runs.
        """
        ...


class OpenSpan(Protocol):
    """A span that is not over yet."""

    def set(self, name: str, value: Attribute) -> None:
        """Set an attribute."""
        ...


class Spans:
    """One span in every sink at once."""

    def __init__(self, spans: tuple[OpenSpan, ...]) -> None:
        self._spans = spans

    def set(self, name: str, value: Attribute | None) -> None:
        """Set an attribute; None sets nothing."""
        if value is not None:
            for span in self._spans:
                span.set(name, value)


_sinks: list[SpanSink] = []
_lock = threading.Lock()


@contextmanager
def writing_to(sink: SpanSink) -> Iterator[None]:
    """Let every span of this process go to a sink as well."""
    with _lock:
        _sinks.append(sink)
    try:
        yield
    finally:
        with _lock:
            _sinks.remove(sink)


@contextmanager
def span(
    name: str, attributes: Mapping[str, Attribute | None], *, client: bool = False, root: bool = False
) -> Iterator[Spans]:
    """Open a span with these attributes, None left out; ``root`` is an agent."""
    with ExitStack() as stack:
        spans = Spans(tuple(stack.enter_context(sink.span(name, client=client, root=root)) for sink in _all_sinks()))
        for key, value in attributes.items():
            spans.set(key, value)
        yield spans


def _all_sinks() -> list[SpanSink]:
    with _lock:
        sinks = list(_sinks)
    # In a session nothing may leave the process, and an exporter would try to.
    api = None if current() is not None else sys.modules.get("opentelemetry.trace")
    return [*sinks, _Api(cast("_TraceModule", api))] if api is not None else sinks


class _Context(Protocol):
    @property
    def is_valid(self) -> bool: ...


class _ApiSpan(Protocol):
    def set_attribute(self, key: str, value: Attribute) -> None: ...
    def set_status(self, status: object) -> None: ...
    def record_exception(self, exception: BaseException) -> None: ...
    def get_span_context(self) -> _Context: ...


class _Tracer(Protocol):
    def start_as_current_span(
        self, name: str, context: object, kind: object, *, record_exception: bool, set_status_on_exception: bool
    ) -> AbstractContextManager[_ApiSpan]: ...


class _Kinds(Protocol):
    CLIENT: object
    INTERNAL: object


class _Codes(Protocol):
    ERROR: object


class _Statuses(Protocol):
    def __call__(self, status_code: object, description: str) -> object: ...


class _TraceModule(Protocol):
    """What is used of ``opentelemetry.trace``, which is never imported here: an application without it has no use for it."""

    SpanKind: _Kinds
    StatusCode: _Codes
    Status: _Statuses

    def get_tracer(self, instrumenting_module_name: str) -> _Tracer: ...
    def get_current_span(self) -> _ApiSpan: ...
    def set_span_in_context(self, span: _ApiSpan) -> object: ...


SCOPE: Final = "extractor.replay.seam"


class Roots:
    """The agents that run now. A thread knows none of its own; it belongs to the one agent, if there is one alone."""

    def __init__(self) -> None:
        self._open: list[object] = []
        self._inside: ContextVar[bool] = ContextVar("extractor.replay.seam.inside", default=False)
        self._lock = threading.Lock()

    @contextmanager
    def inside(self, root: object) -> Iterator[None]:
        """Count an agent as running, unless it runs inside another one."""
        if self._inside.get():
            yield
            return
        before = self._inside.set(True)
        with self._lock:
            self._open.append(root)
        try:
            yield
        finally:
            self._inside.reset(before)
            with self._lock:
                self._open.remove(root)

    def only(self) -> object | None:
        """Return the one that runs, None for none or several."""
        with self._lock:
            return self._open[0] if len(self._open) == 1 else None


_api_roots = Roots()


class _Api:
    def __init__(self, api: _TraceModule) -> None:
        self._api = api

    @contextmanager
    def span(self, name: str, *, client: bool, root: bool) -> Iterator[OpenSpan]:
        api = self._api
        orphan = not api.get_current_span().get_span_context().is_valid
        above = _api_roots.only() if orphan and not root else None
        with (
            api.get_tracer(SCOPE).start_as_current_span(
                name,
                None if above is None else api.set_span_in_context(cast("_ApiSpan", above)),
                api.SpanKind.CLIENT if client else api.SpanKind.INTERNAL,
                record_exception=False,
                set_status_on_exception=False,
            ) as opened,
            _api_roots.inside(opened) if root else ExitStack(),
        ):
            try:
                yield _ApiOpen(opened)
            except BaseException as failure:
                opened.set_attribute("error.type", type_of(failure))
                opened.record_exception(failure)
                opened.set_status(api.Status(api.StatusCode.ERROR, str(failure)))
                raise


class _ApiOpen:
    def __init__(self, opened: _ApiSpan) -> None:
        self._opened = opened

    def set(self, name: str, value: Attribute) -> None:
        self._opened.set_attribute(name, value)


def type_of(failure: BaseException) -> str:
    """Return the class of a failure, with its module where it is not built in; of a replayed one, the class it had."""
    recorded = getattr(failure, "error_class", None)
    if isinstance(recorded, str):
        return recorded
    kind = type(failure)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
