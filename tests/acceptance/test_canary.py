"""A planted value is found nowhere: in no written file, no log, no output and no error, whatever path a run takes."""

from __future__ import annotations

import base64
import binascii
import html
import json
import logging
import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from urllib.parse import unquote, unquote_plus

import pytest

from extractor import pipeline
from extractor.cli.app import run

from .planting import ACCOUNT, EMAIL, ENCODINGS, PERSON, POSITIONS, SECRET, TRACE, VALUES, Planted, valued

DONE = {0, 4}
UNKNOWN = {"email": EMAIL, "secret": SECRET, "account": ACCOUNT}
SELECTIONS = {"default": [], "all": ["--keep", "all"]}


@pytest.fixture
def extraction(tmp_path, key_file, capsys, caplog, monkeypatch) -> Callable[..., tuple[int, dict[str, str]]]:
    """Run the command on planted traces; return its status and every text that came of it by place."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(logging, "disable", lambda *_: None)  # what libraries log is to be seen
    runs = iter(range(1_000))

    def of(content: bytes, *options: str, out: Path | None = None) -> tuple[int, dict[str, str]]:
        number = next(runs)
        export, out = tmp_path / f"export-{number}.jsonl", out or tmp_path / f"out-{number}"
        export.write_bytes(content)
        caplog.clear()
        status = run(["--trace-id", TRACE, str(export), "--key-file", str(key_file), "--out", str(out), *options])
        told = capsys.readouterr()
        written = {str(file.relative_to(out)): file for file in sorted(out.rglob("*"))} if out.exists() else {}
        texts = {name: file.read_text("utf-8") for name, file in written.items() if file.is_file()}
        return status, {**texts, "names": " ".join(written), "output": told.out, "errors": told.err, "log": caplog.text}

    return of


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("position", POSITIONS)
def test_no_position_lets_a_known_value_through(extraction, position, selection):
    trace = Planted()
    trace.know()
    POSITIONS[position](trace, " or ".join(VALUES.values()))
    status, texts = extraction(trace.lines(), *SELECTIONS[selection])
    assert survivors(texts) == []
    assert status in DONE, texts["errors"]


@pytest.mark.parametrize("position", POSITIONS)
def test_no_position_lets_a_value_through_that_nothing_else_tells_of(extraction, position):
    selections = cycle(SELECTIONS.values())
    for value in UNKNOWN.values():
        trace = Planted()
        POSITIONS[position](trace, value)
        status, texts = extraction(trace.lines(), *next(selections))
        assert survivors(texts) == []
        assert status in DONE, texts["errors"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_encoding_hides_a_value(extraction, encoding):
    for value in VALUES.values():
        trace = Planted()
        trace.know()
        for position in ("argument value", "result as text", "user message", "answer"):
            POSITIONS[position](trace, ENCODINGS[encoding](value))
        status, texts = extraction(trace.lines(), "--keep", "all")
        assert survivors(texts) == []
        assert status in DONE, texts["errors"]


def test_a_value_in_every_position_at_once(extraction):
    for value in VALUES.values():
        trace = Planted()
        trace.know()
        for plant in POSITIONS.values():
            plant(trace, value)
        status, texts = extraction(trace.lines(), "--keep", "all", "--explain")
        assert survivors(texts) == []
        assert status in DONE, texts["errors"]


def test_a_number_that_is_known_is_replaced_as_a_number(extraction):
    trace = Planted()
    trace.know()
    trace.tool["attributes"].append(valued("app.number", "intValue", ACCOUNT))
    trace.put(trace.tool, "gen_ai.tool.call.arguments", json.dumps({"of": int(ACCOUNT), "list": [1, int(ACCOUNT)]}))
    status, texts = extraction(trace.lines(), "--keep", "all")
    assert survivors(texts) == []
    assert status in DONE, texts["errors"]


# Paths that end badly.


def planted() -> Planted:
    trace = Planted()
    trace.know()
    for position in ("argument value", "user message", "answer", "user id", "span name", "claim"):
        POSITIONS[position](trace, EMAIL)
    return trace


@pytest.mark.parametrize("stage", ["normalise", "select", "assemble", "redact", "prove", "render_fixture", "seal"])
def test_a_stage_that_breaks_tells_nothing(extraction, monkeypatch, tmp_path, stage):
    def broken(*arguments, **named):
        raise ValueError(f"cannot treat {EMAIL} of {PERSON}: {arguments!r} {named!r}")

    monkeypatch.setattr(pipeline, stage, broken)
    status, texts = extraction(planted().lines(), out=tmp_path / "out")
    assert survivors(texts) == []
    assert status not in DONE
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("skipped", [EMAIL, ACCOUNT, PERSON, SECRET])
def test_a_rewriter_that_skips_one_value_writes_nothing(extraction, monkeypatch, tmp_path, skipped):
    from extractor.redact import rewrite

    text = rewrite.Rewriter.text
    monkeypatch.setattr(
        rewrite.Rewriter, "text", lambda self, said, *rest: () if skipped in said else text(self, said, *rest)
    )
    status, texts = extraction(planted().lines(), "--keep", "all", out=tmp_path / "out")
    assert status == 5
    assert "leak proof failed" in texts["errors"]
    assert "fixture.json" in texts["errors"]
    assert survivors(texts) == []
    assert not list((tmp_path / "out").rglob("*.json"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--at", EMAIL], 2),
        (["--keep", EMAIL], 2),
        (["--drop", EMAIL], 2),
        (["--time-zone", EMAIL], 2),
        (["--frozen-at", EMAIL], 2),
        (["--fact", EMAIL], 2),
        (["--fact", f"who={EMAIL}"], 2),
        (["--treat", EMAIL], 2),
        (["--model", SECRET], 2),
        (["--key-file", f"/{SECRET}"], 2),
        (["--out", f"/dev/null/{SECRET}"], 2),
        ([f"--{SECRET}"], 2),
        (["--trace-id", EMAIL], 2),
        ([f"/nowhere/{EMAIL}.jsonl"], 6),
        (["--violation", EMAIL], 2),
    ],
)
def test_what_is_asked_wrongly_is_not_repeated(extraction, options, expected):
    status, texts = extraction(planted().lines(), *options)
    assert survivors({name: text for name, text in texts.items() if name in ("errors", "output", "log")}) == []
    assert status == expected, texts["errors"]


@pytest.mark.parametrize(
    "content",
    [
        b'{"resourceSpans": [' + EMAIL.encode(),
        b'{"resourceSpans": [{"who": "%s", "who": 2}]}' % EMAIL.encode(),
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "%s", "spanId": "%s"}]}]}]}'
        % (TRACE.encode(), EMAIL.encode()),
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "%s", "spanId": "%s", "name": "x", '
        b'"startTimeUnixNano": "%s"}]}]}]}' % (TRACE.encode(), b"1" * 16, EMAIL.encode()),
        EMAIL.encode() + b"\xff" + SECRET.encode(),
        b"[" * 5_000 + EMAIL.encode(),
    ],
)
def test_what_cannot_be_read_is_not_repeated(extraction, content):
    for said in (content, planted().lines() + content, content + b"\n" + planted().lines()):
        status, texts = extraction(said)
        assert survivors(texts) == []
        assert status in DONE | {3, 6}, texts["errors"]


def test_what_people_type_is_redacted_like_any_other_text(extraction):
    told = f"Told {PERSON} ({EMAIL}) of account {ACCOUNT} by {SECRET}."
    options = ["--failure", told, "--prohibit", told, "--evidence-needed", told, "--incident", f"INC-1 {EMAIL}"]
    versions = ["--workflow-version", EMAIL, "--prompt-version", EMAIL, "--fact", f'who="{EMAIL}"']
    status, texts = extraction(planted().lines(), *options, *versions)
    assert survivors(texts) == []
    assert status in DONE, texts["errors"]


# The search, which knows nothing of ours.


def survivors(texts: dict[str, str]) -> list[tuple[str, str]]:
    """Return where which value stands, decoded in every way known here."""
    return [
        (place, kind)
        for place, text in texts.items()
        for kind in VALUES
        if any(FOUND[kind](layer) for layer in layers(text))
    ]


FOUND: dict[str, Callable[[str], object]] = {
    "email": re.compile(r"ottiwell\W?brandreth", re.IGNORECASE).search,
    "secret": lambda text: "9fq2xt7blm4zc8vdrk3w" in text.lower(),
    "account": lambda text: ACCOUNT in re.sub(r"[ .\-]", "", text),
    "person": re.compile(r"(?<![a-z])(ottiwell|brandreth)(?![a-z])", re.IGNORECASE).search,
}
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")


def layers(text: str, depth: int = 5) -> Iterator[str]:
    """Yield a text and what it decodes to, five layers deep."""
    seen, fresh = set(), {text}
    for _ in range(depth):
        fresh = {opened for one in fresh for opened in _opened(one)} - seen
        seen |= fresh
    yield from {text, *seen}


def _opened(text: str) -> Iterator[str]:
    yield unicodedata.normalize("NFKC", "".join(char for char in text if unicodedata.category(char) != "Cf"))
    yield unquote(text)
    yield unquote_plus(text)
    yield html.unescape(text)
    yield re.sub(r"\\+u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
    yield re.sub(r"\\+x([0-9a-fA-F]{2})", lambda code: chr(int(code[1], 16)), text)
    yield re.sub(r'\\+(["/])', r"\1", text)
    for run_ in _BASE64.findall(text):
        for start in range(4):
            piece = run_[start:].rstrip("=").replace("-", "+").replace("_", "/")
            piece = piece[: len(piece) - (len(piece) % 4 == 1)]
            try:
                decoded = base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError):
                continue
            if decoded.isprintable():
                yield decoded


def test_the_search_finds_what_is_written_in_every_encoding():
    for encode in ENCODINGS.values():
        for kind, value in VALUES.items():
            assert ("here", kind) in survivors({"here": json.dumps({"x": f"so {encode(value)} it is"})})
