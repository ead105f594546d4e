"""`recording`: the spans of live runs in a file, as OTLP/JSON lines, which a case can be extracted from."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from extractor.model.json import JsonValue

from .spans import SCOPE, Attribute, OpenSpan, Roots, type_of, writing_to

_INTERNAL: Final = 1
_CLIENT: Final = 3
_ERROR: Final = 2


@contextmanager
def recording(
    file: str | Path,
    *,
    resource: Mapping[str, str] | None = None,
    now_ns: Callable[[], int] = time.time_ns,
    random_bytes: Callable[[int], bytes] = os.urandom,
) -> Iterator[None]:
    """Append the spans of every run in this process to ``file``, one OTLP/JSON request a line, as they end.

    ``resource`` describes the process (``service.name``, …). ``now_ns`` gives nanoseconds from the Unix epoch and
    ``random_bytes`` the ids. The file holds what the agent said and got, originals and all: it is made readable by its
    owner alone (0600) and belongs where raw traces do.
    """
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(handle, "ab") as opened, writing_to(_File(opened, resource or {}, now_ns, random_bytes)):
        yield


@dataclass(slots=True)
class _Span:
    name: str
    client: bool
    trace_id: str
    span_id: str
    parent_id: str | None
    start_ns: int
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def set(self, name: str, value: Attribute) -> None:
        self.attributes[name] = value


class _File:
    def __init__(
        self,
        file: BinaryIO,
        resource: Mapping[str, str],
        now_ns: Callable[[], int],
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._file = file
        self._resource = {"telemetry.sdk.language": "python", **resource}
        self._now_ns = now_ns
        self._random_bytes = random_bytes
        self._roots = Roots()
        self._here: ContextVar[_Span | None] = ContextVar("extractor.replay.seam.here", default=None)
        self._lock = threading.Lock()

    @contextmanager
    def span(self, name: str, *, client: bool, root: bool) -> Iterator[OpenSpan]:
        opened = self._open(name, client=client, root=root)
        before = self._here.set(opened)
        failure: BaseException | None = None
        try:
            with self._roots.inside(opened) if root else ExitStack():
                yield opened
        except BaseException as error:
            failure = error
            raise
        finally:
            self._here.reset(before)
            self._write(opened, failure)

    def _open(self, name: str, *, client: bool, root: bool) -> _Span:
        parent = self._here.get() or (None if root else self._roots.only())
        inside = parent if isinstance(parent, _Span) else None
        with self._lock:
            return _Span(
                name=name,
                client=client,
                trace_id=inside.trace_id if inside else self._random_bytes(16).hex(),
                span_id=self._random_bytes(8).hex(),
                parent_id=inside.span_id if inside else None,
                start_ns=self._now_ns(),
            )

    def _write(self, span: _Span, failure: BaseException | None) -> None:
        with self._lock:
            end_ns = self._now_ns()
            told: dict[str, JsonValue] = {"traceId": span.trace_id, "spanId": span.span_id}
            if span.parent_id is not None:
                told["parentSpanId"] = span.parent_id
            told |= {
                "name": span.name,
                "kind": _CLIENT if span.client else _INTERNAL,
                "startTimeUnixNano": str(span.start_ns),
                "endTimeUnixNano": str(end_ns),
            }
            if failure is not None:
                span.set("error.type", type_of(failure))
                told["events"] = [_exception(failure, end_ns)]
                told["status"] = {"code": _ERROR, "message": str(failure)}
            told["attributes"] = _attributes(span.attributes)
            scope: JsonValue = {"scope": {"name": SCOPE}, "spans": [told]}
            resource: JsonValue = {"attributes": _attributes(self._resource)}
            request: JsonValue = {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}
            self._file.write(json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            self._file.flush()


def _exception(failure: BaseException, at_ns: int) -> JsonValue:
    told = {"exception.type": type_of(failure), "exception.message": str(failure)}
    return {"timeUnixNano": str(at_ns), "name": "exception", "attributes": _attributes(told)}


def _attributes(attributes: Mapping[str, Attribute]) -> list[JsonValue]:
    return [{"key": name, "value": _value(value)} for name, value in attributes.items()]


def _value(value: Attribute) -> JsonValue:
    if isinstance(value, bool):
        return {"boolValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
