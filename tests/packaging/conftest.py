"""Wheel and sdist as they would be published, built once from this very tree, without a network."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    wheel: Path
    sdist: Path


def build(tree: Path, out: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out), *arguments]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Built:
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out)
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return Built(wheel=wheel, sdist=sdist)
