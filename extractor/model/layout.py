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

_CASE_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,99}", re.ASCII)


def is_case_id(text: object) -> bool:
    """Say whether a value may name a case: up to 100 of ``a-z``, ``0-9`` and ``-``, not beginning with a dash."""
    return isinstance(text, str) and _CASE_ID.fullmatch(text) is not None
