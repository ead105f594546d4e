"""A reviewer's marks: made from what stands in the case, written as keyed digests or field paths, never as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...assemble import incomplete
from ...errors import UsageError
from ...model.case import Document, Fixture
from ...model.config import Mark
from ...model.json import JsonValue, parse, pretty
from ...model.layout import FIXTURE, PROVENANCE, README
from ...model.replayable import replayable
from ...redact import WorkspaceKey, token_digest
from ...ruleset import RuleSet
from ...standing import Standing
from ...verify import prove, seal, texts
from ...write import Notices, remembered_marks, render_fixture, render_readme
from ...write import marks as written_marks
from .lenient import Members, count, items, text
from .ports import Word

_WHOLE = "language_not_covered"
_RANK = ("ambiguous", "name_like", _WHOLE, "code", "number", "word")
_MEMBER = " (member name)"


def of_residual(word: Word, residual: Members, now: Standing, key: WorkspaceKey) -> Mark:
    """Return the mark of a residual token: by its digest, or, of a text in an unread script, by its place.

    Raises `UsageError` when the case no longer holds it.
    """
    path = text(residual.get("path"))
    if residual.get("code") == _WHOLE and not path.endswith(_MEMBER):
        return Mark(mark=word, path=path)
    token = token_at(residual, now.document)
    if not token:
        raise UsageError("the case no longer holds what was marked; look at it again")
    return Mark(mark=word, digest=token_digest(token, key, now.scope))


def of_token(word: Word, token: str, now: Standing, key: WorkspaceKey) -> Mark:
    """Return the mark of one word that stands in the case. Raises `UsageError` for what does not, and for several words."""
    plain = token.strip()
    if not plain or len(plain.split()) != 1:
        raise UsageError("give one word, as it stands in the case")
    if not any(plain.lower() in said.lower() for _, said in texts(now.document)):
        raise UsageError("this word does not stand in the case")
    return Mark(mark=word, digest=token_digest(plain, key, now.scope))


def token_at(residual: Members, document: JsonValue, standing: Mapping[str, str] | None = None) -> str:
    """Return the text of a residual, empty when it is not there; ``standing`` are the document's texts by place."""
    path = text(residual.get("path"))
    said = standing.get(path, "") if standing is not None else next((t for p, t in texts(document) if p == path), "")
    return said[count(residual.get("start")) : count(residual.get("end"))]


def accepted(now: Standing, mark: Mark, key: WorkspaceKey, rules: RuleSet) -> tuple[Fixture, bytes]:
    """Return the case with a residual told as accepted, and its capture, which remembers the mark.

    The evidence does not change, so no source is needed; the sidecar does, and with it what privacy approves.
    """
    predicate = dict(now.predicate)
    residual, was = items(predicate.get("residual")), items(predicate.get("accepted"))
    standing: dict[str, str] = {}
    for place, said in texts(now.document):
        standing.setdefault(place, said)
    meant = [one for one in residual if _is_meant(mark, one, now, key, standing)]
    left: list[JsonValue] = [dict(one) for one in residual if one not in meant]
    told: list[JsonValue] = [dict(one) for one in sorted([*was, *meant], key=_rank)]
    fresh: Document = {}
    for name, value in predicate.items():
        if name != "accepted":
            fresh[name] = left if name == "residual" else value
        if name == "residual":
            fresh["accepted"] = told
    capture = parse(now.capture)
    held = dict(capture) if isinstance(capture, dict) else {}
    fixture = resealed(now, {**now.statement, "predicate": fresh}, rules)
    return fixture, pretty(remembering(held, (mark,))).encode("utf-8")


def remembering(capture: Document, fresh: Sequence[Mark]) -> Document:
    """Return a capture with more marks, where extraction writes them, also in one that was written without any."""
    marked = written_marks([*remembered_marks(capture), *fresh])
    ordered: Document = {}
    for name, value in capture.items():
        if name == "extracted_at":
            ordered["marks"] = marked
        if name != "marks":
            ordered[name] = value
    return ordered


def resealed(now: Standing, statement: Document, rules: RuleSet) -> Fixture:
    """Return the case as it stands under another sidecar, its bytes proved to be what the sidecar speaks of."""
    predicate = statement.get("predicate")
    notices = Notices.standing(predicate if isinstance(predicate, dict) else {})
    can_replay = replayable(now.document)
    files = {
        FIXTURE: render_fixture(now.document),
        README: render_readme(
            now.document, replayable=can_replay, notices=notices, minimised="minimised" in now.predicate
        ),
    }
    # What the case must not hold was proved when its texts were written; here no text of it changes.
    redacted = now.redacted(now.document)
    proofs = prove(redacted, [str(now.document.get("case_id"))], files, rules)
    return seal(
        str(now.document.get("case_id")),
        {**files, PROVENANCE: pretty(statement).encode("utf-8")},
        redacted,
        proofs,
        incomplete=incomplete(now.document),
        replayable=can_replay,
    )


def _is_meant(mark: Mark, residual: Members, now: Standing, key: WorkspaceKey, standing: Mapping[str, str]) -> bool:
    if mark.path is not None:
        return residual.get("path") == mark.path
    return token_digest(token_at(residual, now.document, standing), key, now.scope) == mark.digest


def _rank(residual: Members) -> tuple[int, int, str, int]:
    code = text(residual.get("code"))
    place = _RANK.index(code) if code in _RANK else len(_RANK)
    return place, -count(residual.get("count")), text(residual.get("path")), count(residual.get("start"))
