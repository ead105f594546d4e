"""A case's folder as it stands: its bytes, read once, never through a link."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..assemble import incomplete
from ..errors import InputUnreadable
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import APPROVALS, CAPTURE, EXPECT, FIXTURE, HISTORY, PROVENANCE, README, case_of
from ..model.misnamed import instead
from ..model.replayable import replayable
from ..replay.fixture_check import MAX_BYTES

_FILES = (FIXTURE, README, PROVENANCE, EXPECT, HISTORY, CAPTURE)
_BOUND = (FIXTURE, README, PROVENANCE, EXPECT)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_APPROVALS = 200
_PATH = re.compile(r"[a-z_]+(\.[a-z_]+|\[\d{1,6}\])*")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFolder:
    """The files of one case by name, and its approvals by file name; what is a link or no file is as if absent."""

    path: Path
    case_id: str
    files: Mapping[str, bytes] = field(repr=False)
    approvals: Mapping[str, bytes] = field(repr=False)

    @property
    def place(self) -> str:
        """The name of the folder that holds the case: quarantine, approved, rejected or retired."""
        return self.path.parent.name

    @property
    def root(self) -> Path:
        """The store."""
        return self.path.parent.parent

    @property
    def digests(self) -> Mapping[str, str]:
        """SHA-256 in hex of the files that a statement may bind."""
        return {name: sha256(self.files[name]) for name in _BOUND if name in self.files}

    @property
    def document(self) -> dict[str, JsonValue]:
        """fixture.json; empty where it cannot be read."""
        return _object(self.files.get(FIXTURE))

    @property
    def predicate(self) -> dict[str, JsonValue]:
        """What the sidecar says; empty where it cannot be read."""
        predicate = _object(self.files.get(PROVENANCE)).get("predicate")
        return predicate if isinstance(predicate, dict) else {}

    @property
    def capture(self) -> dict[str, JsonValue]:
        """capture.json; empty where it is not here."""
        return _object(self.files.get(CAPTURE))

    @property
    def incomplete(self) -> bool:
        """Whether nobody has said what is prohibited."""
        return incomplete(self.document)

    @property
    def replayable(self) -> bool:
        """Whether the evidence for a replay is there."""
        return bool(self.document) and replayable(self.document)

    @property
    def history(self) -> tuple[dict[str, JsonValue], ...]:
        """The lines of history.jsonl that are objects."""
        lines = self.files.get(HISTORY, b"").splitlines()
        return tuple(found for line in lines if (found := _object(line)))

    def holds(self, place: str) -> bool:
        """Say whether a field path (``tool_events[1].outcome``) or a synthetic span id names evidence of this case."""
        selection = self.predicate.get("selection")
        spans = (
            [entry.get("span_id") for entry in selection if isinstance(entry, dict)]
            if isinstance(selection, list)
            else []
        )
        if place in spans:
            return True
        if not _PATH.fullmatch(place):
            return False
        node: JsonValue = self.document
        for step in re.findall(r"[a-z_]+|\d+", place):
            if isinstance(node, dict):
                node = node.get(step)
            elif isinstance(node, list) and step.isdigit() and int(step) < len(node):
                node = node[int(step)]
            else:
                return False
        return node not in (None, "", [], {})


def read_folder(path: Path) -> CaseFolder:
    """Return a case's folder. Raises `InputUnreadable` where no case is, or what is there cannot be read."""
    resolved = path.resolve()
    case = case_of(resolved.name)
    if case is None or path.is_symlink():
        raise InputUnreadable("no case here: a case is a folder that bears its id", hint=instead(path))
    try:
        files = {name: data for name in _FILES if (data := _content(resolved / name)) is not None}
        if FIXTURE not in files:
            raise InputUnreadable(f"no case here: {FIXTURE} cannot be read", hint=instead(path))
        return CaseFolder(path=resolved, case_id=case, files=files, approvals=_approvals(resolved / APPROVALS))
    except OSError as error:
        raise InputUnreadable(f"the case cannot be read ({error.strerror or 'input or output failed'})") from None


def sha256(content: bytes) -> str:
    """Return the digest of bytes, in hex."""
    return hashlib.sha256(content).hexdigest()


def _approvals(folder: Path) -> Mapping[str, bytes]:
    if folder.is_symlink() or not folder.is_dir():
        return {}
    names = sorted(entry.name for entry in folder.iterdir())
    if len(names) > _MOST_APPROVALS:
        raise InputUnreadable(f"a case has at most {_MOST_APPROVALS} approvals")
    # What cannot be read is an empty statement: it is a fault, not an absence.
    return {name: _content(folder / name) or b"" for name in names}


def _content(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, _READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        if path.is_symlink():
            return None
        raise
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = stream.read(MAX_BYTES + 1)
    return content if len(content) <= MAX_BYTES else None


def _object(content: bytes | None) -> dict[str, JsonValue]:
    if content is None:
        return {}
    try:
        document = parse(content)
    except MalformedJson:
        return {}
    return document if isinstance(document, dict) else {}
