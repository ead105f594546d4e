"""What single spans say, for an overview of many: their dialect, and the tool that they call."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from extractor.model.span import Span

from .dialects import Vocabulary
from .facts import Facts
from .ledger import Ledger
from .messages import MessageReader
from .recognise import Recognised, Relations, recognise


@dataclass(frozen=True, slots=True)
class Said:
    """A span's dialect, empty where no rule claims it, and the tool that it calls, None where it is no tool call."""

    dialect: str
    tool: str | None


@dataclass(slots=True)
class Speech:
    """Asks the rules once for all spans that look the same to them. A span is judged alone, without its relations."""

    vocabulary: Vocabulary
    _known: dict[Hashable, Recognised] = field(default_factory=dict)
    _deciding: frozenset[str] = frozenset()
    _beginnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        dialects = self.vocabulary.dialects.values()
        conditions = [mark.when for dialect in dialects for mark in dialect.marks]
        conditions += [kind.when for dialect in dialects for kind in dialect.kinds]
        self._deciding = frozenset(key for when in conditions if when.equals for key in when.attr)
        self._beginnings = tuple(sorted({when.name_prefix for when in conditions if when.name_prefix}))

    def said(self, span: Span) -> Said:
        """Return what a span says."""
        known = self._recognised(span)
        tool = None
        if known.kind == "tool_call":
            tool = Facts(span, 0, known.dialect, self.vocabulary, Ledger()).text("tool.name") or span.name
        return Said(known.dialect.name if known.dialect else "", tool)

    def asked(self, span: Span) -> tuple[str, ...]:
        """Return the tools that the answer of a model call asks for: where they have no spans of their own, nothing else names them."""
        known = self._recognised(span)
        if known.kind != "model_call":
            return ()
        reader = MessageReader(self.vocabulary.words, self.vocabulary.is_masked, lambda _code: None)
        for parsed in Facts(span, 0, known.dialect, self.vocabulary, Ledger()).every("model.output"):
            parts = [part for message in reader.messages(parsed.value, "assistant") for part in message.parts]
            if names := tuple(part.tool for part in parts if part.type == "tool_call" and part.tool):
                return names
        return ()

    def _recognised(self, span: Span) -> Recognised:
        form = (
            span.scope.name,
            span.kind,
            frozenset(key for key, _ in span.attributes),
            tuple(repr(value) for key, value in span.attributes if key in self._deciding),
            tuple(span.name.startswith(beginning) for beginning in self._beginnings),
            frozenset(event.name for event in span.events),
        )
        known = self._known.get(form)
        if known is None:
            known = self._known[form] = recognise(span, self.vocabulary, Relations((span,)))
        return known
