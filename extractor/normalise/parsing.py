"""The parse rules that dialects share: how a written value becomes a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from extractor.model.json import JsonValue, MalformedJson, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A value, the text it was written as where that was a string, and whether that text broke a promise of JSON."""

    value: JsonValue
    text: str | None = None
    broken: bool = False


_LEVELS = 30

Rule = Callable[[JsonValue, JsonValue], Parsed]
"""From the raw value and the MIME type that stands beside it."""


def decode(value: JsonValue) -> Parsed:
    """Return the value of a JSON text; other text stays text, and is broken when it begins as JSON does."""
    if not isinstance(value, str):
        return Parsed(value=value)
    try:
        return Parsed(value=parse(value), text=value)
    except MalformedJson:
        return Parsed(value=value, text=value, broken=value.lstrip().startswith(("{", "[")))


def _as_is(value: JsonValue, _mime: JsonValue) -> Parsed:
    return Parsed(value=value, text=value if isinstance(value, str) else None)


def _json(value: JsonValue, _mime: JsonValue) -> Parsed:
    return decode(value)


def _mime(value: JsonValue, mime: JsonValue) -> Parsed:
    # OpenInference: an absent type means text, and text is not tried as JSON.
    if not isinstance(mime, str) or "json" not in mime:
        return _as_is(value, None)
    parsed = decode(value)
    return Parsed(value=parsed.value, text=parsed.text, broken=parsed.broken or parsed.value is value is not None)


def _header(value: JsonValue, _mime: JsonValue) -> Parsed:
    # One entry for each time the header came; a repeated header keeps all of its values.
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return Parsed(value=", ".join(dict.fromkeys(str(one) for one in value)))
    return _as_is(value, None)


def _blocks(value: JsonValue, _mime: JsonValue) -> Parsed:
    # Bedrock and MCP answer in a list of content blocks; one block of text is what the tool said.
    parsed = decode(value)
    block = parsed.value[0] if isinstance(parsed.value, list) and len(parsed.value) == 1 else None
    if isinstance(block, dict) and isinstance(text := block.get("text"), str) and set(block) <= {"text", "type"}:
        return decode(text)
    return parsed


def _before_choice(value: JsonValue, _mime: JsonValue) -> Parsed:
    # Question and answer in one list: the answers are called choices.
    parsed = decode(value)
    return Parsed(value=[item for item in _listed(parsed.value) if not _is_choice(item)] or None, broken=parsed.broken)


def _choice(value: JsonValue, _mime: JsonValue) -> Parsed:
    parsed = decode(value)
    return Parsed(value=[item for item in _listed(parsed.value) if _is_choice(item)] or None, broken=parsed.broken)


def _listed(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _is_choice(item: JsonValue) -> bool:
    return isinstance(item, dict) and item.get("event.name") == "gen_ai.choice"


RULES: Mapping[str, Rule] = {
    "as_is": _as_is,
    "json": _json,
    "any": _json,
    "mime": _mime,
    "header": _header,
    "blocks": _blocks,
    "before_choice": _before_choice,
    "choice": _choice,
    "indexed": _as_is,
    "members": _as_is,
    "pairs": _as_is,
    "answer": _as_is,
    "event_messages": _as_is,
}
"""By name. The last five are ways to gather several attributes or events; what they gathered is taken as it is."""


def nested(pairs: Sequence[tuple[str, JsonValue]], unwrap: Sequence[str]) -> JsonValue:
    """Return a flattened family (``0.message.role``) as lists and mappings; numbers sort as numbers, holes close up.

    A mapping whose one member is named in ``unwrap`` is replaced by that member.
    """
    root: dict[str, object] = {}
    for path, value in pairs:
        node = root
        *parents, last = path.split(".", _LEVELS)
        for step in parents:
            child = node.get(step)
            if not isinstance(child, _Node):
                child = _Node()
                node[step] = child
            node = child.members
        if not isinstance(node.get(last), _Node):
            node[last] = value
    return _closed(root, frozenset(unwrap))


class _Node:
    """A place with members below it, told apart from a written value."""

    __slots__ = ("members",)

    def __init__(self) -> None:
        self.members: dict[str, object] = {}


def _closed(members: Mapping[str, object], unwrap: frozenset[str]) -> JsonValue:
    closed: dict[str, JsonValue] = {
        key: _closed(child.members, unwrap) if isinstance(child, _Node) else child  # type: ignore[misc]
        for key, child in members.items()
    }
    if closed and all(key.isascii() and key.isdigit() and len(key) < 10 for key in closed):
        return [closed[key] for key in sorted(closed, key=int)]
    if len(closed) == 1 and (only := next(iter(closed))) in unwrap:
        return closed[only]
    return closed


def inside(value: JsonValue, path: Sequence[str]) -> JsonValue:
    """Return the member at a path of names, None where there is none."""
    for step in path:
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value
