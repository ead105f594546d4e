from __future__ import annotations

import hashlib
import json
import stat

import pytest

from extractor.cli.app import run
from extractor.errors import LeakFound

TRACE = "6d383010fe32bfe09c943d88b718f3e3"

SECRETS = ("Maren", "Oduya", "maren.oduya@example.com", "FH-204816", "cust_7f31c09a", "203.0.113.24")
STATEMENT = (
    *("--failure", "Both attempts timed out and the agent said that the refund was done."),
    *("--prohibit", "the refund has been completed"),
    *("--evidence-needed", "A result of refund.create with status completed."),
)


def json_of(capsys) -> dict:
    (line,) = capsys.readouterr().out.splitlines()
    assert line.isascii()
    return json.loads(line)


def test_a_summary_fits_a_screen_and_names_the_next_command(here, export, capsys):
    assert run(["--trace-id", TRACE, str(export)]) == 0
    shown, told = capsys.readouterr()
    assert len(shown.splitlines()) < 24
    assert "kept      14 of 28 spans; boundary by uncured_error" in shown
    assert "annotate fixtures/quarantine/" in shown
    assert "--failure … --prohibit … --evidence-needed …" in shown
    assert "no leak of" in shown
    assert not [secret for secret in SECRETS if secret in shown + told]


def test_json_has_exactly_the_promised_members(here, export, capsys):
    assert run(["--trace-id", TRACE, str(export), "--json", *STATEMENT]) == 0
    said = json_of(capsys)
    assert set(said) == {
        *("case_id", "path", "state", "fixture_sha256", "spans", "missing_evidence", "residual", "relations", "leaks"),
        *("secrets", "flags"),
    }
    assert said["spans"] == {"read": 28, "kept": 14, "dropped": 14}
    assert set(said["relations"]) == {"classes", "occurrences", "preserved"}
    assert said["relations"]["preserved"] == said["relations"]["occurrences"] > 0
    assert said["leaks"] == 0
    assert said["state"] == "in_review"
    fixture = (here / said["path"] / "fixture.json").read_bytes()
    assert said["fixture_sha256"] == hashlib.sha256(fixture).hexdigest()


def test_without_a_prohibited_claim_the_case_is_incomplete_and_the_run_is_fine(here, export, capsys):
    """S17."""
    assert run(["--trace-id", TRACE, str(export), "--json"]) == 0
    said = json_of(capsys)
    assert said["state"] == "incomplete"
    assert run(["validate", said["path"]]) == 1
    assert capsys.readouterr().err == "expected.prohibited_claims must name the incident boundary\n"


def test_a_second_run_changes_nothing_and_other_bytes_need_replace(here, export, capsys):
    assert run(["--trace-id", TRACE, str(export), "--quiet"]) == 0
    assert run(["--trace-id", TRACE, str(export)]) == 0
    assert "unchanged" in capsys.readouterr().out
    assert run(["--trace-id", TRACE, str(export), "--incident", "INC-1"]) == 1
    assert "--replace" in capsys.readouterr().err
    assert run(["--trace-id", TRACE, str(export), "--incident", "INC-1", "--replace"]) == 0
    assert "replaced" in capsys.readouterr().out


def test_a_unique_prefix_is_enough(here, export):
    assert run(["--trace-id", TRACE[:8].upper(), str(export), "--quiet"]) == 0


def test_an_unknown_trace_ends_with_three_and_says_how_many_there_are(here, export, capsys):
    assert run(["--trace-id", "0" * 31 + "1", str(export)]) == 3
    assert "6" in capsys.readouterr().err
    assert not (here / "fixtures").exists()


def test_a_source_without_spans_ends_with_six(here, capsys):
    (here / "empty.jsonl").write_text("")
    assert run(["--trace-id", TRACE, "empty.jsonl"]) == 6
    assert capsys.readouterr().err.startswith("error: ")


def test_a_trace_that_cannot_be_replayed_ends_with_four_and_says_so(here, export, capsys):
    """S67."""
    assert run(["--trace-id", "da0c996a3a7de6a6b5553091b1474ea1", str(export)]) == 4
    shown, told = capsys.readouterr()
    assert "non replayable" in shown
    assert "\nmissing   input.messages (no_input), " in shown
    assert "without input.messages (no_input)\n" in told


def test_a_proof_that_fails_ends_with_five_and_writes_nothing(here, export, capsys, monkeypatch):
    def fail(*_args, **_named):
        raise LeakFound(["rule mail: tool_events[0].arguments"])

    monkeypatch.setattr("extractor.pipeline.prove", fail)
    assert run(["--trace-id", TRACE, str(export)]) == 5
    assert "leak proof failed" in capsys.readouterr().err
    assert not (here / "fixtures").exists()


def test_without_a_key_pipes_are_refused(here, export, capsys, monkeypatch):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    assert run(["--trace-id", TRACE, str(export)]) == 2
    assert "key new --out" in capsys.readouterr().err


def test_the_project_s_table_gives_defaults_and_options_win(here, export, capsys):
    (here / "extract-fixture.toml").write_text('out = "cases"\nlocale = "de-DE"\nworkflow-version = "w9"\n')
    assert run(["--trace-id", TRACE, str(export), "--locale", "fr-FR", "--json"]) == 0
    said = json_of(capsys)
    fixture = json.loads((here / said["path"] / "fixture.json").read_bytes())
    assert (fixture["locale"], fixture["workflow_version"]) == ("fr-FR", "w9")
    assert said["path"].startswith(str(here / "cases" / "quarantine"))


def test_explain_gives_every_span_a_reason_and_no_name_to_a_pipe(here, export, capsys):
    assert run(["--trace-id", TRACE, str(export), "--explain"]) == 0
    shown = capsys.readouterr().out
    first = shown.splitlines()[0]
    assert first.startswith("boundary: ")
    assert " because it failed and nothing later made that good; others: " in first
    assert "(it says what no result supports)" in first
    spans = [line for line in shown.splitlines() if line.strip()[:2] in {"+ ", "- "}]
    assert len(spans) == 28
    assert all(len(line.split()) == 3 for line in spans)


@pytest.mark.parametrize(("limit", "kept"), [("5", 5), ("40%", 11), ("28", 14)])
def test_at_most_bounds_how_many_spans_are_kept(here, export, capsys, limit, kept):
    assert run(["--trace-id", TRACE, str(export), "--at-most", limit, "--json"]) == 0
    assert json_of(capsys)["spans"] == {"read": 28, "kept": kept, "dropped": 28 - kept}


@pytest.mark.parametrize("limit", ["0", "101%", "0%", "-1", "many", "1.5", "\u0663"])
def test_a_bound_that_is_none_is_refused(here, export, capsys, limit):
    assert run(["--trace-id", TRACE, str(export), "--at-most", limit]) == 2
    assert "--at-most must be a number of spans or a percentage" in capsys.readouterr().err


def test_text_from_a_file_stays_out_of_the_process_list_and_is_redacted(here, export, capsys):
    (here / "failure.txt").write_text("Maren Oduya (maren.oduya@example.com) was told that FH-204816 was refunded.\n")
    assert run(["--trace-id", TRACE, str(export), "--failure", "@failure.txt", "--json"]) == 0
    fixture = json.loads((here / json_of(capsys)["path"] / "fixture.json").read_bytes())
    trigger = fixture["expected"]["failure_statement"]["trigger"]
    assert "was told that" in trigger
    assert not [secret for secret in SECRETS if secret in trigger]


def test_a_vague_statement_is_warned_about(here, export, capsys):
    """S6."""
    assert run(["--trace-id", TRACE, str(export), "--failure", "The answer was bad"]) == 0
    assert "warning: trigger names nothing that one can observe" in capsys.readouterr().out


def test_quarantine_is_private(case):
    assert stat.S_IMODE(case.parent.stat().st_mode) == 0o700
    assert (case.parent / ".gitignore").exists()


def test_an_output_folder_that_is_a_link_is_refused(here, export, capsys):
    (here / "elsewhere").mkdir()
    (here / "fixtures").symlink_to(here / "elsewhere")
    assert run(["--trace-id", TRACE, str(export)]) == 2
    assert list((here / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("option", ["--at", "--keep", "--drop"])
def test_a_span_that_is_not_there_is_a_usage_error(option, here, export, capsys):
    assert run(["--trace-id", TRACE, str(export), option, "ffffffffffffffff"]) == 2
    assert capsys.readouterr().err.startswith("error: ")


SECRET = "Tr0ub4dor-and-3"
SENSITIVE = f"my money back, I was diagnosed with lupus and take prednisone, the password is {SECRET}"


def test_secrets_and_sensitive_text_are_told_and_no_value_of_them(here, export, capsys):
    """S69, S129."""
    (here / "planted.jsonl").write_text(export.read_text().replace("my money back", SENSITIVE))
    assert run(["--trace-id", TRACE, "planted.jsonl", "--json"]) == 0
    said = json_of(capsys)
    assert {secret["rule"] for secret in said["secrets"]} == {"secret.assigned"}
    assert {"medical", "credential"} == {flag["category"] for flag in said["flags"]}
    folder = here / said["path"]
    predicate = json.loads((folder / "provenance.json").read_bytes())["predicate"]
    assert predicate["redaction"]["secrets"] == said["secrets"]
    assert predicate["flags"] == said["flags"]
    assert run(["show", said["path"]]) == 0
    shown = capsys.readouterr().out
    readme = (folder / "README.md").read_text()
    for text in (shown, readme):
        assert "rotate it: a case is not containment" in text
        assert "medical text in" in text
    assert SECRET not in shown + "".join(file.read_text() for file in folder.iterdir())
    assert run(["validate", said["path"]]) == 1  # incomplete, nothing else


def test_a_case_without_either_says_nothing_of_them(here, export, capsys):
    assert run(["--trace-id", TRACE, str(export), "--json"]) == 0
    said = json_of(capsys)
    assert (said["secrets"], said["flags"]) == ([], [])
