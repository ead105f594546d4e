"""An opened encoding: literals and parts in turn, each part with the spelling it had and a way to respell it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from extractor.errors import RedactionRefused
from extractor.model.json import JsonValue, compact, number

Spell: TypeAlias = Callable[[JsonValue], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One thing found inside an encoding.

    ``value`` is decoded text or a JSON tree; ``key`` the member or parameter it stands under; ``role`` one of
    ``value, key, userinfo_user, userinfo_password, host, path_segment, fragment, payload, signature, blob, text``.
    A ``signature`` or ``blob`` holds its encoded text, and what replaces it is written as it is.
    """

    value: JsonValue
    key: str | None = None
    role: str = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """One opened layer: ``kind`` names the encoding, ``parts`` stand in the order of the text."""

    kind: str
    parts: tuple[Part, ...]
    _literals: tuple[str, ...] = field(repr=False, compare=False)
    _raws: tuple[str, ...] = field(repr=False, compare=False)
    _spells: tuple[Spell, ...] = field(repr=False, compare=False)

    def close(self, values: Sequence[JsonValue]) -> str:
        """Return the text with one new value per part, in the style it had; unchanged parts keep their very spelling.

        Raises `RedactionRefused` when the number of values is not the number of parts.
        """
        if len(values) != len(self.parts):
            raise RedactionRefused("an encoding must be closed with one value per part")
        pieces = [self._literals[0]]
        for part, raw, spell, literal, value in zip(
            self.parts, self._raws, self._spells, self._literals[1:], values, strict=True
        ):
            pieces.append(raw if same(part.value, value) else spell(value))
            pieces.append(literal)
        return "".join(pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """An encoded island inside prose: the char range ``[start, end)`` and what stands in it."""

    start: int
    end: int
    opened: Opened


class Draft:
    """Collects literals and parts in order, then becomes an `Opened`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._parts: list[Part] = []
        self._literals: list[list[str]] = [[]]  # in pieces: adding to a text again and again would copy it each time
        self._raws: list[str] = []
        self._spells: list[Spell] = []

    def literal(self, text: str) -> None:
        """Add text that never changes."""
        self._literals[-1].append(text)

    def part(self, value: JsonValue, raw: str, spell: Spell, *, role: str = "value", key: str | None = None) -> None:
        """Add a part with its present spelling and the way to spell another value."""
        self._parts.append(Part(value=value, key=key, role=role))
        self._raws.append(raw)
        self._spells.append(spell)
        self._literals.append([])

    def verbatim(self, raw: str, *, role: str = "text", key: str | None = None) -> None:
        """Add a part that is written as it is read; an empty one is nothing."""
        if raw:
            self.part(raw, raw, plain, role=role, key=key)

    def opened(self) -> Opened:
        """Return what was collected."""
        return Opened(
            kind=self.kind,
            parts=tuple(self._parts),
            _literals=tuple(map("".join, self._literals)),
            _raws=tuple(self._raws),
            _spells=tuple(self._spells),
        )


def plain(value: JsonValue) -> str:
    """Return text as it is, any other value as one-line JSON."""
    return value if isinstance(value, str) else compact(value)


def same(old: JsonValue, new: JsonValue) -> bool:
    """Return whether two values are equal in type, order and number spelling; ``==`` would mix 1, 1.0 and true."""
    stack: list[tuple[JsonValue, JsonValue]] = [(old, new)]
    while stack:
        left, right = stack.pop()
        if isinstance(left, dict) and isinstance(right, dict) and list(left) == list(right):
            stack.extend(zip(left.values(), right.values(), strict=True))
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            stack.extend(zip(left, right, strict=True))
        elif not same_leaf(left, right):
            return False
    return True


def same_leaf(old: JsonValue, new: JsonValue) -> bool:
    """Return whether two leaves are equal in type and spelling; containers of unlike shape are not."""
    if type(old) is not type(new) or isinstance(old, (dict, list)):
        return False
    if isinstance(old, float) and isinstance(new, float):
        return number(old) == number(new)
    return old == new
