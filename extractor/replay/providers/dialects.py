"""Which provider's format a request speaks: told by its path and body, never by its host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from extractor.model.json import JsonValue, MalformedJson, parse

from ..exchange import ModelRequest
from . import anthropic_messages, google_generate, openai_chat, openai_responses
from .call import Call
from .wire import Made, Members


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A provider's format. ``endings`` end its paths; one of ``members`` must be in the body.

    ``read`` takes the body and the path. ``whole`` gives the body of an answer, ``stream`` its events, ``listed`` the same
    as one JSON array where the format has that.
    """

    name: str
    endings: tuple[str, ...]
    members: tuple[str, ...]
    read: Callable[[Members, str], ModelRequest]
    whole: Callable[[Made], JsonValue]
    stream: Callable[[Made], Iterator[bytes]]
    listed: Callable[[Made], Iterator[bytes]] | None = None


DIALECTS: Final = (
    Dialect(
        name="OpenAI chat completions",
        endings=("/chat/completions",),
        members=("messages",),
        read=openai_chat.read,
        whole=openai_chat.whole,
        stream=openai_chat.stream,
    ),
    Dialect(
        name="OpenAI responses",
        endings=("/responses",),
        members=("input", "prompt"),
        read=openai_responses.read,
        whole=openai_responses.whole,
        stream=openai_responses.stream,
    ),
    Dialect(
        name="Anthropic messages",
        endings=("/v1/messages",),
        members=("messages",),
        read=anthropic_messages.read,
        whole=anthropic_messages.whole,
        stream=anthropic_messages.stream,
    ),
    Dialect(
        name="Google generateContent",
        endings=(":generateContent", ":streamGenerateContent"),
        members=("contents",),
        read=google_generate.read,
        whole=google_generate.whole,
        stream=google_generate.stream,
        listed=google_generate.listed,
    ),
)


def recognise(call: Call) -> tuple[Dialect, Members] | None:
    """Return the format that a request speaks and its body, None for a request that asks no model."""
    if call.method.upper() != "POST":
        return None
    for dialect in DIALECTS:
        if call.path.endswith(dialect.endings):
            body = _body(call.body)
            if body is not None and any(member in body for member in dialect.members):
                return dialect, body
    return None


def _body(content: bytes) -> Members | None:
    try:
        value = parse(content)
    except MalformedJson:
        return None
    return value if isinstance(value, dict) else None
