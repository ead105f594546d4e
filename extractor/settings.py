"""A project's defaults: ``[tool.extract-fixture]`` of pyproject.toml, or extract-fixture.toml, nearest upwards."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeVar

from .errors import UsageError
from .model.config import Deny, Nlp, Override, Own, RunConfig

OWN_FILE = "extract-fixture.toml"
SHARED_FILE = "pyproject.toml"
_TABLE = "extract-fixture"
_SAYABLE = re.compile(r"[a-z][a-z0-9_-]{0,40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("time-zone", "locale", "workflow-version", "prompt-version")
_PATHS = ("out", "key-file")
_LISTS = ("keep", "drop", "rules")
_TABLES = ("own", "deny", "nlp", "bulk", "approvals", "replay", "checks")

Table = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulk:
    """What a scheduled run chooses (``where``: rules, one of which is enough), how old a trace must be, how long it may take."""

    where: tuple[str, ...] = ()
    settle: str = "15m"
    timeout: str = "10m"


_Section = TypeVar("_Section", Own, Deny, Nlp, Bulk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Defaults that the command line may override. Paths are absolute or relative to the file that named them.

    ``rules`` are folders of overlays; ``config`` holds what goes into every `RunConfig`. ``approvals`` is the policy's table
    as it stands, for `extractor.review` to read; None where the project has none. ``file`` is where they stand, None for
    the defaults.
    """

    out: Path = Path("fixtures")
    key_file: Path | None = None
    rules: tuple[Path, ...] = ()
    config: RunConfig = field(default_factory=RunConfig)
    bulk: Bulk = field(default_factory=Bulk)
    approvals: Table | None = None
    file: Path | None = field(default=None, compare=False)


def find(start: Path) -> Settings:
    """Return the settings of the nearest folder, from ``start`` upwards, that has any; else the defaults.

    Raises `UsageError` when the file is no TOML, has an unknown key, or a value of the wrong type; all faults at once.
    """
    for folder in (start, *start.parents):
        own, shared = folder / OWN_FILE, folder / SHARED_FILE
        table = _tool_table(shared) if shared.is_file() else None
        if own.is_file():
            if table is not None:
                raise UsageError(f"{OWN_FILE} and {SHARED_FILE} of one folder both hold settings; keep one of them")
            return from_table(_document(own), folder=folder, file=OWN_FILE)
        if table is not None:
            return from_table(table, folder=folder, file=SHARED_FILE)
    return Settings()


def from_table(table: Table, *, folder: Path, file: str) -> Settings:
    """Return the settings that one table holds; relative paths start at ``folder``. Raises `UsageError`."""
    faults = _unknown(table, (*_TEXTS, *_PATHS, *_LISTS, *_TABLES), "")
    texts = {name: _value(table, name, _text, faults) for name in (*_TEXTS, *_PATHS)}
    lists = {name: _value(table, name, _texts, faults) or () for name in _LISTS}
    own = _section(table, "own", Own, faults)
    deny = _section(table, "deny", Deny, faults)
    nlp = _section(table, "nlp", Nlp, faults)
    bulk = _section(table, "bulk", Bulk, faults)
    approvals = table.get("approvals")
    if approvals is not None and not isinstance(approvals, dict):
        faults.append("approvals: must be a table")
    if faults:
        raise UsageError(f"{file} holds settings that are not understood:\n" + "\n".join(f"  {f}" for f in faults))
    out, key_file = texts["out"], texts["key-file"]
    return Settings(
        out=folder / out if out else Settings().out,
        key_file=folder / key_file if key_file else None,
        rules=tuple(folder / name for name in lists["rules"]),
        approvals=approvals if isinstance(approvals, dict) else None,
        file=folder / file,
        bulk=bulk,
        config=RunConfig(
            override=Override(keep=lists["keep"], drop=lists["drop"]),
            time_zone=texts["time-zone"],
            locale=texts["locale"],
            workflow_version=texts["workflow-version"],
            prompt_version=texts["prompt-version"],
            own=own,
            deny=deny,
            nlp=nlp,
        ),
    )


def _document(file: Path) -> Table:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8"))
    except OSError:
        raise UsageError(f"{file.name} cannot be read") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # tomllib's message may quote a value of the file.
        raise UsageError(f"{file.name} is no valid TOML in UTF-8") from None


def _tool_table(file: Path) -> Table | None:
    tools = _document(file).get("tool")
    table = tools.get(_TABLE) if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{file.name}: tool.{_TABLE} is no table")
    return table


def _unknown(table: Table, known: tuple[str, ...], prefix: str) -> list[str]:
    faults = []
    for position, key in enumerate(table, start=1):
        if key not in known:
            name = f"{prefix}{key}" if _SAYABLE.fullmatch(key) else f"{prefix}member {position}"
            faults.append(f"unknown key: {name}")
    return faults


_Value = TypeVar("_Value")


def _value(table: Table, name: str, read: Callable[[object], _Value | None], faults: list[str]) -> _Value | None:
    if name not in table:
        return None
    value = read(table[name])
    if value is None:
        faults.append(f"{name}: must be a {'text' if read is _text else 'list of texts'}, not empty")
    return value


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    texts = tuple(item for item in value if isinstance(item, str) and item)
    return texts if len(texts) == len(value) else None


def _key(member: str) -> str:
    return member.replace("_", "-")


def _section(table: Table, name: str, section: type[_Section], faults: list[str]) -> _Section:
    inner = table.get(name, {})
    if not isinstance(inner, dict):
        faults.append(f"{name}: must be a table")
        return section()
    faults.extend(_unknown(inner, tuple(_key(member.name) for member in fields(section)), f"{name}."))
    values: dict[str, object] = {}
    for member in fields(section):
        read: Callable[[object], object] = _texts if isinstance(member.default, tuple) else _text
        key = _key(member.name)
        if key in inner:
            value = read(inner[key])
            if value is None:
                faults.append(f"{name}.{key}: must be a {'list of texts' if read is _texts else 'text'}")
            elif key.endswith("-sha256") and not _SHA256.fullmatch(str(value)):
                faults.append(f"{name}.{key}: must be 64 hex digits in lower case")
            else:
                values[member.name] = value
    return section(**values)  # type: ignore[arg-type]  # each value was read by the type of its member's default
