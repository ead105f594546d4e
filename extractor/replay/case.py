"""A case as a test loads it: the fixture's document, its digest, and nothing that was not checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import cast

from extractor.errors import InputUnreadable, ValidationFailed
from extractor.model import layout
from extractor.model.json import JsonValue

from .events import ToolEvent, tool_event
from .exchange import Message
from .fixture_check import MAX_BYTES, Unreadable, load
from .order import Ordering
from .structure import problems

_BESIDE = layout.FILES | layout.FOLDERS | {".gitignore"}


@dataclass(frozen=True)  # no slots: what is asked for often is kept
class ReplayCase:
    """A fixture that is whole. ``fixture_hash`` is the SHA-256, in hex, of exactly the bytes that were read."""

    document: Mapping[str, JsonValue] = field(repr=False)
    fixture_hash: str
    folder: Path | None = None

    @property
    def case_id(self) -> str:
        """The synthetic id of the case."""
        return str(self.document["case_id"])

    @property
    def control_of(self) -> str | None:
        """The case whose boundary this one stands beside, None when it is no control."""
        return self.text("control_of")

    @property
    def lane(self) -> str:
        """``shadow``, ``gate`` or ``provider``."""
        return self.text("lane") or "shadow"

    @property
    def ordering(self) -> Ordering:
        """How strict the order of its calls is."""
        mode = self.members("ordering").get("mode")
        return "per_key" if mode == "per_key" else "none" if mode == "none" else "total"

    @property
    def expected(self) -> Mapping[str, JsonValue]:
        """What the product must do."""
        return self.members("expected")

    @property
    def frozen_at(self) -> datetime:
        """The instant of the boundary's decision, offset-aware."""
        return datetime.fromisoformat(str(self.document["frozen_at"]))

    @cached_property
    def tool_events(self) -> tuple[ToolEvent, ...]:
        """The recorded tool calls, in order."""
        return tuple(tool_event(event) for event in self.listed("tool_events"))

    @cached_property
    def alternates(self) -> tuple[ToolEvent, ...]:
        """The synthetic answers to calls that only a fixed path makes."""
        return tuple(tool_event(event) for event in self.listed("alternates"))

    @cached_property
    def messages(self) -> Mapping[str, Message]:
        """Every message by its id."""
        mine = [*_objects(self.members("input").get("messages")), *self.listed("messages")]
        return {str(each["id"]): _message(each) for each in mine}

    def members(self, name: str) -> Mapping[str, JsonValue]:
        """Return an object of the document, empty where there is none."""
        value = self.document.get(name)
        return value if isinstance(value, dict) else {}

    def listed(self, name: str) -> list[dict[str, JsonValue]]:
        """Return the objects of a list of the document, none where there is no list."""
        return list(_objects(self.document.get(name)))

    def text(self, name: str) -> str | None:
        """Return a text of the document, None where there is none."""
        value = self.document.get(name)
        return value if isinstance(value, str) else None

    def control_folders(self) -> list[tuple[str, Path]]:
        """Return the neighbouring cases by name; none where the case was read from a file alone."""
        place = self.folder / layout.CONTROLS if self.folder else None
        if place is None or not place.is_dir():
            return []
        return [(folder.name, folder) for folder in sorted(place.iterdir()) if folder.is_dir()]


def load_case(place: str | Path) -> ReplayCase:
    """Read a case folder, or a fixture.json alone; an unloadable case never starts an agent.

    Raises `InputUnreadable` where there are no such bytes or no JSON, `ValidationFailed` for a fixture that is not whole and
    for a folder that holds what no case holds: a ``conftest.py`` in it would be run by the test runner.
    """
    place = Path(place)
    folder = place if place.is_dir() else None
    if folder is not None:
        _refuse_strangers(folder)
    try:
        content = (place / layout.FIXTURE if folder else place).read_bytes()
    except (OSError, ValueError):
        raise InputUnreadable("the case has no fixture.json that can be read") from None
    return case_of(content, folder=folder)


def case_of(content: bytes, *, folder: Path | None = None) -> ReplayCase:
    """Return the case of a fixture's bytes; raises as `load_case` does."""
    try:
        document = cast("JsonValue", load(content[: MAX_BYTES + 1]))
    except Unreadable as error:
        raise InputUnreadable(f"the {error}") from None
    found = problems(document)
    if found or not isinstance(document, dict):
        raise ValidationFailed(found)
    return ReplayCase(document=document, fixture_hash=hashlib.sha256(content).hexdigest(), folder=folder)


def case_folders(place: str | Path) -> list[Path]:
    """Return the case folders at or below a place, by name; controls belong to their case and are not listed."""
    place = Path(place)
    if (place / layout.FIXTURE).is_file():
        return [place]
    found = []
    for folder in sorted(each for each in place.iterdir() if each.is_dir() and not each.name.startswith(".")):
        found += case_folders(folder) if folder.name not in (layout.CONTROLS, layout.RESTRICTED) else []
    return found


def _refuse_strangers(folder: Path) -> None:
    strange = sum(1 for each in folder.iterdir() if each.name not in _BESIDE)
    if strange:
        raise ValidationFailed(
            [f"the case folder holds {strange} entries that belong to no case: it has no code in it"]
        )


def _objects(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _message(message: Mapping[str, JsonValue]) -> Message:
    return Message(role=str(message.get("role")), parts=tuple(_objects(message.get("parts"))))
