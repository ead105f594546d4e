"""The examples of scheduled runs say what the command understands."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

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


def test_the_crontab():
    lines = [line for line in (FOLDER / "crontab").read_text().splitlines() if line and not line.startswith("#")]
    (job,) = [line for line in lines if line[0].isdigit()]
    words = shlex.split(job.split("&&")[1])
    assert words[:2] == ["extract-fixture", "bulk"]
    assert understood(words[2:])["resume"]
    assert any(line.startswith("EXTRACT_FIXTURE_KEY_FILE=") for line in lines)


def test_the_dag():
    tree = ast.parse((FOLDER / "airflow_dag.py").read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    (text,) = [each for each in texts if each.startswith("extract-fixture bulk")]
    assert understood(shlex.split(text)[2:])["rules_"] == ("error side_effect", "grade")


def test_the_cron_job():
    job = yaml.safe_load((FOLDER / "cronjob.yaml").read_text())
    spec = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    assert container["args"][0] == "bulk"
    assert understood(container["args"][1:])["workers"] == 4
    secret = next(each for each in spec["volumes"] if each["name"] == "key")
    assert secret["secret"]["defaultMode"] == 0o440, "a key that everybody may read is refused"
    assert {"name": "EXTRACT_FIXTURE_KEY_FILE", "value": "/secrets/workspace.key"} in container["env"]


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
