from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from extractor.model.config import RunConfig
from extractor.review.page.desk import QuarantineDesk
from extractor.write import store
from tests.acceptance.samples import KEY, RULES, extracted, source_of

NAME = "refund-timeout"
AT = "2026-01-02T00:00:00+00:00"


@pytest.fixture(scope="session")
def pattern(tmp_path_factory) -> Path:
    """The refund incident in quarantine, to be copied by each test."""
    made = extracted(NAME)
    return store(made.fixture, made.capture, tmp_path_factory.mktemp("pattern") / "fixtures", replace=False).path


@pytest.fixture
def case(pattern, tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "fixtures" / "quarantine" / pattern.name
    out.parent.mkdir(parents=True, mode=0o700)
    shutil.copytree(pattern, out)
    return out


def desk_of(*sources: Path, key=KEY, with_source: bool = False) -> QuarantineDesk:
    return QuarantineDesk(
        sources=sources, key=key, base=RunConfig(), rules=lambda: RULES, now=lambda: AT, with_source=with_source
    )


@pytest.fixture
def desk() -> QuarantineDesk:
    return desk_of(source_of(NAME))
