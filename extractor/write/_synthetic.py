"""What a case must say of answers that no dependency ever gave: how many, and who must look at them."""

from __future__ import annotations

from typing import Final

from ..model.json import JsonValue

LOOKED_AT_BY: Final = ("workflow", "dependency")
"""Either of these roles knows what the tool would have answered (S29)."""


def alternates(document: JsonValue) -> int:
    """Return how many synthetic answers a fixture's document holds."""
    listed = document.get("alternates") if isinstance(document, dict) else None
    return len(listed) if isinstance(listed, list) else 0


def made_up(document: JsonValue) -> str:
    """Return the sentence for people, without its end; empty where nothing is synthetic."""
    number = alternates(document)
    if not number:
        return ""
    answers, them = ("answer", "it") if number == 1 else ("answers", "them")
    return f"{number} {answers} made up by people: the {' or '.join(LOOKED_AT_BY)} role must look at {them}"
