"""The page about schemas: each member of each file, its type, its values, and what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import extractor.schemas

from .tables import code, table

Schema = Mapping[str, Any]
_ANYTHING: Schema = {}
_FOLDER = Path(extractor.schemas.__file__).parent
_ORDER = ("fixture", "provenance", "capture", "manifest")
_DOCS = Path(__file__).parent.parent
_TOLD = {  # part of a schema: page and heading above the table that says what its members hold
    "fixture": ("fixture-format.md", "fixture.json"),
    "tool_event": ("fixture-format.md", "tool_events[]"),
    "provenance": ("fixture-format.md", "provenance.json"),
    "capture": ("fixture-format.md", "capture.json"),
    "manifest": ("compare.md", "The manifest"),
    "minimal": ("compare.md", "The manifest"),
}
_NAMED = re.compile(r"`([a-z_]+)[^`]*`")
_LINKED = re.compile(r"\]\((?=[a-z-]+[.]md)")


def page() -> str:
    """Return the page: a section a schema, a table an object."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Schemas\n"
    yield "Written by `make docs` from `extractor/schemas/*.json`. [Files of a case](../fixture-format.md) and [the manifest](../compare.md#the-manifest)"
    yield "tell what members mean together; here stands each by itself. A member that no table names is refused, unless the type says *any members*."
    for name in _names():
        schema = json.loads((_FOLDER / f"{name}.schema.json").read_text("utf-8"))
        yield f"\n## {name}\n"
        yield f"{schema['title']}. Its `$id` is `{schema['$id']}`."
        if "description" in schema:
            yield schema["description"]
        yield from _object(schema, name, _meanings(name))
        for part, inner in schema["$defs"].items():
            if "properties" in inner:
                yield f"\n### {name}: {part}"
                yield from _object(inner, name, _meanings(part))


def _names() -> list[str]:
    found = {path.name.removesuffix(".schema.json") for path in _FOLDER.glob("*.schema.json")}
    return [*_ORDER, *sorted(found.difference(_ORDER))]


def _meanings(part: str) -> Mapping[str, str]:
    """Return what a page says of each member of a part, by its path, from the first table below a heading."""
    if part not in _TOLD:
        return {}
    page, heading = _TOLD[part]
    _, _, after = (_DOCS / page).read_text("utf-8").partition(f"# {heading}\n")
    before = "predicate." if part == "provenance" else ""
    told: dict[str, str] = {}
    for line in after.partition("\n#")[0].splitlines():
        if line.startswith("| `"):
            names, _, holds = line.strip("| ").partition(" | ")
            told.update({before + name: _LINKED.sub("](../", holds) for name in _NAMED.findall(names)})
    return told


def _object(schema: Schema, part: str, told: Mapping[str, str]) -> Iterator[str]:
    if "properties" not in schema:
        return
    rows = list(_rows(schema, "", part))
    yield ""
    if told:
        yield from table(
            ("member", "type", "needed", "holds"), ((code(path), *row, told.get(path, "")) for path, *row in rows)
        )
    else:
        yield from table(("member", "type", "needed"), ((code(path), *row) for path, *row in rows))


def _rows(schema: Schema, before: str, part: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, type and need of each member; members of an object that has no name of its own follow it."""
    needed = schema.get("required", ())
    for name, given in schema["properties"].items():
        inner = given if isinstance(given, dict) else _ANYTHING
        yield before + name, _type(inner, part), "yes" if name in needed else ""
        if "properties" in inner:
            yield from _rows(inner, f"{before}{name}.", part)
        elif isinstance(inner.get("items"), dict) and "properties" in inner["items"]:
            yield from _rows(inner["items"], f"{before}{name}[].", part)


def _type(schema: Schema | bool, part: str) -> str:
    if isinstance(schema, bool):
        return "anything"
    if "$ref" in schema:
        return _named(schema["$ref"].rpartition("/")[2], part)
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema["enum"])
    for joined in ("anyOf", "oneOf"):
        if joined in schema:
            return " or ".join(_type(each, part) for each in schema[joined])
    kinds = schema.get("type", "anything")
    words = [_kind(kind, schema, part) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    return " or ".join(words) + _bounds(schema)


def _named(name: str, part: str) -> str:
    schema = json.loads((_FOLDER / f"{part}.schema.json").read_text("utf-8"))["$defs"][name]
    return f"[{name}](#{part}-{name})" if "properties" in schema else f"{name} ({_type(schema, part)})"


def _kind(kind: str, schema: Schema, part: str) -> str:
    if kind == "array":
        items = schema.get("items")
        return "list" if not items else f"list of {_type(items, part)}"
    if kind == "object" and "properties" not in schema:
        values = schema.get("additionalProperties")
        return (
            f"object, each member {_type(values, part)}"
            if isinstance(values, dict) and values
            else "object, any members"
        )
    return kind


def _bounds(schema: Schema) -> str:
    said = [
        f"{word} {schema[key]}"
        for key, word in (
            ("minimum", "at least"), ("maximum", "at most"), ("exclusiveMinimum", "more than"),
            ("minItems", "items at least"), ("maxItems", "items at most"), ("minLength", "length at least"),
        )
        if key in schema
    ]  # fmt: skip
    if "pattern" in schema:
        said.append(f"as {code(schema['pattern'])}")
    return f", {', '.join(said)}" if said else ""
