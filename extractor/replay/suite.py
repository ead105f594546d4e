"""Cases replayed one after another with one implementation: controls, repeated runs, isolation, the four facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extractor.errors import ValidationFailed

from .case import ReplayCase, load_case
from .project import Project, allowed
from .racing.concurrency import section_of
from .results.facts import Facts, controls_pass, passes, reproduces
from .results.manifest import Held, Manifest, Policy, RunOutcome
from .results.telling import finished, started
from .running import refuse_generator
from .session import Expect, Session

if TYPE_CHECKING:  # it imports asyncio
    from .racing.schedule import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Implementation:
    """What is replayed: the entry point, the version that manifests name, whether red or green is wanted of it.

    ``runs`` and ``needed`` are the declared rule for an agent that varies: how often it runs, and how often it must hold.
    ``interleavings`` is how many orders of a concurrent case's calls are tried at most, None for no schedule at all. A ``lenient`` run
    is served the next recorded call of a tool when its own differs, and decides nothing.
    """

    agent: Callable[..., Any]
    version: str
    expect: Expect = "green"
    project: Project = field(default_factory=Project)
    runs: int = 1
    needed: int | None = None
    interleavings: int | None = None
    lenient: bool = False


def replay(case: ReplayCase, code: Implementation, *, begun: Callable[[Manifest], None] | None = None) -> Manifest:
    """Replay a case and return its manifest; ``begun`` is given one before the agent runs.

    With several runs every outcome is kept, the boundary holds when it held as often as was declared beforehand, and the
    label is the first run's that has one: nothing is run until it is green.
    """
    manifests = []
    for _ in range(code.runs):
        if begun is not None:
            begun(started(_session(case, code)))
        manifests.append(_run(case, code))
    if code.runs == 1:
        return manifests[0]
    needed = code.needed or code.runs
    verdicts = [each.boundary_passed for each in manifests]
    passed = None if None in verdicts else verdicts.count(True) >= needed
    return replace(
        next((each for each in manifests if each.label), manifests[0]),
        boundary_passed=passed,
        runs=tuple(
            RunOutcome(outcome=each.outcome, boundary_passed=each.boundary_passed, label=each.label)
            for each in manifests
        ),
        policy=Policy(name="all" if needed == code.runs else "at_least", runs=code.runs, needed=needed),
    )


def _run(case: ReplayCase, code: Implementation) -> Manifest:
    refuse_generator(code.agent)
    if code.interleavings is None or not section_of(case.tool_events):
        return finished(_session(case, code).run(code.agent))
    from .racing.interleaved import interleave  # it imports asyncio, which takes longer than all of replay

    return interleave(
        lambda schedule: _session(case, code, schedule),
        lambda session: session.run(code.agent),
        limit=code.interleavings,
        expect=code.expect,
    ).manifest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What came of one neighbouring case; ``why`` says of one that did not hold what is in the way, and where."""

    state: Held
    why: str | None = None


def controls(case: ReplayCase, code: Implementation) -> dict[str, Control]:
    """Replay the neighbouring cases: ``held`` with a boundary that holds and no label of its own, else ``broken``; ``not_run`` where nothing
    can decide.
    """
    green = replace(code, expect="green", lenient=False)
    return {name: _control(case, folder, green) for name, folder in case.control_folders()}


def _control(case: ReplayCase, folder: Path, code: Implementation) -> Control:
    try:
        control = load_case(folder)
    except ValidationFailed:
        return Control(state="not_run", why="it is no valid case yet: nobody has said what must hold there")
    if control.control_of != case.case_id:
        return Control(state="not_run", why="it is no neighbour of this case")
    told = replay(control, code)
    boundary = f"{told.boundary.check}: {told.boundary.reason}" if told.boundary else None
    if told.boundary_passed is None and told.label is None:
        return Control(state="not_run", why=boundary or "no check can decide")
    if _held(told) == "held":
        return Control(state="held")
    fault = f"{told.faults[0].label}: {told.faults[0].message}" if told.faults else told.label
    return Control(state="broken", why=fault or boundary)


def shared_state(cases: Sequence[ReplayCase], code: Implementation) -> list[str]:
    """Return the ids of cases whose result changes with what ran before: each twice, and all in reverse order."""
    forwards = {case.fixture_hash: _comparable(replay(case, code)) for case in cases}
    again = {case.fixture_hash: _comparable(replay(case, code)) for case in cases}
    backwards = {case.fixture_hash: _comparable(replay(case, code)) for case in reversed(cases)}
    return [
        case.case_id
        for case in cases
        if not forwards[case.fixture_hash] == again[case.fixture_hash] == backwards[case.fixture_hash]
    ]


def _comparable(manifest: Manifest) -> Manifest:
    """Leave out what a guard covers: it names modules, and those that the first run imports stay for the others."""
    guard = manifest.guard
    return manifest if guard is None else replace(manifest, guard=replace(guard, covers=(), not_covered=()))


def facts(case: ReplayCase, current: Implementation, affected: Implementation | None) -> Facts:
    """Return the four facts of a case that was loaded, and so validates."""
    red = replay(case, replace(affected, expect="red")) if affected else None
    green = replay(case, replace(current, expect="green"))
    return Facts(
        case_id=case.case_id,
        validates="yes",
        affected_reproduces=reproduces([red] if red else []),
        current_passes=passes([green]),
        controls_pass=controls_pass({name: each.state for name, each in controls(case, current).items()}),
    )


def _held(manifest: Manifest) -> Held:
    return "held" if manifest.boundary_passed and manifest.label is None else "broken"


def _session(case: ReplayCase, code: Implementation, schedule: Schedule | None = None) -> Session:
    return Session(
        case,
        version=code.version,
        expect=code.expect,
        checks=code.project.checks,
        adapters=code.project.adapters,
        allow=allowed(code.project),
        clock=code.project.clock,
        schedule=schedule,
        templates=code.project.templates,
        lenient=code.lenient,
    )
