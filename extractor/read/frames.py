"""A frame: the bytes of one record where they stand, cut out before anything is parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from .limits import Limits

Form: TypeAlias = Literal["json", "protobuf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One record: its number from 1 (the line, the message), its ``[start, end)`` in the plain file, its bytes.

    ``compressed`` is set when the message was compressed on its own inside its file, ``made`` when ``data`` was made of its bytes.
    """

    number: int
    start: int
    end: int
    form: Form
    data: bytes = field(repr=False)
    compressed: bool = False
    made: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A record that cannot even be cut out, and why."""

    number: int
    code: str


class Finder(Protocol):
    """Finds what is wanted in unparsed bytes."""

    def positions(self, form: Form, data: bytes) -> list[int]:
        """Return where wanted ids begin, ascending."""


Cut: TypeAlias = Iterator[Frame | Broken]
Framing: TypeAlias = Callable[[Iterator[bytes], Finder | None, Limits], Cut]
"""Plain bytes to the frames that hold what the finder seeks; to all frames without a finder."""
