"""Each distinct message once, under an id of ours; histories sent again and again become lists of ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from ..model.calls import canonical
from ..model.json import JsonValue
from ..model.trace import Message, Part, Step


class Messages:
    """Messages in order of their first appearance; what the user said comes first and has the first ids.

    A system message is held by ``templates``; it names its template by position. A tool's result that a tool event
    holds as well is not written twice: such a part has a ``call_id`` and no ``value``.
    """

    def __init__(self, scripted: Mapping[str, tuple[JsonValue, str | None]]) -> None:
        self._scripted = scripted
        self._said: dict[str, Message] = {}
        self._other: dict[str, Message] = {}
        self._numbers: dict[str, int] = {}
        self._keys: dict[int, str] = {}
        self._alive: list[Message] = []
        self._templates: dict[str, int] = {}

    def add(self, messages: Sequence[Message], *, as_input: bool) -> None:
        """Take messages in; ``as_input`` says that the users' among them were said before the boundary."""
        for message in messages:
            key = self._key(message)
            if as_input and users(message):
                self._said.setdefault(key, message)
                self._other.pop(key, None)
            elif key not in self._said:
                self._other.setdefault(key, message)
            if message.role == "system":
                self._templates.setdefault(_content(message), len(self._templates))

    def ids(self, messages: Sequence[Message]) -> list[str]:
        """Return the ids of messages, in their order; a message said twice has its id twice."""
        if len(self._numbers) != len(self._said) + len(self._other):
            self._numbers = {key: number for number, key in enumerate((*self._said, *self._other), start=1)}
        return [f"m{self._numbers[self._key(message)]}" for message in messages]

    def missing_among(self, messages: Iterable[Message]) -> int:
        """Return how many distinct messages were never taken in."""
        return len({self._key(message) for message in messages} - self._said.keys() - self._other.keys())

    def said(self) -> list[JsonValue]:
        """Return what the user said."""
        return [self._document(message, number) for number, message in enumerate(self._said.values(), start=1)]

    def others(self) -> list[JsonValue]:
        """Return every other message, ids continuing."""
        first = len(self._said) + 1
        return [self._document(message, number) for number, message in enumerate(self._other.values(), start=first)]

    def templates(self, version: str | None) -> list[JsonValue]:
        """Return the system instructions; the prompt's version names the template only when there is just one."""
        return [
            {
                "role": "system",
                "name": None,
                "version": version if len(self._templates) == 1 else None,
                "sha256": digest(content),
                "content": content,
            }
            for content in self._templates
        ]

    def place(self, message: Message) -> str:
        """Return where a message stands in the document."""
        number = int(self.ids((message,))[0].removeprefix("m"))
        said = len(self._said)
        return f"input.messages[{number - 1}]" if number <= said else f"messages[{number - 1 - said}]"

    def _key(self, message: Message) -> str:
        known = self._keys.get(id(message))
        if known is None:
            # Reasoning is rarely sent back, so it must not make a message of the history another one.
            told = [part for part in message.parts if part.type != "reasoning"] or list(message.parts)
            known = canonical([message.role, [_identity(part) for part in told]])
            self._keys[id(message)] = known
            self._alive.append(message)  # an id stays unique only while its object lives
        return known

    def _document(self, message: Message, number: int) -> JsonValue:
        document: dict[str, JsonValue] = {"id": f"m{number}", "role": message.role}
        if message.name is not None:
            document["name"] = message.name
        if message.role == "system":
            document["parts"] = [{"type": "other", "value": {"template": self._templates[_content(message)]}}]
        else:
            document["parts"] = [self._part(part) for part in message.parts]
        return document

    def _part(self, part: Part) -> JsonValue:
        if part.type in ("text", "reasoning"):
            return {"type": part.type, "text": part.text}
        if part.type == "other":
            return {"type": "other", "value": part.value}
        document: dict[str, JsonValue] = {"type": part.type, "call_id": part.call_id}
        if part.type == "tool_call":
            document["tool"] = part.tool
        elif part.call_id is not None and self._scripted.get(part.call_id) == (part.value, part.value_text):
            return document
        document["value"] = part.value
        if part.value_text is not None and part.value_text != part.value:
            document["value_text"] = part.value_text
        return document


def spoken(step: Step) -> str | None:
    """Return the text of a model turn's or assistant message's output, None when it said nothing in words."""
    if step.model is None:
        return None
    texts = [
        part.text
        for message in step.model.output
        for part in message.parts
        if message.role == "assistant" and part.type == "text" and part.text and part.text.strip()
    ]
    return "\n".join(texts) or None


def users(message: Message) -> bool:
    """Return whether the user said it; some providers send tool results under the user's role."""
    return message.role == "user" and any(part.type != "tool_result" for part in message.parts)


def digest(content: str) -> str:
    """Return the SHA-256 of a text; redaction replaces it with the digest of the redacted one."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _identity(part: Part) -> JsonValue:
    if part.type in ("text", "reasoning"):
        return [part.type, part.text]
    return [part.type, part.call_id, part.tool, part.value]


def _content(message: Message) -> str:
    return "\n".join(part.text if part.text is not None else canonical(part.value) for part in message.parts)
