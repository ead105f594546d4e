"""Notice readings of the real clock, and unseeded draws, by the code under test.

Python calls a profile function at each call of a C function, whoever bound its name and when: ``from time import time``
hides nothing. The standard library, installed packages and this package read clocks for their own needs; they are passed
over by the file of the frame that calls.

Not seen: native code that reads the clock, or that calls ``time.time`` itself (``map``, a default factory of a compiled
model); a clock handed as a function to the standard library (``asyncio.to_thread(time.sleep, 1)``); threads older than the
guard; event loops that wait for a real timer.
"""

from __future__ import annotations

import _thread
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Final, Literal, TypeAlias

from . import judges
from .in_force import STATE, ask
from .patches import Function, Patch

Event: TypeAlias = Literal["call", "return", "c_call", "c_return", "c_exception"]
Profile: TypeAlias = Callable[[FrameType, Event, object], object]

_WALL: Final[Mapping[object, str]] = {time.time: "time.time", time.time_ns: "time.time_ns", time.sleep: "time.sleep"}
_NOTED: Final[Mapping[object, str]] = {
    getattr(time, name): f"time.{name}"
    for name in ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "clock_gettime")
    if hasattr(time, name)
}
# These read the clock when they are not told a time: the number of arguments with which they do.
_WITHOUT_TIME: Final[Mapping[object, tuple[str, int]]] = {
    time.localtime: ("time.localtime", 0),
    time.gmtime: ("time.gmtime", 0),
    time.ctime: ("time.ctime", 0),
    time.asctime: ("time.asctime", 0),
    time.strftime: ("time.strftime", 1),
}
_OF_CLASSES: Final = frozenset({"now", "utcnow", "today"})
_DRAWS: Final = frozenset({"urandom", "random", "getrandbits"})
_EXITS: Final = frozenset({"_exit", "abort"})
_EXIT_FUNCTIONS: Final[Mapping[object, str]] = {os._exit: "os._exit", os.abort: "os.abort"}
_NAMES: Final = frozenset(
    {name.rpartition(".")[2] for name in (*_WALL.values(), *_NOTED.values())}
    | {name.rpartition(".")[2] for name, _ in _WITHOUT_TIME.values()}
    | _OF_CLASSES
    | _DRAWS
    | _EXITS
)
# Written in Python, so that they are met as calls of their own.
_DRAWING: Final[Mapping[str, str]] = {
    **dict.fromkeys(("uuid1", "uuid4"), "uuid"),
    **dict.fromkeys(("token_bytes", "token_hex", "token_urlsafe", "randbelow"), "secrets"),
    **dict.fromkeys(("choice", "choices", "randint", "randrange", "shuffle", "sample", "uniform", "gauss"), "random"),
}
_CALL: Final = frozenset({"CALL", "CALL_KW"})


def profile(frame: FrameType, event: Event, argument: object) -> None:
    """Look at one profile event; nearly all of them end at the first or second comparison."""
    if event == "c_call":
        if argument.__name__ in _NAMES:  # type: ignore[attr-defined]  # what is called in C has a name
            _look(frame, argument)
    elif event == "call" and frame.f_code.co_name in _DRAWING:
        _look_at_draw(frame)


class _Chained:
    """The watch, and the profile function that was there before."""

    __slots__ = ("before",)

    def __init__(self, before: Profile) -> None:
        self.before = before

    def __call__(self, frame: FrameType, event: Event, argument: object) -> None:
        profile(frame, event, argument)
        self.before(frame, event, argument)


class ClockWatch:
    """The watch in the thread that starts it and in all threads started later; `stop` restores what was there."""

    __slots__ = ("_before", "_before_in_threads", "_mine", "_of_threads", "watching")

    def __init__(self) -> None:
        self.watching = False
        self._before: Profile | None = None
        self._before_in_threads: Profile | None = None
        self._mine: Profile | None = None
        self._of_threads: Profile | None = None

    def start(self) -> None:
        """Set the profile functions; ``watching`` stays False under a native profiler, which cannot be shared."""
        before: object = sys.getprofile()
        if before is not None and not callable(before):
            return
        self.watching = True
        self._before = sys.getprofile()
        if not _is_ours(self._before):
            self._mine = _beside(self._before)
            sys.setprofile(self._mine)
        self._before_in_threads = threading.getprofile()
        if not _is_ours(self._before_in_threads):
            self._of_threads = _beside(self._before_in_threads)
            threading.setprofile(self._of_threads)

    def stop(self) -> bool:
        """Restore what was there; return whether the watch was still in place."""
        if not self.watching:
            return False
        self.watching = False
        kept = True
        if self._mine is not None:
            current = sys.getprofile()
            kept = current is self._mine
            # Python drops a profile function that raised, as ours does to block; a foreign one stays.
            if kept or current is None:
                sys.setprofile(self._before)
            self._mine = None
        if self._of_threads is not None:
            if threading.getprofile() is self._of_threads:
                threading.setprofile(self._before_in_threads)
            self._of_threads = None
        return kept


def watching() -> tuple[Patch, ...]:
    """Return the replacements of the watch: threads started below `threading`, and waits whose length is known."""
    return ((_thread, "start_new_thread", _watched_thread), (time, "sleep", _watched_sleep))


def _beside(before: Profile | None) -> Profile:
    return profile if before is None else _Chained(before)


def _is_ours(function: Profile | None) -> bool:
    return function is profile or isinstance(function, _Chained)


_BEGINNING: Final[set[object]] = set()


def beginning() -> bool:
    """Return whether a raw thread was started that does not stand at its first line yet."""
    return bool(_BEGINNING)


def _watched_thread(original: Function) -> Function:
    def start_new_thread(function: Function, *arguments: object) -> object:
        token = object()

        def run(*positional: object, **named: object) -> object:
            _BEGINNING.discard(token)
            if sys.getprofile() is None:
                sys.setprofile(profile)
            return function(*positional, **named)

        if not STATE.guards:
            return original(function, *arguments)
        _BEGINNING.add(token)
        try:
            return original(run, *arguments)
        except BaseException:
            _BEGINNING.discard(token)
            raise

    return start_new_thread


def _watched_sleep(original: Function) -> Function:
    def sleep(seconds: object, /) -> object:
        if STATE.guards and isinstance(seconds, (int, float)) and seconds > 0:
            # The caller says whose wait it is.
            _tell_clock(sys._getframe(1), "time.sleep", real=True)  # noqa: SLF001
        return original(seconds)

    return sleep


def _look(frame: FrameType, called: object) -> None:
    if not STATE.guards or frame.f_code.co_filename.startswith(_PACKAGE):
        return
    exit_name = _EXIT_FUNCTIONS.get(called)
    if exit_name is not None:
        # Bound before the guard replaced it; raising here keeps the call from being made.
        ask(judges.end, (exit_name,))
        return
    name = _WALL.get(called)
    if name is not None:
        _tell_clock(frame, name, real=True)
    elif called in _NOTED:
        _tell_clock(frame, _NOTED[called], real=False)
    elif called in _WITHOUT_TIME:
        name, count = _WITHOUT_TIME[called]
        if _argument_count(frame) in {None, count}:
            _tell_clock(frame, name, real=True)
    else:
        _look_at_method(frame, called)


def _look_at_method(frame: FrameType, called: object) -> None:
    owner: object = getattr(called, "__self__", None)
    name = str(getattr(called, "__name__", ""))
    if name in _OF_CLASSES and isinstance(owner, type) and issubclass(owner, date):
        kind = "datetime" if issubclass(owner, datetime) else "date"
        _tell_clock(frame, f"{kind}.{name}", real=True)
    elif name == "urandom" and called is os.urandom:
        _tell_draw(frame, "os.urandom")
    elif name in _DRAWS and owner is not None and owner is _shared_random():
        _tell_draw(frame, f"random.{name}")


def _look_at_draw(frame: FrameType) -> None:
    caller = frame.f_back
    name = frame.f_code.co_name
    module = _DRAWING[name]
    if not STATE.guards or caller is None or frame.f_globals.get("__name__") != module:
        return
    if module == "random" and frame.f_locals.get("self") is not _shared_random():
        return  # a source of its own may well be seeded
    _tell_draw(caller, f"{module}.{name}")


def _shared_random() -> object:
    return getattr(sys.modules.get("random"), "_inst", None)


def _argument_count(frame: FrameType) -> int | None:
    """Return how many arguments the call in progress passes, None when the instruction does not say."""
    from opcode import opname  # what most runs never need

    instruction = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    return instruction[1] if opname[instruction[0]] in _CALL else None


def _tell_clock(frame: FrameType, call: str, *, real: bool) -> None:
    if is_under_test(frame):
        place = _place(frame)
        for guard in STATE.guards:
            guard.clock_read(call, place, real=real)


def _tell_draw(frame: FrameType, call: str) -> None:
    if is_under_test(frame):
        place = _place(frame)
        for guard in STATE.guards:
            guard.random_read(call, place)


def _place(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__', 'unnamed')}:{frame.f_lineno}"


_PACKAGE: Final = str(Path(__file__).resolve().parents[2]) + os.sep
_LIBRARY: Final = tuple({str(Path(path).parent) + os.sep for path in (os.__file__, os.path.realpath(os.__file__))})
_INSTALLED: Final = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_KNOWN: dict[str, bool] = {}


def is_under_test(frame: FrameType) -> bool:
    """Whether a frame's code is neither the standard library's, nor an installed package's, nor ours."""
    name = _file_of(frame.f_code, frame.f_globals)
    known = _KNOWN.get(name)
    if known is None:
        known = _KNOWN[name] = not (
            name.startswith(("<frozen", _PACKAGE, *_LIBRARY)) or any(part in name for part in _INSTALLED)
        )
    return known


def _file_of(code: CodeType, namespace: Mapping[str, object]) -> str:
    # What a library makes at run time (dataclasses, named tuples) has no file; its module has.
    if code.co_filename.startswith("<") and not code.co_filename.startswith("<frozen"):
        module = sys.modules.get(str(namespace.get("__name__")))
        if isinstance(module, ModuleType):
            return getattr(module, "__file__", None) or code.co_filename
    return code.co_filename
