"""The hand-off packet: a case as one HTML file and one JSON document, safe to mail, and marked as not approved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from ...errors import InputUnreadable, ProvenanceInvalid
from ...model.json import JsonValue, MalformedJson, parse, pretty
from ...model.layout import EXPECT, FIXTURE, PROVENANCE, README
from .lenient import CaseFiles, items, members, text
from .rendering import digest, render, style
from .runs import Run, escaped
from .timeline import Entry, Part, Turn
from .views import CasePage, case_page, entity

FORMAT = "urn:extract-fixture:packet:1"
STATUS = "NOT APPROVED"
_BOUND = (FIXTURE, README, PROVENANCE, EXPECT)
_NAME = re.compile(r"[A-Za-z0-9][\w.@+:/-]{0,99}", re.ASCII)
_KIND = re.compile(r"[a-z_]{1,40}", re.ASCII)
_PATH = re.compile(
    r"(?:tool_events|model_events|messages|input\.messages|final_output)"
    r"(?:\[\d{1,6}\]|\.?\{\d{1,6}\}|\.(?:tool|arguments|call_id|idempotency_key|outcome|value|parts|text))*",
    re.ASCII,
)
_MOST_BYTES = 1 << 20
_FROZEN = ("frozen_at", "time_zone", "locale")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a manifest says of one replay. ``boundary_passed`` is None where nothing judged it; ``unconsumed`` are attempts."""

    implementation_version: str
    boundary_passed: bool | None
    unconsumed: tuple[int, ...] = ()
    first_divergence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """The bytes of the two files."""

    html: bytes
    json: bytes


def packet(
    files: CaseFiles, replays: Sequence[Replay] = (), *, subject: Mapping[str, JsonValue] | None = None
) -> Packet:
    """Return the packet of a case: what the page shows, without forms, and nothing of capture.json.

    ``subject`` is what `extractor.review.packet_subject` says of the case; without it nobody can decide over the packet.
    Raises `ProvenanceInvalid` when the sidecar speaks of another fixture: a packet vouches for digests.
    """
    statement = files.document(PROVENANCE)
    described = next(iter(items(statement.get("subject"))), {})
    if text(members(described.get("digest")).get("sha256")) != files.digest(FIXTURE):
        raise ProvenanceInvalid(f"{PROVENANCE} is not about this {FIXTURE}; a packet of it would vouch for nothing")
    page = case_page(files)
    sheet = style(page)
    # One digest allows our one style sheet: whatever else a mail client may meet, it loads and runs nothing.
    policy = f"default-src 'none'; style-src {digest(sheet)}; form-action 'none'; base-uri 'none'"
    html = render(
        "packet.html",
        nonce="",
        policy=policy,
        style=sheet,
        page=page,
        packet=True,
        outcome=None,
        waiting=0,
        hindrance="",
        deciding=False,
        base="",
        manifests=replays,
        digests=[(name, files.digest(name) or "none yet") for name in _BOUND],
        class_name=entity,
        visible=escaped,
    )
    document = _document(files, page, replays) | ({} if subject is None else {"subject": dict(subject)})
    return Packet(html=html.encode("utf-8"), json=pretty(document).encode("utf-8"))


def replay_of(path: Path, number: int, files: CaseFiles) -> Replay:
    """Return what the manifest of a replay says, of its members those alone that cannot hold text of an agent.

    Raises `InputUnreadable` for what is no manifest, `ProvenanceInvalid` for one of another case or fixture.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
        document = parse(content) if len(content) <= _MOST_BYTES else None
    except (OSError, MalformedJson):
        document = None
    if not isinstance(document, dict):
        raise InputUnreadable(f"manifest {number} is no JSON object of at most 1 MiB")
    if document.get("fixture_hash") != files.digest(FIXTURE):
        raise ProvenanceInvalid(f"manifest {number} is of another fixture")
    passed, unconsumed = document.get("boundary_passed"), document.get("unconsumed")
    version = text(document.get("implementation_version"))
    if not _NAME.fullmatch(version):
        raise InputUnreadable(f"manifest {number} names no implementation version")
    return Replay(
        implementation_version=version,
        boundary_passed=passed if isinstance(passed, bool) else None,
        unconsumed=tuple(sorted(_attempts(unconsumed, files))),
        first_divergence=_divergence(document.get("first_divergence")),
    )


def _attempts(value: JsonValue, files: CaseFiles) -> Sequence[int]:
    """Return the attempts that a manifest tells by number, or by their position among the tool events from 0."""
    events = list(items(files.document(FIXTURE).get("tool_events")))
    found = []
    for each in value if isinstance(value, list) else []:
        told = members(each)
        position = told.get("position")
        if told.get("kind") == "tools" and _is_number(position) and position < len(events):
            found.append(events[position].get("attempt"))
        else:
            found.append(told.get("attempt") if told else each)
    return [number for number in found if _is_number(number)]


def _is_number(value: JsonValue) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _divergence(value: JsonValue) -> str:
    """Return where a replay first left the recording: an attempt and a field path of ours, never what stood there."""
    if _is_number(value):
        return f"attempt {value}"
    found = members(value)
    attempt, path, kind, nearest = (text(found.get(name)) for name in ("attempt", "path", "kind", "nearest"))
    if _PATH.fullmatch(nearest):
        # Below the arguments the names are the application's.
        within = f"{nearest}.{re.split(r'[.[]', path, maxsplit=1)[0]}"
        path = within if _PATH.fullmatch(within) else nearest
    turn = found.get("turn")
    parts = [
        f"turn {turn}" if _is_number(turn) else "",
        f"attempt {attempt}" if attempt.isdecimal() else "",
        path if _PATH.fullmatch(path) else "",
        kind if _KIND.fullmatch(kind) else "",
    ]
    return ", ".join(filter(None, parts)) or ("somewhere" if found else "")


def _document(files: CaseFiles, page: CasePage, replays: Sequence[Replay]) -> dict[str, JsonValue]:
    fixture = files.document(FIXTURE)
    predicate = members(files.document(PROVENANCE).get("predicate"))
    deployment, told = members(fixture.get("deployment")), members(predicate.get("versions"))
    return {
        "format": FORMAT,
        "status": STATUS,
        "case_id": fixture.get("case_id"),
        "incident_id": fixture.get("incident_id"),
        "fixture_hash": files.digest(FIXTURE),
        "digests": {name: files.digest(name) for name in _BOUND},
        "versions": {
            "affected": {
                "workflow": fixture.get("workflow_version"),
                "prompt": fixture.get("prompt_version"),
                "service": deployment.get("service"),
                "service_version": deployment.get("version"),
            },
            "replayed": [one.implementation_version for one in replays],
            "tool": told.get("tool"),
            "schema": told.get("schema"),
            "rules": members(predicate.get("rules")).get("sha256"),
        },
        "frozen": {name: fixture.get(name) for name in _FROZEN},
        "identity": fixture.get("identity"),
        "facts": fixture.get("facts"),
        "events": [_event(entry) for entry in page.entries],
        "expected": fixture.get("expected"),
        "missing_evidence": fixture.get("missing_evidence"),
        "residual": predicate.get("residual"),
        "accepted": predicate.get("accepted", []),
        "relations": {
            name: members(predicate.get("relations")).get(name) for name in ("classes", "occurrences", "preserved")
        },
        "leaks": members(predicate.get("leaks")).get("found"),
        "confirmations": [{"name": name, "sentence": sentence} for name, sentence in page.confirmations],
        "grade": page.grade,
        "replays": [
            {
                "implementation_version": one.implementation_version,
                "boundary_passed": one.boundary_passed,
                "unconsumed": list(one.unconsumed),
                "first_divergence": one.first_divergence or None,
            }
            for one in replays
        ],
    }


def _event(entry: Entry) -> JsonValue:
    parts: list[JsonValue] = [{"label": part.label or None, "text": _said(part)} for part in entry.parts]
    if isinstance(entry, Turn):
        return {"kind": "turn", "who": entry.who, "places": list(entry.places), "answer": entry.answer, "parts": parts}
    return {
        "kind": "attempt",
        "attempt": entry.number,
        "tool": _joined(entry.tool),
        "places": list(entry.places),
        "failed": entry.failed,
        "violation": entry.violation,
        "ended": entry.ended,
        "side_effect": entry.effect_code or None,
        "times": dict(entry.times),
        "parts": parts,
    }


def _said(part: Part) -> str:
    return _joined(part.runs)


def _joined(runs: Sequence[Run]) -> str:
    return "".join(run.text for run in runs)
