"""Turn the trace of an agent incident into a small, safe, replayable regression case.

`extract` and `redact` do what the commands of these names do, `replay` holds what a test imports, `errors` every error,
`schemas` the JSON Schemas of what is written. Each is loaded when it is first asked for: ``import extractor`` loads nothing.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:  # what __getattr__ gives
    from . import errors, replay, schemas
    from .api import (
        Extracted,
        Fixture,
        JsonValue,
        Limit,
        Proofs,
        Redacted,
        Residual,
        RunConfig,
        Statement,
        Told,
        WorkspaceKey,
        extract,
        load_key,
        redact,
    )

__all__ = [
    "Extracted",
    "Fixture",
    "JsonValue",
    "Limit",
    "Proofs",
    "Redacted",
    "Residual",
    "RunConfig",
    "Statement",
    "Told",
    "WorkspaceKey",
    "__version__",
    "errors",
    "extract",
    "load_key",
    "redact",
    "replay",
    "schemas",
]

_MODULES = frozenset({"errors", "redact", "replay", "schemas"})


if not TYPE_CHECKING:  # for type checkers it would give every misspelt name a type

    def __getattr__(name: str) -> object:
        """Return a public name, loaded now: the stages take tenths of a second to import, and a test wants `replay` alone."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in _MODULES:
            return import_module(f"{__name__}.{name}")
        return getattr(import_module(f"{__name__}.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Callable(ModuleType):
    """The package of a stage that is a function of the API, too."""

    def __call__(self, *arguments: object, **options: object) -> object:
        """Call the function of the API that has the package's name."""
        return getattr(import_module("extractor.api"), self.__name__.rpartition(".")[2])(*arguments, **options)


class _Root(ModuleType):
    """This package. Python binds every package below it by name, and so would hide the function `redact`."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "redact" and isinstance(value, ModuleType):
            value.__class__ = _Callable
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Root
