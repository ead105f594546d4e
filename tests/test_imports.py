"""What a command may load before it has work to do: people wait for it, and a pre-commit hook runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from extractor.cli.app import run
status = run(sys.argv[1:])
sys.stdout.flush()
print("\\n" + json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
HEAVY = {
    "spacy",
    "thinc",
    "presidio_analyzer",
    "presidio_anonymizer",
    "pyarrow",
    "numpy",
    "rich",
    "opentelemetry",
    "flask",
    "jinja2",
}


LIFE = ("approve", "reject", "register", "retire", "purge", "export")


def loaded_by(*arguments: str) -> tuple[int, set[str]]:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True)
    status, names = json.loads(done.stdout.splitlines()[-1])
    return status, set(names)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        *(
            (name, "--help")
            for name in ("validate", "extract", "redact", "rules", "key", "review", "compare", "check", *LIFE)
        ),
    ],
)
def test_help_loads_nothing_heavy(arguments):
    status, names = loaded_by(*arguments)
    assert status == 0
    assert not names & (HEAVY | {"jsonschema", "yaml", "cryptography"})


def test_validate_loads_the_schema_library_alone(tmp_path):
    whole = {
        **dict.fromkeys(("schema_version", "case_id", "incident_id", "workflow_version", "prompt_version"), "1"),
        "frozen_at": "2026-01-01T00:00:00Z",
        "input": {},
        "identity": {},
        "tool_events": [],
        "expected": {"prohibited_claims": ["done"]},
    }
    (tmp_path / "fixture.json").write_text(json.dumps(whole))
    status, names = loaded_by("validate", str(tmp_path))
    assert status == 1
    assert "jsonschema" in names
    assert not names & HEAVY


def test_checks_load_a_reader_of_yaml_alone(tmp_path, monkeypatch):
    """S112: a hook that costs a minute is switched off."""
    (tmp_path / "pyproject.toml").write_text('[tool.extract-fixture.checks]\nmodule = "shop_checks"\n')
    (tmp_path / "shop_checks.py").write_text("def assert_paid(record, case):\n    assert record.output == 'Paid.'\n")
    (folder := tmp_path / "evals" / "unpaid").mkdir(parents=True)
    (folder / "case.yaml").write_text("input: Please pay.\n")
    (folder / "record.json").write_text('{"tool_calls": [], "output": "No."}')
    (folder / "expect.yaml").write_text("verdict: reject\nby: assert_paid\nreason: output\n")
    (folder / "README.md").write_text("Nothing was paid.\n")
    monkeypatch.chdir(tmp_path)
    status, names = loaded_by("check", "evals")
    assert status == 0
    assert "yaml" in names
    assert not names & (HEAVY | {"jsonschema", "cryptography", "securesystemslib"})


def test_inspect_and_show_load_no_language_model(tmp_path):
    (tmp_path / "spans.jsonl").write_text("{}")
    for command in ("inspect", "show"):
        _, names = loaded_by(command, str(tmp_path))
        assert not names & (HEAVY - {"opentelemetry"})


def test_a_new_key_needs_no_language_model(tmp_path):
    status, names = loaded_by("key", "new", "--out", str(tmp_path / "workspace.key"))
    assert status == 0
    assert not names & HEAVY


def test_looking_at_a_store_loads_no_cryptography_and_no_schemas(tmp_path):
    status, names = loaded_by("register", "--store", str(tmp_path))
    assert status == 0
    assert not names & (HEAVY | {"jsonschema", "yaml", "cryptography", "securesystemslib"})
