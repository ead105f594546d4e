"""The rules in force: TOML documents below rules/, checked against their schema, with one digest over all of them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .errors import RulesError

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Rule documents by name (``identifiers/people``, ``dialects/openinference``, ``decisive``) and their digest.

    ``digest`` is the SHA-256, in hex, over names and bytes in name order, the word lists' among them; the sidecar
    records it.
    """

    documents: Mapping[str, Document]
    digest: str

    def family(self, folder: str) -> Mapping[str, Document]:
        """Return the documents of one folder by file name, in name order."""
        prefix = folder + "/"
        return {
            name.removeprefix(prefix): document
            for name, document in sorted(self.documents.items())
            if name.startswith(prefix)
        }


def location() -> Path:
    """Return the folder of the rules that ship with the product: inside the wheel, or beside the checkout."""
    packaged = Path(__file__).parent / "_rules"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "rules"


@cache
def vocabulary() -> frozenset[str]:
    """Return the ordinary words that ship with the rules, lower case, given and family names left out."""
    return frozenset(_list_bytes("en").decode("ascii").split())


@cache
def given_names() -> frozenset[str]:
    """Return given names of many languages, lower case, without marks; some are ordinary words as well."""
    return frozenset(_list_bytes("given").decode("ascii").split())


@cache
def family_names() -> frozenset[str]:
    """Return family names of many languages, lower case, without marks; some are ordinary words as well."""
    return frozenset(_list_bytes("family").decode("ascii").split())


def _list_bytes(name: str) -> bytes:
    try:
        return (location() / "vocabulary" / f"{name}.txt").read_bytes()
    except OSError:
        raise RulesError([f"vocabulary: the list {name} cannot be read"]) from None


def load(overlays: tuple[Path, ...] = ()) -> RuleSet:
    """Return the shipped rules with a project's overlays added; an overlay may add documents, not replace them.

    Raises `RulesError` with every fault found.
    """
    documents: dict[str, Document] = {}
    digest = hashlib.sha256()
    faults: list[str] = []
    for root in (location(), *overlays):
        for file in sorted(root.rglob("*.toml")):
            name = file.relative_to(root).with_suffix("").as_posix()
            if name in documents:
                faults.append(f"{name}: already defined by the shipped rules")
                continue
            content = file.read_bytes()
            try:
                documents[name] = tomllib.loads(content.decode("utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError):
                faults.append(f"{name}: no valid TOML in UTF-8")
                continue
            _feed(digest, name, content)
    for name, listed in (("vocabulary", "en"), ("given", "given"), ("family", "family")):
        _feed(digest, name, _list_bytes(listed))
    if not documents:
        faults.append("no rule file found")
    if faults:
        raise RulesError(faults)
    return RuleSet(documents=documents, digest=digest.hexdigest())


def _feed(digest: hashlib._Hash, name: str, content: bytes) -> None:
    digest.update(f"{len(name)}:{name}{len(content)}:".encode())
    digest.update(content)
