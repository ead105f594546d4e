"""A quarantined case as it stands: read whole, held to what was written, and to the key under which it was written."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from .errors import InputUnreadable, UsageError, WorkspaceKeyError
from .model.case import Document, KnownValue, RedactedCase
from .model.json import JsonValue, MalformedJson, parse
from .model.layout import CAPTURE, CONTROLS, FIXTURE, PROVENANCE, QUARANTINE
from .model.misnamed import out_of_quarantine
from .model.selection import NOTHING_SELECTED
from .redact import WorkspaceKey
from .validate import validate_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The documents of a case that is to be changed, and the bytes of its capture.json."""

    document: Document
    statement: Document
    capture: bytes = field(repr=False)

    @property
    def predicate(self) -> Document:
        """What the sidecar says."""
        predicate = self.statement.get("predicate")
        return predicate if isinstance(predicate, dict) else {}

    @property
    def scope(self) -> str:
        """The key scope of the case. Raises `InputUnreadable` where the sidecar names none."""
        return self._redaction("scope")

    @property
    def key_id(self) -> str:
        """The id of the workspace key of the case. Raises `InputUnreadable` where the sidecar names none."""
        return self._redaction("key_id")

    @property
    def known(self) -> JsonValue:
        """What the case remembers of its known values; nothing in a case that was written without."""
        capture = parse(self.capture)
        return capture.get("known") if isinstance(capture, dict) else None

    def redacted(self, document: Document, known: tuple[KnownValue, ...] = ()) -> RedactedCase:
        """Return a document in the place of this one, as a proof takes it: nothing of it was typed or replaced since.

        ``known`` are the values that it must not hold, so far as it may.
        """
        return RedactedCase(
            document=document,
            original=document,
            known=known,
            counts=(),
            selection=NOTHING_SELECTED,
            becomes={},
            span_ids={},
            trace_refs=(),
            scope=self.scope,
            key_id=self.key_id,
        )

    def _redaction(self, name: str) -> str:
        redaction = self.predicate.get("redaction")
        value = redaction.get(name) if isinstance(redaction, dict) else None
        if not isinstance(value, str):
            raise InputUnreadable(f"{PROVENANCE} names no {name}")
        return value


def owner_of(place: Path) -> Path | None:
    """Return the folder of the case that a control's folder belongs to, None for a case of its own."""
    folder = place.resolve()
    return folder.parent.parent if folder.parent.name == CONTROLS else None


def standing(case: Path, key: WorkspaceKey, *, control: bool = False) -> Standing:
    """Return a case, or with ``control`` also a control of one, that may be changed.

    Raises `UsageError` outside quarantine, `ValidationFailed` and `ProvenanceInvalid` for a case that is not as it was
    written, `InputUnreadable` where a file is absent, and `WorkspaceKeyError` for another key than the case's own: under
    it nothing would be found of what the case remembers.
    """
    owner = owner_of(case) if control else None
    if (owner or case.resolve()).parent.name != QUARANTINE:
        message, hint = out_of_quarantine(case)
        raise UsageError(message, hint=hint)
    report = validate_case(case, controls=False)
    # An incomplete case is what annotation is for; any other fault means that it is not as it was written.
    if any(problem.voice not in ("structure", "control") for each in report.cases for problem in each.problems):
        report.require()
    try:
        contents = {name: (case / name).read_bytes() for name in (FIXTURE, PROVENANCE)}
        # A control stands under the scope of its case, and must not hold what that one must not.
        contents[CAPTURE] = ((owner or case) / CAPTURE).read_bytes()
        document, statement, _ = (parse(contents[name]) for name in (FIXTURE, PROVENANCE, CAPTURE))
    except (OSError, MalformedJson):
        raise InputUnreadable(f"the case lacks {FIXTURE}, {PROVENANCE} or {CAPTURE}") from None
    if not isinstance(document, dict) or not isinstance(statement, dict):
        raise InputUnreadable("the case's files are no JSON objects")
    found = Standing(document=document, statement=statement, capture=contents[CAPTURE])
    if found.key_id != key.key_id:
        raise WorkspaceKeyError(
            f"the case stands under key {found.key_id}, this run under {key.key_id}",
            hint="give the key of the case with --key-file",
        )
    return found
