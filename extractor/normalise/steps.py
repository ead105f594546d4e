"""One step from one recognised span."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from extractor.model.json import JsonValue
from extractor.model.span import Span
from extractor.model.trace import UNNAMED, Dependency, Message, ModelCall, Retrieval, Role, Step, StepKind, ToolCall

from .dialects import Vocabulary
from .facts import Facts
from .ledger import Ledger
from .messages import MessageReader
from .recognise import Recognised, Relations

_ACTS = frozenset({"tool_call", "model_call"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a span says of its failure; both None when it did not fail."""

    type: str | None = None
    message: str | None = None


class StepReader:
    """Makes steps; knows what every span of the reading was recognised as."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        relations: Relations,
        recognised: Mapping[tuple[str, str], Recognised],
        ledger: Ledger,
        told: AbstractSet[str],
    ) -> None:
        """``told`` are the traces in which a model call or a message of its own says what was said."""
        self._vocabulary = vocabulary
        self._relations = relations
        self._recognised = recognised
        self._ledger = ledger
        self._told = told

    def step(self, span: Span, number: int) -> Step:
        """Return the step of a span; ``number`` is its position, counted from 0."""
        known = self._recognised[span.trace_id, span.span_id]
        facts = Facts(span, number, known.dialect, self._vocabulary, self._ledger)
        if unknown := facts.unknown():
            self._ledger.add("unknown_text_attributes", number, count=unknown)
        if external := facts.external():
            self._ledger.add("external_content", number, count=external)
        tool = self._tool(facts) if known.kind == "tool_call" else None
        failure = Failure(type=tool.error_type, message=tool.error) if tool else _failure(facts, has_result=False)
        model = self._said(facts, failure, known.kind)
        return Step(
            kind="user_message" if known.kind == "other" and model else known.kind,
            span=span,
            dialect=known.dialect.name if known.dialect else "",
            tool=tool,
            model=model,
            retrieval=self._retrieval(facts) if known.kind == "retrieval" else None,
            dependency=_dependency(facts, "client" if known.kind == "dependency_call" else "server")
            if known.kind in ("dependency_call", "dependency_receipt")
            else None,
            error_type=failure.type,
            error_message=failure.message,
        )

    def _tool(self, facts: Facts) -> ToolCall:
        name = facts.text("tool.name")
        arguments, result = facts.first("tool.arguments"), facts.first("tool.result")
        failure = _failure(facts, has_result=result is not None)
        failed = failure.message is not None
        if arguments is None:
            facts.note("content_not_captured", "tool.arguments")
        if result is None and not failed:
            facts.note("content_not_captured", "tool.result")
        given = arguments.value if arguments else None
        return ToolCall(
            name=name or facts.span.name or UNNAMED,
            call_id=facts.text("tool.call_id"),
            arguments=given,
            arguments_text=arguments.text if arguments else None,
            result=result.value if result else None,
            result_text=result.text if result else None,
            error=failure.message,
            error_type=failure.type,
            idempotency_key=self._key_among(given) or self._key_sent(facts),
            has_result=result is not None,
        )

    def _key_among(self, arguments: JsonValue) -> str | None:
        """Return the idempotency key in arguments: the outermost, then the first in order of the rule's names."""
        level = [arguments]
        while level:
            mappings = [node for node in level if isinstance(node, dict)]
            for name in self._vocabulary.words.idempotency:
                for node in mappings:
                    value = node.get(name)
                    if isinstance(value, str) and value and not self._vocabulary.is_masked(value):
                        return value
            lists = (node for node in level if isinstance(node, list))
            level = [child for node in mappings for child in node.values()] + [one for node in lists for one in node]
        return None

    def _key_sent(self, facts: Facts) -> str | None:
        """Return the key in a header of the span itself, else of the nearest client span it made."""
        if own := facts.text("dependency.idempotency_key"):
            return own
        waiting, seen = deque(self._relations.children(facts.span)), {facts.span.span_id}
        while waiting:
            span = waiting.popleft()
            known = self._recognised[span.trace_id, span.span_id]
            if span.span_id in seen or known.kind in _ACTS:
                continue
            seen.add(span.span_id)
            if known.kind == "dependency_call":
                # Its own step notes what is odd about it; here only the key counts.
                key = Facts(span, 0, known.dialect, self._vocabulary, Ledger()).text("dependency.idempotency_key")
                if key:
                    return key
            waiting.extend(self._relations.children(span))
        return None

    def _said(self, facts: Facts, failure: Failure, kind: StepKind) -> ModelCall | None:
        if kind == "user_message":
            return ModelCall(model=None, input=self._messages(facts, "model.input", "user"))
        if kind == "other" and facts.span.trace_id not in self._told:
            given = self._messages(facts, "agent.input", "user")
            return ModelCall(model=None, input=given) if _say_something(given) else None
        return self._model(facts, failure) if kind == "model_call" else None

    def _model(self, facts: Facts, failure: Failure) -> ModelCall:
        system = facts.first("model.system")
        leading = self._reader(facts, "model.system").instructions(system.value) if system else ()
        given = self._messages(facts, "model.input", "user")
        answered = self._messages(facts, "model.output", "assistant")
        failed = failure.message is not None
        if not _say_something(given):
            facts.note("content_not_captured", "model.input")
        if not _say_something(answered) and not failed:
            facts.note("content_not_captured", "model.output")
        return ModelCall(
            model=facts.text("model.name"),
            provider=facts.text("model.provider"),
            operation=facts.text("model.operation"),
            parameters=facts.members("model.parameters"),
            input=(*leading, *given),
            output=answered,
            usage=_usage(facts),
            content_captured=_say_something(given) and (_say_something(answered) or failed),
        )

    def _messages(self, facts: Facts, fact: str, default: Role) -> tuple[Message, ...]:
        # Some instrumentations write a family of roles without content, and the content elsewhere.
        empty: tuple[Message, ...] = ()
        for parsed in facts.every(fact):
            found = self._reader(facts, fact).messages(parsed.value, default)
            if _say_something(found):
                return found
            empty = empty or found
        return empty

    def _reader(self, facts: Facts, fact: str) -> MessageReader:
        return MessageReader(self._vocabulary.words, self._vocabulary.is_masked, lambda code: facts.note(code, fact))

    def _retrieval(self, facts: Facts) -> Retrieval:
        query, documents = facts.text("retrieval.query"), facts.first("retrieval.documents")
        if documents is None:
            facts.note("content_not_captured", "retrieval.documents")
        found = documents.value if documents else []
        return Retrieval(query=query, documents=tuple(found) if isinstance(found, list) else (found,))


def _failure(facts: Facts, *, has_result: bool) -> Failure:
    """Return what a span says of its failure, whatever kind it is.

    A status of error fails, and an error class, and an exception that no result followed: some exporters leave the
    status of a failed call at OK.
    """
    named, other, exception = facts.text("error.type"), facts.text("error.other"), facts.text("exception.type")
    failed = facts.span.status_code == "error" or bool(named or other) or (bool(exception) and not has_result)
    if not failed:
        return Failure()
    kind = named or exception or other
    return Failure(type=kind, message=facts.text("error.message") or kind or "error")


def _say_something(messages: Sequence[Message]) -> bool:
    return any(message.parts for message in messages)


def _usage(facts: Facts) -> Mapping[str, int]:
    usage: dict[str, int] = {}
    for name, value in facts.members("model.usage").items():
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
            usage[name] = int(value)  # Spring AI writes counts as texts
        elif isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1:
            usage[name] = int(value)
        else:
            facts.note("odd_type", "model.usage")
    return usage


def _dependency(facts: Facts, side: str) -> Dependency:
    replayed = facts.text("dependency.replayed")
    return Dependency(
        side="client" if side == "client" else "server",
        protocol=facts.text("dependency.protocol") or "unknown",
        method=facts.text("dependency.method"),
        target=facts.text("dependency.target"),
        status=facts.text("dependency.status"),
        idempotency_key=facts.text("dependency.idempotency_key"),
        replayed=replayed is not None and replayed.lower() == "true",
    )
