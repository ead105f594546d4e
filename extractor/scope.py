"""The key scope of a run: by name, or that of a case to which the new one belongs, as its fixed twin or its recapture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .errors import ProvenanceInvalid, UsageError, WorkspaceKeyError
from .model.json import JsonValue, MalformedJson, parse
from .model.layout import FIXTURE, PROVENANCE
from .redact import WorkspaceKey
from .validate import validate_case

Members = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A scope by name, and the case that it was taken over from."""

    name: str
    of: str | None = None


def chosen(name: str | None, case: Path | None, key: WorkspaceKey, default: str) -> Scope:
    """Return the scope of a run: of a given name, or taken over from a case, else the default.

    Raises `UsageError` when both are given, and what `taken_over` raises.
    """
    if name is not None and case is not None:
        raise UsageError("--scope and --scope-of name two scopes; give one of them")
    return Scope(name=name or default) if case is None else taken_over(case, key)


def taken_over(case: Path, key: WorkspaceKey) -> Scope:
    """Return the scope under which a case stands.

    Raises `ProvenanceInvalid` when the case has no sidecar, or one that does not validate or speaks of other bytes;
    `ValidationFailed` when the case is not as it was written; `WorkspaceKeyError` when it stands under another key: its
    pseudonyms would not be ours.
    """
    report = validate_case(case, controls=False)
    problems = [problem for each in report.cases for problem in each.problems]
    if any(problem.voice == "sidecar schema" for problem in problems):
        raise ProvenanceInvalid("the sidecar of the case in --scope-of does not fit its schema")
    # An incomplete case has a scope like any other.
    if any(problem.voice != "structure" for problem in problems):
        report.require()
    if len(report.cases) != 1 or (predicate := _predicate(case)) is None:
        raise ProvenanceInvalid(
            f"--scope-of names no single case with a {PROVENANCE}", hint="name the folder of one case"
        )
    redaction = _members(predicate.get("redaction"))
    if _text(redaction.get("key_id")) != key.key_id:
        raise WorkspaceKeyError(
            f"the case in --scope-of stands under key {_text(redaction.get('key_id'))}, this run under {key.key_id}",
            hint="give the key of that case with --key-file, or extract it again under this one",
        )
    return Scope(name=_text(redaction.get("scope")), of=_text(_document(case, FIXTURE).get("case_id")))


def _predicate(case: Path) -> Members | None:
    """Return what the sidecar of a case says, None where there is none."""
    return _members(_document(case, PROVENANCE).get("predicate")) if (case / PROVENANCE).is_file() else None


def _document(case: Path, name: str) -> Members:
    """Return a file of a case. Raises `ProvenanceInvalid`."""
    try:
        return _members(parse((case / name).read_bytes()))
    except (OSError, MalformedJson):
        raise ProvenanceInvalid(f"{name} of the case in --scope-of cannot be read") from None


def _members(value: JsonValue) -> Members:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
