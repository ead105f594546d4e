"""``extract-fixture replay``: run an implementation against cases, with nothing live, and say what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from extractor.errors import InputUnreadable, UsageError, ValidationFailed
from extractor.model.json import JsonValue
from extractor.model.layout import FIXTURE
from extractor.model.misnamed import instead
from extractor.replay import suite
from extractor.replay.case import ReplayCase, case_folders, load_case
from extractor.replay.project import project_at, resolve, revision
from extractor.replay.results.claims import claimed
from extractor.replay.results.exits import EXITS, in_lane
from extractor.replay.results.facts import Facts
from extractor.replay.results.gate import lacking
from extractor.replay.results.manifest import Effect, Manifest
from extractor.replay.results.manifests import write_manifest
from extractor.replay.running import refuse_signature
from extractor.replay.suite import Control, Implementation, controls, facts, shared_state

from . import options, proving
from .console import Console

_NOT_VALID = 6
_UNSAFE = re.compile(r"[^A-Za-z0-9._@-]+")
_HELP = """Replay cases with one implementation, without network, clock or live tool, and write a manifest each.

ENTRYPOINT is module:function. It is called once a turn with what the user said, or, when its first parameter is called
`incident`, with the session: `incident.text`, `.call_tool`, `.model`, `.clock`, `.identity`, `.new_key`. Its answer is the final
output that the boundary is judged on. With `--expect red` the affected version is wanted to violate the boundary.
With `--lenient` a call of a tool that differs from the recorded one is served the next recorded answer and told: the run goes on, and
decides nothing. A case in the lane gate is replayed with its controls, and needs one of each kind that holds.

\b
extract-fixture replay fixtures/approved/CASE --entrypoint shop.agent:run --version 2.4.1
extract-fixture replay CASE --entrypoint shop.old:run --version 2.4.0 --expect red

\b
Exit status:
0   the boundary holds; with --expect red, it was violated
1   judged: it does not hold (regression), evidence left out, to be reviewed
4   incomplete, non_replayable, not_expressible
6   a case is not valid (validation)
10  --expect red, and the boundary held (not reproduced)
11  no check can decide, or the run was lenient
12  adapter_error
13  harness_defect
14  live_call
15  with --by-lane: anything but 0 in the lane provider
"""


@click.command(help=_HELP)
@click.argument("cases", metavar="CASE…", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--entrypoint", metavar="MODULE:FUNCTION", help="The implementation; else replay.entrypoint of the project."
)
@click.option(
    "--version", metavar="VERSION", help="Its name in the manifest; else the project's, else the git revision."
)
@click.option("--expect", type=click.Choice(["red", "green"]), default="green", help="What is wanted of it.")
@click.option(
    "--out", metavar="DIR", type=options.FOLDER, default=Path("artifacts/replays"), help="Where manifests go."
)
@click.option("--controls", "neighbours", is_flag=True, help="Replay the controls beside each case as well.")
@click.option(
    "--runs", metavar="N", type=click.IntRange(1, 1000), default=1, help="How often an agent that varies is run."
)
@click.option("--needed", metavar="K", type=click.IntRange(1, 1000), help="How many of them must hold (default: all).")
@click.option(
    "--interleavings",
    metavar="N",
    type=click.IntRange(1, 100_000),
    help="Run a concurrent case in every order of its calls, at most N of them.",
)
@click.option(
    "--isolation", is_flag=True, help="Run every case twice and in reverse order: cases that share state are told."
)
@click.option(
    "--lenient", is_flag=True, help="Serve calls that differ, to see how far the run comes; it decides nothing."
)
@options.by_lane
@click.option("--shadow", is_flag=True, help="Say the four facts of each case; judge nothing.")
@click.option("--affected", metavar="MODULE:FUNCTION", help="With --shadow: the affected implementation.")
@options.as_json
@options.quiet
@click.pass_context
def command(  # noqa: PLR0913 # options that no configuration holds
    ctx: click.Context,
    *,
    cases: tuple[Path, ...],
    entrypoint: str | None,
    version: str | None,
    expect: str,
    out: Path,
    neighbours: bool,
    runs: int,
    needed: int | None,
    interleavings: int | None,
    isolation: bool,
    lenient: bool,
    by_lane: bool,
    shadow: bool,
    affected: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Load everything before anything runs; then run, write and tell case by case."""
    console = Console(json=as_json, quiet=quiet)
    project = project_at(Path.cwd())
    place = entrypoint or project.entrypoint
    if place is None:
        raise UsageError(
            "which implementation? --entrypoint module:function, or replay.entrypoint of the project",
            hint="extract-fixture replay CASE --entrypoint shop.agent:run, from the folder that `import shop` works in",
        )
    if needed is not None and needed > runs:
        raise UsageError("--needed asks for more runs than --runs makes")
    if interleavings is not None and runs > 1:
        raise UsageError("--interleavings runs the agent in every order of its calls; --runs does not go with it")
    if lenient and (expect == "red" or shadow or interleavings is not None):
        raise UsageError("--lenient decides nothing: --expect red, --shadow and --interleavings do not go with it")
    if affected is not None and not shadow:
        raise UsageError("--affected goes with --shadow; a red run of its own is --expect red")
    loaded = list(_loaded(cases))
    code = Implementation(
        agent=_entry_point(place),
        version=version or project.version or revision(Path.cwd()) or "unversioned",
        expect="red" if expect == "red" else "green",
        project=project,
        runs=runs,
        needed=needed,
        interleavings=interleavings,
        lenient=lenient,
    )
    if shadow:
        old = (
            None
            if affected is None
            else replace(code, agent=_entry_point(affected), version="affected", runs=1, needed=None)
        )
        _tell_facts(console, [facts(case, code, old) for case in loaded])
        return
    told = [_run(console, case, code, out, neighbours=neighbours, by_lane=by_lane) for case in loaded]
    statuses = [status for _, status in told]
    if isolation and (shared := shared_state(loaded, code)):
        statuses.append(EXITS["harness_defect"])
        for case_id in shared:
            console.say(
                f"harness_defect: {case_id} ends otherwise when it runs again or in another order: cases share state"
            )
    if not as_json:
        _end(console, told)
    ctx.exit(max(statuses, key=_weight))


def _entry_point(place: str) -> Callable[..., object]:
    """Return the implementation; one that could not be called is told before anything runs."""
    agent = resolve(place, Path.cwd())
    refuse_signature(agent, place)
    return agent


def _loaded(places: Sequence[Path]) -> Iterator[ReplayCase]:
    """Load every case; nothing starts where one does not load, nor for an empty suite (S86)."""
    folders = [folder for place in places for folder in (case_folders(place) if place.is_dir() else [place])]
    if not folders:
        raise UsageError("there is no case to replay", hint="name a case folder, or a folder that holds some")
    for position, folder in enumerate(folders, start=1):
        try:
            yield load_case(folder)
        except InputUnreadable as error:
            raise InputUnreadable(
                error.message, hint=None if (folder / FIXTURE).is_file() else instead(folder)
            ) from None
        except ValidationFailed as error:
            raise InputUnreadable(f"case {position} is not valid and nothing was run:\n{error.message}") from None


def _run(
    console: Console, case: ReplayCase, code: Implementation, out: Path, *, neighbours: bool, by_lane: bool
) -> tuple[Manifest, int]:
    file = out / f"{case.case_id}--{_UNSAFE.sub('-', code.version)[:60]}.json"
    manifest = suite.replay(case, code, begun=lambda started: write_manifest(file, started))
    gate = case.lane == "gate" and code.expect == "green"
    beside: Mapping[str, Control] = {}
    if neighbours or gate:
        beside = controls(case, code)
        manifest = replace(manifest, controls={name: each.state for name, each in beside.items()})
    write_manifest(file, manifest)
    lacks = [*lacking(case.case_id, manifest.controls, tools=bool(case.tool_events))] if gate else []
    status = _status(manifest) or (EXITS["needs_review"] if lacks else 0)
    status = in_lane(manifest.label, status, manifest.lane) if by_lane else status
    if console.json:
        lines: list[JsonValue] = [*lacks]
        console.data({**manifest.members(), "path": str(file), "exit_status": status, "gate_lacks": lines})
    else:
        _tell(console, manifest, file, lacks, beside)
    return manifest, status


def _status(manifest: Manifest) -> int:
    """Return what one run ends with: what makes it unsound first, then its boundary."""
    unsound = manifest.label in (
        "not_comparable",
        "adapter_error",
        "harness_defect",
        "live_call",
        "incomplete",
        "non_replayable",
        "not_expressible",
    )
    if manifest.label and unsound:
        return EXITS[manifest.label]
    if manifest.boundary_passed is None and manifest.label is None:
        return EXITS["not_comparable"]
    if manifest.expect == "red":
        violated = manifest.boundary_passed is False and manifest.label is None
        return EXITS["not_reproduced"] if manifest.boundary_passed else 0 if violated else 1
    states = {*manifest.controls.values()}
    held = not states or ("held" in states and "broken" not in states)  # none that was run is no pass beside controls
    sound = manifest.boundary_passed and manifest.label is None and held
    return 0 if sound else 1


def _weight(status: int) -> int:
    """Order statuses as they are told: what makes a run unsound before what was judged."""
    return (0, 15, 11, 1, 10, 4, 14, 13, 12).index(status)


def _tell(
    console: Console, manifest: Manifest, file: Path, lacks: Sequence[str], beside: Mapping[str, Control]
) -> None:
    verdict = {True: "holds", False: "violated", None: "not judged"}[manifest.judged]
    reason = f" ({manifest.boundary.check}: {manifest.boundary.reason})" if manifest.boundary else ""
    if manifest.label == "non_replayable":
        reason = " (non_replayable: the case lacks evidence without which it cannot be judged)"
    console.rows(
        (
            ("case", manifest.case_id),
            ("fixture", manifest.fixture_hash[:12]),
            ("version", manifest.implementation_version),
            ("lane", manifest.lane or "not known"),
            *((("mode", "lenient: this run decides nothing"),) if manifest.mode == "lenient" else ()),
            ("boundary", verdict + reason),
            *((("label", manifest.label),) if manifest.label else ()),
            *(
                (f"effects of {tool}", _effect(each))
                for tool, each in manifest.effects.items()
                if each.accepted or each.unknown
            ),
            (
                "answered by",
                f"{manifest.answered_by.recorded} recorded, {manifest.answered_by.alternate} alternate, {manifest.answered_by.effects} effects",
            ),
            ("guard", "on, and it bites" if manifest.guard and manifest.guard.self_test else "not proved"),
            ("manifest", str(file)),
        )
    )
    if manifest.interleavings:
        told = manifest.interleavings
        console.say(f"orders of the concurrent calls: {told.tried} tried, {told.failed} failed")
    for left in manifest.unconsumed:
        console.say(f"unconsumed {left.kind}:{left.name} at {left.position} ({left.role or 'answer'})")
    for each in manifest.diverged:
        console.say(f"diverged {each.kind}:{each.name} at {each.position}: {each.what} differs from the recording")
    for fault in manifest.faults:
        console.say(f"{fault.label}: {fault.message}")
    first = manifest.first_divergence
    if first and first.nearest:
        console.say(f"nearest recording: {first.nearest}{f', first difference at {first.path}' if first.path else ''}")
    if first and first.cure:
        console.say(f"what to do: {first.cure}")
    for name, control in beside.items():
        console.say(f"control {name}: {control.state.replace('_', ' ')}{f' ({control.why})' if control.why else ''}")
    for line in lacks:
        console.say(f"needs_review: {line}")


def _end(console: Console, told: Sequence[tuple[Manifest, int]]) -> None:
    """Say what the runs prove and do not, and last, a line each, what came of them."""
    endings = dict.fromkeys(_ending(manifest) for manifest, _ in told)
    proving.end(
        console,
        [claimed("replay", ending) for ending in endings],
        [_verdict(manifest, status) for manifest, status in told],
    )


def _ending(manifest: Manifest) -> str:
    if manifest.label or manifest.boundary_passed is None:
        return "not_judged"
    return "held" if manifest.boundary_passed else "broken"


def _verdict(manifest: Manifest, status: int) -> str:
    boundary = {True: "boundary holds", False: "boundary violated", None: "not judged"}[manifest.boundary_passed]
    wanted = _red(manifest) if manifest.expect == "red" and manifest.label is None else ""
    return (
        f"{manifest.label or boundary}{wanted}: {manifest.case_id} on {manifest.implementation_version}"
        f"{f' (exit status {status})' if status else ''}"
    )


def _red(manifest: Manifest) -> str:
    """Say what a verdict is where red is wanted."""
    if manifest.boundary_passed is None:
        return ""
    if manifest.boundary_passed:
        return ", but --expect red wants it violated: this version does not show the incident"
    return ", as --expect red wants"


def _effect(told: Effect) -> str:
    calls = f"{told.calls} call{'' if told.calls == 1 else 's'}"
    open_ = f", {told.unknown} of unknown outcome" if told.unknown else ""
    return f"{told.accepted} accepted in {calls}{open_}"


def _tell_facts(console: Console, told: Sequence[Facts]) -> None:
    for each in told:
        if console.json:
            members: dict[str, JsonValue] = asdict(each)
            console.data(members)
        else:
            console.rows(
                (
                    ("case", each.case_id),
                    ("fixture validates", each.validates),
                    ("affected implementation reproduces", each.affected_reproduces),
                    ("current implementation passes", each.current_passes),
                    ("controls pass", each.controls_pass),
                )
            )
