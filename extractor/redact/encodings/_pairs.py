"""``key=value`` in every dress: environment files, logfmt, connection strings, cookies, ``Customer(email='x')``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from extractor.model.json import JsonValue
from extractor.redact.encodings import _json, _python, _url
from extractor.redact.encodings._base64 import open_base64
from extractor.redact.encodings._opened import Draft, Opened, plain
from extractor.redact.encodings._percent import FORM_RUN, TEXT, add, add_query
from extractor.redact.encodings._tokens import extent

_LONGEST_KEY = 64
_ENV_LINE = re.compile(r"[ \t]*+(?:(?:export|set)[ \t]++)?+[A-Za-z_][\w.\-]{0,127}+[ \t]*+=(?![=>~])")
_LOGFMT = re.compile(rf"{_ENV_LINE.pattern}\S*+ ++[A-Za-z_][\w.\-]{{0,127}}+=")
_LINE_KEY = re.compile(r"[ \t]*+(?:(?:export|set)[ \t]++)?+(?P<key>[A-Za-z_][\w.\-]{0,63}+)[ \t]++\Z")
_BARE = re.compile(r"[^\s\"'<>`,;&]++")
_SEPARATED = re.compile(
    r"[,;&](?=\s|\Z|[A-Za-z_][\w.\-\[\]%$@:+]{0,63}+=)|;(?=[A-Za-z][\w.]{0,30}+(?: [A-Za-z]\w{0,30}+){1,3}=)"
)
_COMMENT = re.compile(r"[ \t]#[^\n]*+")
_BACKSLASH = re.compile(r"\\.", re.DOTALL)
_ESCAPED = re.compile(r"%[0-9a-fA-F]{2}")
_QUOTED_BYTES = re.compile(r"=[0-9A-F]{2}(?==[0-9A-F]{2})")  # a letter in quoted-printable
_GAP = re.compile(r"(?:[\s,;?]|\b(?:export|set)[ \t])*+")
_FIELD = r"[A-Za-z][\w.]*+(?: [A-Za-z][\w.]*+){0,3}="
_QUOTED = r"\"[^\"\n]*+\"|'[^'\n]*+'"
_CONNECTION = re.compile(
    rf"(?:{_FIELD}(?:{_QUOTED}|[^;\n\"'<>]*+);[ ]?+){{2,}}+(?:{_FIELD}(?:{_QUOTED}|[^\s;\"'<>]*+))?+"
    rf"|{_FIELD}(?:{_QUOTED}|[^;\n\"'<>]*+);[ ]?+{_FIELD}(?:{_QUOTED}|[^\s;\"'<>]*+)",
    re.ASCII,
)
_CONNECTION_CUE = re.compile(
    r"(?:^|;)\s*(?:password|pwd|server|data source|host|user id|uid|accountkey|sharedaccesskey|endpoint)=",
    re.IGNORECASE,
)
_LINK = re.compile(r"(?P<key>[A-Za-z_][\w.\-]{0,63}+)=")
# Names in a row are names of one value: were each read as the value of the one before, they would lie ever deeper.
_CHAIN = re.compile(rf"(?:{_LINK.pattern.replace('?P<key>', '?:')}){{4,}}+(?![=>~])")
_PIECE = re.compile(rf"(?P<space>\s*+)(?P<key>[^=;]++)=(?P<value>{_QUOTED}|[^;]*+)")


class Pair(NamedTuple):
    """A key and its value by char ranges; the value's range includes its quotes. A form's value has other fields in it."""

    start: int
    key_end: int
    value: int
    end: int
    is_form: bool = False


def pairs(text: str, *, lines: bool = False) -> Iterator[Pair]:
    """Yield the pairs of a text from left to right; with ``lines`` a bare value goes on to the end of its line."""
    floor = 0
    equals = text.find("=")
    while equals >= 0:
        pair = _pair(text, floor, equals, lines=lines)
        if pair is not None:
            yield pair
            floor = pair.end
        equals = text.find("=", max(floor, equals + 1))


def _pair(text: str, floor: int, equals: int, *, lines: bool) -> Pair | None:
    if text[equals + 1 : equals + 2] in {
        "=",
        ">",
        "~",
        "?",
    }:  # the last begins an encoded word, or is a parameter's place
        return None
    if _QUOTED_BYTES.match(text, equals):
        return None
    start, key_end, spaced = _key(text, floor, equals)
    if start == key_end:
        return None
    value = equals + 1
    while (spaced or lines) and text[value : value + 1] in {" ", "\t"}:
        value += 1
    end = _value_end(text, value, lines=lines or spaced)
    # A bare value that stops at ``&name=`` is the first field of a form.
    form = FORM_RUN.match(text, start) if text.startswith("&", end) and text[value] not in "\"'" else None
    if form and not _url.SCHEME.match(text, value):
        return Pair(start, key_end, value, start + len(_trimmed(form.group())), is_form=True)
    return Pair(start, key_end, value, end)


def _key(text: str, floor: int, equals: int) -> tuple[int, int, bool]:
    if equals > floor and text[equals - 1] in " \t":
        # ``key = value`` is a pair where it begins a line; in a sentence it is a sentence.
        line = text.rfind("\n", max(floor, equals - 160), equals) + 1 or max(floor, equals - 160)
        match = _LINE_KEY.match(text[line:equals]) if line == 0 or text[line - 1] == "\n" else None
        return (line + match.start("key"), line + match.end("key"), True) if match else (equals, equals, False)
    start = equals
    while (
        start > floor and equals - start <= _LONGEST_KEY and (text[start - 1].isalnum() or text[start - 1] in "_.-[]")
    ):
        start -= 1
    if equals - start > _LONGEST_KEY or not (text[equals - 1].isalnum() or text[equals - 1] in "_]"):
        return equals, equals, False
    while start < equals and not (text[start].isalpha() or text[start] == "_"):
        start += 1
    return start, equals, False


def _value_end(text: str, value: int, *, lines: bool) -> int:
    if text[value : value + 1] in {'"', "'"}:
        return _quoted_end(text, value)
    if document := _document_end(text, value):
        return document
    if lines:
        line_end = text.find("\n", value)
        line_end = len(text) if line_end < 0 else line_end
        comment = _COMMENT.search(text, value, line_end)
        return value + len(text[value : comment.start() if comment else line_end].rstrip())
    scheme = _url.SCHEME.match(text, value)
    if scheme:
        return _url.extent(text, value, scheme.end())
    return _bare_end(text, value)


def _document_end(text: str, value: int) -> int:
    for syntax, evident in ((_json.SYNTAX, _json.EVIDENT), (_python.SYNTAX, _python.EVIDENT)):
        if text[value : value + 1] in {"{", "["} and evident.match(text, value):
            return extent(text, value, syntax).end
    return 0


def _quoted_end(text: str, value: int) -> int:
    mark = text[value]
    line_end = text.find("\n", value)
    limit = len(text) if line_end < 0 or text.startswith("-----BEGIN", value + 1) else line_end
    place = value + 1
    while place < limit:
        char = text[place]
        if char == "\\":
            place += 2
            continue
        following = text[place + 1 : place + 2]
        if char == mark and not (following.isalnum() or following == "_"):
            return place + 1
        place += 1
    # A document in quotes may have lines of its own; any other value without its closing quote ends with the line.
    document = _document_end(text, value + 1)
    return document + text.startswith(mark, document) if document > limit else limit


def _bare_end(text: str, value: int) -> int:
    end = value
    while end < len(text):
        run = _BARE.match(text, end)
        end = run.end() if run else end
        if end >= len(text) or text[end] not in ",;&" or _SEPARATED.match(text, end):
            break
        end += 1
    return value + len(_trimmed(text[value:end]))


def _trimmed(run: str) -> str:
    balance = {closer: run.count(opener) - run.count(closer) for closer, opener in (")(", "][", "}{")}
    end = len(run)
    while end and (run[end - 1] in ".,;:" or balance.get(run[end - 1], 0) < 0):
        if run[end - 1] in balance:
            balance[run[end - 1]] += 1
        end -= 1
    return run[:end]


def add_pair(draft: Draft, text: str, pair: Pair) -> None:
    """Add a pair's key and value to a draft, with the literal text between them."""
    key = text[pair.start : pair.key_end]
    raw = text[pair.value : pair.end]
    if pair.is_form:
        add_query(draft, text[pair.start : pair.end])
        return
    draft.verbatim(key, role="key")
    draft.literal(text[pair.key_end : pair.value])
    chain = _CHAIN.match(raw)
    for link in _LINK.finditer(chain.group()) if chain else ():
        key = link["key"]
        draft.verbatim(key, role="key")
        draft.literal("=")
    add_value(draft, raw[chain.end() :] if chain else raw, key)


def add_value(draft: Draft, raw: str, key: str) -> None:
    """Add a value as it stands: quoted, percent-encoded or bare."""
    mark = raw[:1] if raw[:1] in {'"', "'"} else ""
    if mark:
        escapes = len(raw[:-1]) - len(raw[:-1].rstrip("\\"))
        closing = mark if len(raw) > 1 and raw.endswith(mark) and escapes % 2 == 0 else ""
        body = raw[1 : len(raw) - len(closing)]
        draft.literal(mark)
        if body:
            # Where a backslash means more, as in a printed \\n, only those before the mark are the quoting's own.
            plainly = all(found[1] in ("\\", mark) for found in _BACKSLASH.findall(body))
            value = _unquoted(body, mark) if plainly else body.replace(f"\\{mark}", mark)
            draft.part(value, body, partial(_quoted if plainly else _marked, mark), key=key)
        draft.literal(closing)
    elif _ESCAPED.search(raw):
        add(draft, raw, TEXT, role="value", key=key)
    elif raw:
        draft.part(raw, raw, _bare, key=key)


def _unquoted(body: str, mark: str) -> str:
    return body.replace("\\\\", "\\\0").replace(f"\\{mark}", mark).replace("\\\0", "\\")


def _marked(mark: str, new: JsonValue) -> str:
    return plain(new).replace(mark, f"\\{mark}")


def _quoted(mark: str, new: JsonValue) -> str:
    return plain(new).replace("\\", "\\\\").replace(mark, f"\\{mark}")


def _bare(new: JsonValue) -> str:
    text = plain(new)
    if any(char.isspace() or char in "\"'" for char in text) and text[:1] not in {"{", "["}:
        return '"' + _quoted('"', text) + '"'
    return text


def open_pairs(text: str) -> Opened | None:
    """Open a whole text that is nothing but pairs, their separators and comment lines."""
    if "=" not in text:
        return None
    if (opened := open_connection(text)) is not None:
        return opened
    if len(lines := [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]) > 1:
        return _covering(text, lines=all(_ENV_LINE.match(line) and not _LOGFMT.match(line) for line in lines))
    return _covering(text, lines=False)


def _covering(text: str, *, lines: bool) -> Opened | None:
    draft = Draft("pairs")
    position = count = 0
    for pair in pairs(text, lines=lines):
        if not _add_gap(draft, text[position : pair.start]):
            return None
        add_pair(draft, text, pair)
        position = pair.end
        count += 1
    # "q83vEjRWeJCrze8=" is padding, no key without a value.
    return (
        draft.opened()
        if (count > 1 or (count and not text.endswith("="))) and _add_gap(draft, text[position:])
        else None
    )


def _add_gap(draft: Draft, gap: str) -> bool:
    for index, line in enumerate(gap.split("\n")):
        draft.literal("\n" if index else "")
        hashed = line.find("#")
        before = line[:hashed] if hashed >= 0 else line
        if not _GAP.fullmatch(before):
            return False
        draft.literal(before)
        if hashed >= 0:
            draft.literal("#")
            draft.verbatim(line[hashed + 1 :])
    return True


def open_connection(text: str) -> Opened | None:
    """Open a whole text such as ``Server=db;User Id=sa;Password=two words;``."""
    if "\n" in text or not _CONNECTION.fullmatch(text) or not _CONNECTION_CUE.search(text):
        return None
    draft = Draft("pairs")
    position = 0
    for piece in _PIECE.finditer(text):
        draft.literal(text[position : piece.start("key")])
        key = piece["key"].strip()
        draft.verbatim(piece["key"], role="key")
        draft.literal("=")
        add_connection_value(draft, piece["value"], key)
        position = piece.end()
    draft.literal(text[position:])
    return draft.opened()


def add_connection_value(draft: Draft, raw: str, key: str) -> None:
    """Add a value that ends at a semicolon, spaces and all."""
    if raw[:1] in {'"', "'"}:
        add_value(draft, raw, key)
    else:
        draft.verbatim(raw, role="value", key=key)


def embedded_pairs(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield each pair of a text that has a value, and each connection string as one."""
    floor = looked = 0
    for pair in pairs(text):
        if pair.start < floor or pair.value == pair.end or open_base64(text[pair.start : pair.key_end], least=16):
            continue
        if pair.start >= looked and text.startswith(";", pair.end):
            connection = _CONNECTION.match(text, pair.start)
            looked = connection.end() if connection else pair.end
            opened = open_connection(connection.group()) if connection else None
            if opened:
                floor = looked
                yield pair.start, floor, opened
                continue
        draft = Draft("form" if pair.is_form else "pairs")
        add_pair(draft, text, pair)
        yield pair.start, pair.end, draft.opened()
