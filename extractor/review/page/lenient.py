"""Reading documents leniently: a case may come from anywhere, and a page must show what is there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import InputUnreadable
from ...model.json import JsonValue, MalformedJson, parse
from ...model.layout import CAPTURE, EXPECT, FIXTURE, HISTORY, PROVENANCE, README
from ...model.misnamed import instead

Members = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFiles:
    """The bytes of a case that a review reads, taken once, so that what is shown is what digests speak of."""

    path: Path
    contents: Mapping[str, bytes]

    @classmethod
    def of(cls, path: Path) -> CaseFiles:
        """Return the files of a case folder. Raises `InputUnreadable` without a fixture."""
        contents = {}
        for name in (FIXTURE, PROVENANCE, README, EXPECT, HISTORY, CAPTURE):
            try:
                contents[name] = (path / name).read_bytes()
            except OSError:
                if name == FIXTURE:
                    raise InputUnreadable(f"no case here: {FIXTURE} cannot be read", hint=instead(path)) from None
        return cls(path=path, contents=contents)

    def document(self, name: str) -> Members:
        """Return a JSON file's object, empty when there is none. Raises `InputUnreadable` for what is no JSON object."""
        if name not in self.contents:
            return {}
        try:
            value = parse(self.contents[name])
        except MalformedJson as fault:
            raise InputUnreadable(f"{name} is no JSON: {fault.code}") from None
        if not isinstance(value, dict):
            raise InputUnreadable(f"{name} is no JSON object")
        return value

    def digest(self, name: str) -> str | None:
        """Return the SHA-256 of a file in hex, None when there is none."""
        content = self.contents.get(name)
        return None if content is None else hashlib.sha256(content).hexdigest()

    @property
    def seen(self) -> str:
        """What a decision on the page is bound to: a digest over all that is shown."""
        shown = [self.digest(name) or "" for name in (FIXTURE, PROVENANCE, README, EXPECT)]
        return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def members(value: JsonValue) -> Members:
    """Return an object's members, none for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: JsonValue) -> Sequence[Members]:
    """Return the objects of a list, none for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts(value: JsonValue) -> Sequence[str]:
    """Return the texts of a list, none for anything else."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def text(value: JsonValue) -> str:
    """Return a text or a number as text, empty for anything else."""
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def count(value: JsonValue) -> int:
    """Return a whole number, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
