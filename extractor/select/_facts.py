"""What each step consumed and produced, and who stands above and below it: the ground that the walk walks on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from ..model.calls import Call, canonical, logical_key, tool_calls
from ..model.json import JsonValue
from ..model.trace import Message, Step, Trace
from ._acts import answers, texts
from ._policy import Policy, known_as
from ._values import consumed, produced

Transport: TypeAlias = tuple[int, str | None, str | None]
"""Parent, method and target of a dependency call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Indexes over one trace; steps are named by their position in product order.

    ``made`` holds what each step produced, ``told`` what calls, the user and the instructions said and so need not be
    invented. ``shown`` names, for a call that changes something, the later calls that changed nothing and returned what it made.
    """

    steps: Sequence[Step]
    position: Mapping[str, int]
    children: Mapping[int, Sequence[int]]
    calls: Mapping[int, Sequence[Call]]
    requests: Mapping[int, Sequence[int]]
    attempts: Mapping[tuple[str, str], Sequence[int]]
    consumed: Sequence[Mapping[str, str]]
    origins: Mapping[str, tuple[int, str]]
    repeats: AbstractSet[int]
    tries: Mapping[Transport, Sequence[int]]
    shown: Mapping[int, Sequence[int]]
    made: Sequence[Mapping[str, str]]
    told: AbstractSet[str]

    def parent(self, index: int) -> int | None:
        """Return the position of the parent's step, None at a root or an orphan."""
        parent_id = self.steps[index].span.parent_id
        return self.position.get(parent_id) if parent_id is not None else None

    def ancestors(self, index: int) -> Iterable[int]:
        """Yield the steps above one, nearest first; a cycle of parents ends it."""
        seen = {index}
        above = self.parent(index)
        while above is not None and above not in seen:
            yield above
            seen.add(above)
            above = self.parent(above)

    def descendants(self, index: int) -> Iterable[int]:
        """Yield the steps below one."""
        seen = {index}
        stack = list(self.children.get(index, ()))
        while stack:
            below = stack.pop()
            if below not in seen:
                seen.add(below)
                yield below
                stack.extend(self.children.get(below, ()))

    def transport(self, index: int) -> Transport | None:
        """Return what a dependency call shares with the transport's other tries of it, None for other steps."""
        call, above = self.steps[index].dependency, self.parent(index)
        if call is None or call.side != "client" or above is None:
            return None
        return (above, call.method, call.target)

    def gathered(self, index: int) -> Iterable[int]:
        """Yield the calls between the answer before a step and the step: what it had to go by."""
        for before in range(index - 1, -1, -1):
            step = self.steps[before]
            if step.kind in ("tool_call", "retrieval") or before in self.calls:
                yield before
            if answers(step):
                return

    def origin(self, value: str, before: int) -> tuple[int, str] | None:
        """Return the first step that produced a value, and where, when that was before the given step.

        Later steps only repeat it: histories and records do so again and again.
        """
        found = self.origins.get(value)
        return found if found is not None and found[0] < before else None


def facts(trace: Trace, policy: Policy) -> Facts:
    """Return the indexes of a trace; time and memory grow with the trace's distinct text."""
    steps = trace.steps
    position = {step.span.span_id: index for index, step in enumerate(steps)}
    children: dict[int, list[int]] = defaultdict(list)
    for index, step in enumerate(steps):
        above = position.get(step.span.parent_id) if step.span.parent_id is not None else None
        if above is not None:
            children[above].append(index)
    calls: dict[int, list[Call]] = defaultdict(list)
    requests: dict[int, list[int]] = defaultdict(list)
    attempts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for call in tool_calls(trace):
        index = position[call.step.span.span_id]
        calls[index].append(call)
        attempts[logical_key(call.tool)].append(index)
        if call.own and call.requested_by is not None:
            requests[index].append(position[call.requested_by])
    made = [produced(_produced(step, calls.get(index, ())), policy) for index, step in enumerate(steps)]
    changing = {index for index, asked in calls.items() if any(policy.changes(call.tool.name) for call in asked)}
    ignored = _everywhere(made, policy) | _own_names(steps)
    tries: dict[Transport, list[int]] = defaultdict(list)
    origins: dict[str, tuple[int, str]] = {}
    shown: dict[int, list[int]] = defaultdict(list)
    for index, values in enumerate(made):
        reads = index in calls and index not in changing
        for value, place in values.items():
            if value in ignored:
                continue
            first, _ = origins.setdefault(value, (index, place))
            if reads and first in changing and (not shown[first] or shown[first][-1] != index):
                shown[first].append(index)
    used = [consumed(_consumed(step, calls.get(index, ())), origins, policy) for index, step in enumerate(steps)]
    found = Facts(
        steps=steps,
        position=position,
        children=children,
        calls=calls,
        requests=requests,
        attempts=attempts,
        consumed=used,
        origins=origins,
        repeats=_repeats(steps),
        tries=tries,
        shown=shown,
        made=made,
        told=_told(steps, calls, policy),
    )
    for index in range(len(steps)):
        transport = found.transport(index)
        if transport is not None:
            tries[transport].append(index)
    return found


def _everywhere(made: Sequence[Mapping[str, str]], policy: Policy) -> AbstractSet[str]:
    """Return the values that most acts produce: they say nothing of any of them."""
    acts = [values for values in made if values]
    if len(acts) < policy.everywhere_from:
        return frozenset()
    counts = Counter(chain.from_iterable(acts))
    return {value for value, count in counts.items() if count > policy.everywhere_of * len(acts)}


def _told(steps: Sequence[Step], calls: Mapping[int, Sequence[Call]], policy: Policy) -> AbstractSet[str]:
    """Return every value that a call, a retrieval, the user or the instructions told."""
    told: set[str] = set()
    heard: set[str] = set()
    for index, step in enumerate(steps):
        if step.model is None:
            told.update(produced(_produced(step, ()), policy))
        told.update(*(produced([call.tool.arguments, call.tool.result], policy) for call in calls.get(index, ())))
        for message in step.model.input if step.model is not None else ():
            said = texts(message) if message.role != "assistant" else ""
            if said and said not in heard:
                heard.add(said)
                told.update(produced(said, policy))
    return told


def _own_names(steps: Sequence[Step]) -> AbstractSet[str]:
    """Return the names of models and tools: a trace says them again and again."""
    models = {name for step in steps if step.model is not None for name in (step.model.model, step.model.provider)}
    tools = {step.tool.name for step in steps if step.tool is not None}
    return {spelling for name in models | tools if name for spelling in known_as(name)}


def _repeats(steps: Sequence[Step]) -> AbstractSet[int]:
    """Return the model steps that say again, word for word, what an earlier one said: wrappers and merged outputs."""
    said: set[str] = set()
    repeated: set[int] = set()
    for index, step in enumerate(steps):
        if step.model is not None and step.model.output:
            now = {canonical([spoken((message,)), _asked(message)]) for message in step.model.output}
            if now <= said:
                repeated.add(index)
            said |= now
    return repeated


def _asked(message: Message) -> JsonValue:
    return [part.tool for part in message.parts if part.type == "tool_call"]


def _consumed(step: Step, calls: Sequence[Call]) -> JsonValue:
    """Return what a step used. Of a model: what it said, for its input holds the whole history and proves no use."""
    if step.tool is not None:
        return step.tool.arguments
    if step.model is not None:
        return spoken(step.model.output)
    if step.retrieval is not None:
        return step.retrieval.query
    return [call.tool.arguments for call in calls]


def _produced(step: Step, calls: Sequence[Call]) -> JsonValue:
    if step.tool is not None:
        return [step.tool.result, step.tool.error]
    if step.model is not None:
        return [spoken(step.model.output), [call.tool.result for call in calls]]
    if step.retrieval is not None:
        return list(step.retrieval.documents)
    return None


def spoken(messages: Sequence[Message]) -> JsonValue:
    """Return texts and tool arguments of messages, without what a later step cannot have from them."""
    return [
        part.text if part.type == "text" else part.value
        for message in messages
        for part in message.parts
        if part.type in ("text", "tool_call")
    ]
