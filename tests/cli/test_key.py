from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from extractor.cli import keyring
from extractor.cli.app import run
from extractor.cli.console import Console
from extractor.errors import WorkspaceKeyError


def test_a_new_key_is_its_owner_s_alone_and_never_shown(tmp_path, capsys):
    file = tmp_path / "team" / "workspace.key"
    assert run(["key", "new", "--out", str(file)]) == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    told = "".join(capsys.readouterr())
    assert "Team-mates need the same file" in told
    assert file.read_text().strip().rpartition(":")[2] not in told


def test_a_key_is_never_overwritten(tmp_path):
    file = tmp_path / "workspace.key"
    assert run(["key", "new", "--out", str(file), "--quiet"]) == 0
    before = file.read_bytes()
    assert run(["key", "new", "--out", str(file)]) == 2
    assert file.read_bytes() == before


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "extract-fixture" / "workspace.key"


@pytest.mark.parametrize(("json", "person"), [(True, True), (False, False)])
def test_machines_and_pipes_get_no_key_that_was_not_given(json, person, home, monkeypatch):
    monkeypatch.setattr(keyring, "interactive", lambda: person)
    with pytest.raises(WorkspaceKeyError, match="--key-file"):
        keyring.workspace_key(None, None, Console(json=json))
    assert not home.exists()


def test_a_person_gets_a_key_of_their_own_once(home, monkeypatch, capsys):
    monkeypatch.setattr(keyring, "interactive", lambda: True)
    first = keyring.workspace_key(None, None, Console())
    assert "team-mates need the same file" in capsys.readouterr().err
    assert stat.S_IMODE(home.stat().st_mode) == 0o600
    assert keyring.workspace_key(None, None, Console()).key_id == first.key_id
    assert capsys.readouterr().err == ""


def test_a_given_key_goes_before_the_project_s(tmp_path, home):
    given, project = tmp_path / "given", tmp_path / "project"
    for file in (given, project):
        assert run(["key", "new", "--out", str(file), "--quiet"]) == 0
    keys = {keyring.load_key(file).key_id for file in (given, project)}
    assert len(keys) == 2
    assert keyring.workspace_key(given, project, Console(json=True)).key_id == keyring.load_key(given).key_id
    assert keyring.workspace_key(None, project, Console(json=True)).key_id == keyring.load_key(project).key_id


def test_a_key_has_an_id_that_tells_nothing_of_it(here, key, capsys):
    for arguments in (["key", "id"], ["key", "id", key], ["key", "id", "--key-file", key]):
        assert run(arguments) == 0
        assert capsys.readouterr().out == keyring.load_key(Path(key)).key_id + "\n"


def test_a_key_that_is_fit_is_told_with_its_mode_and_length(here, key, capsys):
    assert run(["key", "check"]) == 0
    assert "32 bytes, mode 0600, fit for use" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [
        (b"k" * 64, 0o600, "trivial"),
        (bytes(range(16)), 0o600, "shorter"),
        (bytes(range(64)), 0o644, "readable by everybody"),
        (b"", 0o600, "shorter"),
    ],
)
def test_a_key_that_is_not_fit_is_a_fault_of_keys(content, mode, told, here, capsys):
    (here / "bad.key").write_bytes(content)
    (here / "bad.key").chmod(mode)
    assert run(["key", "check", "bad.key"]) == 2
    assert told in capsys.readouterr().err


def test_no_key_at_all_is_told(here, home, monkeypatch, capsys):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    assert run(["key", "check"]) == 2
    assert "no workspace key" in capsys.readouterr().err


def test_cases_under_another_key_are_counted(case, here, key, capsys):
    """A rotated key is seen by the cases that it left behind."""
    assert run(["key", "new", "--out", "new.key", "--quiet"]) == 0
    old = keyring.load_key(Path(key)).key_id
    for option in (["--case", str(case)], ["--case", str(case / "provenance.json")], ["--cases", str(here)]):
        assert run(["key", "check", *option]) == 0
        assert "1 under this key" in capsys.readouterr().out
        assert run(["key", "check", "new.key", *option]) == 1
        told = capsys.readouterr()
        assert f"other key  {old}: 1" in told.out
        assert told.err == "1 of 1 case under another key\n"
    assert run(["key", "check", "new.key", "--cases", str(here), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["cases"], found["others"]) == (0, {old: 1})


def test_what_is_no_sidecar_is_told_by_its_status(here, capsys):
    assert run(["key", "check", "--case", "."]) == 6
    (here / "provenance.json").write_text('{"predicate": "Zebra"}')
    assert run(["key", "check", "--case", "."]) == 7
    assert "Zebra" not in capsys.readouterr().err
