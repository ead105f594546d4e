"""Bytes to JSON objects: strict, and silent about what they hold."""

from __future__ import annotations

import json

from extractor.model.json import JsonValue


def json_object(content: str | bytes, what: str) -> dict[str, JsonValue]:
    """Return a JSON object; ``what`` names it in errors.

    Raises `ValueError` for what is no UTF-8, no JSON, no object, nested too deeply, says a member twice, or holds a number that
    JSON lacks. Nothing of the content is quoted.
    """
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        document = json.loads(text, object_pairs_hook=_members, parse_constant=_no_constant)
    except _TwiceError:
        raise ValueError(f"the {what} says one member twice") from None
    except RecursionError:
        raise ValueError(f"the {what} is nested too deeply") from None
    except ValueError:
        raise ValueError(f"the {what} is not JSON") from None
    if not isinstance(document, dict):
        raise ValueError(f"the {what} is no JSON object")  # noqa: TRY004  # what a caller catches for all
    return document


class _TwiceError(Exception):
    pass


def _members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


def _no_constant(_text: str) -> JsonValue:
    raise ValueError
