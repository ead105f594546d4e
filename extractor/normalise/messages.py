"""Messages of any dialect: lists of roles with typed parts, or with content and tool calls beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from extractor.model.json import JsonValue
from extractor.model.trace import Message, Part, Role

from .dialects import PartType, Words
from .parsing import decode

_Note = Callable[[str], None]
_LISTS = 3  # around messages


class MessageReader:
    """Reads messages by the spellings in the rules; ``masked`` says which texts are no data, ``note`` takes codes."""

    def __init__(self, words: Words, masked: Callable[[JsonValue], bool], note: _Note) -> None:
        self._words = words
        self._masked = masked
        self._note = note

    def messages(self, value: JsonValue, default: Role) -> tuple[Message, ...]:
        """Return the messages that a value holds; a bare text is one message in the default role."""
        found = (self._message(item, default) for item in self._flat(value, _LISTS))
        return tuple(message for message in found if message is not None)

    def _flat(self, value: JsonValue, lists: int) -> Iterator[JsonValue]:
        """Yield the items of a list, of lists of lists, and of a list of roles with texts."""
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, list) or not lists:
                yield item
            elif len(item) == 2 and isinstance(item[0], str) and item[0].lower() in self._words.roles:
                yield {"role": item[0], "content": item[1]}  # as LangChain takes them
            else:
                yield from self._flat(item, lists - 1)

    def instructions(self, value: JsonValue) -> tuple[Message, ...]:
        """Return system instructions (a text, a part, or a list of parts) as one leading message."""
        parts = tuple(self._parts(value))
        return (Message(role="system", parts=parts),) if parts else ()

    def _message(self, item: JsonValue, default: Role) -> Message | None:
        if isinstance(item, dict) and isinstance(wrapped := item.get("message"), (dict, list)):
            item = wrapped if isinstance(wrapped, dict) else {**item, "content": wrapped}
        item = self._constructed(item)
        role = self._role(item, default) if isinstance(item, dict) else default
        if not isinstance(item, dict) or (
            "role" not in item and isinstance(item.get("type"), str) and self._kind(item)
        ):
            # A bare text, or a part that stands in the list itself (the Responses API).
            parts = tuple(self._part(item)) if item is not None else ()
            answers = any(part.type == "tool_result" for part in parts)
            return Message(role="tool" if answers else default, parts=parts) if parts else None
        if any(value and key not in self._words.in_messages for key, value in item.items()):
            self._note("unread_member")
        parts = (*self._content(item, role), *self._calls(item))
        if not parts and self._member(item, "content") is None:
            parts = self._left_over(item)
        filled = tuple(part for part in parts if part.type != "text" or part.text)
        name = item.get("name")
        return Message(role=role, parts=filled or parts, name=name if isinstance(name, str) else None)

    def _constructed(self, item: JsonValue) -> JsonValue:
        """Return a LangChain message as one with a role: its constructor form opened, its type taken for the role."""
        if isinstance(item, dict) and "lc" in item and isinstance(inner := item.get("kwargs"), dict):
            item = inner
        if isinstance(item, dict) and "role" not in item and "content" in item:
            word = item.get("type")
            if isinstance(word, str) and word.lower() in self._words.roles and word not in self._words.parts:
                return {**item, "role": word}
        return item

    def _content(self, item: Mapping[str, JsonValue], role: Role) -> Iterator[Part]:
        content, call_id = self._member(item, "content"), self._text(item, "call_id") if role == "tool" else None
        if call_id is not None and not _typed(content):  # a tool may have answered nothing
            return self._answer(content, call_id)
        return self._parts(content)

    def _calls(self, item: Mapping[str, JsonValue]) -> Iterator[Part]:
        calls = self._member(item, "tool_calls")
        for call in calls if isinstance(calls, list) else [calls]:
            if isinstance(call, dict):
                yield self._call(call)
            elif call is not None:
                self._note("odd_shape")
                yield Part(type="other", value=call)

    def _left_over(self, item: Mapping[str, JsonValue]) -> tuple[Part, ...]:
        # A shape that no rule knows is kept whole, so that nothing is lost; a message of no content has no part.
        if all(value is None or key in {"role", "name", "finish_reason"} for key, value in item.items()):
            return ()
        self._note("odd_shape")
        return (Part(type="other", value=dict(item)),)

    def _role(self, item: Mapping[str, JsonValue], default: Role) -> Role:
        word = self._member(item, "role")
        role = self._words.roles.get(word.lower()) if isinstance(word, str) else None
        if role is None and word is not None:
            self._note("odd_shape")
        return role or default

    def _parts(self, value: JsonValue) -> Iterator[Part]:
        if isinstance(value, list):
            for item in value:
                yield from self._part(item)
        elif value is not None:
            yield from self._part(value)

    def _part(self, item: JsonValue) -> Iterator[Part]:
        if isinstance(item, str):
            yield from self._written(item, "text")
            return
        if not isinstance(item, dict):
            self._note("odd_shape")
            yield Part(type="other", value=item)
            return
        part, kind = self._opened(item)
        if kind in ("text", "reasoning") and isinstance(text := self._member(part, "text"), str):
            yield from self._written(text, "reasoning" if kind == "reasoning" else "text")
        elif kind == "tool_call":
            yield self._call(part)
        elif kind == "tool_result":
            yield from self._answer(self._member(part, "result"), self._text(part, "call_id"))
        else:
            if kind == "external":
                self._note("external_content")
            yield Part(type="other", value=item)

    def _opened(self, item: Mapping[str, JsonValue]) -> tuple[Mapping[str, JsonValue], PartType | None]:
        """Return a part and what it is; one that a member of its own name holds is opened."""
        for name, kind in self._words.wrapped.items():
            if isinstance(inner := item.get(name), dict):
                return inner, kind
        return item, self._kind(item)

    def _kind(self, item: Mapping[str, JsonValue]) -> PartType | None:
        word = item.get("type")
        if isinstance(word, str):
            return self._words.parts.get(word)
        return "text" if isinstance(self._member(item, "text"), str) else None

    def _written(self, text: str, kind: PartType) -> Iterator[Part]:
        if self._masked(text):
            self._note("masked_value")
        else:
            yield Part(type="reasoning" if kind == "reasoning" else "text", text=text)

    def _call(self, item: Mapping[str, JsonValue]) -> Part:
        function = item.get("function")
        inner = function if isinstance(function, dict) else item
        parsed = decode(self._member(inner, "arguments"))
        if self._masked(parsed.value):
            self._note("masked_value")
            parsed = decode(None)
        if parsed.broken:
            self._note("unparsed_json")
        tool = self._text(inner, "tool")
        return Part(
            type="tool_call",
            call_id=self._text(item, "call_id"),
            tool=tool,
            value=parsed.value,
            value_text=parsed.text,
        )

    def _answer(self, value: JsonValue, call_id: str | None) -> Iterator[Part]:
        parsed = decode(value)
        if self._masked(parsed.value):
            self._note("masked_value")
            return
        if parsed.broken:
            self._note("unparsed_json")
        yield Part(type="tool_result", call_id=call_id, value=parsed.value, value_text=parsed.text)

    def _member(self, item: Mapping[str, JsonValue], what: str) -> JsonValue:
        for key in self._words.members.get(what, ()):
            if item.get(key) is not None:
                return item[key]
        return None

    def _text(self, item: Mapping[str, JsonValue], what: str) -> str | None:
        value = self._member(item, what)
        if value is None or isinstance(value, str):
            return value
        self._note("odd_type")
        return None


def _typed(content: JsonValue) -> bool:
    """Return whether content is a list of typed parts, which say themselves what they are."""
    return isinstance(content, list) and any(isinstance(part, dict) and "type" in part for part in content)
