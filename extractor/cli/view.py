"""A written case as people see it: what its files say, read leniently, since a case may come from anywhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extractor.bulk.units import counted
from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.layout import CAPTURE, FIXTURE, PROVENANCE
from extractor.replay.fixture_check import structural_problems

Members = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """The documents of one case; an absent sidecar or capture is empty."""

    fixture: Members
    sha256: str
    predicate: Members = field(default_factory=dict)
    capture: Members = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, files: Mapping[str, bytes]) -> CaseView:
        """Return the view of a case's files by name. Raises `InputUnreadable` for what is no JSON object."""
        documents = {name: _object(content, name) for name, content in files.items() if name.endswith(".json")}
        return cls(
            fixture=documents[FIXTURE],
            sha256=hashlib.sha256(files[FIXTURE]).hexdigest(),
            predicate=members(documents.get(PROVENANCE, {}).get("predicate")),
            capture=documents.get(CAPTURE, {}),
        )

    @property
    def case_id(self) -> str:
        """The case's id, empty when it has none."""
        return text(self.fixture.get("case_id"))

    @property
    def problems(self) -> Sequence[str]:
        """What the structural check finds wrong; a case without prohibited claims is incomplete."""
        return structural_problems(self.fixture)

    @property
    def missing(self) -> Sequence[Members]:
        """The entries of ``missing_evidence``."""
        return items(self.fixture.get("missing_evidence"))

    @property
    def decisions(self) -> Sequence[Members]:
        """The sidecar's decisions, one a span."""
        return items(self.predicate.get("selection"))

    @property
    def kept(self) -> int:
        """How many spans were kept."""
        return Counter(text(decision.get("decision")) for decision in self.decisions)["kept"]

    @property
    def relations(self) -> dict[str, JsonValue]:
        """Classes, occurrences and how many of them are preserved."""
        found = members(self.predicate.get("relations"))
        return {name: found.get(name) for name in ("classes", "occurrences", "preserved")}

    @property
    def residual(self) -> int:
        """How many tokens are left for a reviewer."""
        return len(items(self.predicate.get("residual")))


def members(value: JsonValue) -> Members:
    """Return an object's members, none for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: JsonValue) -> Sequence[Members]:
    """Return the objects of a list, none for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: JsonValue) -> str:
    """Return a text or a number as text, empty for anything else."""
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _object(content: bytes, name: str) -> Members:
    try:
        document = parse(content)
    except MalformedJson as fault:
        raise InputUnreadable(f"{name} is no JSON: {fault.code}") from None
    if not isinstance(document, dict):
        raise InputUnreadable(f"{name} is no JSON object")
    return document


def figure(value: JsonValue, noun: str, more: str | None = None) -> str:
    """Return a figure of a document with its noun; what is no figure there is shown as it stands."""
    return counted(value, noun, more) if isinstance(value, int) else f"{text(value)} {more or f'{noun}s'}"
