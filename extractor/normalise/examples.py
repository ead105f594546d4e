"""A dialect's own examples, run at load: a rule set whose examples fail is not used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any  # Any: an example's spans as TOML writes them

from extractor.errors import RulesError
from extractor.model.reading import Reading
from extractor.model.span import Resource, Scope, Span, SpanEvent
from extractor.ruleset import RuleSet

from .compiling import compile_rules
from .dialects import Example, Vocabulary
from .trace import trace_of

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class _ByDigest:
    """A rule set that is equal to another of the same digest, so that its compiled form can be remembered."""

    rules: RuleSet

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByDigest) and other.rules.digest == self.rules.digest

    def __hash__(self) -> int:
        return hash(self.rules.digest)


def vocabulary_of(rules: RuleSet) -> Vocabulary:
    """Return the compiled dialects whose examples all hold. Raises `RulesError` with every fault."""
    return _vocabulary(_ByDigest(rules))


@lru_cache(maxsize=4)
def _vocabulary(keyed: _ByDigest) -> Vocabulary:
    vocabulary = compile_rules(keyed.rules)
    faults = [fault for example in vocabulary.examples for fault in _faults(example, vocabulary)]
    if faults:
        raise RulesError(faults)
    return vocabulary


def _faults(example: Example, vocabulary: Vocabulary) -> list[str]:
    trace = trace_of(Reading(spans=_spans(example.spans)), vocabulary)
    read = {"step": trace.steps[-1], "subject": trace.subject, "notes": [note.code for note in trace.notes]}
    return [
        f"{example.where}: {path} was read otherwise"
        for path, wanted in example.expect.items()
        if _at(read if path.startswith(("subject.", "notes")) else read["step"], path.split(".")) != wanted
    ]


def _spans(written: Sequence[Mapping[str, Any]]) -> tuple[Span, ...]:
    return tuple(
        Span(
            trace_id=f"{1:032x}",
            span_id=f"{number:016x}",
            parent_id=f"{number - 1:016x}" if number > 1 and not span.get("root") else None,
            name=span.get("name", ""),
            kind=span.get("kind", "internal"),
            start_ns=number,
            end_ns=number + 1,
            attributes=tuple(span.get("attributes", {}).items()),
            events=tuple(
                SpanEvent(name=event["name"], time_ns=number, attributes=tuple(event.get("attributes", {}).items()))
                for event in span.get("events", ())
            ),
            status_code=span.get("status", "unset"),
            status_message=span.get("message", ""),
            resource=Resource(attributes=tuple(span.get("resource", {}).items())),
            scope=Scope(name=span.get("scope", "")),
        )
        for number, span in enumerate(written, 1)
    )


def _at(node: object, path: Sequence[str]) -> object:
    """Return what stands at a path of members and positions, as plain lists and mappings."""
    for position, step in enumerate(path):
        if is_dataclass(node):
            node = getattr(node, step, _ABSENT)
        elif isinstance(node, Mapping):
            # Attribute keys hold dots themselves: the rest of the path may be one key.
            rest = ".".join(path[position:])
            if rest in node:
                return _plain(node[rest])
            node = node.get(step, _ABSENT)
        elif isinstance(node, Sequence) and step.isdigit() and int(step) < len(node):
            node = node[int(step)]
        else:
            return _ABSENT
    return _plain(node)


def _plain(node: object) -> object:
    if is_dataclass(node) and not isinstance(node, type):
        return {member.name: _plain(getattr(node, member.name)) for member in fields(node)}
    if isinstance(node, (list, tuple)):
        return [_plain(one) for one in node]
    return node
