from __future__ import annotations

import io
import json
import stat
import sys

import pytest

from extractor.cli.app import run

TRACE = "6d383010fe32bfe09c943d88b718f3e3"

LINE = '{"email": "zed.whitcombe@acme-corp.com", "note": "ask zed.whitcombe@acme-corp.com", "amount": 12.50, "n": 1E+2}'


@pytest.fixture
def redacted(here, monkeypatch, capsys):
    def through(text: str, *options: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert run(["redact", *options]) == 0
        return capsys.readouterr().out

    return through


def test_one_json_document_keeps_relations_numbers_and_spacing(redacted):
    after = redacted(LINE)
    parsed = json.loads(after)
    assert "whitcombe" not in after
    assert parsed["note"] == f"ask {parsed['email']}"
    assert '"amount": 12.50, "n": 1E+2}' in after


def test_json_lines_stay_lines_scoped_by_line_unless_joint(redacted):
    text = f"{LINE}\n\n{LINE.replace('12.50', '13.50')}\n"
    apart = [json.loads(line) for line in redacted(text).splitlines() if line]
    joint = [json.loads(line) for line in redacted(text, "--joint").splitlines() if line]
    assert apart[0]["email"] != apart[1]["email"]
    assert joint[0]["email"] == joint[1]["email"]
    assert redacted(text).count("\n") == text.count("\n")


def test_a_line_has_the_same_pseudonyms_wherever_it_stands(redacted):
    other = '{"email":"ann.other@acme-corp.com"}'
    one, two = redacted(f"{LINE}\n{other}\n").splitlines()
    assert redacted(f"{other}\n{LINE}\n").splitlines() == [two, one]


def test_a_named_scope_links(redacted):
    apart = [
        json.loads(line)["email"] for line in redacted(f"{LINE}\n{LINE[:-1]}}} \n", "--scope", "desk").splitlines()
    ]
    assert apart[0] == apart[1]


def test_text_stays_text(redacted):
    after = redacted("Dear team,\nwrite to zed.whitcombe@acme-corp.com today.\n")
    assert after.startswith("Dear team,\nwrite to ")
    assert after.endswith(" today.\n")
    assert "whitcombe" not in after


def test_what_needs_no_change_keeps_its_bytes(redacted):
    text = '{"status" :  "ok",\t"items":[ 1,2 ]}\n'
    assert redacted(text) == text


def test_a_line_that_is_no_json_among_others_is_refused(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{LINE}\nZebra {{\n".encode())))
    assert run(["redact"]) == 6
    assert capsys.readouterr() == ("", "error: line 2 is no JSON, though the first one is\n")


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[" * 300 + "]" * 300])
def test_json_that_could_hide_something_is_refused(text, here, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["redact"]) == 6


def test_bytes_that_are_no_utf8_are_refused_by_position(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc \xff")))
    assert run(["redact"]) == 6
    assert "byte 4" in capsys.readouterr().err


def strip(value: object) -> object:
    """Return the skeleton of a value: ids, times and member names, with every other text left out."""
    if isinstance(value, dict):
        if set(value) <= {"key", "value"}:
            return strip(value.get("value"))
        return {
            name: strip(child) if name not in ("traceId", "spanId", "parentSpanId") else child
            for name, child in value.items()
        }
    if isinstance(value, list):
        return [strip(child) for child in value]
    return None if isinstance(value, str) else value


def test_an_export_keeps_its_ids_and_shape_and_loses_its_people(redacted, export, here):
    text = export.read_text()
    after = redacted(text)
    for line, new in zip(text.splitlines(), after.splitlines(), strict=True):
        assert strip(json.loads(line)) == strip(json.loads(new))
    for word in ("Maren", "Oduya", "oduya", "FH-204816", "cust_7f31c09a", "203.0.113.24", "Whitcombe"):
        assert word not in after
    (here / "redacted.jsonl").write_text(after)
    assert run(["--trace-id", TRACE, "redacted.jsonl", "--quiet"]) == 0


def test_a_file_is_written_once_and_for_its_owner(here, export):
    (here / "in.json").write_text(LINE)
    assert run(["redact", "in.json", "--out", "out.json"]) == 0
    assert stat.S_IMODE((here / "out.json").stat().st_mode) == 0o600
    assert run(["redact", "in.json", "--out", "out.json"]) == 2
