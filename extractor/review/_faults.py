"""What may be wrong with one statement: its signature, its bytes, its time, its person, what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from ._demands import unmet
from ._envelope import Envelope, signers
from ._folder import CaseFolder
from ._policy import Person, Policy
from ._roles import BINDS, is_machine, same_person
from ._statement import Statement, instant

Code: TypeAlias = Literal[
    "damaged", "copied", "signature", "unsigned", "changed", "expired", "future", "wrong_role", "no_person", "author", "unmet",
    "doubled", "rejected", "missing_role"
]  # fmt: skip
"""What may be wrong with an approval; docs/lifecycle.md says what each means."""

_SKEW = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, and in which file of the case; the line is our own words, and names of the policy's people."""

    code: Code
    file: str | None
    line: str

    def __str__(self) -> str:
        """Return the line that people read."""
        return f"{self.file}: {self.line}" if self.file else self.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a judgement depends on beside the case: the policy, the moment, who made the case, whether it was seen red."""

    policy: Policy
    now: datetime
    author: str | None = None
    red: bool = False


def faults_of(statement: Statement, case: CaseFolder, context: Context, file: str | None = None) -> list[Fault]:
    """Return what is wrong with a statement, its signature apart."""
    if statement.case_id != case.case_id:
        return [Fault(code="copied", file=file, line="speaks of another case")]
    found = (*_of_bytes(statement, case), *_of_time(statement, context), *_of_person(statement, context))
    lacking = unmet(statement, case, context.policy, red=context.red)
    return [
        *(Fault(code=code, file=file, line=line) for code, line in found),
        *(Fault(code="unmet", file=file, line=line) for line in lacking),
    ]


def signature_faults(
    envelope: Envelope, person: Person | None, policy: Policy, file: str | None
) -> tuple[str | None, list[Fault]]:
    """Return the trusted key that signed, and what is wrong with the signatures for whom the envelope names."""
    keys = person.keys if person else ()
    held = signers(envelope, keys)
    if held:
        return held[0], []
    if envelope.signatures and (keys or not policy.unsigned):
        return None, [
            Fault(code="signature", file=file, line="no key that the policy trusts for its reviewer has signed it")
        ]
    if keys:
        return None, [Fault(code="unsigned", file=file, line="its reviewer has a key in the policy and has not signed")]
    if not policy.unsigned:
        return None, [Fault(code="unsigned", file=file, line="is not signed, and the policy counts signed ones alone")]
    return None, []


def expiry(statement: Statement, policy: Policy) -> datetime | None:
    """Return when an approval ends: by its own word or by the policy of today, whichever is sooner; None for never."""
    ends = [instant(statement.expires_at)] if statement.expires_at else []
    if policy.lasts_days is not None:
        ends.append(instant(statement.at) + timedelta(days=policy.lasts_days))
    return min(ends, default=None)


def _of_bytes(statement: Statement, case: CaseFolder) -> Iterator[tuple[Code, str]]:
    for name in BINDS[statement.role]:
        if statement.digests.get(name) != case.digests.get(name):
            yield "changed", f"{name} is not what {statement.reviewer} saw as {statement.role}"
    if {*statement.digests, *statement.absent} != {*BINDS[statement.role]}:
        yield "changed", f"does not bind the files of the role {statement.role}"


def _of_time(statement: Statement, context: Context) -> Iterator[tuple[Code, str]]:
    until = expiry(statement, context.policy)
    if until is not None and until <= context.now:
        yield "expired", f"expired on {until.date().isoformat()}"
    if instant(statement.at) > context.now + _SKEW:
        yield "future", "is dated in the future"


def _of_person(statement: Statement, context: Context) -> Iterator[tuple[Code, str]]:
    known = context.policy.known(statement.reviewer)
    if known and known.roles and statement.role not in known.roles:
        yield "wrong_role", f"{known.name} may not decide as {statement.role}"
    if is_machine(statement.reviewer):
        yield "no_person", "the reviewer is no person"
    if context.policy.author_differs and statement.decision == "approved":
        if context.author is None:
            yield "author", "nobody is on record as the case's author: register set CASE --author NAME"
        elif same_person(context.author, statement.reviewer):
            yield "author", f"{statement.reviewer} made the case and may not approve it"
