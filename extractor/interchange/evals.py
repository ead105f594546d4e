"""A case as a folder that tests checks: case.yaml, record.json, expect.yaml, README.md, with the verdict that people gave.

The record is what a check of ours reads of the case, so that a check says the same of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ..checks.case import CheckCase
from ..checks.record import RunRecord
from ..errors import ValidationFailed
from ..model.json import JsonValue, pretty
from ..model.layout import EXPECT, README
from ._document import Source, members, text
from ._losses import Loss, losses
from ._yaml import yaml

_LOST: Final = (
    "order_between_kinds", "partial_order", "ended_by", "value_text", "role", "retries", "timing", "model_input",
    "versions", "templates", "alternates", "missing_evidence",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The texts of a folder by file name, and what it has no place for."""

    files: Mapping[str, str] = field(repr=False)
    losses: tuple[Loss, ...]


def evals(source: Source, *, expect: str | None, readme: str | None = None) -> Folder:
    """Return the folder of a case; ``expect`` is the text of its expect.yaml, ``readme`` that of its README.md.

    Raises `ValidationFailed` for a case without expect.yaml: a folder without a verdict tests no check.
    """
    if expect is None:
        raise ValidationFailed([f"the case has no {EXPECT}: verdict, by, reason are the word of people"])
    case = CheckCase.of(source.document)
    incident = source.document.get("incident_id")
    told: dict[str, JsonValue] = {
        **({"incident_id": incident} if isinstance(incident, str) and incident else {}),
        "input": source.document.get("input"),
        "now": text(source.document.get("frozen_at")),
        "expectations": _plain(case.expectations),
        "facts": _plain(case.facts),
    }
    return Folder(
        files={
            "case.yaml": yaml(told, comments=(f"{source.case_id}: {source.standing}",)),
            "record.json": pretty(RunRecord.of(source.document).document),
            EXPECT: expect,
            README: _readme(source, readme),
        },
        losses=losses(source, _LOST),
    )


def _plain(value: JsonValue) -> JsonValue:
    """Return a tracked value as plain JSON, with the spelling of its numbers."""
    if isinstance(value, dict):
        return {name: _plain(dict.__getitem__(value, name)) for name in dict.keys(value)}
    return [_plain(item) for item in list.__iter__(value)] if isinstance(value, list) else value


def _readme(source: Source, readme: str | None) -> str:
    """Return two paragraphs: what happened, and where it is written down."""
    mark = "" if source.approved else f"{source.standing}\n\n"
    if readme is not None:
        return mark + readme
    statement = members(source.expected.get("failure_statement"))
    happened = text(statement.get("trigger")) or "What happened is not said."
    incident = text(source.document.get("incident_id")) or "none is named"
    return f"{mark}{happened}\n\nIncident: {incident}. Case: {source.case_id}.\n"
