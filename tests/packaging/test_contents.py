"""What is published holds all that it needs, and nothing that merely lay about."""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from .conftest import ROOT, build


def sources(*folders: str) -> set[str]:
    """The files that git does not ignore; a tree that came as an sdist is itself the answer."""
    if not (ROOT / ".git").exists():
        found = {path for folder in folders or (".",) for path in (ROOT / folder).rglob("*") if path.is_file()}
        return {str(path.relative_to(ROOT)) for path in found if "__pycache__" not in path.parts}
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    # A file that was just deleted is still listed.
    return {name for name in done.stdout.split("\0") if name and (ROOT / name).exists()}


def held_by(sdist: Path) -> set[str]:
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()} - {"PKG-INFO"}


def digests(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def test_the_wheel_holds_package_rules_and_schemas_and_nothing_else(built):
    names = {name for name in digests(built.wheel) if ".dist-info/" not in name}
    rules = {f"extractor/_rules/{name.removeprefix('rules/')}" for name in sources("rules")}
    assert names == sources("extractor") | rules
    assert "extractor/py.typed" in names
    assert sum(name.startswith("extractor/schemas/") for name in names) >= 5


def test_the_wheel_says_what_it_is_and_which_licence_it_has(built):
    with zipfile.ZipFile(built.wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode()
        (licence,) = (name for name in archive.namelist() if name.endswith("/licenses/LICENSE"))
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert "License-Expression: Apache-2.0" in text
    assert "Requires-Python: >=3.11" in text
    assert "Description-Content-Type: text/markdown" in text


def test_the_sdist_holds_the_sources_and_their_tests(built):
    names = held_by(built.sdist)
    assert names == {name for name in sources() if not name.startswith(".ci/")} - {"PKG-INFO"}
    for needed in ("pyproject.toml", "LICENSE", "requirements/dev.txt", "rules/verify.toml", "tests/test_imports.py"):
        assert needed in names


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built.sdist) as archive:
        archive.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    return tree


def test_what_lies_about_in_a_working_copy_is_not_published(built, unpacked, tmp_path):
    strays = ("customers.jsonl", ".cache/notes", "site/index.html", "fixtures/quarantine/c/capture.json", "team.key")
    for name in strays:
        (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).write_text("private")
    build(unpacked, tmp_path)
    assert held_by(tmp_path / built.sdist.name) == held_by(built.sdist)


def test_the_wheel_of_the_sdist_is_the_same_to_the_byte(built, unpacked, tmp_path):
    build(unpacked, tmp_path, "-t", "wheel")
    assert digests(tmp_path / built.wheel.name) == digests(built.wheel)
    assert (tmp_path / built.wheel.name).read_bytes() == built.wheel.read_bytes()
