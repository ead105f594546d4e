"""Properties: closing unchanged parts gives the text back; a replaced value is there after any nesting, the old is not."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from extractor.errors import RedactionRefused
from extractor.model.json import JsonValue
from extractor.redact.encodings import Opened, embedded, open_text

OLD, NEW = "ana.quintero@example.com", "eve.moreau@example.org"


def _token(text: str) -> str:
    header, payload = (
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"HS256"}', json.dumps({"sub": text}))
    )
    return f"{header}.{payload}.c2lnbmF0dXJl"


WRAPPERS: dict[str, Callable[[str], str]] = {
    "json": lambda text: json.dumps({"to": text, "n": [1, None]}),
    "json_utf8": lambda text: json.dumps([{"to": text}], ensure_ascii=False, indent=2),
    "json_text": json.dumps,
    "repeated": lambda text: f'{{"a": {json.dumps(text)}, "a": 1}}',
    "python": lambda text: repr({"to": text}) if repr(text)[0] == "'" else json.dumps([text]),
    "url": lambda text: f"https://a.example.com/x?to={quote_plus(text)}&b=2",
    "path": lambda text: f"https://a.example.com/{quote(text, safe='')}/y",
    "fragment": lambda text: f"https://a.example.com/#{quote(text, safe='')}",
    "form": lambda text: f"a=1&to={quote(text, safe='')}",
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "token": _token,
    "quoted": lambda text: 'KEY="' + text.replace("\\", "\\\\").replace('"', '\\"') + '"\nOTHER=1',
    "prose": lambda text: f"see {json.dumps({'a': text})} there",
}


def _islands(text: str) -> list[tuple[int, int, Opened]]:
    if (opened := open_text(text)) is not None:
        return [(0, len(text), opened)]
    return [(island.start, island.end, island.opened) for island in embedded(text)]


def replace(value: JsonValue, old: str, new: str, depth: int = 12) -> JsonValue:
    """Replace a text at every depth of encoding, as the rewriter does."""
    if isinstance(value, dict):
        return {str(replace(key, old, new, depth)): replace(child, old, new, depth) for key, child in value.items()}
    if isinstance(value, list):
        return [replace(child, old, new, depth) for child in value]
    if not isinstance(value, str) or not depth:
        return value
    pieces, position = [], 0
    for start, end, opened in _islands(value):
        pieces.append(value[position:start].replace(old, new))
        pieces.append(opened.close([replace(part.value, old, new, depth - 1) for part in opened.parts]))
        position = end
    pieces.append(value[position:].replace(old, new))
    return "".join(pieces)


def plain_texts(value: JsonValue, depth: int = 12) -> str:
    """Return all decoded text, leaf after leaf."""
    if isinstance(value, dict):
        return "\n".join(plain_texts(item, depth) for pair in value.items() for item in pair)
    if isinstance(value, list):
        return "\n".join(plain_texts(item, depth) for item in value)
    if not isinstance(value, str):
        return ""
    islands = _islands(value) if depth else []
    if not islands:
        return value
    pieces, position = [], 0
    for start, end, opened in islands:
        pieces.append(value[position:start])
        pieces.extend(plain_texts(part.value, depth - 1) for part in opened.parts)
        position = end
    return "\n".join([*pieces, value[position:]])


SYNTAX = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", "\\", ":", ",", "=", "&", "?", "/", "%40", "%", "\\u0040", "://", "https", "eyJ", ".",
     "a", "1", " ", "\n", "\r\n", "\0", "\ud800", "\U0001f600", "京", ";", "@", "#", "Bearer ", "Cookie: ", "data:a/b,",
     "KEY", '{"a": ', "{'a': ", "null", "True", "b'", "-", "_", "+", "mailto:", "-----BEGIN A-----"]
)  # fmt: skip


@given(st.lists(SYNTAX, max_size=30).map("".join) | st.text())
def test_unchanged_parts_close_to_the_same_text(text: str) -> None:
    try:
        islands = _islands(text)
    except RedactionRefused:
        return
    floor = 0
    for start, end, opened in islands:
        assert floor <= start < end <= len(text)
        floor = end
        assert opened.close([part.value for part in opened.parts]) == text[start:end]
        assert all(part.value != text for part in opened.parts)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON, st.booleans(), st.sampled_from([None, 1, 4]))
def test_any_json_keeps_its_spelling(value: JsonValue, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    opened = open_text(text)
    if isinstance(value, (dict, list)) or (isinstance(value, str) and opened is not None):
        assert opened is not None
        copy = [json.loads(json.dumps(part.value)) for part in opened.parts]
        assert opened.close([part.value for part in opened.parts]) == text
        assert json.loads(opened.close(copy)) == json.loads(text)


@given(st.lists(st.sampled_from(sorted(WRAPPERS)), min_size=1, max_size=5), st.sampled_from(["", "to ", "Zoë: "]))
def test_a_value_is_replaced_through_any_nesting(names: list[str], before: str) -> None:
    text = before + OLD
    for name in names:
        text = WRAPPERS[name](text)
    result = replace(text, OLD, NEW)
    assert isinstance(result, str)
    decoded = plain_texts(result)
    assert NEW in decoded
    assert OLD not in decoded
    assert plain_texts(replace(result, NEW, OLD)) == plain_texts(text)
