"""What a program gives for a field is what the field is declared as: the letters of a text are never taken for texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields

from ..errors import UsageError


class AsDeclared:
    """Base of the frozen dataclasses that people fill: their tuples, mappings and parts are looked at when they are made.

    Raises `UsageError`, which names class and field and nothing that was given.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        """Look at every field that holds several values, or a part of its own."""
        for declared in fields(self):  # type: ignore[arg-type]  # every class on this base is a dataclass
            given = getattr(self, declared.name)
            wanted = _wanted(declared, given)
            if wanted is not None:
                raise UsageError(f"{type(self).__name__}: {declared.name} is {wanted}")
            if isinstance(given, list) and str(declared.type).startswith("tuple["):
                object.__setattr__(self, declared.name, tuple(given))  # a list could change under a run


def _wanted(declared: Field[object], given: object) -> str | None:
    """Return what a field wants and was not given, None where it was given that."""
    kind = str(declared.type)  # the text of the annotation: these modules evaluate none
    if given is None and kind.endswith("| None"):
        return None
    if kind.startswith("tuple["):
        if not isinstance(given, (tuple, list)):
            return 'a tuple of texts, with one text ("…",)' if "[str" in kind else "a tuple, with one value (…,)"
        if "[str" in kind and not all(isinstance(each, str) for each in given):
            return "a tuple of texts: one of its values is none"
    if kind.startswith("Mapping["):
        if not isinstance(given, Mapping):
            return "a dict"
        if ", tuple[" in kind and not all(
            isinstance(each, (tuple, list)) and len(each) == 2 for each in given.values()
        ):
            return "a dict of pairs (at least, at most), with None for no bound"
    if isinstance(declared.default, AsDeclared) and not isinstance(given, type(declared.default)):
        return f"a {type(declared.default).__name__}"
    return None
