"""Making a decision: what stands in its way, the statement, and the move that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from ..errors import ApprovalRefused, CaseExists, EvidenceMissing, ProvenanceInvalid, UsageError
from ..model.json import JsonValue
from ..model.layout import APPROVALS, APPROVED, FIXTURE, PLACES, QUARANTINE, REJECTED
from ..validate import validate_case
from ..write import Shelves
from ._demands import unclear
from ._envelope import Damaged, opened, sealed
from ._folder import CaseFolder, read_folder
from ._ground import Ground
from ._judging import file_of, judge, weigh
from ._opened import opened_store
from ._register import of_move
from ._roles import Role, is_machine, person, role_named
from ._statement import Confirmations, Decision, Malformed, Statement, bound, read, render, spelled

_FORGED = frozenset({"damaged", "copied", "signature", "unsigned", "changed", "future"})
_LONGEST_REASON = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a reviewer decides, as they give it: not yet held against the case, nor bound to its bytes."""

    role: Role
    reviewer: str
    decision: Decision
    reason: str | None = None
    confirmations: Confirmations

    @classmethod
    def of(
        cls, *, role: str, reviewer: str, decision: Decision, reason: str | None, confirmations: Confirmations | None
    ) -> Said:
        """Return what is said, names in their own spelling.

        Raises `UsageError` for an unknown role, a name that is none, a rejection without a reason; `ApprovalRefused` for a
        reviewer that is a program (S9).
        """
        name, given = person(reviewer), " ".join((reason or "").split())
        if is_machine(name):
            raise ApprovalRefused(["the reviewer is no person; a person decides, whatever helped them look"])
        if decision == "rejected" and not given:
            raise UsageError("a rejection says why")
        if len(given) > _LONGEST_REASON:
            raise UsageError(f"a reason has at most {_LONGEST_REASON} characters")
        return cls(
            role=role_named(role),
            reviewer=name,
            decision=decision,
            reason=given or None,
            confirmations=confirmations or Confirmations(),
        )


def decide(  # a decision is these facts, given by name
    case: Path,
    *,
    role: str,
    reviewer: str,
    decision: Decision,
    reason: str | None = None,
    key: Path | None = None,
    confirmations: Confirmations | None = None,
    seen: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> Path:
    """Put a reviewer's decision into a case, and move a quarantined one where all its decisions now send it.

    An approved case takes approvals that renew those that end, and no rejections: it is retired.

    ``key`` is the file of the reviewer's private key. ``seen`` are SHA-256 digests, by file name, of what the reviewer looked at:
    a case of other bytes is refused. Returns the statement's path, in the folder where the case then stands.
    Raises `ApprovalRefused` with every reason at once, `EvidenceMissing` for a case that cannot be replayed,
    `ProvenanceInvalid` for one that is not as it was written, `UsageError` for one about which nothing is decided any more.
    """
    said = Said.of(role=role, reviewer=reviewer, decision=decision, reason=reason, confirmations=confirmations)
    with _under_review(case, now) as (held, folder, ground):
        if seen is not None and any(folder.digests.get(file) != digest for file, digest in seen.items()):
            raise ApprovalRefused(["the case has changed since it was looked at; look again, then decide"])
        known = ground.facts(folder)
        days = ground.policy.lasts_days
        digests, absent = bound(said.role, folder.digests)
        statement = Statement(
            case_id=folder.case_id,
            decision=said.decision,
            role=said.role,
            reviewer=said.reviewer,
            at=spelled(ground.now),
            expires_at=spelled(ground.now + timedelta(days=days)) if days else None,
            digests=digests,
            absent=absent,
            terms=ground.terms,
            author=known.author,
            reason=said.reason,
            confirmations=said.confirmations,
        )
        return _accept(held, folder, ground, signed(statement, key))


def take(case: Path, statement: Path, *, now: datetime | None = None) -> Path:
    """Put a statement that was made elsewhere, over a packet, into its case; as `decide` in all else.

    Raises `ProvenanceInvalid` where the statement is not about this case, or is not by whom it names.
    """
    try:
        content = statement.read_bytes()
    except OSError:
        raise UsageError("the statement cannot be read") from None
    with _under_review(case, now) as (held, folder, ground):
        return _accept(held, folder, ground, content)


def signed(statement: Statement, key: Path | None) -> bytes:
    """Return a statement in its envelope, signed by the key of a file. Raises `UsageError` for a key of no use."""
    if key is None:
        return sealed(render(statement), None)
    from ._keys import load_signing_key  # cryptography, for those who sign

    return sealed(render(statement), load_signing_key(key))


@contextmanager
def _under_review(path: Path, now: datetime | None) -> Iterator[tuple[Shelves, CaseFolder, Ground]]:
    folder = read_folder(path)
    if folder.place not in PLACES:
        raise UsageError("the case does not stand in a store: its folder lies in quarantine or approved")
    with opened_store(folder.root, now) as (held, ground):
        if folder.place not in {QUARANTINE, APPROVED}:
            raise UsageError(f"the case stands in {folder.place}; nothing is decided about it any more")
        # Once more, now that nobody else can change it.
        yield held, read_folder(folder.path), ground


def _accept(held: Shelves, folder: CaseFolder, ground: Ground, envelope: bytes) -> Path:
    """Put an envelope into the case and make the move that follows. Nothing is written when anything stands in the way."""
    try:
        statement = read(opened(envelope).payload)
    except (Damaged, Malformed):
        raise ProvenanceInvalid("the statement is damaged, or was not written by extract-fixture") from None
    name = file_of(statement.role, folder.approvals)
    with_it = replace(folder, approvals={**folder.approvals, name: envelope})
    _refuse(with_it, name, statement, ground)
    held.add(folder.place, folder.path.name, APPROVALS, name, envelope)
    return _moved(held, read_folder(folder.path), ground, statement) / APPROVALS / name


def _refuse(case: CaseFolder, name: str, statement: Statement, ground: Ground) -> None:
    """Raise what stands in the way of the statement called ``name`` among the case's approvals."""
    context = ground.context(case)
    verdict, faults = judge(case, context), weigh(name, case.approvals[name], case, context).faults
    forged = [fault.line for fault in faults if fault.code in _FORGED]
    if forged:
        raise ProvenanceInvalid(
            "\n".join(f"the statement {line}" if not line.startswith("its") else line for line in forged)
        )
    lines = [fault.line for fault in faults]
    if statement.decision == "rejected" and case.place == APPROVED:
        raise UsageError("an approved case is not rejected", hint="retire it, with the reason")
    if statement.decision == "approved":
        if case.place == QUARANTINE and (case.root / APPROVED / case.case_id).exists():
            raise CaseExists("an approved case of this id stands already", hint="retire it first")
        report = validate_case(case.path)
        if report.exit_status == ProvenanceInvalid.exit_status:
            report.require()
        if not case.replayable:
            raise EvidenceMissing(
                "the case cannot be replayed, and cannot be approved: see missing_evidence",
                hint="extract it again with the evidence, or reject it",
            )
        lines += [str(problem.line) for each in report.cases for problem in each.problems]
        lines += unclear(case)
        lines += [fault.line for fault in verdict.faults]
    if lines:
        raise ApprovalRefused(lines)


def _moved(held: Shelves, case: CaseFolder, ground: Ground, statement: Statement) -> Path:
    """Return the folder in which the case stands once its decisions are carried out."""
    more: dict[str, JsonValue] = {}
    if statement.decision == "rejected":
        place, more = REJECTED, {"role": statement.role}
    elif case.place == APPROVED or not judge(case, ground.context(case)).lines():
        place = APPROVED
    else:
        return case.path
    event, at, name = statement.decision, spelled(ground.now), case.path.name
    held.note(case.place, name, {"at": at, "event": event, "fixture_sha256": case.digests.get(FIXTURE), **more})
    target = held.move(name, QUARANTINE, place) if case.place == QUARANTINE else name
    held.record(of_move(event, at, case, ground.facts(case), **more).line())
    return case.root / place / target
