"""``extract-fixture export``: approved cases for elsewhere, as a pack of all or one in another tool's format."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from extractor import review
from extractor.checks.expectation import expectation
from extractor.errors import InputUnreadable, ProvenanceInvalid, UsageError
from extractor.interchange import FORMATS, TRACELY_VERSIONS, Exported, Loss, Source, evals, export
from extractor.model.json import JsonValue, MalformedJson, parse, pretty
from extractor.model.layout import EXPECT, FIXTURE, README
from extractor.validate import vouched

from . import completing, options, stores
from .console import Console
from .sink import sink

LOSSES = ".losses.json"
"""What the list of losses is called beside the copy of a case: the copy's name and this."""

EVALS = "evals"
"""The format that is a folder: what a suite of checks reads."""

_PLACES = 3


@click.command(
    epilog=options.examples(
        "extract-fixture export --pack build/cases", "extract-fixture export CASE --to promptfoo --out case.yaml"
    )
)
@click.argument(
    "case", metavar="[CASE]", required=False, type=click.Path(path_type=Path), shell_complete=completing.cases
)
@click.option("--to", "form", type=click.Choice((*FORMATS, EVALS)), help="Write CASE in this format.")
@click.option(
    "--version",
    type=click.Choice(tuple(TRACELY_VERSIONS)),
    help="Which of Tracely's forms.  [default: v2]",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The file to write with --to, a folder for evals; it must not exist."
)
@click.option("--unapproved", is_flag=True, help="Write a case that nobody approved too, marked NOT APPROVED.")
@click.option("--pack", type=options.FOLDER, help="Write all approved cases to this folder; it must not exist.")
@stores.store
@options.as_json
@options.quiet
def command(
    *,
    case: Path | None,
    form: str | None,
    version: str | None,
    out: Path | None,
    unapproved: bool,
    pack: Path | None,
    store: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write what continuous integration needs of the approved cases, or one case in another tool's format.

    --pack writes content, expectations and controls, with a list of digests; no capture, no reference to traces, no names of
    people. --to FORMAT writes one case, and beside it, as OUT.losses.json, what the format has no place for. --to evals writes
    a folder that `check` reads.

    Ends with 7, and writes nothing, when an approved case is not what people approved; --to also for any other case, unless
    --unapproved says so: then its sidecar must vouch for its bytes, and the copy is marked.
    """
    console = Console(json=as_json, quiet=quiet)
    if pack is not None:
        if case is not None or form is not None or out is not None or version is not None or unapproved:
            raise UsageError("--pack takes all approved cases of a store: no CASE, no --to, and none of its options")
        count = review.pack(stores.chosen(store), pack)
        if as_json:
            console.data({"path": str(pack), "cases": count})
        console.rows((("pack", str(pack)), ("cases", str(count))))
        return
    if case is None or form is None or out is None:
        raise UsageError(
            "what is to be written? CASE --to FORMAT --out FILE, or --pack FOLDER", hint="extract-fixture export --help"
        )
    if store is not None:
        raise UsageError("--store is for --pack: CASE is the folder of a case")
    source = _source(case, unapproved=unapproved)
    if form == EVALS:
        _folder(console, case, source, out, version)
        return
    _told(console, form, out, _written(source, form, version, out))


def _folder(console: Console, case: Path, source: Source, out: Path, version: str | None) -> None:
    if version is not None:
        raise UsageError("--version chooses a form of tracely: v2, v1 or artifact")
    expect = _beside(case, EXPECT)
    _understood(expect)
    # Nothing vouches for what stands beside a case that nobody approved.
    made = evals(source, expect=expect, readme=_beside(case, README) if source.approved else None)
    if os.path.lexists(out):
        raise UsageError("--out exists already; nothing is written over")
    unfinished = out.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        unfinished.mkdir(mode=0o700)
        for name, text in made.files.items():
            (unfinished / name).write_text(text, "utf-8", newline="")
        with sink(out.with_name(out.name + LOSSES)) as write_losses:
            write_losses(pretty(_report(Exported(text="", losses=made.losses), source, EVALS, None)))
        unfinished.rename(out)
    except OSError:
        raise UsageError("--out cannot be made: its folder does not allow it") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    if console.json:
        lost: list[JsonValue] = [one.code for one in made.losses]
        console.data({"path": str(out), "format": EVALS, "files": [*made.files], "losses": lost})
    console.rows([("written", str(out)), *_lost(made.losses)])


def _understood(expect: str | None) -> None:
    if expect is None:
        return
    try:
        expectation(expect.encode("utf-8"))
    except ValueError as fault:
        raise InputUnreadable(str(fault)) from None


def _beside(case: Path, name: str) -> str | None:
    folder = case if case.is_dir() else case.parent
    try:
        return (folder / name).read_text("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise InputUnreadable(f"{name} cannot be read as UTF-8 text") from None


def _source(case: Path, *, unapproved: bool) -> Source:
    """Return a case that may leave its store. Raises `ProvenanceInvalid` for one that may not, `InputUnreadable`."""
    content, approved = _content(case, unapproved=unapproved)
    try:
        document = parse(content)
    except MalformedJson as fault:
        raise InputUnreadable(f"{FIXTURE} is no JSON that is accepted: {fault.code}") from None
    if not isinstance(document, dict):
        raise InputUnreadable(f"{FIXTURE} is no object")
    return Source(document=document, fixture_hash=hashlib.sha256(content).hexdigest(), approved=approved)


def _content(case: Path, *, unapproved: bool) -> tuple[bytes, bool]:
    try:
        return review.approved_content(case), True
    except ProvenanceInvalid as error:
        if not unapproved:
            hint = "--unapproved writes it all the same, marked NOT APPROVED"
            raise ProvenanceInvalid(error.message, hint=hint) from None
    # Bytes that no proof stands behind may hold anything.
    content = vouched(case / FIXTURE)
    if content is None:
        raise ProvenanceInvalid(f"no sidecar vouches for the bytes of {FIXTURE}: nothing says that they were redacted")
    return content, False


def _written(source: Source, form: str, version: str | None, out: Path) -> Exported:
    made = export(source, form, version=version)
    beside = out.with_name(out.name + LOSSES)
    with sink(out) as write, sink(beside) as write_losses:
        write(made.text)
        write_losses(pretty(_report(made, source, form, version)))
    return made


def _report(made: Exported, source: Source, form: str, version: str | None) -> JsonValue:
    report: dict[str, JsonValue] = {
        "case_id": source.case_id,
        "fixture_hash": source.fixture_hash,
        "standing": source.standing,
        "format": form,
        **({} if version is None else {"version": version}),
        **({} if made.digest is None else {"digest": made.digest}),
        "losses": [{"code": one.code, "what": one.what, "places": [*one.places]} for one in made.losses],
        "warnings": [{"code": one.code, "what": one.what, "place": one.place} for one in made.warnings],
    }
    return report


def _told(console: Console, form: str, out: Path, made: Exported) -> None:
    if console.json:
        console.data(
            {
                "path": str(out),
                "format": form,
                "digest": made.digest,
                "losses": [one.code for one in made.losses],
                "warnings": [{"code": one.code, "place": one.place} for one in made.warnings],
            }
        )
    rows = [("written", str(out))]
    if made.digest is not None:
        rows.append(("digest", made.digest))
    rows += [("warning", f"{one.place} {one.what}") for one in made.warnings]
    console.rows([*rows, *_lost(made.losses)])


def _lost(losses: Sequence[Loss]) -> Iterator[tuple[str, str]]:
    for one in losses:
        more = len(one.places) - _PLACES
        places = ", ".join(one.places[:_PLACES]) + (f" and {more} more" if more > 0 else "")
        yield "lost", f"{one.code}: {one.what} ({places})"
