"""Whether a case's decisions hold: which statements are in force, and what they come to under the policy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.layout import APPROVALS
from ..write import LOOKED_AT_BY, alternates
from ._envelope import Damaged, opened
from ._faults import Code, Context, Fault, faults_of, signature_faults
from ._folder import CaseFolder, sha256
from ._policy import Policy
from ._roles import ROLES, Role, same_person
from ._statement import Malformed, Statement, read

_NAME = re.compile(rf"({'|'.join(ROLES)})\.([1-9][0-9]{{0,3}})\.json")
# Statements that say nothing: not even that somebody else has spoken since.
_NO_VOICE: frozenset[Code] = frozenset({"damaged", "copied", "signature", "unsigned", "future"})
# What befalls a statement that was true when it was made.
_PASSING: frozenset[Code] = frozenset({"changed", "expired", "unmet"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One statement of a case. ``key_id`` is the trusted key that signed it, None where none did; ``signed`` by any key at all.

    ``outdated`` is one after which the same person spoke again in the same role; it counts for nothing.
    """

    name: str
    sha256: str
    statement: Statement | None
    key_id: str | None = None
    signed: bool = False
    faults: tuple[Fault, ...] = ()
    outdated: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is an approval that holds."""
        said = self.statement
        return said is not None and said.decision == "approved" and not self.faults and not self.outdated

    @property
    def rejects(self) -> bool:
        """Whether it is a rejection that holds."""
        said = self.statement
        return said is not None and said.decision == "rejected" and not self.faults and not self.outdated


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a case's statements come to: approved where `lines` says nothing.

    ``missing`` counts people that a role still needs, or several of which any one will do: "workflow or dependency".
    """

    held: tuple[Held, ...]
    faults: tuple[Fault, ...]
    missing: Mapping[str, int]

    @property
    def counting(self) -> tuple[Held, ...]:
        """The approvals that hold."""
        return tuple(held for held in self.held if held.counts)

    def lines(self) -> list[Fault]:
        """Return every fault, those of single statements first, roles that are not filled last."""
        return [
            *(fault for held in self.held for fault in held.faults),
            *self.faults,
            *(
                Fault(
                    code="missing_role",
                    file=None,
                    line=f"lacks {count} {role} {'approval' if count == 1 else 'approvals'}",
                )
                for role, count in self.missing.items()
            ),
        ]


def judge(case: CaseFolder, context: Context) -> Verdict:
    """Return what a case's statements come to, now and under this policy."""
    needed = context.policy.needed(red=context.red)
    held = _in_force([weigh(name, content, case, context) for name, content in case.approvals.items()])
    held = _replaced(held, needed)
    counting = [one for one in held if one.counts]
    people: dict[str, int] = {
        role: len(_people(one.statement for one in counting if _role(one) == role)) for role in ROLES
    }
    missing = {str(role): count - people[role] for role, count in needed.items() if count > people[role]}
    if alternates(case.document) and not any(people[role] or role in needed for role in LOOKED_AT_BY):
        missing[" or ".join(LOOKED_AT_BY)] = 1
    rejected = [
        Fault(code="rejected", file=None, line=f"was rejected as {said.role} by {said.reviewer}")
        for one in held
        if one.rejects and (said := one.statement)
    ]
    return Verdict(
        held=tuple(held),
        faults=(*_doubled(counting, context.policy), *rejected),
        missing=missing,
    )


def file_of(role: Role, names: Iterable[str]) -> str:
    """Return the name of the next statement in a role, given the names of those that stand."""
    numbers = [int(match.group(2)) for name in names if (match := _NAME.fullmatch(name)) and match.group(1) == role]
    return f"{role}.{max(numbers, default=0) + 1}.json"


def weigh(name: str, content: bytes, case: CaseFolder, context: Context) -> Held:
    """Return one statement with all that is wrong with it, whoever has spoken since."""
    match = _NAME.fullmatch(name)
    # A strange name is not ours to say.
    file = f"{APPROVALS}/{name}" if match else f"{APPROVALS}, entry {list(case.approvals).index(name) + 1} by name"
    try:
        envelope = opened(content)
        statement = read(envelope.payload)
    except (Damaged, Malformed):
        fault = Fault(code="damaged", file=file, line="is no statement as it was written here")
        return Held(name=name, sha256=sha256(content), statement=None, faults=(fault,))
    faults = []
    if match is None or match.group(1) != statement.role:
        faults.append(Fault(code="damaged", file=file, line="does not bear the name of its role"))
    key_id, of_signature = signature_faults(envelope, context.policy.known(statement.reviewer), context.policy, file)
    faults += [*of_signature, *faults_of(statement, case, context, file)]
    return Held(
        name=name,
        sha256=sha256(content),
        statement=statement,
        key_id=key_id,
        signed=bool(envelope.signatures),
        faults=tuple(faults),
    )


def _in_force(held: Sequence[Held]) -> list[Held]:
    """Return all statements, those marked after which the same person spoke again in the same role."""
    # By the date that was signed: a file's name is anybody's to change.
    order = sorted(held, key=lambda one: (one.statement.at if one.statement else "", _number(one.name)))
    found = []
    for position, one in enumerate(order):
        spoken = one.statement
        later = spoken is not None and any(_again(spoken, other) for other in order[position + 1 :])
        faults = tuple(fault for fault in one.faults if not later or fault.code in _NO_VOICE)
        found.append(replace(one, faults=faults, outdated=later))
    return sorted(found, key=lambda one: one.name)


def _replaced(held: Sequence[Held], needed: Mapping[Role, int]) -> list[Held]:
    """Return all statements, those marked that hold no longer and are not missed: their role is not asked for, or another
    approval in it has come since.
    """
    counting = [(one.statement.role, one.statement.at) for one in held if one.counts and one.statement]
    return [
        replace(one, faults=(), outdated=True)
        if one.faults
        and one.statement
        and all(fault.code in _PASSING for fault in one.faults)
        and (
            one.statement.role not in needed
            or any(role == one.statement.role and at > one.statement.at for role, at in counting)
        )
        else one
        for one in held
    ]


def _again(spoken: Statement, other: Held) -> bool:
    said = other.statement
    return (
        said is not None
        and said.role == spoken.role
        and same_person(said.reviewer, spoken.reviewer)
        and not any(fault.code in _NO_VOICE for fault in other.faults)
    )


def _doubled(counting: Sequence[Held], policy: Policy) -> list[Fault]:
    """Return a fault for each person, and each key, that stands in two roles which must differ."""
    voices = [one for one in counting if one.statement and one.statement.role in policy.distinct]
    faults: dict[str, Fault] = {}
    for position, one in enumerate(voices):
        for other in voices[position + 1 :]:
            first, second = one.statement, other.statement
            if first is None or second is None or first.role == second.role:
                continue
            same_key = one.key_id is not None and one.key_id == other.key_id
            if same_key or same_person(first.reviewer, second.reviewer):
                line = f"{first.reviewer} has approved as {first.role} and as {second.role}; these must be different people"
                faults[line] = Fault(code="doubled", file=None, line=line)
    return list(faults.values())


def _role(one: Held) -> Role | None:
    return one.statement.role if one.statement else None


def _people(statements: Iterable[Statement | None]) -> list[str]:
    found: list[str] = []
    for statement in statements:
        if statement and not any(same_person(statement.reviewer, other) for other in found):
            found.append(statement.reviewer)
    return found


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match.group(2)) if match else 0
