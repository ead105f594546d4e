"""S85: whose scope may be taken over, and how it is refused."""

from __future__ import annotations

import json

import pytest

from extractor.cli.app import run

TRACE = "6d383010fe32bfe09c943d88b718f3e3"


def again(export, case, *more):
    return run(["--trace-id", TRACE, str(export), "--scope-of", str(case), "--out", "twins", "--quiet", *more])


def test_a_scope_is_taken_over_and_recorded(case, here, export):
    assert again(export, case) == 0
    (twin,) = (here / "twins" / "quarantine").glob("2*")
    redaction = json.loads((twin / "provenance.json").read_bytes())["predicate"]["redaction"]
    assert redaction["scope_of"] == case.name
    assert run(["annotate", str(twin), "--prohibit", "it is done", "--quiet"]) == 0
    later = json.loads((twin / "provenance.json").read_bytes())["predicate"]["redaction"]
    assert (later["scope"], later["scope_of"]) == (redaction["scope"], redaction["scope_of"])


def test_a_case_under_another_key_is_refused(case, here, export, capsys):
    other = here / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(1, 33)).hex() + "\n")
    other.chmod(0o600)
    assert again(export, case, "--key-file", str(other)) == 2
    assert "under key" in capsys.readouterr().err
    assert not (here / "twins").exists()


@pytest.mark.parametrize("damage", ["absent", "other bytes", "schema", "no json"])
def test_a_sidecar_that_does_not_validate_is_refused(case, here, export, damage):
    file = case / "provenance.json"
    statement = json.loads(file.read_bytes())
    if damage == "absent":
        file.unlink()
    elif damage == "no json":
        file.write_text("{")
    else:
        if damage == "schema":
            statement["predicate"]["redaction"]["scope"] = 3
        else:
            statement["subject"][0]["digest"]["sha256"] = "0" * 64
        file.write_text(json.dumps(statement))
    assert again(export, case) == 7
    assert not (here / "twins").exists()


def test_what_is_no_case_is_refused(here, export, capsys):
    assert again(export, here) == 6
    assert again(export, here / "nowhere") == 6
    assert "nowhere" not in capsys.readouterr().err


def test_two_scopes_are_one_too_many(case, export):
    assert again(export, case, "--scope", "workspace") == 2


def test_what_is_redacted_under_the_scope_of_a_case_reads_like_the_case(case, here, capsys):
    before = json.loads((case / "fixture.json").read_bytes())
    pseudonym = before["tool_events"][0]["outcome"]["value"]["customer"]["email"]
    (here / "note.json").write_text('{"email": "maren.oduya@example.com"}')
    assert run(["redact", "note.json", "--scope-of", str(case)]) == 0
    assert json.loads(capsys.readouterr().out) == {"email": pseudonym}
    assert run(["redact", "note.json"]) == 0
    assert json.loads(capsys.readouterr().out) != {"email": pseudonym}
