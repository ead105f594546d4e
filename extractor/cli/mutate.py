"""``extract-fixture mutate``: corrupt passing runs, and see which checks notice."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from extractor.bulk.units import counted
from extractor.checks.declaring import Check
from extractor.checks.loading import load_fixture
from extractor.checks.manufactured import Proof, files, proofs, rejecting, says
from extractor.checks.matrix import matrix
from extractor.checks.matrix_told import members, page, table
from extractor.checks.mutations import MUTATIONS, Corrupted, Variant, corrupted, named
from extractor.checks.passing import load_run, runs_below
from extractor.checks.project import project_checks
from extractor.checks.running import run_all_checks
from extractor.errors import CaseExists, InputUnreadable, UsageError
from extractor.model import layout
from extractor.replay.results.claims import claimed

from . import options, proving
from .console import Console

_HELP = """Corrupt passing runs by one change each, and see which checks notice.

With --with, a reject fixture is made of one passing run: DIR/CASE-NAME/ with case.yaml, record.json, expect.yaml and README.md,
marked as manufactured. It is refused where the check accepts the corruption, and where another check rejects it first.

With --matrix, every check of the project is asked about every mutation of every run. A check that no mutation rejects is named,
with why. Fixtures that must be rejected are left out.

\b
extract-fixture mutate --list
extract-fixture mutate evals/fixtures/CASE --with wrong_argument --by assert_refund --out evals/fixtures
extract-fixture mutate --matrix evals/fixtures fixtures/approved --html matrix.html

\b
Exit status:
0  written; with --matrix, every check rejects some mutation
1  the mutation shows no teeth, or does not apply; with --matrix, no mutation makes some check reject
2  usage, and a project without checks
6  a run cannot be read
"""


@click.command(help=_HELP)
@click.argument("cases", metavar="[CASE]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--with", "mutation", metavar="NAME", help="The mutation: --list names them.")
@click.option("--out", metavar="DIR", type=options.FOLDER, help="Where the folder of the fixture is made.")
@click.option(
    "--by",
    metavar="CHECK",
    help="The check that must reject it.  [default: the one that CASE's expect.yaml names, else the first that does]",
)
@click.option(
    "--anyway", is_flag=True, help="Write the fixture although --by does not reject it: red before the check."
)
@click.option("--list", "listing", is_flag=True, help="List the mutations.")
@click.option("--matrix", "as_matrix", is_flag=True, help="Ask every check about every mutation of every run.")
@click.option("--html", metavar="FILE", type=options.FILE, help="With --matrix: write it as one page, too.")
@options.as_json
@options.quiet
@click.pass_context
def command(  # noqa: PLR0913 # options that no configuration holds
    ctx: click.Context,
    *,
    cases: tuple[Path, ...],
    mutation: str | None,
    out: Path | None,
    by: str | None,
    anyway: bool,
    listing: bool,
    as_matrix: bool,
    html: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Do one of the three."""
    console = Console(json=as_json, quiet=quiet)
    if listing:
        _list(console)
        return
    if html is not None and not as_matrix:
        raise UsageError("--html goes with --matrix")
    if as_matrix:
        if mutation or out or by or anyway:
            raise UsageError("--matrix tries all mutations and writes no fixture")
        ctx.exit(_matrix(console, cases, html))
    if len(cases) != 1 or mutation is None or out is None:
        raise UsageError(
            "what is to be mutated? give one CASE, --with NAME and --out DIR; or --matrix CASES",
            hint="extract-fixture mutate --list names the mutations",
        )
    if anyway and by is None:
        raise UsageError("--anyway needs --by: which check will have to reject it?")
    ctx.exit(_make(console, cases[0], mutation, out, by, anyway=anyway))


def _list(console: Console) -> None:
    if console.json:
        console.data([{"name": each.name, "row": each.row or None, "corrupts": each.said} for each in MUTATIONS])
    console.rows([(f"{each.row or '':>2} {each.name}", each.said) for each in MUTATIONS])


def _matrix(console: Console, places: Sequence[Path], html: Path | None) -> int:
    checks = project_checks(Path.cwd())
    runs = [load_run(folder) for folder in runs_below(places)]
    good = [run for run in runs if run.expectation is None or run.expectation.verdict != "reject"]
    if not good:
        raise UsageError("every run here is one that must be rejected: a matrix needs passing ones")
    made = matrix([(run.record, run.case) for run in good], checks)
    proved = "some_idle" if made.toothless else "all_bite"
    told = claimed("check", proved)
    if html is not None:
        _written(html, page(made, told.not_proved))
    if console.json:
        console.data({**members(made), "left_out_runs": len(runs) - len(good), "not_proved": [*told.not_proved]})
        return 1 if made.toothless else 0
    console.say(table(made))
    left = f", {len(runs) - len(good)} that must be rejected left out" if len(good) < len(runs) else ""
    tried = f"{counted(len(made.mutations), 'mutation')} of {counted(made.records, 'run')}"
    console.say(f"{counted(len(checks), 'check')}, {tried}{left}")
    idle = len(made.toothless)
    verdict = f"{counted(idle, 'check')} {'rejects' if idle == 1 else 'reject'} no mutation"
    proving.end(console, [claimed("check", proved)], [verdict if idle else "every check rejects a mutation"])
    return 1 if made.toothless else 0


def _make(console: Console, case: Path, mutation: str, out: Path, by: str | None, *, anyway: bool) -> int:
    if {layout.QUARANTINE, layout.REJECTED} & set(case.resolve().parts):
        raise UsageError("this case is not approved: nothing of it is copied", hint="extract-fixture approve CASE")
    checks = project_checks(Path.cwd())
    run = load_run(case)
    made = corrupted(
        named(mutation), run.record, run.case, phrases=_all(checks, "phrases"), tools=_all(checks, "tools")
    )
    if by is not None and by not in {each.id for each in checks}:
        raise UsageError(
            "--by names no check of the project", hint=f"its checks: {', '.join(each.id for each in checks)}"
        )
    standing = run_all_checks(run.record, run.case, checks)
    if not standing.passed:
        console.note(f"the record is no passing one: {standing.failed_check} rejects it, or breaks on it, as it stands")
        return 1
    if made.why is not None:
        console.note(f"{mutation} does not apply: {made.why}")
        return 1
    wanted = by or (run.expectation.by if run.expectation else None) or rejecting(made, checks)
    if wanted is None:
        console.note(f"no check rejects {mutation}: --by CHECK --anyway writes the fixture, red until one does")
        return 1
    if wanted not in {each.id for each in checks}:
        raise UsageError("the check that expect.yaml names is none of the project's", hint="--by CHECK names another")
    best = proofs(made, checks, wanted)[0]
    if not best.shown and not anyway:
        console.note(_no_teeth(mutation, best))
        return 1
    folder = out / f"{run.name.replace('/', '-')}-{mutation}"
    state = _stored(folder, files(run, made, best), best.variant)
    _tell(console, folder, state, made, best)
    return 0


def _all(checks: Sequence[Check], what: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for each in checks for text in getattr(each.body, what, ())))


def _no_teeth(mutation: str, best: Proof) -> str:
    if best.said.verdict == "error":
        return f"{best.said.check} breaks on {mutation} ({best.said.reason}): that is no rejection"
    if best.said.verdict == "rejected":
        return (
            f"{best.failed_check} rejects {mutation} before {best.said.check}: it would be no evidence for the latter"
        )
    return (
        f"{best.said.check} accepts {mutation}: the mutation shows no teeth; "
        f"--by {best.said.check} --anyway writes the fixture, red until the check is repaired"
    )


def _tell(console: Console, folder: Path, state: str, made: Corrupted, best: Proof) -> None:
    if console.json:
        console.data(
            {
                "path": str(folder),
                "state": state,
                "mutation": made.mutation.name,
                "at": best.variant.path,
                "by": best.said.check,
                "reason": best.said.reason,
                "rejected": best.shown,
            }
        )
        return
    console.rows(
        (
            ("fixture", f"{folder}  ({state}; manufactured)"),
            ("mutation", f"{made.mutation.name} at {best.variant.path}: {made.mutation.said}"),
            (
                "by",
                f"{best.said.check}, for {best.said.reason}"
                if best.shown
                else f"{best.said.check} does not reject it yet",
            ),
        )
    )
    does = "rejects" if best.shown else "does not reject"
    claims = claimed("check", "rejects_it" if best.shown else "accepts_it")
    proving.end(console, [claims], [f"{best.said.check} {does} {made.mutation.name}"])


def _stored(folder: Path, content: dict[str, bytes], variant: Variant) -> str:
    """Write a folder whole or not at all; one that holds the same is left. Raises `CaseExists` for any other."""
    try:
        if folder.exists() or folder.is_symlink():
            same = {each.name: each.read_bytes() for each in folder.iterdir()} == content
            if not same:
                raise CaseExists("another fixture stands where this one would be written")
            return "unchanged"
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
        try:
            for name, each in content.items():
                (made / name).write_bytes(each)
            _read_back(made, variant)
            made.chmod(0o755)
            made.rename(folder)
        except OSError:
            shutil.rmtree(made, ignore_errors=True)
            raise
        except InputUnreadable as fault:  # JSON may say what case.yaml may not: an empty name, fifty levels
            shutil.rmtree(made, ignore_errors=True)
            raise UsageError(f"this case has no spelling as a fixture: {fault.message}") from None
    except OSError:
        raise UsageError("the folder of --out cannot be used") from None
    return "written"


def _read_back(folder: Path, variant: Variant) -> None:
    if not says(load_fixture(folder), variant):
        raise InputUnreadable("what is read back is something else")


def _written(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError:
        raise UsageError("the file of --html cannot be written") from None
