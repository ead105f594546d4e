from __future__ import annotations

import stat

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
