"""``extract-fixture doctor``: is everything there that an extraction needs, and what to do where it is not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from extractor import settings
from extractor.bulk.units import counted
from extractor.errors import UsageError
from extractor.model.json import JsonValue
from extractor.settings import Settings

from . import health, options
from .console import Console, interactive
from .health import Finding, seen

_SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_ANEW = "install extract-fixture anew, in a virtual environment"
_SETTINGS = "correct extract-fixture.toml, or tool.extract-fixture of pyproject.toml, where the fault stands"
_ASKING = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})


@click.command(
    epilog=options.examples(
        "extract-fixture doctor", "extract-fixture doctor --key-file workspace.key --out fixtures --json"
    )
)
@options.key_file
@options.overlays
@options.model
@click.option("--out", metavar="DIR", type=options.FOLDER, help="Where cases would be written.")
@options.as_json
@options.quiet
@click.pass_context
def command(
    ctx: click.Context,
    *,
    key_file: Path | None,
    overlays: tuple[Path, ...],
    model: str | None,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say whether everything is there that an extraction needs, and what to do where it is not.

    One line for each thing: ok, note (an extraction works without it) or fault. Options mean what they mean for an
    extraction. Nothing is changed, and nothing secret is shown: of the key, its id.

    Ends with 1 when something that it needs is missing or broken.
    """
    console = Console(json=as_json, quiet=quiet)
    with _watched() as reached:
        found = [*_looked(ctx, key_file, overlays, model, out)]
    found.append(_network(reached))
    faults = sum(each.state == "fault" for each in found)
    status = 1 if faults else 0
    if as_json:
        console.data({"checks": [_members(each) for each in found], "faults": faults, "exit_status": status})
    for each in found:
        wanted = f"; next: {each.next}" if each.next else ""
        console.say(f"{each.state:<5}  {each.name:<8}  {each.told}{wanted}")
    console.say("an extraction will work" if not faults else f"{counted(faults, 'fault')}: an extraction will not work")
    ctx.exit(status)


def _looked(
    ctx: click.Context, key_file: Path | None, overlays: tuple[Path, ...], model: str | None, out: Path | None
) -> Iterator[Finding]:
    here = Path.cwd()
    yield seen("python", health.python, _ANEW)
    yield seen("packages", health.packages, _ANEW)
    yield seen("settings", lambda: health.project(here), _SETTINGS)
    project = _read(here)
    nlp = project.config.nlp.using(model)
    project = replace(project, config=replace(project.config, nlp=nlp))
    yield seen("model", lambda: health.model(project), "install its package again")
    source = ctx.get_parameter_source("key_file")
    by_variable = source is click.core.ParameterSource.ENVIRONMENT
    by = ("EXTRACT_FIXTURE_KEY_FILE" if by_variable else "--key-file") if key_file else "key-file of the settings"
    if key_file is None and project.file is not None:
        by = f"key-file of {project.file.name}"
    at_a_terminal = interactive() and not ctx.params["as_json"]
    yield seen(
        "key",
        lambda: health.key(key_file or project.key_file, by, at_a_terminal=at_a_terminal),
        "extract-fixture key new --out FILE",
    )
    yield seen("rules", lambda: health.rules((*project.rules, *overlays)), "extract-fixture rules test")
    yield seen("output", lambda: health.output(out or project.out), "name another folder with --out")
    yield seen("review", health.review_extra, _ANEW)
    yield seen("spark", health.spark_extra, _ANEW)


def _read(here: Path) -> Settings:
    """Return the project's settings, the defaults where they are broken: that was told, and the rest is worth a look."""
    try:
        return settings.find(here)
    except UsageError:
        return Settings()


@contextmanager
def _watched() -> Iterator[list[str]]:
    """Yield a list that grows with every attempt to reach the network from this process."""
    reached: list[str] = []
    watching = True

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        # An address that is a text or bytes is a socket of this machine's file system.
        if watching and (event in _ASKING or (event in _SENDING and not isinstance(arguments[1], str | bytes))):
            reached.append(event)

    sys.addaudithook(heard)  # which cannot be taken away again, only told to be still
    try:
        yield reached
    finally:
        watching = False


def _network(reached: list[str]) -> Finding:
    if reached:
        told = f"not needed, and yet reached for: {', '.join(sorted(set(reached)))}"
        wanted = "look at the project's recognizers, adapters and checks: nothing of ours asks for the network"
        return Finding(name="network", state="fault", told=told, next=wanted)
    return Finding(name="network", state="ok", told="not needed, none was used")


def _members(each: Finding) -> JsonValue:
    return {"name": each.name, "state": each.state, "told": each.told, "next": each.next, "facts": {**each.facts}}
