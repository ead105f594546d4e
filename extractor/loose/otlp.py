"""The shape of an OTLP/JSON export: its spans, what of them redaction sees, and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractor.errors import RedactionRefused
from extractor.model.json import JsonValue

_BATCHES = ("resourceSpans", "resource_spans", "batches")
_GROUPS = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_SPANS = ("spans",)
_LEVELS = (_BATCHES, _GROUPS, _SPANS)
Steps = tuple[str, ...]

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


def spans_of(record: JsonValue) -> list[tuple[Steps, JsonValue]]:
    """Return the spans of a record in order, each with the way to it by position."""
    found: list[tuple[Steps, JsonValue]] = []

    def below(value: JsonValue, levels: Sequence[tuple[str, ...]], steps: Steps) -> None:
        if not levels:
            found.append((steps, value))
        elif isinstance(value, dict):
            for place, (name, child) in enumerate(value.items()):
                if name in levels[0] and isinstance(child, list):
                    for index, item in enumerate(child):
                        below(item, levels[1:], (*steps, f"{{{place}}}", f"[{index}]"))

    below(record, _LEVELS, ())
    return found


def with_spans(record: JsonValue, spans: Iterator[JsonValue]) -> JsonValue:
    """Return the record with others in place of its spans, in order."""

    def below(value: JsonValue, levels: Sequence[tuple[str, ...]]) -> JsonValue:
        if not levels:
            return next(spans)
        if not isinstance(value, dict):
            return value
        return {
            name: [below(item, levels[1:]) for item in child]
            if name in levels[0] and isinstance(child, list)
            else child
            for name, child in value.items()
        }

    return below(record, _LEVELS)


def trace_id_of(span: JsonValue) -> str:
    """Return the trace id of a span in lower case, empty where it has none."""
    found = span.get("traceId", span.get("trace_id")) if isinstance(span, dict) else None
    return found.lower() if isinstance(found, str) else ""


def ids_of(record: JsonValue) -> Iterator[str]:
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


def plain(value: JsonValue) -> JsonValue:
    """Return what the engine should see: attributes as members of their own names, typed values as plain ones."""
    if isinstance(value, list):
        pairs = list(_pairs(value))
        if value and len(pairs) == len(value):
            named = {key: plain(inner) for key, inner in pairs}
            return named if len(named) == len(pairs) else [{key: plain(inner)} for key, inner in pairs]
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if (typed := _typed(value)) is not None:
            return plain(value[typed]) if _bare(typed) in _MANY else value[typed]
        if list(value) == ["values"]:
            return plain(value["values"])
        return {name: plain(child) for name, child in value.items() if not _stays(name, child)}
    return value


def restored(template: JsonValue, after: JsonValue) -> JsonValue:
    """Return ``after`` in the shape of the template that `plain` was given."""
    if isinstance(template, list):
        pairs = list(_pairs(template))
        if template and len(pairs) == len(template):
            return _restored_pairs(template, pairs, after)
        if not isinstance(after, list) or len(after) != len(template):
            raise _changed()
        return [restored(item, new) for item, new in zip(template, after, strict=True)]
    if isinstance(template, dict):
        if (typed := _typed(template)) is not None:
            return {typed: restored(template[typed], after) if _bare(typed) in _MANY else after}
        if list(template) == ["values"]:
            return {"values": restored(template["values"], after)}
        return _restored_members(template, after)
    return after


def _restored_pairs(template: list[JsonValue], pairs: list[tuple[str, JsonValue]], after: JsonValue) -> JsonValue:
    singles = (
        after if isinstance(after, list) else [{k: v} for k, v in after.items()] if isinstance(after, dict) else []
    )
    if len(singles) != len(template):
        raise _changed()
    made: list[JsonValue] = []
    for item, (_, inner), single in zip(template, pairs, singles, strict=True):
        if not isinstance(item, dict) or not isinstance(single, dict) or len(single) != 1:
            raise _changed()
        ((key, value),) = single.items()
        made.append({**item, "key": key, "value": restored(inner, value)})
    return made


def _restored_members(template: dict[str, JsonValue], after: JsonValue) -> JsonValue:
    staying = {name for name, child in template.items() if _stays(name, child)}
    if not isinstance(after, dict) or len(after) != len(template) - len(staying):
        raise _changed()
    members = iter(after.items())
    made: dict[str, JsonValue] = {}
    for name, child in template.items():
        if name in staying:
            made[name] = child
        else:
            new_name, new = next(members)
            made[new_name] = restored(child, new)
    return made


def located(template: JsonValue, steps: Steps) -> Steps:
    """Return where steps in the plain view of a template lead in the template itself."""
    if isinstance(template, list) and steps:
        pairs, index = list(_pairs(template)), int(steps[0][1:-1])
        if not template or len(pairs) != len(template):
            return (steps[0], *located(template[index], steps[1:]))
        if isinstance(plain(template), list):  # names that repeat stand alone, one an object
            steps = steps[1:]
        item = template[index]
        members = list(item) if isinstance(item, dict) else []
        if steps[1:2] == ("key",):
            return (f"[{index}]", f"{{{members.index('key')}}}", *steps[2:])
        return (f"[{index}]", f"{{{members.index('value')}}}", *located(pairs[index][1], steps[1:]))
    if isinstance(template, dict):
        if (typed := _typed(template)) is not None:
            return ("{0}", *(located(template[typed], steps) if _bare(typed) in _MANY else steps))
        if list(template) == ["values"]:
            return ("{0}", *located(template["values"], steps))
        if steps:
            shown = [place for place, (name, child) in enumerate(template.items()) if not _stays(name, child)]
            place = shown[int(steps[0][1:-1])]
            inner = steps[1:] if steps[1:2] == ("key",) else located(list(template.values())[place], steps[1:])
            return (f"{{{place}}}", *inner)
    return steps


def _pairs(values: list[JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    for item in values:
        if isinstance(item, dict) and set(item) <= {"key", "value"} and isinstance(key := item.get("key"), str):
            yield key, item.get("value")


def _typed(value: dict[str, JsonValue]) -> str | None:
    names = [name for name in value if _bare(name) in _SCALARS | _MANY]
    return names[0] if len(names) == len(value) == 1 else None


def _changed() -> RedactionRefused:
    return RedactionRefused("redaction changed the shape of an export; nothing was written")
