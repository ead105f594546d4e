"""Values that remember what was read of them: ordinary objects and lists of JSON to whoever holds them.

A fixture says for which property a record must be rejected; only what a check really read can be its reason. Reading a member,
iterating, comparing or measuring is told with its field path (``tool_calls[0].arguments.amount_cents``).
"""

from __future__ import annotations

import copy
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from contextlib import contextmanager
from typing import SupportsIndex

from extractor.model.json import JsonValue


class Reads:
    """The field paths that were read, in the order of their last reading. ``judging`` says that a check is reading."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}
        self._fetched: set[str] = set()
        self.judging = False

    def __call__(self, path: str) -> None:
        """Note that ``path`` was read just now."""
        self._paths.pop(path, None)
        self._paths[path] = None
        self._fetched.discard(path)
        if self._fetched:
            self._passed(path)

    def fetched(self, path: str) -> None:
        """Note that the object or list at ``path`` is at hand: that it is there, and what it is, may be all that is asked of it.

        It is forgotten again when something below is read: then it was the way there.
        """
        if path not in self._paths:
            self(path)
            self._fetched.add(path)

    @contextmanager
    def judged(self) -> Iterator[None]:
        """Let a check read."""
        self.judging = True
        try:
            yield
        finally:
            self.judging = False

    def _passed(self, path: str) -> None:
        for above in upwards(path):
            if above in self._fetched:
                self._fetched.discard(above)
                self._paths.pop(above, None)

    def paths(self) -> tuple[str, ...]:
        """Return the paths, the one that was read last at the end."""
        return tuple(self._paths)

    def clear(self) -> None:
        """Forget what was read."""
        self._paths.clear()
        self._fetched.clear()


class TrackedObject(dict[str, JsonValue]):
    """A JSON object that tells which members are read; frozen."""

    def __init__(self, value: Mapping[str, JsonValue], path: str, told: Reads) -> None:
        super().__init__(value)
        self._path = path
        self._told = told

    def _member(self, name: str) -> JsonValue:
        value = super().__getitem__(name)
        return tracked(value, _below(self._path, name), self._told)

    def __getitem__(self, name: str) -> JsonValue:
        """Return a member; raises `KeyError`, told as a reading of what is not there."""
        if not dict.__contains__(self, name):
            self._told(_below(self._path, name))
            raise KeyError(name)
        return self._member(name)

    def get(self, name: str, default: object = None, /) -> object:  # type: ignore[override]  # one signature for both
        """Return a member or the default; what is not there was read as well."""
        if dict.__contains__(self, name):
            return self._member(name)
        self._told(_below(self._path, name))
        return default

    def __contains__(self, name: object) -> bool:
        """Say whether there is such a member."""
        self._told(_below(self._path, str(name)))
        return dict.__contains__(self, name)

    def __eq__(self, other: object) -> bool:
        """Compare the whole object; what only the other has is missed here."""
        self._all()
        for name in dict.keys(other) if isinstance(other, dict) else ():
            if not dict.__contains__(self, name):
                self._told(_below(self._path, str(name)))
        _read_whole(other)
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Compare the whole object; a dict's own would not tell."""
        return not self == other

    __hash__ = None  # as a dict's

    def __len__(self) -> int:
        """Return the number of members."""
        self._told(self._path)
        return dict.__len__(self)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        self._told(self._path)
        return dict.__iter__(self)

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # a view is what callers need
        """Return the names: which there are is read."""
        self._told(self._path)
        return dict.keys(self)

    def values(self) -> ValuesView[JsonValue]:  # type: ignore[override]  # the same
        """Return the members."""
        return {name: self._member(name) for name in dict.keys(self)}.values()

    def items(self) -> ItemsView[str, JsonValue]:  # type: ignore[override]  # the same
        """Return names and members."""
        return {name: self._member(name) for name in dict.keys(self)}.items()

    def __repr__(self) -> str:
        """Return the whole object as text."""
        self._all()
        return dict.__repr__(self)

    def __or__(self, other: Mapping[str, JsonValue]) -> dict[str, JsonValue]:  # type: ignore[override]  # one signature
        """Return a plain object of both."""
        return {**self, **other}

    def __ror__(self, other: Mapping[str, JsonValue]) -> dict[str, JsonValue]:  # type: ignore[override]  # the same
        """Return a plain object of both."""
        return {**other, **self}

    def __reversed__(self) -> Iterator[str]:
        """Iterate over the names from the last."""
        self._told(self._path)
        return dict.__reversed__(self)

    def copy(self) -> dict[str, JsonValue]:
        """Return a plain object of the same members."""
        return {**self}

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> dict[str, JsonValue]:
        """Return a plain value that may be changed."""
        self._all()
        return copy.deepcopy(dict(dict.items(self)), memo)

    def _all(self) -> None:
        self._told(self._path)
        for path in leaves(self, self._path):
            self._told(path)

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a record is frozen: a check changes nothing")

    __setitem__ = __delitem__ = __ior__ = update = clear = _refuse  # type: ignore[assignment]
    pop = popitem = setdefault = _refuse  # type: ignore[assignment]


class TrackedList(list[JsonValue]):
    """A JSON list that tells which items are read, and that its length is; frozen."""

    def __init__(self, value: list[JsonValue], path: str, told: Reads) -> None:
        super().__init__(value)
        self._path = path
        self._told = told

    def __getitem__(self, index: object) -> object:  # type: ignore[override]  # items or a list of them
        """Return an item, or a list for a slice; a slice, and an item from the end, depend on the length."""
        if isinstance(index, slice):
            self._told(self._path)
            return [self._item(place) for place in range(*index.indices(list.__len__(self)))]
        place = index.__index__() if hasattr(index, "__index__") else -1
        if place < 0:
            self._told(self._path)
        return self._item(place if place >= 0 else list.__len__(self) + place)

    def _item(self, place: int) -> JsonValue:
        if not 0 <= place < list.__len__(self):
            self._told(self._path)
            raise IndexError(place)
        return tracked(list.__getitem__(self, place), f"{self._path}[{place}]", self._told)

    def __iter__(self) -> Iterator[JsonValue]:
        """Iterate; that there was nothing to iterate over is told as well."""
        self._told(self._path)
        return (self._item(place) for place in range(list.__len__(self)))

    def __len__(self) -> int:
        """Return the number of items."""
        self._told(self._path)
        return list.__len__(self)

    def __contains__(self, value: object) -> bool:
        """Say whether an item equals the value."""
        return any(item == value for item in self)

    def __eq__(self, other: object) -> bool:
        """Compare the whole list."""
        self._all()
        _read_whole(other)
        return list.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Compare the whole list; a list's own would not tell."""
        return not self == other

    def __lt__(self, other: list[JsonValue]) -> bool:
        """Compare as plain lists do."""
        return [*self] < [*other]

    def __le__(self, other: list[JsonValue]) -> bool:
        """Compare as plain lists do."""
        return [*self] <= [*other]

    def __gt__(self, other: list[JsonValue]) -> bool:
        """Compare as plain lists do."""
        return [*self] > [*other]

    def __ge__(self, other: list[JsonValue]) -> bool:
        """Compare as plain lists do."""
        return [*self] >= [*other]

    def __repr__(self) -> str:
        """Return the whole list as text."""
        self._all()
        return list.__repr__(self)

    def __reversed__(self) -> Iterator[JsonValue]:
        """Iterate from the end."""
        self._told(self._path)
        return (self._item(place) for place in reversed(range(list.__len__(self))))

    def __add__(self, other: Iterable[JsonValue]) -> list[JsonValue]:  # type: ignore[override]  # one signature
        """Return a plain list of both."""
        return [*self, *other]

    def __radd__(self, other: Iterable[JsonValue]) -> list[JsonValue]:
        """Return a plain list of both."""
        return [*other, *self]

    def __mul__(self, times: SupportsIndex) -> list[JsonValue]:
        """Return a plain list of its items, repeated."""
        return [*self] * times

    __rmul__ = __mul__

    def index(self, value: JsonValue, *bounds: SupportsIndex) -> int:
        """Return where the value stands first."""
        return [*self].index(value, *bounds)

    def count(self, value: JsonValue) -> int:
        """Return how often the value stands."""
        return [*self].count(value)

    def copy(self) -> list[JsonValue]:
        """Return a plain list of the same items."""
        return [*self]

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, object]) -> list[JsonValue]:
        """Return a plain value that may be changed."""
        self._all()
        return copy.deepcopy(list(list.__iter__(self)), memo)

    def _all(self) -> None:
        self._told(self._path)
        for path in leaves(self, self._path):
            self._told(path)

    __hash__ = None  # as a list's

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a record is frozen: a check changes nothing")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse  # type: ignore[assignment]
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse


def tracked(value: JsonValue, path: str, told: Reads) -> JsonValue:
    """Return a value that tells how it is read; a leaf is told at once, an object or list until something below it is."""
    if not isinstance(value, dict | list):
        told(path)
        return value
    told.fetched(path)
    if isinstance(value, TrackedObject | TrackedList):
        return value
    return TrackedObject(value, path, told) if isinstance(value, dict) else TrackedList(value, path, told)


def upwards(path: str) -> Iterator[str]:
    """Yield every field path above one, the nearest first."""
    for place in range(len(path) - 1, 0, -1):
        if path[place] in ".[":
            yield path[:place]


def _read_whole(value: object) -> None:
    if isinstance(value, TrackedObject | TrackedList):
        value._all()  # noqa: SLF001  # what a comparison reads of its other side


def leaves(value: JsonValue, path: str) -> Iterator[str]:
    """Yield the paths of a value's leaves; of an empty one its own."""
    if isinstance(value, dict) and dict.__len__(value):
        for name, member in dict.items(value):
            yield from leaves(member, _below(path, name))
    elif isinstance(value, list) and list.__len__(value):
        for place, item in enumerate(list.__iter__(value)):
            yield from leaves(item, f"{path}[{place}]")
    else:
        yield path


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
