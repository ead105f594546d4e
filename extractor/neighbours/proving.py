"""The proof of what is derived from a written case: nothing that the case remembers, and nothing of what people typed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import pairwise

from ..annotation import related
from ..assemble import incomplete
from ..errors import InputUnreadable, StructureChanged
from ..minimise.moved import Kept
from ..minimise.project import Reduced
from ..minimise.sidecar import restated
from ..model.case import Document, Fixture, KnownValue, RedactedCase
from ..model.json import JsonValue, leaves, parse, pretty
from ..model.layout import CAPTURE, FIXTURE, PROVENANCE, README
from ..model.replayable import replayable
from ..redact import WorkspaceKey, recalled
from ..replay.fixture_check import structural_problems
from ..ruleset import RuleSet
from ..schemas import schema_problems
from ..standing import Standing
from ..verify import prove, seal, texts
from ..write import Notices, render_fixture, render_readme

GONE = "not_in_control"
_SEAM = 80  # characters on either side of a place where texts meet
_UNSAID = "expected.prohibited_claims must name the incident boundary"


def proved(
    redacted: RedactedCase,
    typed: Document,
    standing: Standing,
    extra: Document,
    rules: RuleSet,
    key: WorkspaceKey,
    *,
    kept: Kept,
    synthetic: Iterable[str] = (),
) -> Fixture:
    """Return a neighbour of a case as the very bytes that were proved.

    ``typed`` is what people typed, as they did; ``extra`` are members that its sidecar has beside the case's own; ``kept``
    which items of the case's lists are left; ``synthetic`` the places whose evidence is none. Raises `StructureChanged`,
    `RelationBroken` or `LeakFound`; their faults name places, never a value.
    """
    document = redacted.document
    fixture = render_fixture(document)
    written = parse(fixture)
    if not isinstance(written, dict):
        raise StructureChanged(["document: no object"])
    faults = [f"schema: {problem}" for problem in schema_problems(written, "fixture")]
    faults += [problem for problem in structural_problems(written) if problem != _UNSAID]
    if faults:
        raise StructureChanged(faults)
    statement = _restated(standing, Reduced(document=document, kept=kept), fixture, extra, frozenset(synthetic))
    predicate = statement["predicate"] if isinstance(statement["predicate"], dict) else {}
    notices = Notices.standing(predicate).and_more(Notices.of(redacted))
    can_replay = replayable(document)
    readme = render_readme(
        document,
        replayable=can_replay,
        notices=notices,
        minimised="minimised" in predicate,
        control=predicate.get("control"),
    )
    redacted = replace(redacted, known=tuple(_known(redacted, readme, standing, key)))
    files = {FIXTURE: fixture, README: readme}
    proofs = prove(redacted, [typed or str(document.get("case_id"))], files, rules)
    residual = predicate.get("residual")
    found: list[JsonValue] = [dict(asdict(place)) for place in proofs.residual] if typed else []
    told = residual if isinstance(residual, list) else []
    sidecar: Document = {
        **statement,
        "predicate": {
            **predicate,
            "residual": [*told, *(place for place in found if place not in told)],
            "relations": related(predicate.get("relations"), proofs) if typed else predicate.get("relations"),
        },
    }
    return seal(
        str(document.get("case_id")),
        {**files, PROVENANCE: pretty(sidecar).encode("utf-8")},
        redacted,
        proofs,
        incomplete=incomplete(document),
        replayable=can_replay,
    )


def _restated(
    standing: Standing, reduced: Reduced, fixture: bytes, extra: Document, synthetic: frozenset[str]
) -> Document:
    """Return the case's sidecar about the neighbour: spans of what went are dropped, made-up evidence rests on none."""
    before = standing.document
    statement = restated(standing.statement, before, reduced, fixture, standing.predicate.get("minimised"), reason=GONE)
    predicate = statement["predicate"]
    if not isinstance(predicate, dict):
        raise InputUnreadable(f"{PROVENANCE} is no statement about a fixture")
    attempts, residual, source = (predicate.get(name) for name in ("attempts", "residual", "source"))
    was, now = list(texts(before)), dict(texts(reduced.document))
    tokens = {text for _, text in was}
    changed: Document = {
        "attempts": [
            each
            for each in (attempts if isinstance(attempts, list) else [])
            if isinstance(each, dict) and each.get("event") not in synthetic
        ],
        # What stood in a text that is another one now stands there no more.
        "residual": [
            each
            for each in (residual if isinstance(residual, list) else [])
            if isinstance(each, dict) and now.get(str(each.get("path"))) in tokens
        ],
        "source": {**source, "incident_id": reduced.document.get("incident_id")}
        if isinstance(source, dict)
        else source,
    }
    return {**statement, "predicate": {**predicate, **changed, **extra}}


def _known(redacted: RedactedCase, readme: bytes, standing: Standing, key: WorkspaceKey) -> Iterator[KnownValue]:
    """Yield the values that must be absent: those of the typed texts, and remembered ones in texts that are new."""
    if not isinstance(standing.known, list):
        raise InputUnreadable(f"{CAPTURE} does not say which values the case must not hold")
    own = frozenset(_texts(standing.document))
    new = [text for text in (*_texts(redacted.document), *readme.decode("utf-8").splitlines()) if text not in own]
    # What stands in the case as it was proved is no leak there: an ambiguous word, a stand-in met by chance.
    excused = {value.text for value in recalled(own, standing.known, key, standing.scope)}
    found = {value.text: value for value in redacted.known}
    for value in recalled(new, standing.known, key, standing.scope):
        if value.text not in excused:
            found.setdefault(value.text, value)
    yield from (found[text] for text in sorted(found))


def _texts(document: Document) -> Iterator[str]:
    """Yield every text and member name of a document, alone and with its neighbours."""
    told = [text for _, text in texts(document, names=False)]
    yield from told
    yield from (one[-_SEAM:] + other[:_SEAM] for one, other in pairwise(told))
    yield from (str(part) for path, _ in leaves(document) for part in path if isinstance(part, str))


def digest(document: Document) -> str:
    """Return the SHA-256, in hex, of the fixture that a document becomes."""
    return hashlib.sha256(render_fixture(document)).hexdigest()
