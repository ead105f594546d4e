"""The life of a case after extraction: who approved what, where it stands, when it ends."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from ._decisions import decide, take
from ._folder import read_folder
from ._ground import Ground
from ._policy import Policy, policy
from ._roles import ROLES, Role
from ._state import State, state_of
from ._statement import Confirmations

__all__ = ["ROLES", "Confirmations", "Policy", "Role", "State", "decide", "policy", "state", "take"]


def state(case: Path, *, now: datetime | None = None) -> State:
    """Return where a case is in its life, derived from its folder as it is now.

    Raises `InputUnreadable` where no case is, `UsageError` for a policy that is not understood.
    """
    folder = read_folder(case)
    return state_of(folder, Ground.of(folder.root, now))
