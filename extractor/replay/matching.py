"""When a call is the recorded one: typed equality, with idempotency keys compared by their relation.

Numbers are equal by value (``1`` and ``1.0``), booleans are no numbers, texts are never parsed, member order says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from extractor.model.json import JsonValue

_TOO_LONG = 80


class Renaming:
    """Which of the agent's idempotency keys stands for which recorded one: one to one, from the first use on.

    A product draws its keys anew on every run, so their text says nothing. That two calls share a key, or that they do not,
    says everything.
    """

    def __init__(self) -> None:
        self._recorded: dict[str, str] = {}
        self._called: dict[str, str] = {}

    def recorded(self, called: str) -> str | None:
        """Return the recorded key that a key of this run stands for, None when it is new."""
        return self._recorded.get(called)

    def fits(self, recorded: str, called: str) -> bool:
        """Say whether this pair can be one key without making two keys one, or one key two."""
        return self._recorded.get(called, recorded) == recorded and self._called.get(recorded, called) == called

    def bind(self, recorded: str, called: str) -> None:
        """From now on the one stands for the other."""
        self._recorded[called] = recorded
        self._called[recorded] = called

    def clear(self) -> None:
        """Forget all pairs."""
        self._recorded.clear()
        self._called.clear()


class _Key:
    """A recorded key while one call is compared: what stands for it must be one text wherever it stands in the call."""

    def __init__(self, recorded: str, names: Renaming) -> None:
        self.recorded = recorded
        self._names = names
        self._called: str | None = None

    def fits(self, called: str) -> bool:
        if not called or self._called not in (None, called) or not self._names.fits(self.recorded, called):
            return False
        self._called = called
        return True


def difference(
    recorded: object, called: object, *, key: str | None = None, names: Renaming | None = None
) -> str | None:
    """Return the field path of the first difference, ``""`` at the top, None when there is none.

    A text that equals ``key``, the recorded call's idempotency key, is equal to whatever key of this run fits it: one text,
    not an empty one, at all its places in the call.
    """
    return _difference(recorded, called, None if key is None or names is None else _Key(key, names), "")


def _difference(recorded: object, called: object, key: _Key | None, path: str) -> str | None:
    if isinstance(recorded, Mapping) and isinstance(called, Mapping):
        for name, value in recorded.items():
            there = f"{path}.{name}"
            if name not in called:
                return there
            if (found := _difference(value, called[name], key, there)) is not None:
                return found
        return next((f"{path}.{name}" for name in called if name not in recorded), None)
    if isinstance(recorded, list | tuple) and isinstance(called, list | tuple):
        for index, (one, other) in enumerate(zip(recorded, called, strict=False)):
            if (found := _difference(one, other, key, f"{path}[{index}]")) is not None:
                return found
        return None if len(recorded) == len(called) else f"{path}[{min(len(recorded), len(called))}]"
    return None if _equal(recorded, called, key) else path


def _equal(recorded: object, called: object, key: _Key | None) -> bool:
    if isinstance(recorded, bool) or isinstance(called, bool):
        return recorded is called
    if isinstance(recorded, int | float) and isinstance(called, int | float):
        return recorded == called
    if isinstance(recorded, str) and isinstance(called, str):
        if key is not None and recorded == key.recorded:
            return key.fits(called)
        return recorded == called
    return recorded is None and called is None


def keys_of(recorded: object, called: object, key: str) -> list[str]:
    """Return the texts that stand where the recorded call had its idempotency key."""
    if isinstance(recorded, Mapping) and isinstance(called, Mapping):
        shared = [(value, called[name]) for name, value in recorded.items() if name in called]
    elif isinstance(recorded, list | tuple) and isinstance(called, list | tuple):
        shared = list(zip(recorded, called, strict=False))
    else:
        return [called] if recorded == key and isinstance(called, str) else []
    return [found for one, other in shared for found in keys_of(one, other, key)]


def short(value: object) -> str:
    """Return a value as a message shows it: in one line, cut where it grows long."""
    text = repr(value)
    return text if len(text) <= _TOO_LONG else text[: _TOO_LONG - 1] + "…"


def as_json(value: object) -> JsonValue:
    """Return a value as JSON has it: tuples as lists, subclasses of numbers and texts as they are.

    Raises `TypeError` for what JSON lacks, naming the type alone.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a member name that is no text")
        return {name: as_json(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    raise TypeError(f"a value of type {type(value).__name__}")
