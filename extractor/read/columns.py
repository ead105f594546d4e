"""Arrow columns as the plain JSON that the same table has as JSON rows. Nested values; nulls in objects mean absent.

Dictionary-encoded text is taken apart once and shared by the rows that hold it: a table that repeats one long text a
million times costs one text.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from extractor.model.json import ExactNumber, JsonValue

if TYPE_CHECKING:
    import pyarrow as pa

_IDS = frozenset({8, 16})  # bytes of span and trace ids
_UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_MOST_ITEMS = 8 << 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class TooManyItemsError(Exception):
    """One batch's lists hold more items than honest rows do."""


def rows(batch: pa.RecordBatch, on_null: Callable[[], None]) -> list[dict[str, JsonValue]]:
    """Return a batch's rows, null columns left out; ``on_null`` is called when an object lacked a member by null.

    Raises `TooManyItemsError`.
    """
    columns = [_values(column, on_null) for column in batch.columns]
    names = batch.schema.names
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in zip(*columns, strict=True)
    ]


def texts(array: pa.Array) -> list[JsonValue]:
    """Return the values of one column, of its only leaf where it is nested."""
    import pyarrow as pa  # heavy, and only Parquet needs it

    leaf = array
    while pa.types.is_struct(leaf.type):
        leaf = leaf.field(0)
    return _values(leaf, _nothing)


def _nothing() -> None:
    """Take no note."""


def _values(array: pa.Array, on_null: Callable[[], None]) -> list[JsonValue]:
    import pyarrow as pa  # heavy, and only Parquet needs it

    kind, is_a = array.type, pa.types
    if is_a.is_dictionary(kind):
        # The dictionary is that of a whole row group, of which a batch uses little.
        used = array.indices.unique().drop_null()
        words = dict(zip(used.to_pylist(), _values(array.dictionary.take(used), on_null), strict=True))
        return [words.get(index) for index in array.indices.to_pylist()]
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_integer(kind) or is_a.is_boolean(kind):
        return array.to_pylist()  # type: ignore[no-any-return]
    if is_a.is_struct(kind):
        return _objects(array, on_null)
    if is_a.is_map(kind):
        keys, items = _values(_within(array, array.keys), on_null), _values(_within(array, array.items), on_null)
        pairs = [(key if isinstance(key, str) else str(key), item) for key, item in zip(keys, items, strict=True)]
        return [None if piece is None else dict(pairs[piece]) for piece in _pieces(array)]
    if is_a.is_list(kind) or is_a.is_large_list(kind):
        elements = _values(_within(array, array.values), on_null)
        return [None if piece is None else elements[piece] for piece in _pieces(array)]
    if is_a.is_timestamp(kind):
        return [None if at is None else _instant(at * _UNITS[kind.unit]) for at in _integers(array)]
    if is_a.is_duration(kind):
        return [None if span is None else span * _UNITS[kind.unit] for span in _integers(array)]
    if is_a.is_floating(kind):
        # Not a number is how data frames write that there is none.
        return [None if number is None or number != number else number for number in array.to_pylist()]  # noqa: PLR0124
    if is_a.is_fixed_size_binary(kind):
        return [None if raw is None else raw.hex() if len(raw) in _IDS else _text(raw) for raw in array.to_pylist()]
    if is_a.is_binary(kind) or is_a.is_large_binary(kind):
        return [None if raw is None else _text(raw) for raw in array.to_pylist()]
    if isinstance(array, pa.ExtensionArray):
        return _values(array.storage, on_null)
    return [_scalar(value) for value in array.to_pylist()]


def _objects(array: pa.Array, on_null: Callable[[], None]) -> list[JsonValue]:
    names = [field.name for field in array.type]
    children = [
        _values(child, on_null) for child in array.flatten()
    ]  # flatten() minds the offset and the parent's nulls
    found: list[JsonValue] = []
    for index, valid in enumerate(array.is_valid().to_pylist()):
        if not valid:
            found.append(None)
            continue
        members: dict[str, JsonValue] = {
            name: value for name, child in zip(names, children, strict=True) if (value := child[index]) is not None
        }
        if len(members) < len(names):
            on_null()
        found.append(members)
    return found


def _within(array: pa.Array, child: pa.Array) -> pa.Array:
    """Return the part of a child that a sliced list or map refers to."""
    first = array.offsets[0].as_py() if len(array) else 0
    last = array.offsets[len(array)].as_py() if len(array) else 0
    if last - first > _MOST_ITEMS:
        raise TooManyItemsError
    return child.slice(first, last - first)


def _pieces(array: pa.Array) -> Sequence[slice | None]:
    offsets = array.offsets.to_pylist()
    first = offsets[0] if offsets else 0
    return [
        slice(offsets[index] - first, offsets[index + 1] - first) if valid else None
        for index, valid in enumerate(array.is_valid().to_pylist())
    ]


def _integers(array: pa.Array) -> list[int | None]:
    import pyarrow as pa  # heavy, and only Parquet needs it

    return array.cast(pa.int64()).to_pylist()  # type: ignore[no-any-return]


def _instant(ns: int) -> JsonValue:
    """Return an instant as ISO 8601 with nanoseconds; one that no calendar has stays a number."""
    seconds, rest = divmod(ns, 10**9)
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return ns
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:09d}Z" if moment.year >= 1000 else ns


def _text(raw: bytes) -> str:
    """Return bytes as the text they are, as hex where they can only be an id, as base64 otherwise."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.hex() if len(raw) in _IDS else base64.b64encode(raw).decode("ascii")
    return raw.hex() if len(raw) in _IDS and not text.isprintable() else text


def _scalar(value: object) -> JsonValue:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):  # fixed-size lists and views, of numbers as a rule
        return [_scalar(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _scalar(item) for key, item in value.items()}
    text = str(value)
    try:
        return ExactNumber(text)  # decimals
    except ValueError:
        return text  # dates and times of day
