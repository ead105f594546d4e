"""The life of a case after extraction: who approved what, where it stands, when it ends."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ..model.json import JsonValue
from ._approved import ApprovedCase, approved_content, require_approved, validate_approved
from ._decisions import decide, take
from ._folder import read_folder
from ._ground import Ground
from ._keeping import Purged, enrol, purge, put_on_record, red_run, retire
from ._known import KnownTrace, enrol_all, known_traces, supersede
from ._listing import Register, Row, locate, register
from ._pack import pack
from ._packets import over_packet, subject
from ._policy import Policy, policy
from ._register import Facts
from ._roles import ROLES, Role, person
from ._state import State, state_of
from ._statement import Confirmations, Decision

__all__ = [
    "ROLES",
    "ApprovedCase",
    "Confirmations",
    "Decision",
    "Facts",
    "KnownTrace",
    "Policy",
    "Purged",
    "Register",
    "Role",
    "Row",
    "State",
    "approved_content",
    "decide",
    "enrol",
    "enrol_all",
    "facts_of",
    "known_traces",
    "locate",
    "over_packet",
    "pack",
    "packet_subject",
    "person",
    "policy",
    "purge",
    "put_on_record",
    "red_run",
    "register",
    "require_approved",
    "retire",
    "state",
    "supersede",
    "take",
    "validate_approved",
]


def state(case: Path, *, now: datetime | None = None) -> State:
    """Return where a case is in its life, derived from its folder as it is now.

    Raises `InputUnreadable` where no case is, `UsageError` for a policy that is not understood.
    """
    folder = read_folder(case)
    return state_of(folder, Ground.of(folder.root, now))


def facts_of(case: Path) -> Facts:
    """Return what people have put on record about a case. Raises `InputUnreadable` where no case is."""
    folder = read_folder(case)
    return Ground.of(folder.root).facts(folder)


def packet_subject(case: Path) -> dict[str, JsonValue]:
    """Return what a packet's JSON holds under ``subject``, so that `over_packet` can make a statement over it."""
    folder = read_folder(case)
    return subject(folder, Ground.of(folder.root))
