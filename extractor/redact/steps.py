"""The steps of a case: the smallest places of the document that a person would be sent to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ..model.case import Document
from ..model.json import JsonValue

Speaker: TypeAlias = Literal["user", "assistant", "tool", "system", "other"]
SPEAKERS: tuple[Speaker, ...] = ("user", "assistant", "tool", "system", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentStep:
    """A place (``tool_events[2]``), whose words stand there, and a document that holds this place alone."""

    place: str
    speaker: Speaker
    document: Document = field(repr=False)


def document_steps(document: Document) -> Iterator[DocumentStep]:
    """Yield the steps of a document, in its order: items of its lists, messages, and each other member whole."""
    for name, value in document.items():
        if name == "input" and isinstance(value, dict) and isinstance(messages := value.get("messages"), list):
            for index, message in enumerate(messages):
                yield DocumentStep(
                    place=f"input.messages[{index}]",
                    speaker=_speaker(name, message),
                    document={"input": {"messages": [message]}},
                )
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield DocumentStep(place=f"{name}[{index}]", speaker=_speaker(name, item), document={name: [item]})
        elif value is not None:
            yield DocumentStep(place=name, speaker=_speaker(name, value), document={name: value})


def _speaker(member: str, item: JsonValue) -> Speaker:
    if member in ("input", "messages"):
        role = item.get("role") if isinstance(item, dict) else None
        return next((speaker for speaker in SPEAKERS if speaker == role), "other")
    if member == "tool_events":
        return "tool"
    if member == "templates":
        return "system"
    return "assistant" if member == "final_output" else "other"
