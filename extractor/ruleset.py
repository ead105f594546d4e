"""The rules in force: TOML documents below rules/, checked against their schema, with one digest over all of them."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from .errors import RulesError

Document = Mapping[str, Any]

_FAMILIES = ("identifiers", "dialects", "sensitive")
_LINE = re.compile(r"at line (\d+)")
_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Rule documents by name (``identifiers/people``, ``dialects/openinference``, ``decisive``) and their digest.

    ``digest`` is the SHA-256, in hex, over names and bytes in name order, the word lists' among them; the sidecar
    records it. ``own`` names the documents that come from a project's overlays, ``replaced`` holds the shipped rules
    that overlays replace, by id; they stand in no document any more.
    """

    documents: Mapping[str, Document]
    digest: str
    own: frozenset[str] = frozenset()
    replaced: Mapping[str, Document] = field(default_factory=dict)

    def family(self, folder: str) -> Mapping[str, Document]:
        """Return the documents of one folder by file name, in name order, those of overlays last."""
        prefix = folder + "/"
        names = sorted(self.documents, key=lambda name: (name in self.own, name))
        return {name.removeprefix(prefix): self.documents[name] for name in names if name.startswith(prefix)}


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


def load(overlays: Sequence[Path] = ()) -> RuleSet:
    """Return the shipped rules with a project's overlays added.

    An overlay may add documents; a document of one name may stand once. Raises `RulesError` with every fault found.
    """
    rules, faults = gather(overlays)
    if faults:
        raise RulesError(faults)
    return rules


def gather(overlays: Sequence[Path] = ()) -> tuple[RuleSet, list[str]]:
    """Return what of the rules can be read at all, and every fault of what cannot, so that both can be looked at.

    Only a rule set without faults may be used.
    """
    documents: dict[str, Document] = {}
    own: set[str] = set()
    digest = hashlib.sha256()
    faults: list[str] = []
    for position, root in enumerate((location(), *overlays)):
        found = False
        for name, file in _files(root):
            found = True
            if position and name.partition("/")[0] not in _FAMILIES:
                faults.append(f"{name}: a project's rules stand in {' or '.join(_FAMILIES)}")
            elif name in documents:
                faults.append(f"{name}: already defined by {'another overlay' if name in own else 'the shipped rules'}")
            elif (content := _content(name, file, faults)) is not None:
                documents[name] = content[0]
                own.update([name] if position else ())
                _feed(digest, f"overlay {name}" if position else name, content[1])
        if not found:
            faults.append(f"overlay {position}: no rule file found there" if position else "no rule file found")
    for name, listed in (("vocabulary", "en"), ("given", "given"), ("family", "family")):
        _feed(digest, name, _list_bytes(listed))
    replaced = _replaced(documents, own)
    kept = {name: document if name in own else _without(document, replaced) for name, document in documents.items()}
    return RuleSet(documents=kept, digest=digest.hexdigest(), own=frozenset(own), replaced=replaced), faults


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield names and files of one folder of rules, or of one file; at the top of an overlay stand identifier rules."""
    if root.is_file():
        yield f"identifiers/{root.stem}", root
        return
    for file in sorted(root.rglob("*.toml")):
        name = file.relative_to(root).with_suffix("").as_posix()
        yield (name if "/" in name or root == location() else f"identifiers/{name}"), file


def _content(name: str, file: Path, faults: list[str]) -> tuple[Document, bytes] | None:
    try:
        content = file.read_bytes()
        if len(content) > _MAX_BYTES:
            faults.append(f"{name}: larger than a rule file may be")
            return None
        return tomllib.loads(content.decode("utf-8")), content
    except OSError:
        faults.append(f"{name}: cannot be read")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        faults.append(f"{name}: no UTF-8, line {line}")
    except tomllib.TOMLDecodeError as fault:
        # The rest of the message may quote the file.
        at = _LINE.search(str(fault))
        faults.append(f"{name}: no valid TOML, {f'line {at[1]}' if at else 'at its end'}")
    except RecursionError:
        faults.append(f"{name}: too deeply nested")
    return None


def rule_entries(document: Document) -> Iterator[Document]:
    """Yield the rules of one document of identifiers, whatever else is wrong with it."""
    entries = document.get("rule")
    if isinstance(entries, list):
        yield from (entry for entry in entries if isinstance(entry, dict))


def _replaced(documents: Mapping[str, Document], own: set[str]) -> dict[str, Document]:
    """Return the shipped rules that an overlay's rule names in ``replaces``, by id."""
    named = {str(entry.get("replaces")) for name in own for entry in rule_entries(documents[name])}
    shipped = (document for name, document in documents.items() if name not in own)
    return {str(e["id"]): e for document in shipped for e in rule_entries(document) if str(e.get("id")) in named}


def _without(document: Document, replaced: Mapping[str, Document]) -> Document:
    if not any(str(entry.get("id")) in replaced for entry in rule_entries(document)):
        return document
    return {**document, "rule": [entry for entry in document["rule"] if entry.get("id") not in replaced]}


def _feed(digest: hashlib._Hash, name: str, content: bytes) -> None:
    digest.update(f"{len(name)}:{name}{len(content)}:".encode())
    digest.update(content)
