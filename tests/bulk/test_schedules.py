"""The examples of scheduled runs say what the command understands."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from extractor.bulk.choosing import rule
from extractor.cli.bulk import command

FOLDER = Path(__file__).parent.parent.parent / "docs" / "bulk"


def understood(arguments):
    """Parse a command line as the command does; its rules, too."""
    context = command.make_context("bulk", arguments)
    assert context.params["sources"]
    for text in context.params["rules_"]:
        rule(text)
    return context.params


@pytest.fixture(autouse=True)
def key(tmp_path, monkeypatch):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE", raising=False)


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program called extract-fixture that ends as it is told to, and writes down how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    file = folder / "extract-fixture"
    asked = tmp_path / "asked"
    file.write_text(f'#!/bin/sh\nprintf "%s\\n" "$EXTRACT_FIXTURE_KEY_FILE" "$@" > {asked}\nexit $STATUS\n')
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def call(status, start):
        monkeypatch.setenv("STATUS", str(status))
        ended = start()
        key, *arguments = asked.read_text().splitlines()
        assert key.endswith("/workspace.key")
        assert arguments[0] == "bulk"
        return ended, understood(arguments[1:])

    return call


@pytest.mark.parametrize("status", [0, 1, 5])
def test_the_crontab_says_nothing_unless_something_is_wrong(program, tmp_path, status):
    lines = [line for line in (FOLDER / "crontab").read_text().splitlines() if line and not line.startswith("#")]
    (job,) = [line for line in lines if line[0].isdigit()]
    settings = dict(line.split("=", 1) for line in lines if line != job)
    command = job.split(maxsplit=5)[5]
    assert "%" not in command, "cron takes it for the end of the line"
    command = command.replace("/srv/incidents", str(tmp_path))
    key = {"EXTRACT_FIXTURE_KEY_FILE": settings["EXTRACT_FIXTURE_KEY_FILE"]}

    def start():
        return subprocess.run(
            ["/bin/sh", "-c", command], env={**os.environ, **key}, capture_output=True, text=True, check=False
        )

    done, asked = program(status, start)
    assert done.returncode == status
    assert done.stdout == (f"status {status}: see fixtures/.bulk/report/report.html\n" if status else "")
    assert (asked["resume"], asked["quiet"], asked["rules_"]) == (True, True, ("error side_effect", "grade"))


@pytest.fixture
def task(monkeypatch):
    """The task of the example, with what it uses of Airflow put in its place."""
    found = []

    class AirflowException(Exception):  # Airflow's name
        """A task that raises it is tried again."""

    class AirflowFailException(AirflowException):
        """A task that raises it is not."""

    def dag(**options):
        assert options["max_active_runs"] == 1
        return lambda function: function

    def task(**options):
        assert options["retries"] > 0

        def decorated(function):
            found.append(function)
            return lambda **_: None  # the file calls it, and means a place in its graph

        return decorated

    exceptions = SimpleNamespace(AirflowException=AirflowException, AirflowFailException=AirflowFailException)
    monkeypatch.setitem(sys.modules, "airflow", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "airflow.exceptions", exceptions)
    monkeypatch.setitem(sys.modules, "airflow.sdk", SimpleNamespace(dag=dag, task=task))
    runpy.run_path(str(FOLDER / "airflow_dag.py"))
    (bulk,) = found
    return bulk, exceptions


@pytest.mark.parametrize(
    ("status", "ends"), [(0, None), *((code, "fails") for code in (1, 2, 3, 5, 6)), (137, "again")]
)
def test_the_dag_tries_again_what_was_killed_and_not_what_was_judged(program, task, status, ends):
    bulk, exceptions = task

    def start():
        try:
            bulk(ds="2026-12-03")
        except exceptions.AirflowFailException:
            return "fails"
        except exceptions.AirflowException:
            return "again"
        return None

    ended, asked = program(status, start)
    assert ended == ends
    assert asked["sources"] == ("s3://traces/2026-12-02/",), "a run is named by the day after its traces"
    assert asked["rules_"] == ("error side_effect", "grade")
    assert asked["resume"], "or a run that was killed would not be gone on with"


def test_the_cron_job():
    job = yaml.safe_load((FOLDER / "cronjob.yaml").read_text())
    assert job["spec"]["concurrencyPolicy"] == "Forbid"
    work = job["spec"]["jobTemplate"]["spec"]
    spec = work["template"]["spec"]
    (container,) = spec["containers"]
    assert container["args"][0] == "bulk"
    asked = understood(container["args"][1:])
    assert (asked["workers"], asked["resume"]) == (4, True)
    secret = next(each for each in spec["volumes"] if each["name"] == "key")
    assert secret["secret"]["defaultMode"] == 0o440, "a key that everybody may read is refused"
    assert {"name": "EXTRACT_FIXTURE_KEY_FILE", "value": "/secrets/workspace.key"} in container["env"]
    assert {each["name"] for each in container["volumeMounts"]} == {each["name"] for each in spec["volumes"]}
    # What Kubernetes asks of a policy: pods that are not restarted, statuses in order, each once, without 0.
    assert spec["restartPolicy"] == "Never"
    judged = work["podFailurePolicy"]["rules"][0]["onExitCodes"]
    assert judged["containerName"] == container["name"]
    assert judged["values"] == [1, 2, 3, 5, 6, 7]


def test_the_examples_know_every_status_that_the_page_names():
    page = (FOLDER.parent / "bulk.md").read_text()
    table = page.partition("| exit status | |")[2].partition("\n\n")[0]
    named = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", table, flags=re.MULTILINE) for code in row.split(",")}
    assert named == {0, 1, 2, 3, 5, 6, 7}


def test_the_page_names_every_term_and_option():
    page = (FOLDER.parent / "bulk.md").read_text()
    chosen = page.partition("## What is chosen")[2].partition("##")[0]
    terms = re.findall(r"\| `([a-z_:]+)", chosen)
    assert len(terms) >= 7
    for term in terms:
        assert rule(
            {"attr:": "attr:a=b", "since": "since=2026-01-01", "tool": "tool=x", "sample": "sample=1%"}.get(term, term)
        )
    for option in set(re.findall(r"--[a-z][a-z-]+", page)) - {"--trace-id"}:
        assert option in {name for parameter in command.params for name in parameter.opts}, option
