"""Which characters of a text are spoken for, so that findings never overlap and nothing between them is left over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Cover:
    """Char ranges taken so far; asking and taking cost no more than the range is long."""

    def __init__(self, length: int, taken: Iterable[tuple[int, int]] = ()) -> None:
        self._taken = bytearray(length)
        for start, end in taken:
            self.take(start, end)

    def take(self, start: int, end: int) -> None:
        """Mark ``[start, end)`` as taken."""
        self._taken[start:end] = b"\x01" * (end - start)

    def touches(self, start: int, end: int) -> bool:
        """Tell whether any character of ``[start, end)`` is taken."""
        return self._taken.find(1, start, end) >= 0

    def gaps(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of ``[start, end)`` that are free."""
        while start < end:
            stop = self._taken.find(1, start, end)
            stop = end if stop < 0 else stop
            if start < stop:
                yield start, stop
            start = self._taken.find(0, stop, end)
            if start < 0:
                return
