"""What is left to judge, each token in its sentence, with where it stands in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from . import words
from .lenient import Members, items, members, text
from .runs import escaped

_AROUND = 70  # characters
_STEP = re.compile(r"(?:input\.messages|messages|tool_events)\[\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """A token for a person to judge: what it is, the text around it, where that stands and how often."""

    index: int
    token: str
    before: str
    after: str
    why: str
    blocks: bool
    path: str
    where: str
    count: int
    anchor: str
    whole: bool


def residual(
    index: int,
    told: Members,
    token: str,
    standing: Mapping[str, str],
    document: Members,
    anchors: Mapping[str, str],
) -> Residual:
    """Return number ``index`` of what is residual; ``standing`` are the texts of the case by place, ``anchors`` lead to tokens."""
    path = text(told.get("path"))
    said = standing.get(path, "")
    start = said.find(token, _at(told)) if token else -1
    before, after = ("", "") if start < 0 else (said[:start], said[start + len(token) :])
    return Residual(
        index=index,
        token=escaped(token) or "(it no longer stands where it was found)",
        before=escaped(("…" if len(before) > _AROUND else "") + before[-_AROUND:].replace("\n", " ")),
        after=escaped(after[:_AROUND].replace("\n", " ") + ("…" if len(after) > _AROUND else "")),
        why=words.RESIDUAL.get(text(told.get("code")), words.plain(text(told.get("code")))),
        blocks=told.get("code") == "ambiguous",
        path=escaped(path),
        where=escaped(_where(path, document)),
        count=max(1, _at(told, "count")),
        anchor=anchors.get(token.lower(), ""),
        whole=told.get("code") == "language_not_covered",
    )


def _at(told: Members, name: str = "start") -> int:
    value = told.get(name)
    return value if isinstance(value, int) else 0


def _where(path: str, document: Members) -> str:
    """Return in words where a path leads."""
    step = _STEP.match(path)
    if step is None:
        return words.plain(re.split(r"[.\[{ ]", path, maxsplit=1)[0])
    name, _, number = step.group().removesuffix("]").rpartition("[")
    holder = members(document.get("input")) if name.startswith("input") else document
    listed = items(holder.get(name.removeprefix("input.")))
    entry = listed[int(number)] if int(number) < len(listed) else {}
    if name == "tool_events":
        return f"attempt {text(entry.get('attempt'))}, {text(entry.get('tool'))}"
    said = next((text(part.get("tool")) for part in items(entry.get("parts")) if part.get("tool")), "")
    who = {"user": "what the user said", "assistant": "a turn of the model", "tool": "a tool's result"}
    return who.get(text(entry.get("role")), "a message") + (f", {said}" if said else "")
