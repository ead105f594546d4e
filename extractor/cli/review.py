"""``extract-fixture review``: a case as its reviewers read it, in a browser on this machine or as a packet to mail."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from extractor import ruleset, settings
from extractor.errors import UsageError

from . import deciding, options
from .console import Console, interactive
from .keyring import default_place
from .sink import sink

if TYPE_CHECKING:
    from extractor.redact import WorkspaceKey
    from extractor.review.page.session import Review

_OPENER = "review.html"


@click.command(
    epilog=options.examples(
        "extract-fixture review fixtures/quarantine/CASE --source exports",
        "extract-fixture review fixtures/quarantine/CASE --packet handoff",
    )
)
@click.argument("cases", metavar="CASE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--source",
    "sources",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="The exports of the cases, or their folder: what is marked is then redacted and proved anew.",
)
@click.option("--with-source", is_flag=True, help="Show originals beside pseudonyms; needs --source and the key.")
@click.option(
    "--packet", metavar="OUT", type=options.FILE, help="Write OUT.html and OUT.json to mail, and open nothing."
)
@click.option(
    "--manifest", "manifests", multiple=True, type=options.FILE, help="A replay that the packet tells of; may repeat."
)
@click.option("--no-browser", is_flag=True, help="Name the file that opens the page, and start no browser.")
@deciding.key
@options.key_file
@options.overlays
@options.model
@options.quiet
def command(  # noqa: PLR0913 # options that no configuration holds
    *,
    cases: tuple[Path, ...],
    sources: tuple[Path, ...],
    with_source: bool,
    packet: Path | None,
    manifests: tuple[Path, ...],
    no_browser: bool,
    key: Path | None,
    key_file: Path | None,
    overlays: tuple[Path, ...],
    model: str | None,
    quiet: bool,
) -> None:
    """Review cases: read them in a browser, settle what is open, say what must hold.

    CASE is the folder of a case. The page stands on this machine alone and ends with the command. Without the workspace
    key it can be read, and nothing in it can be settled.
    """
    console = Console(quiet=quiet)
    if packet is not None:
        _write_packet(console, cases, packet, manifests)
        return
    if manifests:
        raise UsageError("--manifest goes into a packet; give --packet too")
    project = settings.find(Path.cwd())
    base = project.config
    workspace = _key(key_file, project.key_file)
    if with_source and workspace is None:
        raise UsageError("--with-source needs the workspace key", hint="give it with --key-file")
    _needs_extra()
    # Only an opened page pays for the web framework.
    from extractor.review.page.deciding import Deciding
    from extractor.review.page.desk import QuarantineDesk
    from extractor.review.page.lenient import CaseFiles
    from extractor.review.page.session import Review

    for case in cases:
        CaseFiles.of(case)
    desk = QuarantineDesk(
        sources=sources,
        key=workspace,
        base=replace(base, nlp=base.nlp.using(model)),
        rules=lambda: ruleset.load((*project.rules, *overlays)),
        now=lambda: datetime.now(UTC).replace(microsecond=0).isoformat(),
        with_source=with_source,
    )
    if with_source:
        for case in cases:
            desk.originals(case)  # fails here, before anybody opens a page without them
    opened = Review(cases=[case.absolute() for case in cases], desk=desk, decide=Deciding(signing=key))
    _serve(console, opened, browser=not no_browser)


def _serve(console: Console, review: Review, *, browser: bool) -> None:
    from extractor.review.page.server import opening, serve

    server = serve(review)
    # A supervisor ends the page as its own button does: the file that opens it goes, too.
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: review.close())
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        with _opener(opening(review)) as file:
            console.result(f"open {file.as_uri()}")
            console.say("the file opens the page once, on this machine; the page ends with this command (Ctrl-C)")
            if browser and interactive():
                webbrowser.open(file.as_uri())
            review.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def _opener(content: str) -> Iterator[Path]:
    """Yield a file of its owner alone that opens the page; it is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="extract-fixture-"))
    try:
        file = folder / _OPENER
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(content)
        yield file
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_packet(console: Console, cases: Sequence[Path], out: Path, manifests: Sequence[Path]) -> None:
    if len(cases) != 1:
        raise UsageError("a packet holds one case")
    _needs_extra()
    # The templates are loaded where one is rendered.
    from extractor.review import packet_subject
    from extractor.review.page.lenient import CaseFiles
    from extractor.review.page.packet import packet, replay_of

    files = CaseFiles.of(cases[0])
    replays = [replay_of(path, number, files) for number, path in enumerate(manifests, start=1)]
    made = packet(files, replays, subject=packet_subject(cases[0]))
    base = out.with_suffix("") if out.suffix in (".html", ".json") else out
    targets = [base.with_name(f"{base.name}{suffix}") for suffix in (".html", ".json")]
    for target in targets:
        if os.path.lexists(target):
            raise UsageError("a file of the packet exists already; nothing is written over")
    for target, content in zip(targets, (made.html, made.json), strict=True):
        with sink(target) as write:
            write(content.decode("utf-8"))
    console.rows([("packet", str(target)) for target in targets])
    console.say("NOT APPROVED: for review alone")


def _key(given: Path | None, project: Path | None) -> WorkspaceKey | None:
    """Return the key of the option, the project or the person; a reviewer may well have none, and never gets a new one."""
    # Only pages that may change a case need it.
    from extractor.redact.keys import load_key

    chosen = given or project or (own if (own := default_place()).exists() else None)
    return None if chosen is None else load_key(chosen)


def _needs_extra() -> None:
    try:
        # Both come with the extra; a case can be extracted without it.
        import flask
        import jinja2
    except ImportError:
        raise UsageError(
            "the review page needs the extra `review`", hint="pip install 'extract-fixture[review]'"
        ) from None
    del flask, jinja2
