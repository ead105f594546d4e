"""``extract-fixture check``: fixtures test the checks, each by name and for the property that it says."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path

import click

from extractor.bulk.units import counted
from extractor.checks import Suite
from extractor.checks.drift import Finding, drift, subjects_below
from extractor.checks.drift import Report as Drift
from extractor.checks.drift import members as drift_members
from extractor.checks.loading import CheckFixture, name_of
from extractor.checks.project import known_drift
from extractor.checks.protocol import Course, courses
from extractor.checks.reports import junit, markdown, members, nearness
from extractor.checks.rows import Row, recording
from extractor.checks.running import Outcome
from extractor.checks.suite import Report
from extractor.checks.tools import tools_from
from extractor.checks.verdicts import Judgement
from extractor.errors import InputUnreadable, UsageError
from extractor.model.json import JsonValue
from extractor.replay.results.claims import claimed

from . import options, proving
from .console import Console

_ALL = 100
"""Up to so many fixtures are told one by one; of more, those that do not hold."""


@click.command(
    epilog=options.examples(
        "extract-fixture check evals/fixtures fixtures/approved",
        "extract-fixture check evals/fixtures --protocol --since origin/main",
    )
)
@click.argument("fixtures", metavar="FIXTURES…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--junit", "junit_file", metavar="FILE", type=options.FILE, help="Write JUnit's XML, one test a fixture.")
@click.option("--summary", metavar="FILE", type=options.FILE, help="Write a short Markdown summary for a pull request.")
@click.option("--durations", is_flag=True, help="Say the median time of each check.")
@click.option(
    "--audit",
    "store",
    metavar="STORE",
    type=options.FILE,
    help="Add a row an assertion and case to the store that `audit` reads.",
)
@click.option(
    "--tools",
    "definitions",
    metavar="TOOLS",
    multiple=True,
    help="Also hold the cases to the tools as they are now: a file, MODULE, or [NAME=]MODULE:FUNCTION; may repeat.",
)
@click.option("--protocol", is_flag=True, help="Ask git's history whether every rejected run was committed red first.")
@click.option("--since", metavar="REV", help="With --protocol: judge only commits that REV does not reach.")
@options.as_json
@options.quiet
@click.pass_context
def command(  # noqa: PLR0913 # options that no configuration holds
    ctx: click.Context,
    *,
    fixtures: tuple[Path, ...],
    junit_file: Path | None,
    summary: Path | None,
    durations: bool,
    store: Path | None,
    definitions: tuple[str, ...],
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

    --tools reads JSON Schema, OpenAPI, MCP and providers' tool lists, and Python signatures. An expectation or a recorded call
    that names a tool or parameter which is gone, or lacks a required one, fails until the case is updated or retired.

    --protocol checks out, one by one, the commits that touched fixtures or checks, into a worktree that is removed again.

    Exit status: 1 when a fixture does not hold or a tool has drifted away, 2 for no fixture or no check, 6 when a fixture cannot be read.
    """
    if not fixtures:
        raise UsageError("which fixtures? name a folder", hint="extract-fixture check evals/fixtures")
    if not __debug__:
        raise UsageError("Python runs without assertions (-O): no check could reject anything")
    if since is not None and not protocol:
        raise UsageError("--since is for --protocol")
    console = Console(json=as_json, quiet=quiet)
    if protocol:
        if junit_file or summary or durations or store or definitions:
            raise UsageError("--protocol has no JUnit, summary, durations, audit or tools: run check for them")
        ctx.exit(_protocol(console, fixtures, since))
    with redirect_stdout(sys.stderr), _only_ours():  # what checks print is no part of the report
        report = _judged(Suite.at(*fixtures), store)
        drifted = _drifted(fixtures, definitions)
    held = report.held and not (drifted and drifted.findings)
    proved = ("held" if report.turned else "read") if held else "drifted" if report.held else "broken"
    ending = _ending(proved)
    findings = drifted.findings if drifted else ()
    _write("--junit", junit_file, junit(report, findings))
    _write("--summary", summary, markdown(report, ending, findings))
    if as_json:
        told = claimed("check", proved)
        found: dict[str, JsonValue] = {} if drifted is None else {"drift": drift_members(drifted)}
        console.data(members(report) | found | {"proved": told.proved, "not_proved": [*told.not_proved]})
    else:
        _tell(console, report, durations=durations)
        _tell_drift(console, drifted)
        proving.end(console, [claimed("check", proved)], [_verdict(report, findings)])
        if quiet:
            _tell_faults(console, report, findings)
    ctx.exit(InputUnreadable.exit_status if report.unreadable else 0 if held else 1)


@contextmanager
def _only_ours() -> Iterator[None]:
    """Lead what is written to the descriptor of standard output itself, by a library say, to standard error."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of the two is closed
        yield
        return
    try:
        yield
    finally:
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _drifted(places: Sequence[Path], definitions: Sequence[str]) -> Drift | None:
    if not definitions:
        return None
    tools = {name: tool for each in definitions for name, tool in tools_from(each, Path.cwd()).items()}
    return drift(subjects_below(places), tools, known=known_drift())


def _tell_drift(console: Console, drifted: Drift | None) -> None:
    if drifted is None:
        return
    for each in drifted.findings:
        console.say(each.text())
    known = f", {drifted.known} known and left out" if drifted.known else ""
    retired = f", {drifted.retired} retired and skipped" if drifted.retired else ""
    console.say(
        f"tools: {counted(len(drifted.findings), 'finding')} in {counted(drifted.checked, 'case')}{known}{retired}"
    )


def _tell_faults(console: Console, report: Report, findings: Sequence[Finding]) -> None:
    """Say what does not hold in quiet mode, too: a hook that only fails helps nobody."""
    for each in report.judgements:
        if not each.held:
            console.note(f"{each.name}  {_failing(each)}")
    for finding in findings:
        console.note(finding.text())


def _failing(judgement: Judgement) -> str:
    # Of a run that must be accepted no property is said: the one that it was rejected for is where to look.
    outcomes = judgement.result.outcomes if judgement.result and judgement.expected == "accept" else ()
    first = next((each for each in outcomes if each.verdict in ("rejected", "error")), None)
    place = (first.path or first.reason) if first and first.verdict == "rejected" else None
    return f"FAILS  {'; '.join(judgement.faults)}{f' (for {place})' if place else ''}"


def _judged(suite: Suite, store: Path | None) -> Report:
    if store is None:
        return suite.judged()
    at = datetime.now(UTC)
    called = Counter(name_of(folder) for folder in suite.folders)

    def row(fixture: CheckFixture, outcome: Outcome) -> Row:
        # Two folders of one name are two runs.
        record = fixture.name if called[fixture.name] == 1 else fixture.folder.as_posix()
        return Row.of(outcome, case_id=fixture.case.name, record=record, at=at)

    with recording(store) as take:
        return suite.judged(lambda fixture, outcome: take(row(fixture, outcome)))


def _ending(proved: str) -> list[str]:
    told = claimed("check", proved)
    return [f"proved: {told.proved}", *(f"not proved: {text}" for text in told.not_proved)]


def _tell(console: Console, report: Report, *, durations: bool) -> None:
    many = len(report.judgements) > _ALL
    shown = [each for each in report.judgements if not (many and each.held)]
    how = {"turned": "the verdict turns on it", "read": "read; no twin shows that the verdict turns on it", None: ""}
    rows = []
    for each in shown:
        if not each.held:
            rows.append((each.name, _failing(each)))
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
        console.say(f"without expect.yaml: {counted(report.without_expectation, 'case')}, testing no check")
    if durations:
        slowest = sorted(report.seconds.items(), key=lambda item: -item[1])
        console.rows([(check, f"{seconds * 1e6:,.1f} µs median") for check, seconds in slowest])


def _verdict(report: Report, findings: Sequence[Finding]) -> str:
    held, of = sum(each.held for each in report.judgements), len(report.judgements)
    retired = f"; {report.retired:,} retired and skipped" if report.retired else ""
    drifted = f"; {counted(len(findings), 'name')} drifted away" if findings else ""
    return f"{held:,} of {counted(of, 'fixture')} {'holds' if held == 1 else 'hold'}{retired}{drifted}"


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
    console.say(
        f"{kept:,} of {counted(len(found), 'rejected run')} committed red first, over {counted(len(commits), 'commit')}"
    )
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
