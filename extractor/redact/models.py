"""Which language model reads free text: found without running its code, hashed file by file, held to its pin."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from ..errors import ModelChanged, RulesError, UsageError
from ..model.case import LanguageModel
from ..model.config import Nlp
from ..model.json import MalformedJson, parse
from ..ruleset import location

_COMPILED = "__pycache__"  # written by the interpreter that imports the package
_BLOCK = 1024 * 1024


def verified(settings: Nlp) -> LanguageModel:
    """Return the model that the settings name, with the SHA-256 over names and bytes of all files of its package.

    Raises `UsageError` when it is not installed, since nothing is ever downloaded, and `ModelChanged` when its files are
    not those that the project pins (``[nlp] model-sha256``) or, where it pins none, those that rules/models.toml pins
    under this name. A model that nobody pins is allowed, and recorded. Nothing of the model has been executed by then.
    """
    version, digest = _measured(settings.model)
    pins = _pins().get(settings.model, ())
    if settings.model_sha256 is not None:
        if digest != settings.model_sha256:
            raise ModelChanged(
                "the files of the spaCy model are not those that [nlp] model-sha256 pins",
                hint=f"the installed files have {digest}; pin these if they are meant, or install the model again",
            )
        pinned = "project"
    elif pins:
        if digest not in pins:
            raise ModelChanged(
                "the files of the spaCy model are not those that rules/models.toml pins",
                hint="install its package again, or, if these files are meant, pin them: "
                f'[nlp] model-sha256 = "{digest}"',
            )
        pinned = "rules"
    else:
        pinned = "nobody"
    return LanguageModel(name=settings.model, version=version, sha256=digest, pinned=pinned)


def digest_of(folder: Path) -> str:
    """Return the SHA-256, in hex, over relative names and bytes of all files below a folder, in name order.

    What an interpreter compiled on the way is left out; links are followed, as the model's loader follows them.
    """
    digest = hashlib.sha256()
    named = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
    for name in sorted(named):
        if _COMPILED in name.split("/"):
            continue
        digest.update(f"{len(name.encode())}:{name}{named[name].stat().st_size}:".encode())
        with named[name].open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


@cache
def _measured(name: str) -> tuple[str | None, str]:
    """Return a package's version, as its meta.json has it, and its digest; once a process, twelve megabytes and more."""
    spec = find_spec(name) if name.isidentifier() else None
    # A package that no distribution brought is what spaCy would not load, and Presidio would try to download.
    if spec is None or spec.origin is None or not spec.submodule_search_locations or not _is_distributed(name):
        raise UsageError(
            "the spaCy model is not installed", hint="install its package, or name another with [nlp] model"
        )
    folder = Path(spec.origin).parent
    try:
        return _version(folder), digest_of(folder)
    except OSError:
        raise UsageError("the files of the spaCy model cannot be read") from None


def _is_distributed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _version(folder: Path) -> str | None:
    try:
        meta = parse((folder / "meta.json").read_bytes())
    except (OSError, MalformedJson):
        return None
    version = meta.get("version") if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


@cache
def _pins() -> dict[str, tuple[str, ...]]:
    """Return the digests that the shipped rules pin, by name; overlays cannot change them. Raises `RulesError`."""
    try:
        models = tomllib.loads((location() / "models.toml").read_text("utf-8"))["model"]
        pins: dict[str, tuple[str, ...]] = {}
        for model in models:
            pins[model["name"]] = (*pins.get(model["name"], ()), str(model["sha256"]))
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError):
        raise RulesError(["models: the shipped pins cannot be read"]) from None
    return pins
