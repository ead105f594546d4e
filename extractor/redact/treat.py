"""What people settled: an ambiguous token at a field path is a name, so it goes in every spelling, or a word and stays."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import UsageError
from ..model.case import Document
from ..model.json import JsonValue
from .fold import fold
from .vault import Vault

_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\.?\{(\d+)\}")


def settle(vault: Vault, document: Document, treat: Mapping[str, str]) -> None:
    """Make certain the names that could be words where ``treat`` says ``name`` (field path → ``name`` or ``word``).

    Raises `UsageError` for a path that the document does not hold.
    """
    for path, treatment in sorted(treat.items()):
        text = text_at(document, path)
        if treatment == "name":
            for occurrence in vault.find(fold(text)):
                occurrence.identity.word = False


def text_at(document: Document, path: str) -> str:
    """Return the text at a field path as the sidecar writes it: our members by name, payload members by position.

    Raises `UsageError` when nothing stands there, or no text. The message does not repeat the path: it may be mistyped data.
    """
    node: JsonValue = document
    position = 0
    plain = path.partition(" (")[0]
    while position < len(plain):
        step = _STEP.match(plain, position)
        if step is None:
            break
        node = _inside(node, step)
        position = step.end()
    if position < len(plain) or not isinstance(node, str):
        raise UsageError("--treat names a field path at which the case holds no text")
    return node


def _inside(node: JsonValue, step: re.Match[str]) -> JsonValue:
    name, index, place = step.groups()
    if name is not None:
        return node.get(name) if isinstance(node, dict) else None
    if index is not None:
        return node[int(index)] if isinstance(node, list) and int(index) < len(node) else None
    members = list(node.values()) if isinstance(node, dict) else []
    return members[int(place)] if int(place) < len(members) else None
