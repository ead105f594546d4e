"""The next chunks fetched while the last one is searched: reading and inflating let other threads run."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from queue import SimpleQueue
from threading import Semaphore, Thread

_AHEAD = 3  # chunks


def ahead(chunks: Iterator[bytes]) -> Generator[bytes]:
    """Yield the chunks, a few of them fetched ahead by a thread; what fetching raises is raised here, in its place.

    Close the iterator when not all of it is wanted: the thread ends then, and the source can be closed.
    """
    fetched: SimpleQueue[bytes | BaseException | None] = SimpleQueue()
    room = Semaphore(_AHEAD)
    unwanted = False

    def fetch() -> None:
        try:
            while not unwanted and (chunk := next(chunks, None)) is not None:
                fetched.put(chunk)
                room.acquire()
            fetched.put(None)
        except BaseException as error:  # noqa: BLE001  # told to whoever asked, whatever it is
            fetched.put(error)

    thread = Thread(target=fetch, name="read ahead", daemon=True)
    thread.start()
    try:
        while (item := fetched.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            room.release()
            yield item
    finally:
        unwanted = True
        room.release()
        thread.join()
