"""``--scope-of CASE``: the key scope of a case that the new one belongs to, as its fixed twin or its recapture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from extractor.errors import ProvenanceInvalid, UsageError, WorkspaceKeyError
from extractor.model.layout import PROVENANCE
from extractor.redact import WorkspaceKey
from extractor.validate import validate_case

from .show import case_files
from .view import CaseView, members, text


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
    files = case_files(case)
    if PROVENANCE not in files or len(report.cases) != 1:
        raise ProvenanceInvalid(
            f"--scope-of names no single case with a {PROVENANCE}", hint="name the folder of one case"
        )
    view = CaseView.of(files)
    redaction = members(view.predicate.get("redaction"))
    if text(redaction.get("key_id")) != key.key_id:
        raise WorkspaceKeyError(
            f"the case in --scope-of stands under key {text(redaction.get('key_id'))}, this run under {key.key_id}",
            hint="give the key of that case with --key-file, or extract it again under this one",
        )
    return Scope(name=text(redaction.get("scope")), of=view.case_id)
