"""What neighbouring cases are asked to hold, and the neighbour as it is derived: before anything is proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..minimise.moved import Kept
from ..model.case import Document
from ..model.json import JsonValue

Kind: TypeAlias = Literal["success", "rejection", "timeout", "uncertain"]
KINDS: tuple[Kind, ...] = ("success", "rejection", "timeout", "uncertain")
"""How a dependency may answer: with a result, with an explicit rejection, not in time and without effect, or nobody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What people type for controls: a tool's result, words that must be said, the right action by a control's name."""

    result: JsonValue = field(default=None, repr=False)
    given: bool = False
    states: tuple[str, ...] = ()
    actions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One control to make: its name and rule; of one in time the ``instant``, ISO 8601 with its offset."""

    name: str
    rule: str
    kind: Kind | Literal["time"]
    instant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A neighbour's document; which items of the case's lists it kept, and the places whose evidence it made up."""

    document: Document
    kept: Kept
    synthetic: frozenset[str]
