"""Where a text stands, as far as redaction cares: the names around it, not the data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["value", "key", "number", "userinfo", "host", "signature", "blob"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_INDEX = re.compile(r"_\d+(?=_|$)")
_SEPARATORS = re.compile(r"[\W_]+")


@lru_cache(maxsize=65_536)
def normal_name(name: str) -> str:
    """Return a member name in snake case, list positions left out.

    ``userId``, ``user-id`` and ``user.id`` are one name, and so are ``messages.0.content`` and ``messages.7.content``.
    """
    return _INDEX.sub("", _SEPARATORS.sub("_", _CAMEL.sub("_", name)).strip("_").lower())


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a document. ``names`` are normal member names, outermost first; list positions are left out.

    ``beside`` are those normal names of the members of the same object that some rule asks for. ``prose`` is False where no sentence
    of a person can stand: keys, span names, enumerations.
    """

    names: tuple[str, ...] = ()
    beside: frozenset[str] = frozenset()
    kind: Kind = "value"
    prose: bool = True
    # Places around thousands of texts are few: each makes those inside it once, and is hashed once.
    _inside: dict[object, Place] = field(default_factory=dict, init=False, repr=False, compare=False)
    _hash: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.names, self.beside, self.kind, self.prose)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def name(self) -> str:
        """The innermost member name, empty at the root."""
        return self.names[-1] if self.names else ""

    @property
    def is_opaque_secret(self) -> bool:
        """Whether what is replaced whole here is a credential: a token's signature, the body of a private key."""
        return self.kind == "signature" or (self.kind == "blob" and "private_key" in self.name)

    def member(self, key: str, beside: frozenset[str]) -> Place:
        """Return the place of a member of the object that stands here."""
        inner = self._inside.get((key, beside))
        if inner is None:
            inner = Place((*self.names, normal_name(key)), beside, "value", self.prose)
            self._inside[key, beside] = inner
        return inner

    def as_kind(self, kind: Kind) -> Place:
        """Return the same place for another kind of content."""
        same = self._inside.get(kind)
        if same is None:
            same = self._inside[kind] = replace(self, kind=kind, prose=self.prose and kind == "value")
        return same
