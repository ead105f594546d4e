from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from extractor.cli.app import run

EXPORTS = Path(__file__).parent.parent.parent / "sample_traces" / "exports"
TRACE = "6d383010fe32bfe09c943d88b718f3e3"


@pytest.fixture
def export() -> Path:
    """The export that holds the refund incident among six traces."""
    return EXPORTS / "refund-timeout.otlp.jsonl"


@pytest.fixture
def shipments(tmp_path) -> Path:
    file = tmp_path / "shipments.jsonl"
    file.write_bytes(gzip.decompress((EXPORTS / "duplicate-shipment.otlp.jsonl.gz").read_bytes()))
    return file


@pytest.fixture(scope="session")
def key(tmp_path_factory) -> str:
    file = tmp_path_factory.mktemp("key") / "workspace.key"
    file.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    file.chmod(0o600)
    return str(file)


@pytest.fixture
def here(tmp_path, monkeypatch, key) -> Path:
    """An empty project folder as the current one, with the key in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", key)
    return tmp_path


@pytest.fixture
def case(here, export, capsys) -> Path:
    """The refund incident, extracted and not yet annotated."""
    assert run(["--trace-id", TRACE, str(export), "--quiet"]) == 0
    capsys.readouterr()
    (found,) = (here / "fixtures" / "quarantine").glob("2*")
    return found
