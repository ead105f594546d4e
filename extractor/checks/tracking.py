"""Values that remember what was read of them: ordinary objects and lists of JSON to whoever holds them.

A fixture says for which property a record must be rejected; only what a check really read can be its reason. Reading a member,
iterating, comparing or measuring is told with its field path (``tool_calls[0].arguments.amount_cents``).
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView

from extractor.model.json import JsonValue

Told = Callable[[str], None]


class Reads:
    """The field paths that were read, in the order of their last reading."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def __call__(self, path: str) -> None:
        """Note that ``path`` was read just now."""
        self._paths.pop(path, None)
        self._paths[path] = None

    def paths(self) -> tuple[str, ...]:
        """Return the paths, the one that was read last at the end."""
        return tuple(self._paths)

    def clear(self) -> None:
        """Forget what was read."""
        self._paths.clear()


class TrackedObject(dict[str, JsonValue]):
    """A JSON object that tells which members are read; frozen."""

    def __init__(self, value: Mapping[str, JsonValue], path: str, told: Told) -> None:
        super().__init__(value)
        self._path = path
        self._told = told

    def _member(self, name: str) -> JsonValue:
        value = super().__getitem__(name)
        return tracked(value, _below(self._path, name), self._told)

    def __getitem__(self, name: str) -> JsonValue:
        """Return a member; raises `KeyError`, told as a reading of what is not there."""
        if name not in self.keys():
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
        """Compare the whole object."""
        self._all()
        return dict.__eq__(self, other)

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
        """Return the names, untold: a name alone is no value."""
        return dict.keys(self)

    def values(self) -> ValuesView[JsonValue]:  # type: ignore[override]  # the same
        """Return the members."""
        return {name: self._member(name) for name in dict.keys(self)}.values()

    def items(self) -> ItemsView[str, JsonValue]:  # type: ignore[override]  # the same
        """Return names and members."""
        return {name: self._member(name) for name in dict.keys(self)}.items()

    def _all(self) -> None:
        for path in leaves(dict(dict.items(self)), self._path):
            self._told(path)

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a record is frozen: a check changes nothing")

    __setitem__ = __delitem__ = update = clear = _refuse
    pop = popitem = setdefault = _refuse  # type: ignore[assignment]


class TrackedList(list[JsonValue]):
    """A JSON list that tells which items are read, and that its length is; frozen."""

    def __init__(self, value: list[JsonValue], path: str, told: Told) -> None:
        super().__init__(value)
        self._path = path
        self._told = told

    def __getitem__(self, index: object) -> object:  # type: ignore[override]  # items or a list of them
        """Return an item, or a list for a slice."""
        if isinstance(index, slice):
            return [self._item(place) for place in range(*index.indices(list.__len__(self)))]
        place = index.__index__() if hasattr(index, "__index__") else -1
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
        for path in leaves(list(list.__iter__(self)), self._path):
            self._told(path)
        return list.__eq__(self, other)

    __hash__ = None  # as a list's

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a record is frozen: a check changes nothing")

    __setitem__ = __delitem__ = __iadd__ = _refuse  # type: ignore[assignment]
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse


def tracked(value: JsonValue, path: str, told: Told) -> JsonValue:
    """Return a value that tells how it is read; a leaf is told at once."""
    if isinstance(value, TrackedObject | TrackedList):
        return value
    if isinstance(value, dict):
        return TrackedObject(value, path, told)
    if isinstance(value, list):
        return TrackedList(value, path, told)
    told(path)
    return value


def leaves(value: JsonValue, path: str) -> Iterator[str]:
    """Yield the paths of a value's leaves; of an empty one its own."""
    if isinstance(value, dict) and dict.keys(value):
        for name, member in dict.items(value):
            yield from leaves(member, _below(path, name))
    elif isinstance(value, list) and list.__len__(value):
        for place, item in enumerate(list.__iter__(value)):
            yield from leaves(item, f"{path}[{place}]")
    else:
        yield path


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
