"""How many there are: said before anything is said of each, since a loop over nothing finds no fault (S95)."""

from __future__ import annotations

from collections.abc import Collection

from .declaring import Rejected
from .running import property_of


def exactly(number: int, items: Collection[object], *, of: str | None = None) -> None:
    """Reject the run unless there are so many items. The reason is the list's member, or ``of`` where it was filtered."""
    _count(items, f"exactly {number}", of, fits=len(items) == number)


def at_least(number: int, items: Collection[object], *, of: str | None = None) -> None:
    """Reject the run unless there are so many items or more. Raises `ValueError` for a number that every list reaches."""
    if number < 1:
        raise ValueError("every list has at least no item: such a check cannot fail")
    _count(items, f"at least {number}", of, fits=len(items) >= number)


def path_of(items: object) -> str | None:
    """Return the field path of a list of a record, None for what is none."""
    path = getattr(items, "_path", None)
    return path if isinstance(path, str) else None


def _count(items: Collection[object], wanted: str, of: str | None, *, fits: bool) -> None:
    if fits:
        return
    path = of or path_of(items) or "items"
    raise Rejected(property_of(path), f"len({path}) is {len(items)}, {wanted} wanted", path=path)
