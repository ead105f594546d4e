"""Facts of one span: the sources of a rule tried in order, masked values passed over, oddities noted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from extractor.model.json import JsonValue, leaves, scalar
from extractor.model.span import Attributes, Span, SpanEvent

from .dialects import Dialect, Source, Vocabulary
from .ledger import Ledger
from .parsing import RULES, Parsed, decode, inside, nested


class Facts:
    """Reads one span by the sources of its dialect, then by those that hold for every span.

    ``step`` is the span's position, counted from 0; what is odd goes to the ledger under it.
    """

    def __init__(self, span: Span, step: int, dialect: Dialect | None, vocabulary: Vocabulary, ledger: Ledger) -> None:
        self.span = span
        self._step = step
        self._own = dialect.facts if dialect else {}
        self._vocabulary = vocabulary
        self._ledger = ledger
        self._attributes = dict(span.attributes)

    def note(self, code: str, what: str = "") -> None:
        """Enter something odd about this span."""
        self._ledger.add(code, self._step, what)

    def sources(self, fact: str) -> tuple[Source, ...]:
        """Return where a fact may stand, in order of precedence."""
        return (*self._own.get(fact, ()), *self._vocabulary.fallback.get(fact, ()))

    def first(self, fact: str, sources: Sequence[Source] | None = None) -> Parsed | None:
        """Return the value of a fact, None when no source holds one."""
        return next(self.every(fact, sources), None)

    def every(self, fact: str, sources: Sequence[Source] | None = None) -> Iterator[Parsed]:
        """Yield what each source of a fact holds, in order of precedence."""
        for source in self.sources(fact) if sources is None else sources:
            for parsed in self._read(source, fact):
                if parsed.broken:
                    self.note("unparsed_json", fact)
                yield parsed

    def text(self, fact: str, sources: Sequence[Source] | None = None) -> str | None:
        """Return a fact that must be one text; numbers and booleans are spelled as JSON does."""
        parsed = self.first(fact, sources)
        if parsed is None:
            return None
        if parsed.text is not None and not isinstance(parsed.value, str):
            return parsed.text
        if isinstance(parsed.value, (dict, list)):
            self.note("odd_type", fact)
            return None
        return parsed.value if isinstance(parsed.value, str) else scalar(parsed.value)

    def members(self, fact: str, sources: Sequence[Source] | None = None) -> dict[str, JsonValue]:
        """Return all sources of a fact as one mapping; the first value of a name wins."""
        found: dict[str, JsonValue] = {}
        for source in self.sources(fact) if sources is None else sources:
            for parsed in self._read(source, fact):
                value: JsonValue = parsed.value if source.label is None else {source.label: parsed.value}
                if not isinstance(value, dict):
                    self.note("odd_type", fact)
                    continue
                found.update({name: one for name, one in value.items() if name not in found})
        return found

    def unknown(self) -> int:
        """Return how many attributes and events carry text and are named by no rule."""
        known = self._vocabulary
        attributes = sum(not known.knows(key) and _has_text(value) for key, value in self.span.attributes)
        events = sum(
            event.name not in known.known_events and any(_has_text(value) for _, value in event.attributes)
            for event in self.span.events
        )
        return attributes + events

    def external(self) -> int:
        """Return how many attributes say that the content was stored elsewhere."""
        return sum(key in self._vocabulary.external for key, _ in self.span.attributes)

    def _read(self, source: Source, fact: str) -> Iterator[Parsed]:
        for parsed in self._written(source, fact):
            if source.constant is not None:
                yield Parsed(value=source.constant)
                continue
            if not all(_is_there(inside(parsed.value, [name]), value) for name, value in source.where.items()):
                continue
            found = decode(inside(parsed.value, source.member)) if source.member else parsed
            if (found.value is None and found.text is None) or found.value in source.ignore:
                continue
            if self._vocabulary.is_masked(found.value):
                self.note("masked_value", fact)
                continue
            yield found

    def _written(self, source: Source, fact: str) -> Iterator[Parsed]:
        if source.place == "name":
            if self.span.name.startswith(source.strip or ""):
                yield RULES[source.parse](self.span.name.removeprefix(source.strip or ""), None)
        elif source.place == "status":
            yield RULES[source.parse](self.span.status_message or None, None)
        elif source.place == "resource":
            yield from self._attributes_of(dict(self.span.resource.attributes), source, fact)
        elif source.place == "event":
            events = [event for event in self.span.events if event.name in source.events]
            if source.parse == "event_messages":
                yield from self._conversation(events, fact)
            else:
                for event in events:
                    yield from self._attributes_of(dict(event.attributes), source, fact)
        else:
            yield from self._attributes_of(self._attributes, source, fact)

    def _attributes_of(self, attributes: Mapping[str, JsonValue], source: Source, fact: str) -> Iterator[Parsed]:
        if source.prefix is not None:
            yield from self._family(attributes, source, source.prefix, fact)
        elif source.parse == "answer":
            yield from self._answer(attributes, source)
        elif source.parse == "pairs":
            name, *values = source.keys
            value = next((attributes[key] for key in values if attributes.get(key) is not None), None)
            label = attributes.get(name)
            if self._vocabulary.is_masked(label) or self._vocabulary.is_masked(value):
                self.note("masked_value", fact)
            elif isinstance(label, str):
                yield Parsed(value={label: value})
        else:
            for key in source.keys:
                mime = attributes.get(key.rpartition(".")[0] + ".mime_type")
                yield RULES[source.parse](attributes.get(key), mime)

    def _answer(self, attributes: Mapping[str, JsonValue], source: Source) -> Iterator[Parsed]:
        """Yield one message of a text and the tool calls that stand in attributes of their own."""
        text, calls, *more = (attributes.get(key) for key in source.keys)
        content: list[JsonValue] = [
            {"type": "reasoning", "content": one} for one in more if isinstance(one, str) and one
        ]
        content += [{"type": "text", "text": text}] if isinstance(text, str) and text else []
        told = RULES["json"](calls, None).value
        if content or told:
            yield Parsed(value=[{"role": "assistant", "content": content, "tool_calls": told}])

    def _family(self, attributes: Mapping[str, JsonValue], source: Source, prefix: str, fact: str) -> Iterator[Parsed]:
        pairs: list[tuple[str, JsonValue]] = []
        for key, value in attributes.items():
            rest = key.removeprefix(prefix)
            if not key.startswith(prefix) or not rest or rest in source.skip:
                continue
            if self._vocabulary.is_masked(value):
                self.note("masked_value", fact)
                continue
            pairs.append((rest, value))
        if pairs:
            yield Parsed(value=nested(pairs, source.unwrap) if source.parse == "indexed" else dict(pairs))

    def _conversation(self, events: Sequence[SpanEvent], fact: str) -> Iterator[Parsed]:
        # GenAI 1.28-1.36: one event a message; its name says the role where no attribute does.
        found: list[JsonValue] = []
        for event in events:
            members = {key: self._decoded(value) for key, value in _unmasked(event.attributes, self._vocabulary)}
            if len(members) < len({key for key, _ in event.attributes}):
                self.note("masked_value", fact)
            found.append({"role": event.name.removesuffix(".message").rpartition(".")[2], **members})
        if found:
            yield Parsed(value=found)

    @staticmethod
    def _decoded(value: JsonValue) -> JsonValue:
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            return RULES["json"](value, None).value
        return value


def _is_there(value: JsonValue, wanted: JsonValue) -> bool:
    return value is not None if wanted == "*" else value == wanted


def _unmasked(attributes: Attributes, vocabulary: Vocabulary) -> Iterator[tuple[str, JsonValue]]:
    return ((key, value) for key, value in attributes if not vocabulary.is_masked(value))


def _has_text(value: JsonValue) -> bool:
    return any(isinstance(leaf, str) and leaf for _, leaf in leaves(value))
