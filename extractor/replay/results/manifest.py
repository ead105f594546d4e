"""The manifest: what one replay says of itself, as a value; `manifests` reads and writes it.

It is written twice: ``started`` before the agent runs, so that a process which dies leaves evidence of a run that never ended,
and ``finished`` in its place. The members are those of ``schemas/manifest.schema.json``, in its order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Literal, TypeAlias, cast

from extractor.model.json import JsonValue

__all__ = [
    "AnsweredBy",
    "Authorization",
    "Boundary",
    "ClockRead",
    "Diverged",
    "Effect",
    "FaultLine",
    "FirstDivergence",
    "GuardState",
    "Held",
    "Interleavings",
    "Lane",
    "Manifest",
    "Missed",
    "ModelUse",
    "Policy",
    "RunOutcome",
    "UnconsumedCall",
]

Lane: TypeAlias = Literal["shadow", "gate", "provider"]
Held: TypeAlias = Literal["held", "broken", "not_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """Which check judged, and what it says."""

    check: str | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a tool was made to do: its calls, the side effects accepted, those of unknown end, and the distinct keys."""

    calls: int
    accepted: int = 0
    unknown: int = 0
    keys: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorization:
    """The decision that was taken, and whether it stood before the first side effect; None where there was none."""

    decision: str | None
    before_effects: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredBy:
    """How many calls were answered by recorded events, by approved alternates, by the effects simulator."""

    recorded: int = 0
    alternate: int = 0
    effects: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnconsumedCall:
    """A recording that did not come. ``role`` evidence must come, violation need not; None for an exchange with a model."""

    kind: str
    name: str | None
    position: int
    role: Literal["evidence", "violation"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A call that no recording answered."""

    called: str | None
    code: str
    nearest: str | None
    path: str | None
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diverged:
    """A recording that was served although the request differed in ``what``."""

    kind: str
    name: str | None
    position: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDivergence:
    """Where the run first left the recording; ``turn`` counts from 1."""

    turn: int | None
    called: str | None
    nearest: str | None
    path: str | None
    message: str
    cure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultLine:
    """A fault that was recorded, swallowed or not."""

    label: str | None
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardState:
    """Whether the guard was on and proved that it bites, what it covers, and what it blocked."""

    on: bool
    self_test: bool
    covers: tuple[str, ...] = ()
    not_covered: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRead:
    """A real clock that was read: the call, the place in the agent's code, how often."""

    call: str
    place: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """The model asked for and the recorded one; ``compatibility`` when the recorded one could not be used as it was."""

    requested: str | None
    recorded: str | None
    compatibility: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """One of several runs of the same case: its raw outcome, its verdict, and its own label."""

    outcome: JsonValue
    boundary_passed: bool | None
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The rule that was declared before the runs: how many there are, and how many of them must hold."""

    name: Literal["all", "at_least"]
    runs: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleavings:
    """How many orders of concurrent calls were tried, and how many of them failed."""

    tried: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The result of one replay. ``boundary_passed`` is None where nothing judged.

    ``label`` is what this run alone already says. ``manifest_version`` is None for the minimal form of four members; lane and
    mode are then unknown. A new manifest is ``started`` until it says otherwise: what forgets to end never looks ended.
    """

    manifest_version: Literal["1"] | None = "1"
    case_id: str
    fixture_hash: str
    implementation_version: str
    boundary_passed: bool | None = None
    state: Literal["started", "finished"] = "started"
    lane: Lane | None = "shadow"
    mode: Literal["recorded", "lenient", "live"] | None = "recorded"
    expect: Literal["red", "green"] | None = None
    label: str | None = None
    boundary: Boundary | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict)
    authorization: Authorization | None = None
    served: tuple[str, ...] = ()
    answered_by: AnsweredBy = AnsweredBy()
    unconsumed: tuple[UnconsumedCall, ...] = ()
    missed: tuple[Missed, ...] = ()
    diverged: tuple[Diverged, ...] = ()
    first_divergence: FirstDivergence | None = None
    faults: tuple[FaultLine, ...] = ()
    guard: GuardState | None = None
    clock_reads: tuple[ClockRead, ...] = ()
    outcome: JsonValue = None
    turns: int = 0
    model: ModelUse | None = None
    controls: Mapping[str, Held] = field(default_factory=dict)
    runs: tuple[RunOutcome, ...] = ()
    policy: Policy | None = None
    interleavings: Interleavings | None = None

    @property
    def minimal(self) -> bool:
        """Whether it holds the four members alone, so that nothing else of the run is known."""
        return self.manifest_version is None

    @property
    def judged(self) -> bool | None:
        """What may be told of the boundary: nothing where the case lacks evidence without which it cannot be judged."""
        return None if self.label == "non_replayable" else self.boundary_passed

    def members(self) -> dict[str, JsonValue]:
        """Return the document: every member in the schema's order; of the minimal form its four."""
        if self.minimal:
            return {
                "case_id": self.case_id,
                "fixture_hash": self.fixture_hash,
                "implementation_version": self.implementation_version,
                "boundary_passed": self.boundary_passed,
            }
        # By name: the same run gives the same bytes, whatever came first.
        by_name = {"effects": dict(sorted(self.effects.items())), "controls": dict(sorted(self.controls.items()))}
        return {each.name: _json(by_name.get(each.name, getattr(self, each.name))) for each in fields(self)}


def _json(value: object) -> JsonValue:
    if is_dataclass(value):
        return {each.name: _json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _json(child) for name, child in value.items()}
    return cast("JsonValue", value)
