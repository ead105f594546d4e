"""What an extraction needs of this machine, looked at one thing at a time: what is broken never hides the rest."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal

from extractor import ruleset
from extractor.bulk.units import counted
from extractor.errors import ExtractFixtureError, RulesError
from extractor.model.json import JsonValue
from extractor.model.layout import QUARANTINE
from extractor.settings import Settings, find

from .options import seconds

OLDEST: Final = (3, 11)
NEWEST: Final = (3, 13)
"""The Pythons that the project is tested on: its classifiers name the same."""

PACKAGES: Final = (
    "spacy", "presidio-analyzer", "presidio-anonymizer", "pyarrow", "click", "jsonschema", "ahocorasick-rs", "cryptography",
    "opentelemetry-proto", "phonenumbers", "python-stdnum", "pyyaml", "rich", "securesystemslib", "zstandard",
)  # fmt: skip
_OLDEST_JAVA = 17  # PySpark 4 starts on no other
_JAVA_SECONDS = 10
_JAVA = re.compile(r'version "(?:1\.)?(\d{1,3})')

State = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was seen of one thing. ``fault`` keeps an extraction from working; ``next`` says what to do, empty for nothing."""

    name: str
    state: State
    told: str
    next: str = ""
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


def seen(name: str, look: Callable[[], Finding], cure: str) -> Finding:
    """Return what a look found. Whatever it raises is a fault, told without the words of a foreign exception.

    ``cure`` is the next step where an error of ours names none.
    """
    try:
        return look()
    except ExtractFixtureError as error:
        lines = [line.strip() for line in error.message.splitlines()]
        return Finding(name=name, state="fault", told=" ".join(lines), next=error.hint or cure)
    except Exception as error:  # noqa: BLE001  # a broken package may raise anything when it is imported
        told = f"{type(error).__name__} when it was tried: a package is broken or does not fit this Python"
        return Finding(
            name=name, state="fault", told=told, next="install extract-fixture anew, in a virtual environment"
        )


def python() -> Finding:
    """Look at the interpreter."""
    running, tested = sys.version_info[:2], f"{_dotted(OLDEST)} to {_dotted(NEWEST)}"
    told = f"{'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}"
    if running < OLDEST:
        return Finding(name="python", state="fault", told=told, next=f"install it under Python {tested}")
    if running > NEWEST:
        return Finding(name="python", state="note", told=told, next=f"nothing, or use a tested one: {tested}")
    return Finding(name="python", state="ok", told=told)


def packages() -> Finding:
    """Look for the packages that the project depends on, and name their versions."""
    found = {name: _version(name) for name in PACKAGES}
    facts: dict[str, JsonValue] = {**found}
    missing = [name for name, number in found.items() if number is None]
    if missing:
        told = f"not installed: {', '.join(missing)}"
        return Finding(name="packages", state="fault", told=told, next=f"pip install {' '.join(missing)}", facts=facts)
    told = ", ".join(f"{name} {found[name]}" for name in PACKAGES)
    return Finding(name="packages", state="ok", told=told, facts=facts)


def project(start: Path) -> Finding:
    """Look at the project's settings: all of their tables, also those that an extraction does not read."""
    from extractor.replay.project import project_at
    from extractor.review import policy

    settings = find(start)
    if settings.file is None:
        return Finding(name="settings", state="ok", told="no settings file; the defaults hold")
    project_at(start)
    seconds(settings.bulk.settle, "bulk.settle")
    seconds(settings.bulk.timeout, "bulk.timeout")
    policy(settings.out)
    return Finding(name="settings", state="ok", told=str(settings.file), facts={"file": str(settings.file)})


def model(settings: Settings) -> Finding:
    """Look for the language model, hold its files to their pin, and load it."""
    from extractor.redact._analyzer import build  # spaCy and Presidio
    from extractor.redact.models import verified

    found = verified(settings.config.nlp)
    build(settings.config.nlp)
    name, digest = f"{found.name} {found.version or '(no version)'}", found.sha256[:12]
    facts: dict[str, JsonValue] = {
        "name": found.name,
        "version": found.version,
        "sha256": found.sha256,
        "pinned": found.pinned,
    }
    if found.pinned == "nobody":
        wanted = f'nothing, or pin it: [nlp] model-sha256 = "{found.sha256}"'
        return Finding(
            name="model", state="note", told=f"{name}, {digest}; loads; nobody pins it", next=wanted, facts=facts
        )
    pin = "rules/models.toml pins" if found.pinned == "rules" else "[nlp] model-sha256 pins"
    return Finding(name="model", state="ok", told=f"{name}, {digest} as {pin}; loads", facts=facts)


def key(given: Path | None, named_by: str, *, at_a_terminal: bool) -> Finding:
    """Look at the workspace key that a run would use: ``given`` by what ``named_by`` says, else a person's own."""
    from extractor.redact.keys import load_key

    from .keyring import default_place

    own = default_place()
    chosen = given or (own if own.exists() else None)
    if chosen is None:
        return Finding(
            name="key",
            state="note" if at_a_terminal else "fault",
            told="none; the first run at a terminal makes one" if at_a_terminal else "none",
            next=f"extract-fixture key new --out {own}; export EXTRACT_FIXTURE_KEY_FILE={own}",
        )
    key_id, mode = load_key(chosen).key_id, f"{stat.S_IMODE(chosen.stat().st_mode):04o}"
    told = f"id {key_id}, mode {mode}, {chosen} ({named_by if given else 'your own'})"
    facts: dict[str, JsonValue] = {"key_id": key_id, "mode": mode, "file": str(chosen)}
    if given is None and not at_a_terminal:
        wanted = f"export EXTRACT_FIXTURE_KEY_FILE={own}, for runs that are not at a terminal"
        return Finding(name="key", state="note", told=told, next=wanted, facts=facts)
    return Finding(name="key", state="ok", told=told, facts=facts)


def rules(overlays: Sequence[Path]) -> Finding:
    """Load the rules and hold each to its own examples. Raises `RulesError`."""
    from extractor.normalise import check_examples
    from extractor.redact.catalogue import catalogue, examples
    from extractor.redact.rulebook import compile_identifiers

    try:
        loaded = ruleset.load(overlays)
        compile_identifiers(loaded)
        check_examples(loaded)
    except RulesError as error:
        rest = f", and {counted(len(error.faults) - 1, 'more fault')}" if len(error.faults) > 1 else ""
        told = f"{error.faults[0]}{rest}"
        return Finding(name="rules", state="fault", told=told, next="extract-fixture rules test")
    cards = catalogue(loaded)
    told = f"{counted(len(cards), 'rule')} hold on {counted(examples(cards), 'example')}; rule set {loaded.digest[:12]}"
    return Finding(name="rules", state="ok", told=told, facts={"rules": len(cards), "digest": loaded.digest})


def output(store: Path) -> Finding:
    """Try whether the place of quarantine can be written: with a file that never gets a name, where the system has such."""
    place = store / QUARANTINE
    there = next(folder for folder in (place, *place.absolute().parents) if folder.exists())
    facts: dict[str, JsonValue] = {"folder": str(place)}
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        told = f"{place} cannot be written ({error.strerror or 'no reason given'})"
        wanted = "make it writable, or name another folder with --out"
        return Finding(name="output", state="fault", told=told, next=wanted, facts=facts)
    ready = "can be written" if there == place else "will be made by the first run"
    return Finding(name="output", state="ok", told=f"{place} {ready}", facts=facts)


def review_extra() -> Finding:
    """Look for what the review page needs."""
    number = _version("flask")
    if number is None:
        wanted = "pip install 'extract-fixture[review]'"
        return Finding(name="review", state="note", told="the review page is not installed", next=wanted)
    return Finding(name="review", state="ok", told=f"the review page has flask {number}")


def spark_extra() -> Finding:
    """Look for what bulk runs on a cluster need: PySpark, and a Java that it starts on."""
    number = _version("pyspark")
    if number is None:
        wanted = "pip install 'extract-fixture[spark]'"
        return Finding(name="spark", state="note", told="bulk --engine spark is not installed", next=wanted)
    java = _java()
    if java is None or java < _OLDEST_JAVA:
        told = f"pyspark {number}, and {'no Java' if java is None else f'Java {java}, which is too old'}"
        wanted = f"install Java {_OLDEST_JAVA} or later, and set JAVA_HOME, for bulk --engine spark"
        return Finding(name="spark", state="note", told=told, next=wanted)
    return Finding(name="spark", state="ok", told=f"pyspark {number}, Java {java}")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _java() -> int | None:
    """Return the major version of the Java that PySpark would start, None where none starts."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=_JAVA_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _JAVA.search(done.stderr + done.stdout)
    return int(found[1]) if found else None


def _dotted(numbers: tuple[int, int]) -> str:
    return f"{numbers[0]}.{numbers[1]}"
