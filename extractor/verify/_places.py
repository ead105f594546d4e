"""Places in a document by position and by our own member names, and what the policy says of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ..errors import RulesError
from ..model.json import JsonValue, number
from ..ruleset import location

_POSITION = re.compile(r"\[\d+\]")
_DIGEST = r"(?:sha256:)?(?=[0-9]*[a-f])[0-9a-f]{16,64}"
_GENERATED = re.compile(rf"{_DIGEST}|[a-z]{{1,6}}-?\d{{1,6}}|\d{{4}}-?\d\d-?\d\d-[a-z0-9-]{{1,90}}|[0-9.]{{1,5}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What verify takes for ours; rules/verify.toml explains each member."""

    members: frozenset[str]
    payload: frozenset[str]
    generated: frozenset[str]
    growing: frozenset[str]
    marker: frozenset[str]
    named: frozenset[str]
    explained: frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """A place by position. ``text`` is what a report shows; inside a payload no member name is shown."""

    text: str = ""
    payload: bool = False

    def member(self, key: str, index: int, policy: Policy) -> Place:
        """Return the place of a member of the object that stands here."""
        if self.payload or key not in policy.members:
            return Place(f"{self.text}.{{{index}}}" if self.text else f"{{{index}}}", True)
        return Place(f"{self.text}.{key}" if self.text else key, key in policy.payload)

    def item(self, index: int) -> Place:
        """Return the place of an item of the array that stands here."""
        return Place(f"{self.text}[{index}]", self.payload)

    @property
    def kind(self) -> str:
        """The place with its positions left out, as rules name it."""
        return _POSITION.sub("[]", self.text)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text or number of a document. ``key`` tells that it is a member name; ``names`` are the members around it."""

    place: Place
    text: str
    form: Literal["text", "number", "key"]
    names: tuple[str, ...] = ()


@cache
def policy() -> Policy:
    """Return the shipped policy. Overlays cannot change what is exempt. Raises `RulesError`."""
    try:
        document = tomllib.loads((location() / "verify.toml").read_text("utf-8"))
        return Policy(**{name: frozenset(document[name]) for name in Policy.__dataclass_fields__})
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        raise RulesError(["verify: the shipped policy cannot be read"]) from None


def walk(document: JsonValue, rules: Policy, root: Place = Place()) -> Iterator[Leaf]:  # immutable
    """Yield every text, number and member name of a document, in document order."""
    stack: list[tuple[JsonValue, Place, tuple[str, ...]]] = [(document, root, ())]
    while stack:
        node, place, names = stack.pop()
        if isinstance(node, dict):
            children: list[tuple[JsonValue, Place, tuple[str, ...]]] = []
            for index, (key, child) in enumerate(node.items()):
                here = place.member(key, index, rules)
                if here.payload and key not in rules.members:
                    yield Leaf(here, key, "key", names)
                children.append((child, here, (*names, key)))
            stack.extend(reversed(children))
        elif isinstance(node, list):
            stack.extend((child, place.item(index), names) for index, child in reversed(list(enumerate(node))))
        elif isinstance(node, str):
            yield Leaf(place, node, "text", names)
        elif isinstance(node, (int, float)) and not isinstance(node, bool):
            yield Leaf(place, number(node), "number", names)


def arrays(document: JsonValue, rules: Policy) -> Iterator[tuple[Place, list[JsonValue]]]:
    """Yield every array of a document with its place."""
    stack: list[tuple[JsonValue, Place]] = [(document, Place())]
    while stack:
        node, place = stack.pop()
        if isinstance(node, dict):
            stack.extend((child, place.member(key, index, rules)) for index, (key, child) in enumerate(node.items()))
        elif isinstance(node, list):
            yield place, node
            stack.extend((child, place.item(index)) for index, child in enumerate(node))


def is_generated(leaf: Leaf, rules: Policy) -> bool:
    """Say whether a leaf is a value that we made: by its place, and by a form that only such values have."""
    if leaf.form == "key" or leaf.place.kind not in rules.generated:
        return False
    return leaf.form == "number" or _GENERATED.fullmatch(leaf.text) is not None


def is_digest(text: str) -> bool:
    """Say whether a text is a hex digest and nothing else."""
    return re.fullmatch(_DIGEST, text) is not None
