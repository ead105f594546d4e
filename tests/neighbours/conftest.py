from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from extractor.write import store
from tests.acceptance.samples import INCIDENTS, extracted


@pytest.fixture(scope="session")
def standing_cases(tmp_path_factory) -> dict[str, Path]:
    """The four sample incidents as quarantined cases; nobody writes to them."""
    root = tmp_path_factory.mktemp("cases")
    made = {name: extracted(name) for name in INCIDENTS}
    return {name: store(each.fixture, each.capture, root, replace=False).path for name, each in made.items()}


@pytest.fixture
def case_of(standing_cases, tmp_path):
    """A case of its own for a test that writes."""

    def copied(name: str) -> Path:
        (tmp_path / "quarantine").mkdir(exist_ok=True)
        return Path(shutil.copytree(standing_cases[name], tmp_path / "quarantine" / standing_cases[name].name))

    return copied
