"""The calls that a replay of the boundary's own turn will meet, whether or not a value flows from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TypeAlias

from ..model.trace import Message, Step
from ._acts import answers, texts
from ._facts import Facts

_Said: TypeAlias = tuple[int, str]
"""How many messages of the user a model was shown, and the last of them."""

_Standing: TypeAlias = tuple[int | None, bool]
"""The agent of a step, None without a span above it, and whether another call stands between the two.

The agent is the nearest span above that has a model call and another act below it, else the root above.
"""


class Turn:
    """The turn between the user's last message before the boundary and what the boundary came to."""

    def __init__(self, ground: Facts, boundary: int, until: int) -> None:
        self._facts = ground
        self._boundary = boundary
        self._until = until
        self._settled: dict[int, _Standing] = {}

    def met(self, kept: Collection[int], kinds: Collection[str]) -> Iterator[int]:
        """Yield the steps of these kinds in the turn that the agent made itself, or that a kept model turn asked for.

        What a dropped model turn asked for is not met: the script of the model's answers leaves it out as well. A call below
        another call is that one's own affair, and so are the calls of an agent of which no call is kept.
        """
        steps, turn = self._facts.steps, range(self.start, self._until + 1)
        kept = frozenset(kept)
        agents = {self._standing(index)[0] for index in kept if steps[index].kind == "tool_call"}
        agents.add(self._standing(self._boundary)[0])
        trace_id = steps[self._boundary].span.trace_id
        for index in turn:
            step = steps[index]
            if step.kind in kinds and index not in kept and step.span.trace_id == trace_id:
                agent, inside = self._standing(index)
                if agent in agents and not inside and kept.issuperset(self._facts.requests.get(index, ())):
                    yield index

    @cached_property
    def start(self) -> int:
        """The position of the turn's first step: the one after the answer that the user's last message replied to.

        Without histories (some providers keep them) it is the answer that stands beside the deciding turn, below one span.
        """
        steps = self._facts.steps
        spoken = next((index for index in range(self._boundary, -1, -1) if steps[index].kind == "user_message"), 0)
        deciding = next((index for index in range(self._boundary, -1, -1) if _said(steps[index])), None)
        if deciding is None:
            return spoken
        said, parent, heard = _said(steps[deciding]), self._facts.parent(deciding), _heard(steps[deciding])
        first = next(index for index, step in enumerate(steps) if _said(step) == said)
        for index in range(first - 1, spoken - 1, -1):
            if answers(steps[index]) and (
                self._facts.parent(index) == parent or not heard.isdisjoint(_told(steps[index]))
            ):
                return index + 1
        return spoken

    def _standing(self, index: int) -> _Standing:
        """Return where a step stands; every span on the way up is settled once."""
        path: dict[int, None] = {}
        above: int | None = index
        while above is not None and above not in self._settled and above not in path:
            path[above] = None
            above = self._facts.parent(above)
        for each in reversed(path):
            parent = self._facts.parent(each)
            self._settled[each] = (None, False) if parent is None else self._under(parent)
        return self._settled[index]

    def _under(self, parent: int) -> _Standing:
        called = self._facts.steps[parent].kind == "tool_call"
        models, acts = self._below.get(parent, (0, 0))
        if models and acts > 1:
            return parent, called
        agent, inside = self._settled.get(parent, (None, False))  # absent in a cycle of parents
        return (parent if agent is None else agent), called or inside

    @cached_property
    def _below(self) -> Mapping[int, tuple[int, int]]:
        """How many model calls, and how many of them and tool calls, stand below each span; two are as good as more."""
        found: dict[int, tuple[int, int]] = {}
        for index, step in enumerate(self._facts.steps):
            if step.kind not in ("model_call", "tool_call"):
                continue
            model = step.kind == "model_call"
            for above in self._facts.ancestors(index):
                models, acts = found.get(above, (0, 0))
                if acts > 1 and (models or not model):
                    break  # and so has every span above
                found[above] = (models or int(model), acts + 1)
        return found


def _said(step: Step) -> _Said | None:
    """Return what the user had said when a model was asked; None where nothing tells."""
    words = _spoken(step.model.input, "user") if step.model is not None else []
    return (len(words), words[-1]) if words else None


def _heard(step: Step) -> AbstractSet[str]:
    """Return the answers that stand in a model's input."""
    return frozenset(_spoken(step.model.input, "assistant") if step.model is not None else ())


def _told(step: Step) -> Sequence[str]:
    return _spoken(step.model.output, "assistant") if step.model is not None else ()


def _spoken(messages: Iterable[Message], role: str) -> list[str]:
    return [said for message in messages if message.role == role and (said := texts(message))]
