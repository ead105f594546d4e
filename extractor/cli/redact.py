"""``extract-fixture redact``: any JSON, JSON lines or text through the engine, format kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from extractor import ruleset, settings
from extractor.errors import InputUnreadable, UsageError
from extractor.model.json import JsonValue, MalformedJson, compact, parse, pretty

from . import options
from .console import Console
from .engine import Engine
from .export import is_export, redacted_export
from .keyring import workspace_key

MAX_BYTES = 512 * 1024 * 1024


@click.command()
@click.argument("source", metavar="[FILE|-]", default="-")
@options.key_file
@click.option("--scope", metavar="NAME", help="Pseudonyms agree with all that was redacted under this name.")
@click.option("--joint", is_flag=True, help="JSON lines belong together: equal values get equal pseudonyms.")
@options.overlays
@options.model
@click.option("--out", type=options.FILE, help="Where to write; the file must not exist.  [default: standard output]")
def command(
    *,
    source: str,
    key_file: Path | None,
    scope: str | None,
    joint: bool,
    overlays: tuple[Path, ...],
    model: str | None,
    out: Path | None,
) -> None:
    """Redact any JSON, JSON lines or text.

    One value a line stays one a line. An OTLP/JSON export is scoped by trace, and keeps its trace and span ids; other
    JSON lines are scoped by line. The output is not proved as a case is, and holds no list of what to look at.
    """
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, Console(json=out is None))
    base = project.config
    config = replace(base, nlp=base.nlp.using(model))
    run = Engine(rules=ruleset.load((*project.rules, *overlays)), config=config, key=key, name=scope)
    redacted = redact_any(_content(source), run, joint=joint)
    if out is None:
        sys.stdout.write(redacted)
    else:
        _write_new(out, redacted)


def redact_any(text: str, engine: Engine, *, joint: bool) -> str:
    """Return a text of any of the forms, redacted. Raises `InputUnreadable` for a line that breaks its own form."""
    if (whole := _json(text)) is not None:
        return _spelled_as(text, whole, _values([text], [whole], engine, joint=True)[0])
    lines = text.splitlines(keepends=True)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled or not isinstance(_json(lines[filled[0]]), (dict, list)):
        redacted = engine.together([text], "text")[0]
        return redacted if isinstance(redacted, str) else text[:0]
    values = []
    for number in filled:
        value = _json(lines[number])
        if value is None:
            # Read as text, the other lines would lose what their member names tell.
            raise InputUnreadable(f"line {number + 1} is no JSON, though the first one is")
        values.append(value)
    redacted_values = _values([lines[number] for number in filled], values, engine, joint=joint)
    for number, value, after in zip(filled, values, redacted_values, strict=True):
        lines[number] = _spelled_as(lines[number], value, after)
    return "".join(lines)


def _values(texts: Sequence[str], values: Sequence[JsonValue], engine: Engine, *, joint: bool) -> Sequence[JsonValue]:
    if all(is_export(value) for value in values):
        return redacted_export(values, engine)
    if joint:
        return engine.together(values, engine.digest("document", "".join(texts)))
    return [engine.together([value], engine.digest("line", text))[0] for text, value in zip(texts, values, strict=True)]


def _json(text: str) -> JsonValue:
    """Return the value of a JSON text; None for what is none, and for null, which has nothing to redact."""
    try:
        return parse(text)
    except MalformedJson as fault:
        if fault.code in {"syntax", "not_finite"}:
            return None
        raise InputUnreadable(f"JSON that is not accepted: {fault.code}") from None


def _spelled_as(text: str, before: JsonValue, after: JsonValue) -> str:
    """Return the value's JSON in the manner of the text: untouched, over many lines, or on one with its spacing."""
    if before == after:
        return text
    body = text.strip()
    if "\n" in body:
        written = pretty(after).rstrip("\n")
    else:
        spaced = '": ' in body
        ascii_only = body.isascii()
        written = compact(after, item=", " if spaced else ",", member=": " if spaced else ":", ascii_only=ascii_only)
    start = text.index(body)
    return text[:start] + written + text[start + len(body) :]


def _content(source: str) -> str:
    try:
        if source == "-":
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(source).open("rb") as stream:
                content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        raise InputUnreadable("the source cannot be read") from None
    if len(content) > MAX_BYTES:
        raise InputUnreadable(f"the source holds more than {MAX_BYTES // 1024**2} MiB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise InputUnreadable(f"the source is no UTF-8 from byte {fault.start} on") from None


def _write_new(out: Path, text: str) -> None:
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        raise UsageError("--out cannot be made: it exists, or its folder does not allow it") from None
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
