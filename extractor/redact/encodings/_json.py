"""JSON inside a string: opened as a tree where it is whole, as tokens where it is cut off or repeats a member."""

from __future__ import annotations

import json
import re
from functools import partial

from extractor.model.json import JsonValue, MalformedJson, compact, parse, quote, scalar
from extractor.redact.encodings._opened import Draft, Opened
from extractor.redact.encodings._tokens import Syntax, Token, extent, open_tokens, refuse_deep, splice

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPE_RUN = re.compile(r'(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]')
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]++)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<mark>[:,])"
    r'|(?P<string>"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))'
    r"|(?P<number>-?+[0-9][0-9.eE+\-]*+)|(?P<word>[^\W\d]\w*+)"
    r'|(?P<other>[^\s"\[\]{}:,\w\-]++|.)',
    re.DOTALL,
)
_BLANK = re.compile(r"\ufeff?[ \t\r\n]*+")
# An opening that nothing but JSON has: an object whose first member is quoted, an array of texts or of such objects.
EVIDENT = re.compile(r'(?:\[[ \t\r\n]*+)*+(?:\{[ \t\r\n]*+"|(?<=[\[ \t\r\n])")')


def _is_closed(raw: str) -> bool:
    # An odd number of backslashes before the last quote means that the quote is content.
    if len(raw) < 2 or not raw.endswith('"'):
        return False
    body = raw[1:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 0


def _decode(raw: str) -> str:
    body = raw[1:-1] if _is_closed(raw) else raw[1:]
    return _ESCAPE_RUN.sub(lambda match: json.loads(f'"{match.group()}"'), body)


def _spell(raw: str, new: JsonValue, *, ascii_only: bool = False) -> str:
    if isinstance(new, (dict, list)):
        return compact(new, ascii_only=ascii_only)
    if not isinstance(new, str):
        return scalar(new)
    if not raw.startswith('"'):
        return json.dumps(new) if ascii_only else quote(new)
    literal = _respell_text(new, raw, ascii_only=ascii_only)
    return literal if _is_closed(raw) else literal[:-1]


def _respell_text(new: str, raw: str, *, ascii_only: bool) -> str:
    escapes = [match.groups() for match in _ESCAPE.finditer(raw)]
    codes = [code for code, _ in escapes if code]
    escaped = {char for code in codes if " " <= (char := chr(int(code, 16))) <= "~"}
    solidus = any(char == "/" for _, char in escapes)
    ascii_only = ascii_only or (raw.isascii() and any(int(code, 16) > 0x7F for code in codes))
    if not escaped and not solidus:
        return json.dumps(new) if ascii_only else quote(new)
    pieces = []
    for char in new:
        if char in escaped:
            pieces.append(f"\\u{ord(char):04x}")
        elif char == "/" and solidus:
            pieces.append("\\/")
        else:
            pieces.append((json.dumps(char) if ascii_only else quote(char))[1:-1])
    return '"' + "".join(pieces) + '"'


SYNTAX = Syntax(
    name="json",
    pattern=_TOKEN,
    words=frozenset({"true", "false", "null", "NaN", "Infinity"}),
    decode=_decode,
    spell=_spell,
)


def _style(text: str) -> Syntax:
    # A document that escapes every letter beyond ASCII wants its new letters escaped too.
    ascii_only = text.isascii() and any(int(code, 16) > 0x7F for code, _ in _ESCAPE.findall(text) if code)
    return Syntax(
        name=SYNTAX.name,
        pattern=SYNTAX.pattern,
        words=SYNTAX.words,
        decode=_decode,
        spell=partial(_spell, ascii_only=ascii_only),
    )


def open_json(text: str) -> Opened | None:
    """Open a whole text that is a JSON object, array or string, or that begins as one and is cut off or broken.

    A tree stands in one part, of kind ``json``. Kind ``json_tokens`` has a part for each string and number, and for
    prose in between. Raises `RedactionRefused` when it is nested deeper than `MAX_DEPTH`.
    """
    blank = _BLANK.match(text)
    start = blank.end() if blank else 0
    first = text[start : start + 1]
    if first == '"':
        return _open_string(text, start)
    if first not in {"{", "["}:
        return None
    found = extent(text, start, SYNTAX)
    evident = EVIDENT.match(text, start) is not None
    if found.closed and text[found.end :].strip(" \t\r\n"):
        return None
    if found.closed or evident:
        refuse_deep(found.depth)
    if found.closed:
        try:
            tree = parse(text[start : found.end])
        except MalformedJson:
            pass
        else:
            return _tree(text, found.tokens, tree)
    return open_tokens(text, start, SYNTAX) if evident else None


def _tree(text: str, tokens: list[Token], tree: JsonValue) -> Opened:
    draft = Draft("json")
    draft.part(tree, text, lambda new: splice(text, tokens, (tree, new), _style(text)), role="payload")
    return draft.opened()


def _open_string(text: str, start: int) -> Opened | None:
    token = _TOKEN.match(text, start)
    raw = token.group() if token else ""
    if not _is_closed(raw):
        return open_tokens(text, start, SYNTAX) if '\\"' in raw else None
    end = start + len(raw)
    if text[end:].strip(" \t\r\n"):
        return None
    try:
        value = parse(raw)
    except MalformedJson:
        return None
    draft = Draft("json")
    draft.literal(text[:start])
    draft.part(value, raw, partial(_spell, raw), role="text")
    draft.literal(text[end:])
    return draft.opened()
