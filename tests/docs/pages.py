"""The pages, and what tests read in them: headings, links, code and console blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sample_traces").rglob("*.md")])
_FENCED = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(kw_only=True)
class Command:
    """A command of a console block, its continued lines joined as they stand, and the lines shown below it."""

    text: str
    shown: list[str] = field(default_factory=list)


def blocks(page: Path, *languages: str) -> Iterator[str]:
    """The fenced blocks in these languages, without the indentation of the list that they stand in."""
    for indent, language, text in _FENCED.findall(page.read_text("utf-8")):
        if language in languages:
            yield "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))


def prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text("utf-8"))


def commands(page: Path) -> list[Command]:
    found: list[Command] = []
    for block in blocks(page, "console"):
        continued = False
        for line in block.splitlines():
            if continued:
                found[-1].text += f"\n{line}"
            elif line.startswith("$ "):
                found.append(Command(text=line[2:]))
            elif line.strip():
                found[-1].shown.append(line)
            continued = line.endswith("\\")
    return found


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", prose(page), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = 0
        while (one := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(one)
    return found


def links(page: Path) -> list[str]:
    """The targets of links and pictures that lead to files of the repository, code left out."""
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    return re.findall(r"\]\((?![a-z]+:)([^)\s]+)", text)
