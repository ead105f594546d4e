"""``extract-fixture check``: fixtures test the checks, each by name and for the property that it says."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import click

from extractor.checks import Suite
from extractor.checks.protocol import Course, courses
from extractor.checks.reports import junit, markdown, members, nearness
from extractor.checks.suite import Report
from extractor.errors import InputUnreadable, UsageError
from extractor.model.json import JsonValue
from extractor.replay.claims import claimed

from . import options
from .console import Console

_ALL = 100
"""Up to so many fixtures are told one by one; of more, those that do not hold."""


@click.command()
@click.argument("fixtures", metavar="FIXTURES…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--junit", "junit_file", metavar="FILE", type=options.FILE, help="Write JUnit's XML, one test a fixture.")
@click.option("--summary", metavar="FILE", type=options.FILE, help="Write a short Markdown summary for a pull request.")
@click.option("--durations", is_flag=True, help="Say the median time of each check.")
@click.option("--protocol", is_flag=True, help="Ask git's history whether every rejected run was committed red first.")
@click.option("--since", metavar="REV", help="With --protocol: judge only commits that REV does not reach.")
@options.as_json
@options.quiet
@click.pass_context
def command(
    ctx: click.Context,
    *,
    fixtures: tuple[Path, ...],
    junit_file: Path | None,
    summary: Path | None,
    durations: bool,
    protocol: bool,
    since: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Hold the project's checks to recorded runs: which check must reject which run, for which property.

    FIXTURES are folders with an expect.yaml, or folders of such: cases of ours, or case.yaml with record.json. The checks are
    those of [tool.extract-fixture.checks] in the nearest pyproject.toml. No model is asked, nothing is run again.

    A run that is accepted shows a check without teeth; one rejected by another check, or for another property, is no evidence
    for the one that is named. Where the accepted twin is known, that property alone must turn the verdict.

    --protocol checks out, one by one, the commits that touched fixtures or checks, into a worktree that is removed again.

    Exit status: 1 when a fixture does not hold, 2 for no fixture or no check, 6 when a fixture cannot be read.
    """
    if not fixtures:
        raise UsageError("which fixtures? name a folder", hint="extract-fixture check evals/fixtures")
    if not __debug__:
        raise UsageError("Python runs without assertions (-O): no check could reject anything")
    if since is not None and not protocol:
        raise UsageError("--since is for --protocol")
    console = Console(json=as_json, quiet=quiet)
    if protocol:
        if junit_file or summary or durations:
            raise UsageError("--protocol has no JUnit, summary or durations: run check for them")
        ctx.exit(_protocol(console, fixtures, since))
    with redirect_stdout(sys.stderr):  # what checks print is no part of the report
        report = Suite.at(*fixtures).judged()
    ending = _ending(report)
    _write("--junit", junit_file, junit(report))
    _write("--summary", summary, markdown(report, ending))
    if as_json:
        told = claimed("check", "held" if report.held else "broken")
        console.data(members(report) | {"proved": told.proved, "not_proved": [*told.not_proved]})
    else:
        _tell(console, report, ending, durations=durations)
    ctx.exit(InputUnreadable.exit_status if report.unreadable else 0 if report.held else 1)


def _ending(report: Report) -> list[str]:
    told = claimed("check", "held" if report.held else "broken")
    return [f"proved: {told.proved}", *(f"not proved: {text}" for text in told.not_proved)]


def _tell(console: Console, report: Report, ending: Sequence[str], *, durations: bool) -> None:
    many = len(report.judgements) > _ALL
    shown = [each for each in report.judgements if not (many and each.held)]
    how = {"turned": "the verdict turns on it", "read": "read; no twin shows that the verdict turns on it", None: ""}
    rows = []
    for each in shown:
        if not each.held:
            rows.append((each.name, f"FAILS  {'; '.join(each.faults)}"))
        elif each.expected == "reject":
            rows.append((each.name, f"holds  rejected by {each.by} for {each.reason} ({how[each.proof]})"))
        else:
            rows.append((each.name, f"holds  accepted, {each.by} among the checks"))
    console.rows(rows)
    for pair in report.pairs:
        if not pair.near or not many:
            console.say(f"{'pair' if pair.near else 'WIDE pair'} {pair.reject} / {pair.accept}: {nearness(pair)}")
    for name in report.without_twin:
        console.say(f"without a twin: {name}")
    if report.without_expectation:
        console.say(f"without expect.yaml: {report.without_expectation} cases, which test no check")
    if durations:
        slowest = sorted(report.seconds.items(), key=lambda item: -item[1])
        console.rows([(check, f"{seconds * 1e6:.1f} µs median") for check, seconds in slowest])
    held = sum(each.held for each in report.judgements)
    console.say(f"{held} of {len(report.judgements)} fixtures hold")
    for line in ending:
        console.say(line)


def _protocol(console: Console, places: Sequence[Path], since: str | None) -> int:
    # Only this needs git and processes.
    from .history import history_of

    commits, known = history_of(places, since)
    found = courses(commits, known)
    if console.json:
        console.data({"commits": len(commits), "fixtures": [_course(each) for each in found]})
    for each in found:
        way = f"red in {(each.red or 'no commit')[:12]}, green in {(each.green or 'none')[:12]}"
        told = "; ".join(each.faults)
        console.say(f"{each.name}  {f'BROKEN  {told} ({way})' if told else f'kept  {way}'}")
    kept = sum(not each.faults for each in found)
    console.say(f"{kept} of {len(found)} rejected runs were committed red first, over {len(commits)} commits")
    return 0 if kept == len(found) else 1


def _course(course: Course) -> dict[str, JsonValue]:
    return {"name": course.name, "red": course.red, "green": course.green, "faults": [*course.faults]}


def _write(option: str, file: Path | None, text: str) -> None:
    if file is None:
        return
    try:
        file.write_text(text, "utf-8")
    except OSError:
        raise UsageError(f"the file of {option} cannot be written") from None
