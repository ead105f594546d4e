"""What the command line and the project's table ask for, as one frozen configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from extractor.model.config import Lane, Limit, Override, RunConfig, Statement, Wanted
from extractor.model.json import JsonValue
from extractor.scope import Scope
from extractor.settings import Settings


class Told(TypedDict):
    """What people say of an incident: `options.statement`, as click hands it over."""

    incident: str | None
    failure: str | None
    prohibit: tuple[str, ...]
    evidence_needed: str | None
    require: tuple[str, ...]
    disclose: tuple[str, ...]
    disclose_exactly: tuple[str, ...]
    claim: tuple[str, ...]
    unless: tuple[str, ...]
    action: str | None
    policy_decision: str | None
    boundary: str | None
    boundary_params: dict[str, JsonValue]
    violation: tuple[str, ...]
    authorization: str | None
    effects: dict[str, tuple[int, int | None]]
    alternate: tuple[JsonValue, ...]
    adapter: tuple[str, str] | None
    lane: Lane | None


class AskedOfRecording(Told):
    """The options that become the configuration where a source is one recording, all of which is kept."""

    workflow_version: str | None
    prompt_version: str | None
    time_zone: str | None
    locale: str | None
    frozen_at: str | None
    fact: dict[str, JsonValue]
    treat: dict[str, str]
    structural: bool
    ordering: str | None
    fidelity: str | None
    model: str | None


class Asked(AskedOfRecording):
    """All options that become the configuration; None and empty mean that the project's default holds."""

    trace_id: tuple[str, ...]
    session: tuple[str, ...]
    at: str | None
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    at_most: Limit | None


def statement(told: Told) -> Statement:
    """Return the statement about the incident."""
    return Statement(
        incident=told["incident"],
        failure=told["failure"],
        prohibit=told["prohibit"],
        evidence_needed=told["evidence_needed"],
        behaviours=told["require"],
        disclosures=told["disclose"],
        exact_disclosures=told["disclose_exactly"],
        claims=told["claim"],
        unless=told["unless"],
        action=told["action"],
        policy_decision=told["policy_decision"],
        boundary=told["boundary"],
        boundary_params=told["boundary_params"],
        violations=told["violation"],
        authorization=told["authorization"],
        effects=told["effects"],
        alternates=told["alternate"],
        adapter=told["adapter"],
        lane=told["lane"],
    )


def config(asked: Asked, settings: Settings, scope: Scope) -> RunConfig:
    """Return the configuration of the run: given options before the project's defaults."""
    base = settings.config
    return replace(
        base,
        wanted=Wanted(trace_ids=asked["trace_id"], sessions=asked["session"]),
        at=asked["at"],
        override=Override(keep=asked["keep"] or base.override.keep, drop=asked["drop"] or base.override.drop),
        at_most=asked["at_most"],
        statement=statement(asked),
        workflow_version=asked["workflow_version"] or base.workflow_version,
        prompt_version=asked["prompt_version"] or base.prompt_version,
        time_zone=asked["time_zone"] or base.time_zone,
        locale=asked["locale"] or base.locale,
        frozen_at=asked["frozen_at"],
        facts=asked["fact"],
        treat=asked["treat"],
        structural=asked["structural"],
        ordering=asked["ordering"],
        fidelity=asked["fidelity"],
        scope=scope.name,
        scope_of=scope.of,
        nlp=base.nlp.using(asked["model"]),
    )
