"""A case extracted again from its source, as it was asked for then and with what reviewers marked since; in memory alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from . import pipeline
from .errors import InputUnreadable, UsageError
from .model.case import Document
from .model.config import LANES, Mark, RunConfig, Statement
from .model.json import JsonValue, parse
from .model.layout import CAPTURE, FIXTURE
from .read import read, with_evidence
from .redact import WorkspaceKey
from .ruleset import RuleSet
from .standing import Standing, standing
from .write import asked_again

_EVIDENCE = "evidence"
_PIECE = 1 << 20  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The files that a case was read from, found again by name and held to their digests."""

    exports: tuple[Path, ...]
    evidence: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A case extracted again.

    ``originals`` tell for each pseudonym what it stands for: memory only, never written or logged. ``same`` says whether
    the source gives the case as it stands when nothing new is marked; rules or settings may have changed since.
    """

    extraction: pipeline.Extraction = field(repr=False)
    originals: Mapping[str, str] = field(repr=False)
    same: bool


def source_of(case: Path, places: Sequence[Path]) -> Source:
    """Return the files of a case's source among files and folders (not what lies deeper).

    Raises `InputUnreadable` when one is not there, or is no longer the file that was read; it says which by position.
    """
    capture = _capture(case)
    listed = capture.get("files")
    wanted = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if not wanted:
        raise InputUnreadable(f"{CAPTURE} names no source file")
    found = [_found(str(each.get("name")), str(each.get("sha256")), places, n) for n, each in enumerate(wanted, 1)]
    pairs = list(zip(wanted, found, strict=True))
    return Source(
        exports=tuple(path for each, path in pairs if each.get("container") != _EVIDENCE),
        evidence=tuple(path for each, path in pairs if each.get("container") == _EVIDENCE),
    )


def reextract(
    case: Path,
    source: Source,
    *,
    marks: Sequence[Mark] = (),
    base: RunConfig,
    rules: RuleSet,
    key: WorkspaceKey,
    occasion: pipeline.Occasion,
) -> Again:
    """Return a quarantined case extracted again with more marks; ``base`` are the project's settings.

    It is extracted twice: as it was, which tells what each pseudonym stands for, so that what people typed can be read as
    they typed it, and then with the marks. Raises `UsageError` for a minimised case, and what extraction raises.
    """
    now = standing(case, key)
    if "minimised" in now.predicate:
        raise UsageError("a minimised case cannot be extracted again: what went would come back")
    asked = asked_again(_capture(case), base)
    reading = with_evidence(read([str(path) for path in source.exports], asked.wanted), source.evidence)
    plain = pipeline.extract(reading, asked, rules, key, occasion)
    originals = {one.text: one.original for one in plain.fixture.proofs.pseudonyms}
    told = _told(asked, now, originals)
    before = pipeline.extract(reading, told, rules, key, occasion)
    fresh = tuple(mark for mark in dict.fromkeys(marks) if mark not in told.marks)
    after = before
    if fresh:
        after = pipeline.extract(reading, replace(told, marks=(*told.marks, *fresh)), rules, key, occasion)
    if after.fixture.case_id != now.document.get("case_id"):
        raise UsageError("with this mark the case would have another id; extract it anew instead")
    return Again(
        extraction=after,
        originals={one.text: one.original for one in after.fixture.proofs.pseudonyms},
        same=parse(before.fixture.files[FIXTURE]) == now.document,
    )


def _capture(case: Path) -> Document:
    try:
        document = parse((case / CAPTURE).read_bytes())
    except (OSError, ValueError):
        raise InputUnreadable(f"{CAPTURE} cannot be read: without it the source is not known") from None
    if not isinstance(document, dict):
        raise InputUnreadable(f"{CAPTURE} is no JSON object")
    return document


def _found(name: str, sha256: str, places: Sequence[Path], number: int) -> Path:
    """Return the file of a digest: a given file whatever it is called now, or one of that name in a given folder."""
    base = Path(name).name
    candidates = [place / base if place.is_dir() else place for place in places]
    standing = [path for path in candidates if path.is_file()]
    if found := next((path for path in standing if _sha256(path) == sha256), None):
        return found
    if any(path.name == base for path in standing):
        raise InputUnreadable(f"file {number} of the source has changed since the case was made")
    raise InputUnreadable(f"file {number} of the source is not at hand", hint="name it, or its folder, with --source")


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _told(asked: RunConfig, now: Standing, originals: Mapping[str, str]) -> RunConfig:
    """Return the configuration with what people told of the case, the pseudonyms in it read as what they stand for."""
    put_back = _Reader(originals)
    document = put_back.value(now.document)
    if not isinstance(document, dict):
        raise InputUnreadable(f"{FIXTURE} is no JSON object")
    facts = [each for each in _items(document.get("facts")) if each.get("source") == "given"]
    return replace(
        asked,
        statement=_statement(document),
        workflow_version=_text(document.get("workflow_version")),
        prompt_version=_text(document.get("prompt_version")),
        facts={str(each.get("name")): each.get("value") for each in facts},
    )


def _statement(document: Document) -> Statement:
    expected = document.get("expected")
    told = expected if isinstance(expected, dict) else {}
    failure, boundary, claims, allowed = (
        _members(told.get(name)) for name in ("failure_statement", "boundary", "claims", "authorization")
    )
    disclosures = [
        (str(each.get("text")), each.get("exact") is True) for each in _items(told.get("required_disclosures"))
    ]
    adapter, lane = _members(document.get("adapter")), document.get("lane")
    return Statement(
        incident=_text(document.get("incident_id")),
        failure=_text(failure.get("trigger")),
        prohibit=_texts(told.get("prohibited_claims")),
        evidence_needed=_text(failure.get("evidence_needed")),
        behaviours=_texts(told.get("required_behaviours")),
        disclosures=tuple(text for text, exact in disclosures if not exact),
        exact_disclosures=tuple(text for text, exact in disclosures if exact),
        claims=_texts(claims.get("prohibit")),
        unless=_texts(claims.get("unless")),
        action=_text(told.get("action")),
        policy_decision=_text(told.get("policy_decision")),
        boundary=_text(boundary.get("check")),
        boundary_params=_members(boundary.get("params")),
        violations=tuple(
            str(event.get("attempt"))
            for event in _items(document.get("tool_events"))
            if event.get("role") == "violation"
        ),
        authorization=_text(allowed.get("decision")),
        effects={tool: _bounds(each) for tool, each in _members(told.get("effects")).items() if isinstance(each, dict)},
        alternates=tuple(_items(document.get("alternates"))),
        adapter=(str(adapter.get("name")), str(adapter.get("version"))) if adapter else None,
        lane=next((each for each in LANES if each == lane), None),
    )


def _bounds(effects: Document) -> tuple[int, int | None]:
    least, most = effects.get("min"), effects.get("max")
    return (least if isinstance(least, int) else 0), (most if isinstance(most, int) else None)


class _Reader:
    """Puts originals back where their pseudonyms stand as words, the longest first."""

    def __init__(self, originals: Mapping[str, str]) -> None:
        self._originals = originals
        ordered = sorted(originals, key=lambda text: (-len(text), text))
        names = "|".join(map(re.escape, ordered))
        self._pattern = re.compile(rf"(?<![^\W_])(?:{names})(?![^\W_])") if names else None

    def value(self, value: JsonValue) -> JsonValue:
        """Return a value with the pseudonyms of its texts read as what they stand for."""
        if isinstance(value, dict):
            return {name: self.value(child) for name, child in value.items()}
        if isinstance(value, list):
            return [self.value(child) for child in value]
        if isinstance(value, str) and self._pattern is not None:
            return self._pattern.sub(lambda match: self._originals[match.group()], value)
        return value


def _items(value: JsonValue) -> Iterable[Document]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _members(value: JsonValue) -> Document:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
