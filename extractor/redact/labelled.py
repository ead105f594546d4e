"""Values that a text itself labels: lines ``Key: value``, rows of tables, XML elements, SQL, calendars and visiting cards.

The harvest asks the field rules for each; rewriting needs no more, since a known value is replaced wherever it stands.
Every finder's work is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from . import tables
from .place import normal_name

_LINE = re.compile(
    r"(?P<indent>[ \t]*+)(?:[>*+\-•]{1,3}[ \t]++|\d{1,2}[.)][ \t]++)?+[*_`\"']{0,3}+(?P<key>[A-Za-z][\w '’()/.\-]{0,40}?)"
    r"[*_`\"']{0,3}:[*_`]{0,3}(?:[ \t]++(?P<value>\S.*)|[ \t]*+$)"
)
_NEXT = re.compile(r"[,;|.][ \t]*+(?=[*_]{0,3}[A-Za-z][\w '’\-]{0,30}:[*_]{0,3}[ \t])|[;|]|[.!?] +(?=[A-Z])")
_QUOTED = re.compile(
    r"(?<![\w\"'])(?P<mark>[\"']?)(?P<key>[A-Za-z_][\w.\-]{0,40})(?P=mark)\s{0,4}(?::|=>)\s{0,4}"
    r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')"
)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z_][\w.:\-]{0,63})(?P<rest>[^<>]{0,4000})>")
_ATTRIBUTE = re.compile(r"(?P<key>[A-Za-z_][\w.:\-]{0,63})\s{0,4}=\s{0,4}(?P<value>\"[^\"<>]{1,400}\"|'[^'<>]{1,400}')")
_COMMON_NAME = re.compile(r";CN=(?P<value>\"[^\"\n]{1,100}\"|[^:;\n\"]{1,100})")
_CARD_LINE = re.compile(
    r"^(?:item\d\.)?(?P<key>FN|N|NICKNAME|TEL|BDAY|ADR|UID)(?:;[^:\n]{0,200})?:(?P<value>[^\r\n]{1,400})", re.MULTILINE
)
_CARD_PARTS = {
    "FN": ("full_name",), "N": ("family_name", "given_name", "middle_name", "", ""), "NICKNAME": ("nickname",),
    "TEL": ("phone",), "BDAY": ("dob",), "ADR": ("po_box", "address2", "street", "", "", "postal_code", ""), "UID": ("user_id",),
}  # fmt: skip
_PATH = re.compile(r"(?<![\w/.:\\<])/[\w.~@%+:=\-]{1,128}(?:/[\w.~@%+:=\-]{1,128}){1,24}")
_WORD_SEGMENT = re.compile(r"[A-Za-z][A-Za-z_\-]{0,30}")
_MARGIN = " \t\r*_`\"',;."
_LONGEST_LINE, _LONGEST_VALUE = 2_000, 200
_DEEPEST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A value at ``[start, end)`` of a text: the names that label it, outer first, and those of its neighbours.

    ``loose`` values stand in prose, where a label may also begin a sentence.
    """

    names: tuple[str, ...]
    start: int
    end: int
    text: str = field(repr=False)
    beside: frozenset[str] = frozenset()
    loose: bool = False


def labelled(text: str) -> Iterator[Labelled]:
    """Yield what a text labels."""
    if "BEGIN:V" in text:
        yield from _cards(text)
    if ":" in text:
        yield from _lines(text)
        yield from _members(text)
    if "</" in text or "/>" in text:
        yield from _elements(text)
    if "/" in text:
        yield from _paths(text)
    for cell in tables.cells(text):
        yield Labelled(names=cell.names, start=cell.start, end=cell.end, text=cell.text, beside=cell.beside)


def _lines(text: str) -> Iterator[Labelled]:
    found: list[tuple[tuple[str, ...], int, str]] = []
    open_keys: list[tuple[int, str]] = []
    position = 0
    for line in text.split("\n"):
        start, position = position, position + len(line) + 1
        match = _LINE.match(line) if ":" in line and len(line) <= _LONGEST_LINE else None
        if match is None:
            continue
        indent = len(match["indent"])
        while open_keys and open_keys[-1][0] >= indent:
            open_keys.pop()
        if match["value"] is None:
            open_keys.append((indent, normal_name(match["key"])))
            continue
        outer = tuple(name for _, name in open_keys[-_DEEPEST:])
        found.extend(_in_line(line, match, outer, start))
    beside = frozenset(names[-1] for names, _, _ in found)
    for names, start, value in found:
        yield Labelled(names=names, start=start, end=start + len(value), text=value, beside=beside, loose=True)


def _in_line(
    line: str, first: re.Match[str], outer: tuple[str, ...], start: int
) -> Iterator[tuple[tuple[str, ...], int, str]]:
    match: re.Match[str] | None = first
    offset = 0
    while match is not None and match["value"] is not None:
        begins = offset + match.start("value")
        cut = _NEXT.search(line, begins, begins + _LONGEST_VALUE)
        raw = line[begins : cut.start() if cut else len(line)]
        value = raw.strip(_MARGIN)
        if 0 < len(value) <= _LONGEST_VALUE:
            yield (*outer, normal_name(match["key"])), start + begins + raw.index(value), value
        if cut is None:
            return
        offset = cut.end()
        match = _LINE.match(line[offset:])


def _members(text: str) -> Iterator[Labelled]:
    found = list(_QUOTED.finditer(text))
    beside = frozenset(normal_name(match["key"]) for match in found)
    for match in found:
        start, end = match.start("value") + 1, match.end("value") - 1
        names = (normal_name(match["key"]),)
        yield Labelled(names=names, start=start, end=end, text=text[start:end], beside=beside)


def _elements(text: str) -> Iterator[Labelled]:
    stack: list[str] = []
    opened: int | None = None
    for tag in _TAG.finditer(text):
        name = normal_name(tag["name"].rpartition(":")[2])
        if tag["end"]:
            if opened is not None and stack and stack[-1] == name and 0 < tag.start() - opened <= _LONGEST_VALUE:
                value = text[opened : tag.start()]
                yield Labelled(names=tuple(stack[-_DEEPEST:]), start=opened, end=tag.start(), text=value.strip())
            if name in stack[-_DEEPEST:]:
                while stack.pop() != name:
                    pass
            opened = None
            continue
        attributes = list(_ATTRIBUTE.finditer(tag["rest"]))
        beside = frozenset(normal_name(match["key"].rpartition(":")[2]) for match in attributes)
        for match in attributes:
            key = normal_name(match["key"].rpartition(":")[2])
            start = tag.start("rest") + match.start("value") + 1
            end = tag.start("rest") + match.end("value") - 1
            names = (*stack[-_DEEPEST:], name, key)
            yield Labelled(names=names, start=start, end=end, text=text[start:end], beside=beside)
        if not tag["rest"].endswith("/"):
            stack.append(name)
            opened = tag.end()


def _cards(text: str) -> Iterator[Labelled]:
    for match in _COMMON_NAME.finditer(text):
        value = match["value"].strip('"')
        start = match.start("value") + match["value"].index(value)
        yield Labelled(names=("full_name",), start=start, end=start + len(value), text=value)
    for line in _CARD_LINE.finditer(text) if "BEGIN:VCARD" in text else ():
        yield from _card_parts(line["value"], line.start("value"), _CARD_PARTS[line["key"]])


def _card_parts(value: str, start: int, names: Sequence[str]) -> Iterator[Labelled]:
    parts = value.split(";") if len(names) > 1 else [value]
    for name, part in zip(names, parts, strict=False):
        if name and part.strip():
            yield Labelled(names=(name,), start=start, end=start + len(part), text=part.strip())
        start += len(part) + 1


def _paths(text: str) -> Iterator[Labelled]:
    for path in _PATH.finditer(text):
        collection, start = "", path.start()
        for segment in path.group().split("/"):
            if collection:
                names = (normal_name("path_" + collection),)
                yield Labelled(names=names, start=start, end=start + len(segment), text=segment.rstrip(".:"))
            if _WORD_SEGMENT.fullmatch(segment):
                collection = segment
            start += len(segment) + 1
