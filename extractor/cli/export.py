"""An OTLP/JSON export redacted in place: scoped by trace, ids, times and enumerations left as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from extractor.errors import RedactionRefused
from extractor.model.json import JsonValue

from .engine import Engine

_BATCHES = ("resourceSpans", "resource_spans", "batches")
_GROUPS = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_SPANS = ("spans",)
_ID = re.compile(r"|[0-9a-fA-F]{16}|[0-9a-fA-F]{32}|[A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==", re.ASCII)
_TIME = re.compile(r"\d{1,20}", re.ASCII)
_ENUM = re.compile(r"(SPAN_KIND|STATUS_CODE)_[A-Z]{1,20}", re.ASCII)
_FORMS = {
    **dict.fromkeys(("traceid", "spanid", "parentspanid"), _ID),
    **dict.fromkeys(("startTimeUnixNano".lower(), "endTimeUnixNano".lower(), "timeUnixNano".lower()), _TIME),
    **dict.fromkeys(("kind", "code"), _ENUM),
}
_COUNTS = frozenset({"flags", "kind", "code", "droppedattributescount", "droppedeventscount", "droppedlinkscount"})
_SCALARS = frozenset({"stringvalue", "intvalue", "doublevalue", "boolvalue", "bytesvalue"})
_MANY = frozenset({"arrayvalue", "kvlistvalue"})


def is_export(value: JsonValue) -> bool:
    """Say whether a value is an OTLP/JSON export of traces."""
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _BATCHES)


def redacted_export(records: Sequence[JsonValue], engine: Engine) -> list[JsonValue]:
    """Return the records of one export redacted, as trees of the same shape.

    Spans of one trace are redacted together wherever they stand. What traces share (resources, scopes) has a scope of
    its own, unless there is but one trace. Each call harvests the rest beside it, so that a name that one knows is
    found in the other. Trace and span ids stay where text repeats them, too: or a log would point nowhere.
    """
    engine = engine.keeping({found for record in records for found in _ids(record)})
    spans: list[JsonValue] = []
    frames = [_with_spans(record, spans.append) for record in records]
    of_trace: dict[str, list[int]] = {}
    for position, span in enumerate(spans):
        of_trace.setdefault(_trace_id(span), []).append(position)
    alone = engine.trace_scope(next(iter(of_trace))) if len(of_trace) == 1 else None
    after = list(spans)
    for trace_id, positions in of_trace.items():
        mine = [spans[position] for position in positions]
        scope = engine.trace_scope(trace_id)
        for position, span in zip(positions, _redacted(mine, frames, engine, scope), strict=True):
            after[position] = span
    shared_scope = alone or engine.digest("export", " ".join(sorted(of_trace)))
    rest = iter(after)
    return [_with_spans(frame, lambda _none: next(rest)) for frame in _redacted(frames, spans, engine, shared_scope)]


def _redacted(values: Sequence[JsonValue], beside: Sequence[JsonValue], engine: Engine, scope: str) -> list[JsonValue]:
    plain = [_plain(value) for value in (*values, *beside)]
    return [
        _restored(value, after)
        for value, after in zip(values, engine.together(plain, scope)[: len(values)], strict=True)
    ]


def _with_spans(record: JsonValue, put: Callable[[JsonValue], JsonValue | None]) -> JsonValue:
    """Return the record with each span replaced by what ``put`` returns for it, in order."""

    def below(value: JsonValue, levels: Sequence[tuple[str, ...]]) -> JsonValue:
        if not levels:
            return put(value)
        if not isinstance(value, dict):
            return value
        return {
            name: [below(item, levels[1:]) for item in child]
            if name in levels[0] and isinstance(child, list)
            else child
            for name, child in value.items()
        }

    return below(record, (_BATCHES, _GROUPS, _SPANS))


def _trace_id(span: JsonValue) -> str:
    found = span.get("traceId", span.get("trace_id")) if isinstance(span, dict) else None
    return found.lower() if isinstance(found, str) else ""


def _ids(record: JsonValue) -> Iterator[str]:
    """Yield the trace and span ids of a record."""
    stack = [record]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for name, child in node.items():
                if isinstance(child, str) and child and _FORMS.get(_bare(name)) is _ID and _stays(name, child):
                    yield child
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _bare(name: str) -> str:
    return name.replace("_", "").lower()


def _stays(name: str, value: JsonValue) -> bool:
    """Say whether a member is an id, instant, count or enumeration of OTLP's own, and has the form of one."""
    if isinstance(value, str):
        form = _FORMS.get(_bare(name))
        return form is not None and form.fullmatch(value) is not None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _bare(name) in _COUNTS or _FORMS.get(_bare(name)) is _TIME
    return False


def _plain(value: JsonValue) -> JsonValue:
    """Return what the engine should see: attributes as members of their own names, typed values as plain ones."""
    if isinstance(value, list):
        pairs = list(_pairs(value))
        if value and len(pairs) == len(value):
            named = {key: _plain(inner) for key, inner in pairs}
            return named if len(named) == len(pairs) else [{key: _plain(inner)} for key, inner in pairs]
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        if (typed := _typed(value)) is not None:
            return _plain(value[typed]) if _bare(typed) in _MANY else value[typed]
        if list(value) == ["values"]:
            return _plain(value["values"])
        return {name: _plain(child) for name, child in value.items() if not _stays(name, child)}
    return value


def _restored(template: JsonValue, after: JsonValue) -> JsonValue:
    """Return ``after`` in the shape of the template that `_plain` was given."""
    if isinstance(template, list):
        pairs = list(_pairs(template))
        if template and len(pairs) == len(template):
            return _restored_pairs(template, pairs, after)
        if not isinstance(after, list) or len(after) != len(template):
            raise _changed()
        return [_restored(item, new) for item, new in zip(template, after, strict=True)]
    if isinstance(template, dict):
        if (typed := _typed(template)) is not None:
            return {typed: _restored(template[typed], after) if _bare(typed) in _MANY else after}
        if list(template) == ["values"]:
            return {"values": _restored(template["values"], after)}
        return _restored_members(template, after)
    return after


def _restored_pairs(template: list[JsonValue], pairs: list[tuple[str, JsonValue]], after: JsonValue) -> JsonValue:
    singles = (
        after if isinstance(after, list) else [{k: v} for k, v in after.items()] if isinstance(after, dict) else []
    )
    if len(singles) != len(template):
        raise _changed()
    restored: list[JsonValue] = []
    for item, (_, inner), single in zip(template, pairs, singles, strict=True):
        if not isinstance(item, dict) or not isinstance(single, dict) or len(single) != 1:
            raise _changed()
        ((key, value),) = single.items()
        restored.append({**item, "key": key, "value": _restored(inner, value)})
    return restored


def _restored_members(template: dict[str, JsonValue], after: JsonValue) -> JsonValue:
    staying = {name for name, child in template.items() if _stays(name, child)}
    if not isinstance(after, dict) or len(after) != len(template) - len(staying):
        raise _changed()
    members = iter(after.items())
    restored: dict[str, JsonValue] = {}
    for name, child in template.items():
        if name in staying:
            restored[name] = child
        else:
            new_name, new = next(members)
            restored[new_name] = _restored(child, new)
    return restored


def _pairs(values: list[JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for item in values:
        if isinstance(item, dict) and set(item) <= {"key", "value"} and isinstance(key := item.get("key"), str):
            yield key, item.get("value")


def _typed(value: dict[str, JsonValue]) -> str | None:
    names = [name for name in value if _bare(name) in _SCALARS | _MANY]
    return names[0] if len(names) == len(value) == 1 else None


def _changed() -> RedactionRefused:
    return RedactionRefused("redaction changed the shape of an export; nothing was written")
