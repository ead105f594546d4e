"""The sidecar of a case: where it is, whether it fits its schema, whether it speaks of this very fixture."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import FIXTURE, PROVENANCE
from ..replay.fixture_check import MAX_BYTES
from ..schemas import schema_problems
from ._report import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """Where provenance.json was found, and its bytes; None where there is none or it cannot be read."""

    where: Literal["beside", "elsewhere", "absent"]
    content: bytes | None = field(default=None, repr=False)


def find_sidecar(folder: Path, provenance_dir: Path | None, case_id: str | None, *, sole: bool) -> Sidecar:
    """Return the sidecar beside the fixture, else the one in ``provenance_dir``: by case id, or plain for a sole case."""
    beside = folder / PROVENANCE
    if beside.is_symlink() or beside.exists():
        return Sidecar(where="beside", content=_read(beside))
    if provenance_dir is not None:
        places = [provenance_dir / case_id / PROVENANCE] if case_id else []
        places += [provenance_dir / PROVENANCE] if sole else []
        for place in places:
            if place.exists():
                return Sidecar(where="elsewhere", content=_read(place))
    return Sidecar(where="absent")


def sidecar_problems(sidecar: Sidecar, fixture: bytes) -> list[Problem]:
    """Return what is wrong with a sidecar for these bytes of fixture.json; nothing for an absent one."""
    if sidecar.where == "absent":
        return []
    if sidecar.content is None:
        return [Problem(voice="provenance", line="provenance.json cannot be read")]
    try:
        statement = parse(sidecar.content)
    except MalformedJson as error:
        return [Problem(voice="provenance", line=f"provenance.json is not JSON that we accept: {error.code}")]
    problems = [Problem(voice="sidecar schema", line=line) for line in schema_problems(statement, "provenance")]
    if hashlib.sha256(fixture).hexdigest() not in _subject_digests(statement):
        problems.append(
            Problem(voice="provenance", line="provenance.json speaks of other bytes than this fixture.json")
        )
    return problems


def derived_from(sidecar: Sidecar) -> str | None:
    """Return the digest of the fixture that a control was derived from, None where the sidecar tells of none."""
    try:
        statement = parse(sidecar.content) if sidecar.content is not None else None
    except MalformedJson:
        return None
    predicate = statement.get("predicate") if isinstance(statement, dict) else None
    control = predicate.get("control") if isinstance(predicate, dict) else None
    of = control.get("of_sha256") if isinstance(control, dict) else None
    return of if isinstance(of, str) else None


def vouched(fixture: Path) -> bytes | None:
    """Return the bytes of a fixture.json where the sidecar beside it fits its schema and records their very digest.

    None in every other case: no sidecar, one of other bytes, a link in place of a file.
    """
    if not (fixture.parent / PROVENANCE).exists():
        return None
    content = _read(fixture)
    if content is None:
        return None
    sidecar = find_sidecar(fixture.parent, None, None, sole=True)
    return None if sidecar_problems(sidecar, content) else content


def _subject_digests(statement: JsonValue) -> list[JsonValue]:
    subjects = statement.get("subject") if isinstance(statement, dict) else None
    return [
        digest.get("sha256")
        for subject in (subjects if isinstance(subjects, list) else [])
        if isinstance(subject, dict) and subject.get("name") == FIXTURE
        if isinstance(digest := subject.get("digest"), dict)
    ]


def _read(path: Path) -> bytes | None:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= MAX_BYTES else None
