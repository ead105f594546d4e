"""What approve and reject share: who decides, and what is said afterwards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypedDict

import click

from extractor import review
from extractor.errors import UsageError
from extractor.model.json import JsonValue
from extractor.review import Decision

from . import options
from .console import Console

_ACCEPTANCE = re.compile(r"([1-9]\d{0,5})=(before|after|unknown)", re.ASCII)

role = click.option("--role", type=click.Choice(list(review.ROLES)), help="In which role the reviewer decides.")
reviewer = click.option("--reviewer", metavar="NAME", help="Who decides: a person's name.")
key = click.option(
    "--key",
    type=options.FILE,
    envvar="EXTRACT_FIXTURE_SIGNING_KEY",
    show_envvar=True,
    help="The reviewer's private key: ed25519, by `key new --signing` or ssh-keygen.",
)


elsewhere = options.join(
    click.option("--statement", type=options.FILE, help="Take a decision that was made elsewhere, over a packet."),
    click.option("--packet", type=options.FILE, help="Decide over a packet (JSON), without the case; needs --out."),
    click.option("--out", type=options.FILE, help="Where the statement over a packet is written."),
)


class Elsewhere(TypedDict):
    """The options by which a decision is made in one place and taken in another."""

    statement: Path | None
    packet: Path | None
    out: Path | None


def acceptances(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """Return ``N=before|after|unknown`` by the attempt's number."""
    del ctx
    found: dict[str, str] = {}
    for position, pair in enumerate(value, start=1):
        match = _ACCEPTANCE.fullmatch(pair)
        if match is None or match.group(1) in found:
            raise UsageError(
                f"{param.opts[0]} number {position} must be N=before, N=after or N=unknown, once an attempt"
            )
        found[match.group(1)] = match.group(2)
    return found


def run(
    console: Console,
    case: Path | None,
    place: Elsewhere,
    *,
    role: str | None,
    reviewer: str | None,
    decision: Decision,
    reason: str | None,
    key: Path | None,
    confirmations: review.Confirmations | None,
) -> None:
    """Make a decision here, over a packet, or take one that was made elsewhere, and tell what came of it."""
    statement, packet, out = place["statement"], place["packet"], place["out"]
    if statement is not None:
        if case is None or role or reviewer or packet or out:
            raise UsageError("--statement takes a case, and nothing else: who decides stands in it")
        tell(console, review.take(case, statement))
        return
    if not role or not reviewer or (decision == "rejected" and not reason):
        raise UsageError(
            "who decides? --role and --reviewer are needed" + (", and --reason" if decision == "rejected" else ""),
            hint='as in: --role privacy --reviewer "Rana Okafor"; the policy says who may',
        )
    if packet is not None or out is not None:
        if packet is None or out is None or case is not None:
            raise UsageError("--packet and --out go together, and without a case")
        review.over_packet(
            packet,
            out,
            role=role,
            reviewer=reviewer,
            decision=decision,
            reason=reason,
            key=key,
            confirmations=confirmations,
        )
        verb = "approve" if decision == "approved" else "reject"
        console.rows((("statement", str(out)), ("next", f"extract-fixture {verb} CASE --statement {out}")))
        return
    if case is None:
        raise UsageError("which case? name its folder")
    made = review.decide(
        case, role=role, reviewer=reviewer, decision=decision, reason=reason, key=key, confirmations=confirmations
    )
    tell(console, made)


def tell(console: Console, statement: Path) -> None:
    """Say where the statement is, where the case stands now, and what it still needs."""
    case = statement.parent.parent
    found = review.state(case)
    missing = [f"{count} {name}" for name, count in found.missing.items()]
    if console.json:
        console.data(
            {
                "case_id": found.case_id,
                "path": str(case),
                "statement": str(statement),
                "state": found.name,
                "missing": dict[str, JsonValue](found.missing.items()),
                "labels": [*found.labels],
                "faults": [*found.faults],
            }
        )
        return
    console.rows(
        (
            ("case", f"{found.case_id}  ({found.name.replace('_', ' ')})"),
            ("statement", str(statement)),
            *((("needs", ", ".join(missing)),) if missing and found.place == "quarantine" else ()),
            *(("label", label) for label in found.labels),
        )
    )
    for fault in found.verdict.lines():
        if fault.code != "missing_role" or found.place == "approved":
            console.say(f"does not hold: {fault}")
    mine = [held for held in found.verdict.held if held.name == statement.name]
    if any(held.signed and not held.key_id for held in mine):
        console.note(
            "signed by a key that the policy does not know: put the public line into policy.toml, or it proves nothing"
        )
    elif not any(held.key_id for held in mine):
        console.note("UNSIGNED: anybody who can write to the store can write such a decision; the policy allows it")
