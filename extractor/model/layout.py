"""The names of things in a case folder, and the form of a case id: what write lays down and validate holds it to."""

from __future__ import annotations

import re
from typing import Final

FIXTURE: Final = "fixture.json"
PROVENANCE: Final = "provenance.json"
CAPTURE: Final = "capture.json"
README: Final = "README.md"
HISTORY: Final = "history.jsonl"
EXPECT: Final = "expect.yaml"
APPROVALS: Final = "approvals"
CONTROLS: Final = "controls"

PROVED: Final = (FIXTURE, README, PROVENANCE)
"""The files whose bytes depend on spans, key, rules and models alone."""

PEOPLES: Final = (EXPECT, APPROVALS, CONTROLS)
"""What people add to a case; extraction never writes it, and never loses it."""

FILES: Final = frozenset({*PROVED, CAPTURE, HISTORY, EXPECT})
FOLDERS: Final = frozenset({APPROVALS, CONTROLS})

QUARANTINE: Final = "quarantine"
APPROVED: Final = "approved"
REJECTED: Final = "rejected"
RETIRED: Final = "retired"
PLACES: Final = (QUARANTINE, APPROVED, REJECTED, RETIRED)
"""The folders that hold cases; where a case stands is the first thing that its state is derived from."""

RESTRICTED: Final = "restricted"
"""What may relink an approved case: its capture.json, and copies of its source. Closed to others and to git."""

REGISTER: Final = "register.jsonl"
LOCAL_REGISTER: Final = ".register.jsonl"
"""The register's two halves: what everybody commits, and, in quarantine, what concerns cases that nobody may commit."""

POLICY: Final = "policy.toml"

_CASE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,99}", re.ASCII)


def is_case_id(text: object) -> bool:
    """Say whether a value may name a case: up to 100 of ``a-z``, ``0-9`` and ``-``, not beginning with a dash."""
    return isinstance(text, str) and _CASE_ID.fullmatch(text) is not None


AGAIN: Final = "~"
"""A second case of one id in a place stands in a folder called ``ID~2``: what was rejected or retired earlier stays."""


def case_of(name: str) -> str | None:
    """Return the id of the case in a folder of this name, None where the name is no case's."""
    case, again, number = name.partition(AGAIN)
    return case if is_case_id(case) and (not again or number.isdecimal()) else None
