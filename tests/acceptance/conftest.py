from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from extractor.pipeline import Extraction

from .samples import INCIDENTS, KEY, extracted


@pytest.fixture(params=INCIDENTS)
def name(request) -> str:
    return request.param


@pytest.fixture(scope="session")
def case_of() -> Callable[[str], Extraction]:
    """The complete case of an incident, extracted once a session."""
    return cache(extracted)


@pytest.fixture
def files(case_of, name) -> dict[str, bytes]:
    return dict(case_of(name).fixture.files)


@pytest.fixture(scope="session")
def key_file(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("key") / "workspace.key"
    file.write_text("extract-fixture-key-1:" + KEY.material.hex() + "\n")
    file.chmod(0o600)
    return file
