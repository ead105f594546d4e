"""``extract-fixture rules``: the rules of redaction, looked at and tested."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from extractor import ruleset, settings
from extractor.bulk.units import counted
from extractor.errors import RulesError, UsageError
from extractor.model.json import JsonValue
from extractor.normalise import check_examples
from extractor.redact.catalogue import Claim, RuleCard, catalogue, claimed, claims, examples, readings
from extractor.redact.place import Place
from extractor.redact.rulebook import compile_identifiers
from extractor.ruleset import RuleSet

from . import options
from .console import Console
from .near import Group

_MAX_VALUE = 64 * 1024
_WIDTH = 96


@click.group(cls=Group, epilog=options.examples("extract-fixture rules test"))
def command() -> None:
    """Show, test and explain the rules of redaction.

    The rules in force are ours, those of the project's settings, and those of each --rules DIR.
    """


@command.command("list", epilog=options.examples("extract-fixture rules list --rules our-rules"))
@options.overlays
@options.as_json
def list_rules(*, overlays: tuple[Path, ...], as_json: bool) -> None:
    """List every rule: id, class, kind, file, reason."""
    console = Console(json=as_json)
    _, cards = _in_force(overlays)
    for card in cards:
        if as_json:
            console.data(_line_members(card))
    if as_json:
        return
    for row in _columns([(card.id, card.entity or "kept", card.kind, card.file, card.why) for card in cards]):
        console.say(row)
    console.say(counted(len(cards), "rule"))


@command.command(epilog=options.examples("extract-fixture rules show RULE"))
@click.argument("rule", metavar="ID")
@options.overlays
@options.as_json
def show(*, rule: str, overlays: tuple[Path, ...], as_json: bool) -> None:
    """Show one rule whole, with its examples; those of secrets are cut off."""
    console = Console(json=as_json)
    _, cards = _in_force(overlays)
    card = next((card for card in cards if card.id == rule), None)
    if card is None:
        raise UsageError("no rule has this id", hint="extract-fixture rules list")
    if as_json:
        console.data(_members(card))
        return
    console.rows(
        (
            ("rule", card.id),
            ("class", card.entity or "none: what it means is kept"),
            ("kind", card.kind),
            ("file", card.file + (" (the project's)" if card.own else "")),
            *([("replaces", card.replaces)] if card.replaces else []),
            ("why", card.why),
            *card.conditions(),
            *(("matches", text) for text in card.examples("matches")),
            *(("not", text) for text in card.examples("non_matches")),
        )
    )


@command.command(
    epilog=options.examples(
        "extract-fixture rules test our-rules", "extract-fixture rules test --value - --field order.customer.email"
    )
)
@click.argument("paths", metavar="[FILE|DIR]…", nargs=-1, type=click.Path(path_type=Path))
@options.overlays
@click.option("--value", metavar="-", help="Read a value from standard input and say which rules claim it.")
@click.option("--field", metavar="FIELD", help="Where the value stands, as in order.customer.email.")
@options.as_json
@options.quiet
def test(
    *,
    paths: tuple[Path, ...],
    overlays: tuple[Path, ...],
    value: str | None,
    field: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run every rule on its own examples, and list all faults of all files.

    FILE and DIR are tested as --rules DIR is, beside ours. Ends with 1 when there is a fault. A value that is given is
    never shown.
    """
    console = Console(json=as_json, quiet=quiet)
    if value not in (None, "-"):
        raise UsageError("--value takes - alone: a value on the command line would stand in the process list")
    shipped = ruleset.location().resolve()
    more = [path for path in paths if not path.resolve().is_relative_to(shipped)]  # ours are tested in any case
    rules, faults = ruleset.gather((*settings.find(Path.cwd()).rules, *overlays, *more))
    faults += _faults(rules)
    if as_json and value is None:
        console.data({"rules": 0 if faults else len(catalogue(rules)), "faults": [*faults]})
    if faults:
        for fault in faults if not as_json else ():
            console.note(f"  {fault}")
        console.note(counted(len(faults), "fault"))
        raise click.exceptions.Exit(1)
    cards = catalogue(rules)
    if value is None:
        console.say(f"{counted(len(cards), 'rule')} hold on {counted(examples(cards), 'example')}")
        return
    _tell_claims(console, rules, _value(), field)


@command.command(epilog=options.examples("extract-fixture rules explain order.customer.email"))
@click.argument("field", metavar="FIELD")
@options.overlays
@options.as_json
def explain(*, field: str, overlays: tuple[Path, ...], as_json: bool) -> None:
    """Say which rules would take a value at a field, and which keep it.

    FIELD is a path of member names such as order.customer.email, or one name such as user_id.
    """
    console = Console(json=as_json)
    rules, cards = _in_force(overlays)
    identifiers = compile_identifiers(rules)
    meant = readings(field)
    if not meant:
        raise UsageError("a field is a path of member names, as in order.customer.email")
    found = [(names, claims(identifiers, cards, names)) for names in meant]
    if as_json:
        console.data([{"names": [*names], "rules": [*map(_claim_members, listed)]} for names, listed in found])
        return
    for names, listed in found:
        if len(found) > 1:
            console.say(f"as {' > '.join(names)}:" if len(names) > 1 else f"as the one name {names[0]}:")
        for claim in listed:
            console.say(_claim_line(claim))
        if not listed:
            console.say("no rule goes by this field")
    console.say(
        "the first whose conditions hold decides; what is kept is asked first, and never stops a rule for secrets"
    )
    console.say("whatever its field, a text is searched by the rules of kind pattern and cue, and for known values")


def _in_force(overlays: Sequence[Path]) -> tuple[RuleSet, tuple[RuleCard, ...]]:
    rules = ruleset.load((*settings.find(Path.cwd()).rules, *overlays))
    compile_identifiers(rules)
    return rules, catalogue(rules)


def _faults(rules: RuleSet) -> list[str]:
    faults: list[str] = []
    checks: tuple[Callable[[RuleSet], object], ...] = (compile_identifiers, check_examples)
    for check in checks:
        try:
            check(rules)
        except RulesError as error:
            faults.extend(error.faults)
    return faults


def _value() -> str:
    content = sys.stdin.buffer.read(_MAX_VALUE + 1)
    if len(content) > _MAX_VALUE:
        raise UsageError(f"the value holds more than {_MAX_VALUE // 1024} KiB")
    try:
        return content.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        raise UsageError("the value is no UTF-8") from None


def _tell_claims(console: Console, rules: RuleSet, value: str, field: str | None) -> None:
    names = readings(field)[0] if field and readings(field) else ()
    found = sorted(
        claimed(compile_identifiers(rules), Place(names=names), value), key=lambda one: (one.start, one.end, one.rule)
    )
    if console.json:
        console.data([{"rule": one.rule, "entity": one.entity, "start": one.start, "end": one.end} for one in found])
        return
    for one in found:
        verb = f"takes as {one.entity}" if one.entity else "keeps"
        console.say(f"{one.rule} {verb} characters {one.start} to {one.end}")
    if not found:
        console.say("no rule claims the value; names in sentences are found by the language model besides")


def _line_members(card: RuleCard) -> dict[str, JsonValue]:
    return {
        "id": card.id,
        "entity": card.entity,
        "kind": card.kind,
        "file": card.file,
        "own": card.own,
        "replaces": card.replaces,
        "why": card.why,
    }


def _members(card: RuleCard) -> dict[str, JsonValue]:
    return {
        **_line_members(card),
        "conditions": {**dict(card.conditions())},
        "matches": [*card.examples("matches")],
        "non_matches": [*card.examples("non_matches")],
    }


def _claim_members(claim: Claim) -> JsonValue:
    card = claim.card
    return {
        "rule": card.id,
        "entity": card.entity,
        "keeps": card.kind == "keep",
        "applies": "under" if claim.if_under else "here",
        "conditions": _conditions(claim),
    }


def _claim_line(claim: Claim) -> str:
    card = claim.card
    verb = f"takes it as {card.entity}" if card.entity else "keeps it"
    if claim.if_under:
        verb = verb.replace("takes", "would take").replace("keeps", "would keep")
    details = [f"{name} {_short(text)}" for name, text in _conditions(claim).items()]
    return f"{card.id} {verb}" + (f"; {'; '.join(details)}" if details else "")


def _conditions(claim: Claim) -> dict[str, JsonValue]:
    left = ("shape", "check", "beside", *(("under",) if claim.if_under else ()))
    return {name: text for name, text in claim.card.conditions() if name in left}


def _short(text: object) -> str:
    line = str(text)
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def _columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column), default=0) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        yield "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[-1]])
