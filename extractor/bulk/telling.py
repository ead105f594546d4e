"""What a written case tells a report: the kind of its failure, and how much was redacted, by entity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from extractor.model.json import JsonValue, parse
from extractor.model.layout import FIXTURE, PROVENANCE
from extractor.pipeline import boundary_event

_LONGEST: Final = 200  # characters of a part of a signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What kind of failure a case shows; cases of one signature are of one kind to the people who review them."""

    boundary: str | None
    tool: str | None
    error: str | None
    ended_by: str | None
    side_effect: str | None

    def text(self) -> str:
        """Return it on one line, with what is no printable character as an escape: a tool may have any name."""
        parts = (self.boundary, self.tool, self.error, self.ended_by, self.side_effect)
        return " / ".join(_on_one_line(part or "-") for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What stands in the files of a case. ``classes`` are occurrences replaced, by entity; ``traces`` its keyed digests."""

    signature: Signature
    classes: Mapping[str, int]

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> Told:
        """Return what the files of a case tell."""
        document, sidecar = _object(parse(files[FIXTURE])), _object(parse(files[PROVENANCE]))
        predicate = _object(sidecar.get("predicate"))
        redaction = _object(predicate.get("redaction"))
        boundary = _object(predicate.get("boundary"))
        decisions = _objects(predicate.get("selection"))
        becomes = next(
            (each.get("becomes") for each in decisions if each.get("span_id") == boundary.get("span_id")), None
        )
        event = boundary_event(document, _text(becomes))
        outcome = _object(event.get("outcome"))
        return cls(
            signature=Signature(
                boundary=_text(boundary.get("reason")),
                tool=_text(event.get("tool")),
                error=_text(outcome.get("error_type")),
                ended_by=_text(outcome.get("ended_by")),
                side_effect=_text(event.get("side_effect")),
            ),
            classes={
                str(each.get("entity")): count
                for each in _objects(redaction.get("classes"))
                if isinstance(count := each.get("occurrences"), int)
            },
        )


def _on_one_line(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return "".join(char if char.isprintable() else f"\\u{{{ord(char):x}}}" for char in short)


def _object(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _objects(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
