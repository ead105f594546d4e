"""Find the cases that a path means, and judge each."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputUnreadable
from ..model.json import JsonValue, MalformedJson, parse, pretty
from ..model.layout import CAPTURE, CONTROLS, FILES, FIXTURE, FOLDERS, PROVENANCE, RESTRICTED, case_of, is_case_id
from ..model.misnamed import instead
from ..model.replayable import lacking
from ..replay.fixture_check import MAX_BYTES, Unreadable, load, structural_problems
from ..schemas import schema_problems
from ._report import CaseReport, Problem, ValidationReport
from ._sidecar import Sidecar, derived_from, find_sidecar, sidecar_problems

_DEEPEST = 3  # fixtures/quarantine/<case_id>, and one folder more for whoever groups them


def validate_case(path: Path, *, provenance_dir: Path | None = None, controls: bool = True) -> ValidationReport:
    """Judge a case folder, a fixture.json, or a folder of cases (hidden names and links are not followed).

    The controls of a case are judged with it, unless ``controls`` is false.

    ``provenance_dir`` holds ``<case_id>/provenance.json``, or provenance.json itself for a single case. ``capture.json``
    is never read. Raises `InputUnreadable` where nothing can be read or no case is found.
    """
    try:
        found = tuple(each for each in _found(path) if controls or each.named or each.folder == path)
        if not found:
            raise InputUnreadable("no case is found there: a case folder holds fixture.json", hint=instead(path))
        sole = len(found) == 1
        cases = tuple(_judge(case, position, provenance_dir, sole=sole) for position, case in enumerate(found, start=1))
    except OSError as error:
        reason = error.strerror or "input or output failed"
        raise InputUnreadable(f"what is to be validated cannot be read ({reason})", hint=instead(path)) from None
    return ValidationReport(cases=cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A fixture to judge; ``folder`` is None when the file alone was named, ``named`` when the folder bears its id."""

    fixture: Path
    folder: Path | None = None
    named: bool = True


def _found(path: Path) -> Iterator[_Found]:
    try:
        mode = path.stat().st_mode
    except ValueError:  # a NUL in the name
        raise InputUnreadable("what is to be validated has no possible name") from None
    if stat.S_ISREG(mode):
        yield _Found(fixture=path)
    elif stat.S_ISDIR(mode):
        yield from _in_folder(path, 0)
    else:
        raise InputUnreadable("what is to be validated is neither a file nor a folder")


def _in_folder(folder: Path, depth: int) -> Iterator[_Found]:
    if any((folder / name).is_symlink() or (folder / name).exists() for name in (FIXTURE, PROVENANCE, CAPTURE)):
        yield _Found(fixture=folder / FIXTURE, folder=folder, named=folder.resolve().parent.name != CONTROLS)
        controls = folder / CONTROLS
        if controls.is_dir() and not controls.is_symlink():
            for control in _folders_in(controls):
                yield _Found(fixture=control / FIXTURE, folder=control, named=False)
    elif depth < _DEEPEST:
        for inner in _folders_in(folder):
            yield from _in_folder(inner, depth + 1)


def _folders_in(folder: Path) -> list[Path]:
    return sorted(
        entry
        for entry in folder.iterdir()
        # What a store keeps apart from its cases is none.
        if not entry.name.startswith(".") and entry.name != RESTRICTED and not entry.is_symlink() and entry.is_dir()
    )


def _judge(found: _Found, position: int, provenance_dir: Path | None, *, sole: bool) -> CaseReport:
    problems: list[Problem] = []
    if found.folder is not None:
        problems += _folder_problems(found.folder)
    content = _content(found)
    if content is None:
        problems.append(Problem(voice="structure", line="fixture cannot be read"))
        return CaseReport(position=position, case_id=None, provenance="absent", problems=tuple(problems))
    case_id, lacks, said = _document_problems(content)
    problems += said
    if (
        found.folder is not None
        and found.named
        and case_id is not None
        and case_of(found.folder.resolve().name) != case_id
    ):
        problems.append(Problem(voice="folder", line="the folder does not bear the name of its case_id"))
    sidecar: Sidecar = find_sidecar(found.fixture.parent, provenance_dir, case_id, sole=sole)
    problems += sidecar_problems(sidecar, content)
    if found.folder is not None and not found.named:
        problems += _control_problems(found.folder, sidecar)
    return CaseReport(
        position=position, case_id=case_id, provenance=sidecar.where, problems=tuple(problems), lacks=lacks
    )


def _control_problems(folder: Path, sidecar: Sidecar) -> Iterator[Problem]:
    """Yield a problem for a control that was derived from other bytes than its case has now: what went there stands here."""
    of = derived_from(sidecar)
    case = _content(_Found(fixture=folder.resolve().parent.parent / FIXTURE, folder=folder))
    if of is not None and case is not None and of != hashlib.sha256(case).hexdigest():
        yield Problem(voice="control", line="it was derived from other bytes than its case has now; make it anew")


def _content(found: _Found) -> bytes | None:
    """Return the fixture's bytes; in a case folder a link is no fixture."""
    if found.folder is not None and found.fixture.is_symlink():
        return None
    try:
        if not stat.S_ISREG(found.fixture.stat().st_mode):
            return None
        with found.fixture.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError:
        return None


def _document_problems(content: bytes) -> tuple[str | None, tuple[str, ...], list[Problem]]:
    """Return the case id, None where it may not name a case, what a replay lacks, and what structure, schema and bytes say."""
    try:
        document = load(content)
    except Unreadable as error:
        return None, (), [Problem(voice="structure", line=str(error))]
    problems = [Problem(voice="structure", line=line) for line in structural_problems(document)]
    try:
        exact = parse(content)
    except MalformedJson as error:
        return None, (), [*problems, Problem(voice="bytes", line=f"fixture breaks a bound of ours: {error.code}")]
    # What lacks whole members is told by the structural check alone.
    if not any(problem.line.startswith("missing top-level fields") for problem in problems):
        problems += [Problem(voice="schema", line=line) for line in schema_problems(exact, "fixture")]
    if pretty(exact).encode("utf-8") != content:
        problems.append(Problem(voice="bytes", line="fixture.json is not spelled canonically; it was edited by hand"))
    return _case_id(exact), lacking(exact) if isinstance(exact, dict) else (), problems


def _case_id(document: JsonValue) -> str | None:
    case_id = document.get("case_id") if isinstance(document, dict) else None
    return case_id if isinstance(case_id, str) and is_case_id(case_id) else None


def _folder_problems(folder: Path) -> list[Problem]:
    """Return a problem for each entry that no case folder holds, by position in name order: names are not ours."""
    problems = []
    for number, entry in enumerate(sorted(folder.iterdir()), start=1):
        wanted = stat.S_IFREG if entry.name in FILES else stat.S_IFDIR if entry.name in FOLDERS else None
        if wanted is None or stat.S_IFMT(entry.lstat().st_mode) != wanted:
            problems.append(Problem(voice="folder", line=f"entry {number} by name does not belong in a case folder"))
    return problems
