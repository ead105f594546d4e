"""A decision as an in-toto Statement v1: by whom, in which role, over which bytes, under which conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from ..errors import UsageError
from ..model.json import JsonValue, MalformedJson, parse, pretty
from ..model.layout import is_case_id
from ._roles import BINDS, Role, person, role_named

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:extract-fixture:decision:1"

Decision: TypeAlias = Literal["approved", "rejected"]
Grading: TypeAlias = Literal["confirmed", "overruled"]
Acceptance: TypeAlias = Literal["before", "after", "unknown"]

_NONE: Mapping[str, str] = MappingProxyType({})


class Malformed(ValueError):
    """The payload is no statement that was written here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmations:
    """What a reviewer says beside yes.

    ``rotated``: every credential that the sidecar lists has been rotated. ``flags``: accepted categories of sensitive text.
    ``residual``: field paths of ambiguous tokens that are words. ``grade``: whether the grade that found the incident is
    right. ``acceptance``: for each failed attempt, by its number, whether the dependency had accepted the call before the
    failure, after it, or nobody knows. ``cites``: the evidence in the trace, by field path, for a case without a red run.
    """

    rotated: bool = False
    flags: tuple[str, ...] = ()
    residual: tuple[str, ...] = ()
    grade: Grading | None = None
    acceptance: Mapping[str, str] = field(default_factory=lambda: _NONE)
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What was in force when somebody decided; when it changes, the case is looked at again."""

    rules: str
    policy: str
    schema: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One decision. ``digests`` are SHA-256 in hex by file name; ``absent`` are files that were bound as not there.

    Instants are RFC 3339 in UTC to the second; ``expires_at`` is None for a decision that lasts.
    """

    case_id: str
    decision: Decision
    role: Role
    reviewer: str
    at: str
    expires_at: str | None
    digests: Mapping[str, str]
    absent: tuple[str, ...]
    terms: Terms
    author: str | None = None
    reason: str | None = None
    confirmations: Confirmations = field(default_factory=Confirmations)


def bound(role: Role, digests: Mapping[str, str]) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return which of a case's digests a role binds, and which of the role's files are not there."""
    names = BINDS[role]
    return {name: digests[name] for name in names if name in digests}, tuple(n for n in names if n not in digests)


def render(statement: Statement) -> bytes:
    """Return the payload of the envelope."""
    said = statement.confirmations
    document: dict[str, JsonValue] = {
        "_type": STATEMENT,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in statement.digests.items()],
        "predicateType": PREDICATE,
        "predicate": {
            "case_id": statement.case_id,
            "absent": [*statement.absent],
            "decision": statement.decision,
            "role": statement.role,
            "reviewer": statement.reviewer,
            "author": statement.author,
            "reason": statement.reason,
            "at": statement.at,
            "expires_at": statement.expires_at,
            "confirmed": {
                "rotated": said.rotated,
                "flags": [*said.flags],
                "residual": [*said.residual],
                "grade": said.grade,
                "acceptance": dict(said.acceptance),
                "cites": [*said.cites],
            },
            "terms": {
                "rules": statement.terms.rules,
                "policy": statement.terms.policy,
                "schema": statement.terms.schema,
            },
        },
    }
    return pretty(document).encode("utf-8")


def read(payload: bytes) -> Statement:
    """Return the statement of a payload. Only what `render` writes is accepted. Raises `Malformed`."""
    try:
        statement = _read(parse(payload))
        if render(statement) != payload:
            raise Malformed
    except (MalformedJson, UsageError, KeyError, TypeError):
        raise Malformed from None
    return statement


def instant(text: str) -> datetime:
    """Return the moment of an RFC 3339 instant with an offset. Raises `Malformed`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Malformed from None
    if moment.tzinfo is None:
        raise Malformed
    return moment


def spelled(moment: datetime) -> str:
    """Return an instant as statements and records spell it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read(document: JsonValue) -> Statement:
    top = _object(document)
    inner, said = _object(top["predicate"]), _object(_object(top["predicate"])["confirmed"])
    case_id, reviewer, author = _text(inner["case_id"]), _text(inner["reviewer"]), _optional(inner["author"])
    decision: Decision = "rejected" if inner["decision"] == "rejected" else "approved"
    grade: Grading | None = "overruled" if said["grade"] == "overruled" else "confirmed" if said["grade"] else None
    at, expires_at = _text(inner["at"]), _optional(inner["expires_at"])
    terms = _object(inner["terms"])
    for moment in (at, *([expires_at] if expires_at else [])):
        if spelled(instant(moment)) != moment:
            raise Malformed
    if not is_case_id(case_id) or any(name != person(name) for name in (reviewer, *([author] if author else []))):
        raise Malformed
    return Statement(
        case_id=case_id,
        decision=decision,
        role=role_named(_text(inner["role"])),
        reviewer=reviewer,
        at=at,
        expires_at=expires_at,
        digests={
            _text(_object(e)["name"]): _text(_object(_object(e)["digest"])["sha256"]) for e in _list(top["subject"])
        },
        absent=_texts(inner["absent"]),
        terms=Terms(rules=_text(terms["rules"]), policy=_text(terms["policy"]), schema=_text(terms["schema"])),
        author=author,
        reason=_optional(inner["reason"]),
        confirmations=Confirmations(
            rotated=said["rotated"] is True,
            flags=_texts(said["flags"]),
            residual=_texts(said["residual"]),
            grade=grade,
            acceptance={name: _text(value) for name, value in _object(said["acceptance"]).items()},
            cites=_texts(said["cites"]),
        ),
    )


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise Malformed
    return value


def _list(value: JsonValue) -> Sequence[JsonValue]:
    if not isinstance(value, list):
        raise Malformed
    return value


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise Malformed
    return value


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(_text(each) for each in _list(value))


def _optional(value: JsonValue) -> str | None:
    return None if value is None else _text(value)
