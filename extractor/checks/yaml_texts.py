"""YAML as a fixture's files may use it: no alias, anchor, tag, directive, second document or member said twice; no implied type.

What YAML 1.1 makes of ``no``, ``1_000`` or ``12:30:00`` depends on the reader; here they are the texts that they look like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from extractor.model.json import JsonValue

_MAX_BYTES: Final = 16 * 1024 * 1024
_MAX_DEPTH: Final = 50
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,999})(?:\.[0-9]{1,999})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_LONG_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?<=.{1000})", re.ASCII)
_WORDS: Final = {"true": True, "false": False, "null": None}


class MalformedYaml(ValueError):
    """The text is no YAML that is accepted. ``code`` says why, ``line`` where; nothing of the text is quoted."""

    def __init__(self, code: str, line: int | None = None) -> None:
        super().__init__(code if line is None else f"{code} in line {line}")
        self.code = code
        self.line = line


def document(content: bytes) -> dict[str, JsonValue]:
    """Return a mapping with JSON's own scalars: numbers, ``true``, ``false``, ``null``; all other scalars are texts.

    Raises `MalformedYaml`: ``encoding``, ``too_large``, ``too_deep``, ``syntax``, ``alias``, ``anchor``, ``tag``, ``directive``,
    ``documents``, ``twice``, ``key``, ``empty``, ``number``, ``no_mapping``.
    """
    return _mapping(content, _json_scalar)


def texts(content: bytes) -> dict[str, str]:
    """Return a mapping of texts alone, whatever they look like. Raises as `document` does, and ``not_text`` for anything else."""
    found = _mapping(content, lambda text, _line: text)
    if not all(isinstance(value, str) for value in found.values()):
        raise MalformedYaml("not_text")
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _mapping(content: bytes, scalar: Any) -> dict[str, JsonValue]:  # noqa: ANN401  # text and line to a JSON scalar
    # Only who reads a fixture pays for yaml.
    import yaml

    if len(content) > _MAX_BYTES:
        raise MalformedYaml("too_large")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedYaml("encoding") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = _Reading(yaml, yaml.parse(text, Loader=loader), scalar).whole()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise MalformedYaml("syntax", mark.line + 1 if mark else None) from None
    if not isinstance(value, dict):
        raise MalformedYaml("no_mapping")
    return value


class _Reading:
    def __init__(self, yaml: Any, events: Iterator[Any], scalar: Any) -> None:  # noqa: ANN401  # yaml ships no protocol
        self._yaml = yaml
        self._events = events
        self._scalar = scalar

    def whole(self) -> JsonValue:
        """Return the one document of a stream."""
        next(self._events)  # the stream's start
        start = next(self._events)
        if isinstance(start, self._yaml.StreamEndEvent):
            raise MalformedYaml("no_mapping")
        if start.version or start.tags:
            raise MalformedYaml("directive", _line(start))
        value = self._value(next(self._events), 0)
        next(self._events)  # the document's end
        if not isinstance(next(self._events), self._yaml.StreamEndEvent):
            raise MalformedYaml("documents")
        return value

    def _value(self, event: Any, depth: int) -> JsonValue:  # noqa: ANN401  # an event
        yaml = self._yaml
        if isinstance(event, yaml.AliasEvent):
            raise MalformedYaml("alias", _line(event))
        if event.anchor is not None:
            raise MalformedYaml("anchor", _line(event))
        if event.tag is not None:
            raise MalformedYaml("tag", _line(event))
        if depth > _MAX_DEPTH:
            raise MalformedYaml("too_deep", _line(event))
        if isinstance(event, yaml.MappingStartEvent):
            return self._members(depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return list(self._items(depth))
        if event.style:
            return str(event.value)
        if event.value == "":
            raise MalformedYaml("empty", _line(event))
        value: JsonValue = self._scalar(event.value, _line(event))
        return value

    def _members(self, depth: int) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        while not isinstance(event := next(self._events), self._yaml.MappingEndEvent):
            line = _line(event)
            if isinstance(event, self._yaml.AliasEvent):
                raise MalformedYaml("alias", line)
            # A merge key brings in another mapping for some readers.
            if not isinstance(event, self._yaml.ScalarEvent) or event.value in ("", "<<"):
                raise MalformedYaml("key", line)
            if event.anchor is not None or event.tag is not None:
                raise MalformedYaml("anchor" if event.anchor is not None else "tag", line)
            if event.value in found:
                raise MalformedYaml("twice", line)
            found[event.value] = self._value(next(self._events), depth + 1)
        return found

    def _items(self, depth: int) -> Iterator[JsonValue]:
        while not isinstance(event := next(self._events), self._yaml.SequenceEndEvent):
            yield self._value(event, depth + 1)


def _json_scalar(text: str, line: int) -> JsonValue:
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER.fullmatch(text):
        if _LONG_NUMBER.fullmatch(text):  # for other readers it is a number still
            raise MalformedYaml("number", line)
        return text
    value: JsonValue = json.loads(text)
    if value in (float("inf"), float("-inf")):
        raise MalformedYaml("number", line)
    return value


def _line(event: Any) -> int:  # noqa: ANN401  # an event
    return int(event.start_mark.line) + 1
