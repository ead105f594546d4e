"""``extract-fixture controls``: neighbouring cases beside one, so that a fix which overshoots is caught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as replace_of
from datetime import UTC, datetime
from pathlib import Path

import click

from extractor import neighbours, ruleset, settings
from extractor.errors import UsageError
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.layout import CONTROLS
from extractor.write import store_controls

from . import options, summary
from .console import Console
from .keyring import workspace_key
from .view import CaseView


def _result(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[JsonValue, ...]:
    """Return a given result as the only item, none where none is given: null is a result too."""
    text = options.typed(ctx, param, value)
    try:
        return (parse(text),) if isinstance(text, str) else ()
    except MalformedJson as fault:
        raise UsageError(f"--result is no JSON: {fault.code}") from None


def _actions(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    del ctx, param
    found: dict[str, str] = {}
    for position, pair in enumerate(value, start=1):
        name, equals, action = pair.partition("=")
        if not (name and equals and action) or name in found:
            raise UsageError(f"--expect number {position} must be NAME=ACTION, once a control")
        found[name] = action
    return found


@click.command(
    epilog=options.examples("extract-fixture controls fixtures/quarantine/CASE --kind success --kind rejection")
)
@click.argument("case", metavar="CASE", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(neighbours.KINDS),
    multiple=True,
    help="How the call ends; may repeat.  [default: all that fit]",
)
@click.option("--tool", metavar="TOOL", callback=options.typed, help="Another tool's call than the boundary's.")
@click.option(
    "--result",
    metavar="JSON|@FILE",
    callback=_result,
    help="What the tool answers in the success control, where the case records no result of it.",
)
@click.option(
    "--states",
    metavar="TEXT|@FILE",
    multiple=True,
    callback=options.typed,
    help="Words that the answer must hold in the success control.  [default: the case's own claims]",
)
@click.option("--time", "in_time", is_flag=True, help="Controls on either side of each limit of the case's time facts.")
@click.option(
    "--expect",
    "actions",
    metavar="NAME=ACTION",
    multiple=True,
    callback=_actions,
    help="The tool that is the right action in a control of --time.",
)
@click.option("--replace", is_flag=True, help="Make controls anew in which people have said something since.")
@options.key_file
@options.model
@options.as_json
@options.quiet
def command(  # noqa: PLR0913 # options that no configuration holds
    *,
    case: Path,
    kinds: tuple[neighbours.Kind, ...],
    tool: str | None,
    result: tuple[JsonValue, ...],
    states: tuple[str, ...],
    in_time: bool,
    actions: dict[str, str],
    replace: bool,
    key_file: Path | None,
    model: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make neighbouring cases beside a quarantined one, so that a fix which overshoots is caught.

    Each is the case with one thing changed: how the boundary's call ended, or the instant of the decision. They stand in
    CASE/controls/NAME, synthetic and said to be so, proved like the case. What is right at another instant only people
    know: such a control is incomplete until --expect or `annotate CASE/controls/NAME` says it.
    """
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    config = replace_of(project.config, nlp=project.config.nlp.using(model))
    told = neighbours.Told(result=result[0] if result else None, given=bool(result), states=states, actions=actions)
    wanted = neighbours.Wanted(kinds=kinds, tool=tool, time=in_time)
    made = neighbours.controls(case, wanted, told, config, ruleset.load(project.rules), key)
    stored = store_controls(
        case,
        {each.name: each.fixture for each in made},
        replace=replace,
        act="controlled",
        at=datetime.now(UTC).replace(microsecond=0).isoformat(),
    )
    if as_json:
        console.data([_for_machines(case, each, stored[each.name]) for each in made])
    console.rows(_for_people(case, made, stored))


def _for_machines(case: Path, control: neighbours.Control, state: str) -> JsonValue:
    return {
        "name": control.name,
        "case_id": control.fixture.case_id,
        "path": str(case / CONTROLS / control.name),
        "state": state,
        "rule": control.rule,
        "complete": not control.fixture.incomplete,
        "fixture_sha256": CaseView.of(control.fixture.files).sha256,
    }


def _for_people(case: Path, made: Sequence[neighbours.Control], stored: Mapping[str, str]) -> summary.Rows:
    rows = [
        (each.name, f"{stored[each.name]}{'; incomplete' if each.fixture.incomplete else ''}: {each.rule}")
        for each in made
    ]
    if kept := [name for name, state in stored.items() if state == "kept"]:
        rows.append(("kept", f"{len(kept)} in which people have said something since; --replace makes them anew"))
    open_ = [each.name for each in made if each.fixture.incomplete and stored[each.name] != "kept"]
    if open_:
        rows.append(("next", f"extract-fixture annotate {case / CONTROLS / open_[0]} --failure … --prohibit …"))
    else:
        rows.append(("next", f"extract-fixture validate {case}"))
    return rows
