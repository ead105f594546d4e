"""A case as the page and the packet show it: everything cut into runs, everything a decision rests on in one value."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...model.json import JsonValue, pretty
from ...model.layout import EXPECT, FIXTURE, PROVENANCE
from ...model.replayable import replayable
from ...replay.fixture_check import structural_problems
from ...verify import texts as standing_texts
from ...write import made_up
from . import account, words
from .lenient import CaseFiles, Members, items, members, text, texts
from .marks import token_at
from .residuals import Residual, residual
from .runs import Marker, Run, escaped
from .timeline import Entry, Part, timeline

_ENTITY = re.compile(r"[a-z][a-z0-9_]{0,40}")
_AROUND_IT = ("identity", "facts", "documents", "deployment", "model", "templates", "alternates", "adapter")
_ROLES = ("privacy", "incident-owner")


@dataclass(frozen=True, slots=True, kw_only=True)
class Legend:
    """One class of pseudonyms on the page: its colour and underline, and each value with where it first stands."""

    entity: str
    pattern: int
    values: Sequence[tuple[str, str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What people said must and must not be, as the form shows it."""

    trigger: str
    prohibited: str
    evidence_needed: str
    behaviours: str
    disclosures: str
    exact_disclosures: str
    claims: str
    unless: str
    action: str
    policy_decision: str
    boundary: str
    effects: str
    authorization: str
    incident: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePage:
    """All that is shown of one case. ``originals`` tells that originals stand beside the pseudonyms."""

    case_id: str
    incident: str
    state: str
    problems: Sequence[str]
    frozen: str
    fixture_sha256: str
    seen: str
    facts: Sequence[tuple[str, str]]
    residual: Sequence[Residual]
    accepted: Sequence[Residual]
    entries: Sequence[Entry]
    around: Sequence[Part]
    made_up: str
    legend: Sequence[Legend]
    proofs: Sequence[str]
    classes: Sequence[account.ClassCount]
    boundary: str
    kept: Sequence[account.Kept]
    dropped: Sequence[tuple[int, str]]
    missing: Sequence[Mapping[str, str]]
    ledger: Sequence[tuple[str, int, str]]
    confirmations: Sequence[tuple[str, str]]
    grade: str | None
    expected: Expected
    whole: str
    commands: Sequence[str]
    originals: bool
    marker: Marker = field(repr=False)
    numbers: Mapping[int, int]

    def following(self, run: Run) -> str:
        """Return the id of the next occurrence of what a run holds."""
        return self.marker.following(run)

    def tag(self, run: Run) -> str:
        """Return what names a pseudonym without colour: its class, and which value of the class it is."""
        return f"{entity(run.entity)} {self.numbers[run.value]}" if run.kind == "pseudonym" else "to judge"


def case_page(files: CaseFiles, originals: Mapping[str, str] | None = None) -> CasePage:
    """Return the page of a case. Raises `InputUnreadable` for files that are no documents."""
    document, statement = files.document(FIXTURE), files.document(PROVENANCE)
    predicate = members(statement.get("predicate"))
    standing: dict[str, str] = {}
    for place, said in standing_texts(dict(document)):
        standing.setdefault(place, said)
    listed = items(predicate.get("residual"))
    tokens = [token_at(one, dict(document), standing) for one in listed]
    pairs = [(text(one.get("text")), text(one.get("entity"))) for one in _pseudonyms(predicate)]
    marker = Marker(pairs, tokens, originals)
    entries = timeline(document, marker)
    around = [
        Part(label=words.plain(name), runs=marker.runs(_payload(document.get(name))), code=True)
        for name in _AROUND_IT
        if document.get(name) not in (None, [], {}, "")
    ]
    # A token may stand only inside a stand-in, as the type prefix of an id does.
    anchors = {
        value.text: f"r{value.number}-1" for value in marker.residual if marker.occurrences("residual", value.number)
    }
    problems = structural_problems(dict(document))
    return CasePage(
        case_id=escaped(text(document.get("case_id"))),
        incident=escaped(text(document.get("incident_id"))),
        state=_state(document, problems),
        problems=[escaped(problem) for problem in problems],
        frozen=escaped("  ".join(filter(None, (text(document.get("frozen_at")), text(document.get("time_zone")))))),
        fixture_sha256=files.digest(FIXTURE) or "",
        seen=files.seen,
        facts=_facts(document, predicate, files),
        residual=[
            residual(index, one, token, standing, document, anchors)
            for index, (one, token) in enumerate(zip(listed, tokens, strict=True))
        ],
        accepted=[
            residual(index, one, token_at(one, dict(document), standing), standing, document, {})
            for index, one in enumerate(items(predicate.get("accepted")))
        ],
        entries=entries,
        around=around,
        made_up=made_up(dict(document)),
        legend=_legend(marker),
        proofs=account.proofs(predicate),
        classes=account.classes(predicate),
        boundary=account.boundary(predicate),
        kept=account.kept(predicate),
        dropped=account.dropped(predicate),
        missing=[{name: escaped(value) for name, value in one.items()} for one in account.missing(document)],
        ledger=account.ledger(predicate),
        confirmations=account.confirmations(predicate),
        grade=account.grade(predicate),
        expected=_expected(document),
        whole=escaped(files.contents[FIXTURE].decode("utf-8", "replace")),
        commands=[
            f"extract-fixture approve {shlex.quote(str(files.path))} --role {role} --reviewer NAME"
            + (" --grade confirmed" if role == "incident-owner" and account.grade(predicate) else "")
            for role in _ROLES
        ],
        originals=bool(originals),
        marker=marker,
        numbers=_numbered(marker),
    )


def entity(name: str) -> str:
    """Return the name of a class in words; one that no rule of ours could have is not repeated."""
    return words.plain(name) if _ENTITY.fullmatch(name) else "identifier"


def _pseudonyms(predicate: Members) -> Sequence[Members]:
    return items(members(predicate.get("relations")).get("pseudonyms"))


def _state(document: Members, problems: Sequence[str]) -> str:
    if not replayable(document):
        return "cannot be replayed"
    return "incomplete" if problems else "in review"


def _facts(document: Members, predicate: Members, files: CaseFiles) -> Sequence[tuple[str, str]]:
    versions, redaction = members(predicate.get("versions")), members(predicate.get("redaction"))
    deployment = members(document.get("deployment"))
    facts = (
        ("Incident", text(document.get("incident_id")) or "not named"),
        ("Frozen at", "  ".join(filter(None, (text(document.get("frozen_at")), text(document.get("time_zone")))))),
        ("Service", "  ".join(filter(None, map(text, (deployment.get("service"), deployment.get("version")))))),
        ("Workflow", text(document.get("workflow_version"))),
        ("Prompt", text(document.get("prompt_version"))),
        ("fixture.json", files.digest(FIXTURE) or ""),
        ("expect.yaml", files.digest(EXPECT) or "none yet"),
        ("Made by", "  ".join(filter(None, ("extract-fixture", text(versions.get("tool")))))),
        ("Key", text(redaction.get("key_id"))),
    )
    return [(name, escaped(value)) for name, value in facts if value]


def _legend(marker: Marker) -> Sequence[Legend]:
    return [
        Legend(
            entity=entity(name),
            pattern=next(value.pattern for value in marker.values if value.entity == name),
            values=[
                (escaped(value.text), f"p{value.number}-1", marker.occurrences("pseudonym", value.number))
                for value in marker.values
                if value.entity == name and marker.occurrences("pseudonym", value.number)
            ],
        )
        for name in marker.classes
    ]


def _numbered(marker: Marker) -> Mapping[int, int]:
    """Return for each value that stands on the page its number among those of its class."""
    counts: dict[str, int] = {}
    found: dict[int, int] = {}
    for value in marker.values:
        if not marker.occurrences("pseudonym", value.number):
            continue
        counts[value.entity] = counts.get(value.entity, 0) + 1
        found[value.number] = counts[value.entity]
    return found


def _expected(document: Members) -> Expected:
    expected = members(document.get("expected"))
    failure = members(expected.get("failure_statement"))
    return Expected(
        trigger=text(failure.get("trigger")),
        prohibited="\n".join(texts(expected.get("prohibited_claims"))),
        evidence_needed=text(failure.get("evidence_needed")),
        behaviours="\n".join(texts(expected.get("required_behaviours"))),
        disclosures=_disclosures(expected, exact=False),
        exact_disclosures=_disclosures(expected, exact=True),
        claims="\n".join(texts(members(expected.get("claims")).get("prohibit"))),
        unless="\n".join(texts(members(expected.get("claims")).get("unless"))),
        action=text(expected.get("action")),
        policy_decision=text(expected.get("policy_decision")),
        boundary=text(members(expected.get("boundary")).get("check")),
        effects="\n".join(_effects(members(expected.get("effects")))),
        authorization=text(members(expected.get("authorization")).get("decision")),
        incident=text(document.get("incident_id")),
    )


def _disclosures(expected: Members, *, exact: bool) -> str:
    told = items(expected.get("required_disclosures"))
    return "\n".join(text(one.get("text")) for one in told if (one.get("exact") is True) is exact)


def _effects(effects: Members) -> Sequence[str]:
    lines = []
    for tool, bounds in effects.items():
        least, most = text(members(bounds).get("min")), text(members(bounds).get("max"))
        lines.append(f"{tool}={least}" if least == most else f"{tool}={least}..{most}")
    return lines


def _payload(value: JsonValue) -> str:
    return value if isinstance(value, str) else pretty(value).rstrip("\n")
