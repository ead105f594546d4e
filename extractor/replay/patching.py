"""Attributes replaced for a while, of modules that are loaded and of those that are imported meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:
    # Nothing of theirs is used, and they load pathlib, tempfile and half of importlib.
    Loader = MetaPathFinder = object

Install: TypeAlias = Callable[[ModuleType, "Patches"], None]
"""Replace what is to be replaced in a module, once it is loaded; raises whatever an unknown version makes it raise."""

PATCHED: Final = "patched"
ABSENT: Final = "absent"
FAILED: Final = "failed"


class Patches:
    """Replaced attributes, put back in reverse order; thread-safe."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def attribute(self, owner: type | ModuleType, name: str, value: object) -> None:
        """Replace an attribute that the owner has, inherited or its own; raises `AttributeError` where it has none."""
        getattr(owner, name)
        own = vars(owner)
        inherited, before = name not in own, own.get(name)
        self.later(lambda: delattr(owner, name) if inherited else setattr(owner, name, before))
        setattr(owner, name, value)

    def later(self, undo: Callable[[], None]) -> None:
        """Add what `restore` shall do; the last added is done first."""
        with self._lock:
            self._undo.append(undo)

    def restore(self) -> None:
        """Put everything back."""
        with self._lock:
            undo, self._undo = self._undo, []
        for each in reversed(undo):
            each()


class Watched(MetaPathFinder):
    """A context in which modules are patched: those that are loaded at once, others when they are imported.

    ``installs`` maps a module's name to what patches it. A module that nobody imports is never imported for this. A patch
    that fails leaves its module as it was.
    """

    def __init__(self, installs: Mapping[str, Install]) -> None:
        self._installs = installs
        self._state = dict.fromkeys(installs, ABSENT)
        self._patches = Patches()
        self._searching = threading.local()

    def state(self) -> dict[str, str]:
        """Return per module ``patched``, ``absent`` (not loaded so far) or ``failed: ERROR``."""
        return dict(self._state)

    def __enter__(self) -> Watched:
        sys.meta_path.insert(0, self)
        for name in self._installs:
            module = sys.modules.get(name)
            if module is not None:
                self.loaded(name, module)
        return self

    def __exit__(self, *_error: object) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        self._patches.restore()

    def loaded(self, name: str, module: ModuleType) -> None:
        """Patch a module that has just been loaded."""
        mine = Patches()
        try:
            self._installs[name](module, mine)
        except Exception as error:  # noqa: BLE001  # a version that nobody has seen may break in any way
            mine.restore()
            self._state[name] = f"{FAILED}: {type(error).__name__}"
            return
        self._patches.later(mine.restore)
        self._state[name] = PATCHED

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification that the other finders give, its loader watched; None for any module but ours."""
        if fullname not in self._installs or getattr(self._searching, "on", False):
            return None
        self._searching.on = True
        try:
            for finder in [each for each in sys.meta_path if each is not self]:
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    if spec.loader is not None:
                        spec.loader = _Loader(spec.loader, self)
                    return spec
        finally:
            self._searching.on = False
        return None


class _Loader(Loader):
    """Loads as the loader it stands for, tells the watch, and steps back."""

    def __init__(self, loader: Loader, watched: Watched) -> None:
        self._loader = loader
        self._watched = watched

    def __getattr__(self, name: str) -> object:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None and spec.loader is self:
            spec.loader = self._loader
        if getattr(module, "__loader__", None) is self:
            module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._watched.loaded(spec.name if spec is not None else module.__name__, module)
