"""Options that several commands share, and the forms of value that the command line takes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import click

from extractor.errors import UsageError
from extractor.model.config import LANES, Limit
from extractor.model.json import JsonValue, MalformedJson, parse

from . import completing

_Command = TypeVar("_Command", bound=Callable[..., object])
Decorator = Callable[[_Command], _Command]

FOLDER = click.Path(path_type=Path, file_okay=False)
FOLDER.name = "dir"  # what help calls it
FILE = click.Path(path_type=Path, dir_okay=False)
_TEXT_BYTES = 64 * 1024
_BOUNDS = re.compile(r"([^=]+)=(\d{1,6})(\.\.(\d{1,6})?)?", re.ASCII)
_DURATION = re.compile(r"(\d{1,9})([smhd]?)", re.ASCII)
_LIMIT = re.compile(r"(\d{1,9})(%?)", re.ASCII)
_SCOPE = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)


def examples(*lines: str) -> str:
    """Return the end of a command's help: lines that can be copied."""
    return "\n".join(("\b", f"Example{'s' if len(lines) > 1 else ''}:", *(f"  {line}" for line in lines)))


def join(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return one decorator that adds options in the order given."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def typed(ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None) -> object:
    """Return what people typed; ``@FILE`` stands for a file's text, which keeps it out of the process list."""
    del ctx
    if isinstance(value, tuple):
        return tuple(_from_file(item, param) for item in value)
    return None if value is None else _from_file(value, param)


def _from_file(value: str, param: click.Parameter) -> str:
    name = param.opts[0]
    if value.startswith("@"):
        try:
            with Path(value[1:]).open("rb") as stream:
                content = stream.read(_TEXT_BYTES + 1)
            value = content.decode("utf-8")
        except (OSError, ValueError):
            raise UsageError(f"the file of {name} cannot be read as UTF-8 text") from None
        if len(content) > _TEXT_BYTES:
            raise UsageError(f"the file of {name} holds more than {_TEXT_BYTES // 1024} KiB")
    value = value.strip()
    if not value:
        raise UsageError(f"{name} is empty")
    return value


def facts(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, JsonValue]:
    """Return ``NAME=JSON`` pairs; a name may stand once."""
    del ctx
    found: dict[str, JsonValue] = {}
    for position, pair in enumerate(value, start=1):
        name, equals, text = pair.partition("=")
        try:
            if not (name and equals) or name in found:
                raise UsageError(f"{param.opts[0]} number {position} must be NAME=JSON, with a name of its own")
            found[name] = parse(text)
        except MalformedJson as fault:
            hint = "a text needs its JSON quotes: --fact 'plan=\"gold\"'"
            raise UsageError(f"{param.opts[0]} number {position} is no JSON: {fault.code}", hint=hint) from None
    return found


def json_object(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, JsonValue]:
    """Return a JSON object that people typed, or that a file holds; empty where nothing is given."""
    del ctx
    found = {} if value is None else _json(value, param)
    if not isinstance(found, dict):
        raise UsageError(f"{param.opts[0]} must be a JSON object")
    return found


def json_lists(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[JsonValue, ...]:
    """Return the items of the JSON lists that people typed or that files hold, in their order."""
    del ctx
    found: list[JsonValue] = []
    for each in value:
        listed = _json(each, param)
        if not isinstance(listed, list) or not listed:
            raise UsageError(f"{param.opts[0]} must be a JSON list with at least one object")
        found += listed
    return tuple(found)


def _json(value: str, param: click.Parameter) -> JsonValue:
    try:
        return parse(_from_file(value, param))
    except MalformedJson as fault:
        raise UsageError(f"{param.opts[0]} is no JSON: {fault.code}") from None


def versioned(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, str] | None:
    """Return ``NAME@VERSION`` as its two parts."""
    text = typed(ctx, param, value)
    if not isinstance(text, str):
        return None
    name, _, version = text.rpartition("@")
    if not name or not version:
        raise UsageError(f"{param.opts[0]} must be NAME@VERSION, as in refunds@3")
    return name, version


def treatments(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Return ``PATH=word|name`` pairs by path."""
    del ctx
    found: dict[str, str] = {}
    for position, pair in enumerate(value, start=1):
        path, _, treatment = pair.rpartition("=")
        if not path or treatment not in {"word", "name"}:
            raise UsageError(f"{param.opts[0]} number {position} must be PATH=word or PATH=name")
        found[path] = treatment
    return found


def instant(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return an ISO 8601 instant with its offset, as it was given."""
    del ctx
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{param.opts[0]} must be an ISO 8601 instant, as in 2026-03-29T00:59:30+01:00") from None
    if moment.tzinfo is None:
        raise UsageError(f"{param.opts[0]} must carry an offset from UTC, as in 2026-03-29T00:59:30+01:00")
    return value


def duration(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """Return a length of time in seconds: 90s, 15m, 2h, 1d, or 0."""
    del ctx
    return None if value is None else seconds(value, param.opts[0])


def seconds(text: str, name: str) -> float:
    """Return a length of time in seconds. Raises `UsageError`, which names the option or the setting."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or (not found[2] and int(found[1])):
        raise UsageError(f"{name} must be a length of time, as in 90s, 15m, 2h or 1d")
    return float(int(found[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86400, "": 1}[found[2]])


def limit(ctx: click.Context, param: click.Parameter, value: str | None) -> Limit | None:
    """Return a number of spans, or a percentage of the trace's spans (1 to 100)."""
    del ctx
    if value is None:
        return None
    found = _LIMIT.fullmatch(value)
    if found is None or not int(found[1]) or (found[2] and int(found[1]) > 100):
        raise UsageError(f"{param.opts[0]} must be a number of spans or a percentage of them, as in 20 or 60%")
    return Limit(number=int(found[1]), percent=bool(found[2]))


def zone(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the name of a time zone of the IANA database."""
    del ctx
    if value is None:
        return None
    # Only a run that names a zone pays for the database.
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"{param.opts[0]} must name a time zone, as in Europe/Berlin") from None
    return value


def scope_name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return ``case``, ``workspace`` or a name. A name has no colon: the scopes of single cases are spelled with one."""
    del ctx
    if value is not None and not _SCOPE.fullmatch(value):
        raise UsageError(
            f"{param.opts[0]} must be case, workspace or a name of letters, digits, dots, dashes and underscores"
        )
    return value


def bounds(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, tuple[int, int | None]]:
    """Return ``TOOL=N``, ``TOOL=MIN..MAX`` or ``TOOL=MIN..`` by tool; None is no upper bound."""
    del ctx
    found: dict[str, tuple[int, int | None]] = {}
    for position, pair in enumerate(value, start=1):
        match = _BOUNDS.fullmatch(pair)
        least, most = (match.group(2), match.group(4)) if match else ("", None)
        if match is None or match.group(1) in found or (most and int(most) < int(least)):
            raise UsageError(
                f"{param.opts[0]} number {position} must be TOOL=N or TOOL=MIN..MAX, once a tool",
                hint="one refund, however many attempts: --effects refund.create=1",
            )
        found[match.group(1)] = (int(least), int(least) if match.group(3) is None else int(most) if most else None)
    return found


scope = click.option(
    "--scope",
    metavar="case|workspace|NAME",
    callback=scope_name,
    help="Where equal values get equal pseudonyms: in this case alone (default), everywhere, or in all of that name.",
)
scope_of = click.option(
    "--scope-of",
    metavar="CASE",
    type=click.Path(path_type=Path),
    help="Take over the scope of a case: for its fixed twin, its recapture.",
)
sources = click.argument("sources", metavar="SOURCE…", nargs=-1, required=True, shell_complete=completing.files)
quiet = click.option("--quiet", "-q", is_flag=True, help="Say nothing but errors.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")
by_lane = click.option(
    "--by-lane",
    is_flag=True,
    help="End as the case's lane wants it: shadow never blocks, what fails in provider ends with 15.",
)
key_file = click.option(
    "--key-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    envvar="EXTRACT_FIXTURE_KEY_FILE",
    show_envvar=True,
    help="The workspace key, made by `key new`.",
)
overlays = click.option(
    "--rules",
    "overlays",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder of rules beside ours; may repeat.",
)
at = click.option("--at", metavar="SPAN", help="The span where the failure shows, or would show.")
evidence = click.option(
    "--evidence",
    type=FILE,
    multiple=True,
    help="Request records or connection logs that the trace lacks, as JSON lines.",
)
container = click.option("--format", "container", metavar="NAME", help="How spans are wrapped, whatever the bytes say.")
model = click.option("--model", metavar="NAME", help="The spaCy model for free text.")

_expecting = join(
    click.option("--incident", metavar="ID", callback=typed, help="The incident's id."),
    click.option("--failure", metavar="TEXT|@FILE", callback=typed, help="What triggered the failure."),
    click.option(
        "--prohibit", metavar="TEXT|@FILE", multiple=True, callback=typed, help="An outcome that must not be."
    ),
    click.option("--evidence-needed", metavar="TEXT|@FILE", callback=typed, help="What one must see to decide."),
    click.option("--require", metavar="TEXT|@FILE", multiple=True, callback=typed, help="A behaviour that must be."),
    click.option("--disclose", metavar="TEXT|@FILE", multiple=True, callback=typed, help="What must be said."),
    click.option(
        "--disclose-exactly",
        metavar="TEXT|@FILE",
        multiple=True,
        callback=typed,
        help="Words that must be said exactly so; replays judge them.",
    ),
)
_judging = join(
    click.option(
        "--claim",
        metavar="TEXT|@FILE",
        multiple=True,
        callback=typed,
        help="Words that the final output must not hold; replays judge them.",
    ),
    click.option(
        "--unless", metavar="TEXT|@FILE", multiple=True, callback=typed, help="Words that take a --claim back."
    ),
    click.option("--action", metavar="TOOL", callback=typed, help="The tool that must be called."),
    click.option("--policy-decision", metavar="TEXT|@FILE", callback=typed, help="What the policy must decide."),
    click.option("--boundary", metavar="CHECK", callback=typed, help="The check that decides, in place of --claim."),
    click.option(
        "--boundary-params", metavar="JSON|@FILE", callback=json_object, help="What the check is given: an object."
    ),
    click.option(
        "--violation", metavar="TOOL", multiple=True, callback=typed, help="A recorded call that was the harm."
    ),
    click.option(
        "--effects",
        metavar="TOOL=N",
        multiple=True,
        callback=bounds,
        help="How many accepted side effects a tool must have; or MIN..MAX.",
    ),
    click.option(
        "--authorization",
        metavar="DECISION",
        callback=typed,
        help="The decision that must stand before any side effect, as in allow.",
    ),
)
_replaying = join(
    click.option(
        "--alternate",
        metavar="@FILE|JSON",
        multiple=True,
        callback=json_lists,
        help="Synthetic answers to calls that only a fix makes: a list of {tool, arguments, outcome}.",
    ),
    click.option(
        "--adapter",
        metavar="NAME@VERSION",
        callback=versioned,
        help="What reads the application's schema of that time.",
    ),
    click.option(
        "--lane", type=click.Choice(LANES), help="Whether a red replay blocks: shadow (default), gate, provider."
    ),
)
statement = join(_expecting, _judging, _replaying)
"""What people say of an incident, at extraction or later."""

versions = join(
    click.option("--workflow-version", metavar="VERSION", callback=typed, help="The workflow that failed."),
    click.option("--prompt-version", metavar="VERSION", callback=typed, help="The prompt that failed."),
)

circumstances = join(
    click.option("--time-zone", metavar="ZONE", callback=zone, help="The user's zone, as in Europe/Berlin."),
    click.option("--locale", metavar="TAG", help="The user's locale, as in de-DE."),
    click.option("--frozen-at", metavar="INSTANT", callback=instant, help="When the decision was made."),
    click.option(
        "--ordering",
        type=click.Choice(["total", "per_key", "none"]),
        help="How strictly a replay keeps the order of calls.",
    ),
    click.option(
        "--fidelity",
        type=click.Choice(["event", "schedule"]),
        help="Whether a replay needs the instants, or their order is enough.",
    ),
    click.option("--fact", metavar="NAME=JSON", multiple=True, callback=facts, help="What a decision or check reads."),
)
"""What the trace may not say of the circumstances."""

redacting = join(
    key_file,
    scope,
    scope_of,
    click.option(
        "--treat",
        metavar="PATH=word|name",
        multiple=True,
        callback=treatments,
        help="Settle an ambiguous value.",
    ),
    click.option(
        "--structural",
        is_flag=True,
        help="Replace every text by a placeholder: for what cannot be kept safely.",
    ),
    overlays,
    model,
)
"""How a case is redacted."""
