"""``extract-fixture audit``: which assertions have ever rejected anything, and which loops are silent on nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import click

from extractor.bulk.units import counted
from extractor.checks.audit import Audited, table
from extractor.checks.loops import VacuousLoop, vacuous
from extractor.checks.passing import load_run, runs_below
from extractor.checks.rows import prune
from extractor.checks.silent import SilentLoop, silent
from extractor.errors import UsageError
from extractor.model.json import JsonValue
from extractor.replay.results.claims import claimed

from . import options, proving
from .console import Console

DEFAULT_STORE = Path("artifacts/audit.sqlite")
_HELP = """Say of each assertion how often it judged and rejected; first those that never have.

STORE is what `check` and `pytest --audit-asserts` fill (default: artifacts/audit.sqlite). An assertion that never rejected
guards what has not regressed, or cannot fail: the table does not tell which, a fixture or a mutation does.

\b
extract-fixture audit
extract-fixture audit artifacts/audit.sqlite --keep-days 180 --json

With --loops, the source of checking modules is read instead: asserts inside loops that say nothing of an empty list. With --over,
the checks also run over records, and the loops that let a record pass by never running are named. Ends with 1 where any is found.

\b
extract-fixture audit --loops shop.checks --over evals/fixtures
"""


@click.command(help=_HELP)
@click.argument("store", metavar="[STORE]", type=options.FILE, default=DEFAULT_STORE)
@click.option("--days", metavar="N", type=click.IntRange(1, 36500), help="Look at runs of the last N days alone.")
@click.option(
    "--keep-days", metavar="N", type=click.IntRange(1, 36500), help="First forget runs that are more than N days old."
)
@click.option("--loops", "modules", metavar="MODULE", multiple=True, help="A module of checks whose loops are read.")
@click.option(
    "--over", "places", metavar="CASES", multiple=True, type=options.FOLDER, help="Records to watch them over."
)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    store: Path,
    days: int | None,
    keep_days: int | None,
    modules: tuple[str, ...],
    places: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Read loops, or roll the table where that is asked for and print it."""
    console = Console(json=as_json)
    if places and not modules:
        raise UsageError("--over says over which records --loops MODULE is watched")
    if modules:
        ctx.exit(_tell_loops(modules, places, console))
    now = datetime.now(UTC)
    if keep_days is not None:
        prune(store, before=now - timedelta(days=keep_days))
    _tell(table(store, since=None if days is None else now - timedelta(days=days)), console)


def _tell_loops(modules: Sequence[str], places: Sequence[Path], console: Console) -> int:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    read = [each for name in modules for each in vacuous(*_source(name))]
    runs = [load_run(folder) for folder in runs_below(places)] if places else []
    seen = silent(modules, [(run.name, run.record, run.case) for run in runs]) if runs else ()
    told: list[VacuousLoop | SilentLoop] = [*read, *seen]
    if console.json:
        for found in told:
            console.data({"file": found.file, "line": found.line, "collection": found.collection, "text": found.text()})
        return 1 if told else 0
    for found in told:
        console.say(found.text())
    watched = f", watched over {counted(len(runs), 'record')}" if runs else ""
    asserts, loops = len(read), len(seen)
    console.say(
        f"{counted(asserts, 'assert')} that an empty list silences, "
        f"{counted(loops, 'loop')} that {'lets' if loops == 1 else 'let'} a record pass{watched}"
    )
    return 1 if told else 0


def _source(module: str) -> tuple[bytes, str]:
    """Return the source of a module and its file's name, without running it. Raises `UsageError` where there is none."""
    try:
        found = find_spec(module)
    except (ImportError, ValueError):
        found = None
    if found is None or not found.origin or not found.has_location:
        raise UsageError(f"there is no module {module} of checks", hint="--loops shop.checks, as it is imported")
    return Path(found.origin).read_bytes(), Path(found.origin).name


def _tell(rows: Sequence[Audited], console: Console) -> None:
    if console.json:
        for each in rows:
            console.data(_members(each))
        return
    heads = ("assertion_id", "runs", "rejections", "last_rejection_at", "place")
    lines = [
        heads,
        *((each.assertion_id, str(each.runs), str(each.rejections), _last(each), each.place or "") for each in rows),
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        cells = (
            text.rjust(width) if column in (1, 2) else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        console.say("  ".join(cells).rstrip())
    never = sum(not each.rejections for each in rows)
    judged = f"{counted(len(rows), 'assertion')}: {len(rows) - never:,} rejected a run, {never:,} never did"
    proving.end(console, [claimed("check", "audited")], [judged])


def _last(row: Audited) -> str:
    return "never" if row.last_rejection_at is None else row.last_rejection_at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _members(row: Audited) -> dict[str, JsonValue]:
    return {
        "assertion_id": row.assertion_id,
        "runs": row.runs,
        "rejections": row.rejections,
        "last_rejection_at": None if row.last_rejection_at is None else row.last_rejection_at.isoformat(),
        "last_reason": row.last_reason,
        "place": row.place,
    }
