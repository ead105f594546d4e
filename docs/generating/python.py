"""The page about the Python API: the public names of the packages that a test imports, from their docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator

_PACKAGES = ("extractor.replay", "extractor.checks")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def page() -> str:
    """Return the page: a section a package, a part a name, its methods below it."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Python API: replay and checks\n"
    yield "Written by `make docs` from the docstrings. Names that are not here may change without notice."
    for name in _PACKAGES:
        package = importlib.import_module(name)
        yield f"\n## {name}\n"
        yield inspect.getdoc(package) or ""
        for public in sorted(package.__all__):
            yield from _name(public, getattr(package, public))
    yield ""


def _name(name: str, thing: object) -> Iterator[str]:
    yield f"\n### {name}\n"
    if callable(thing):
        yield from _block(f"{'class ' if inspect.isclass(thing) else ''}{name}{_signature(thing)}")
    yield inspect.getdoc(thing) or ""
    if inspect.isclass(thing):
        yield from _members(thing)


def _members(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        held = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(held):
            continue
        shown = f"{name}{_result(held)}" if isinstance(member, property) else f"{name}{_signature(held)}"
        wait = "async " if inspect.iscoroutinefunction(held) else ""
        said = inspect.getdoc(held) or ""
        yield f"\n`{wait}{shown}`\n"
        yield said


def _signature(thing: object) -> str:
    try:
        signature = inspect.signature(thing)  # type: ignore[arg-type]  # the caller asked whether it is callable
    except ValueError:
        return "(…)"
    kept = [parameter for name, parameter in signature.parameters.items() if name not in {"self", "cls"}]
    shown = str(signature.replace(parameters=kept)).replace("'", "")
    return _ADDRESS.sub("", shown)


def _result(held: object) -> str:
    said = inspect.get_annotations(held).get("return")  # type: ignore[arg-type]  # a function
    return f": {said}" if said else ""


def _block(text: str) -> Iterator[str]:
    yield "```python"
    yield text
    yield "```\n"
