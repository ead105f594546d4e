"""The sidecar of a smaller case: what it says of the extraction stays, places move, what went is said to have gone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from ..errors import InputUnreadable
from ..model.case import Document
from ..model.json import JsonValue
from ..model.layout import PROVENANCE
from ..verify import texts
from .moved import Kept, entries, moved
from .pieces import items
from .pieces import texts as listed_texts
from .project import Reduced

REASON = "minimised"
_DOCUMENT = re.compile(r"documents\[(\d+)\]")
_MODEL_EVENT = re.compile(r"model_events\[(\d+)\]")


def restated(
    statement: Document,
    before: Document,
    reduced: Reduced,
    fixture: bytes,
    minimised: JsonValue,
    *,
    reason: str = REASON,
) -> Document:
    """Return the statement about the smaller case's bytes; ``minimised`` is its member of that name, or None.

    A span whose evidence went is dropped by ``reason``. Its secret stays told, as one outside the case.
    Raises `InputUnreadable` for what is no statement of ours.
    """
    predicate, subject = statement.get("predicate"), statement.get("subject")
    if not isinstance(predicate, dict) or not isinstance(subject, list) or not isinstance(subject[0], dict):
        raise InputUnreadable(f"{PROVENANCE} is no statement about a fixture")
    kept, redaction = reduced.kept, predicate.get("redaction")
    changed: Document = {
        "selection": list(_decisions(predicate.get("selection"), before, kept, reason)),
        "attempts": _attempts(predicate.get("attempts"), kept),
        "redaction": {**redaction, "secrets": _secrets(redaction.get("secrets"), kept)}
        if isinstance(redaction, dict)
        else redaction,
        "flags": entries(predicate.get("flags"), "step", kept),
        "residual": _residual(predicate.get("residual"), before, reduced),
        "relations": _relations(predicate.get("relations"), reduced),
    }
    told = {name: changed.get(name, value) for name, value in predicate.items() if name != REASON}
    if minimised is not None:
        told[REASON] = minimised
    digest: JsonValue = {"sha256": hashlib.sha256(fixture).hexdigest()}
    return {**statement, "subject": [{**subject[0], "digest": digest}], "predicate": told}


def _relations(relations: JsonValue, reduced: Reduced) -> JsonValue:
    """Return what was proved of relations, and of the pseudonyms those that still stand in the case."""
    if not isinstance(relations, dict) or not isinstance(told := relations.get("pseudonyms"), list):
        return relations
    standing = [text for _, text in texts(reduced.document)]
    kept: list[JsonValue] = [
        each for each in told if isinstance(each, dict) and any(str(each.get("text")) in text for text in standing)
    ]
    return {**relations, "pseudonyms": kept}


def _decisions(selection: JsonValue, before: Document, kept: Kept, reason: str) -> list[JsonValue]:
    decisions = [each for each in selection if isinstance(each, dict)] if isinstance(selection, list) else []
    first = sorted(
        int(match[1]) for each in decisions if (match := _DOCUMENT.fullmatch(str(each.get("becomes")))) is not None
    )
    found: list[JsonValue] = []
    for each in decisions:
        place = each.get("becomes")
        if not isinstance(place, str):
            found.append(each)
            continue
        now = _becomes(place, before, kept, first)
        gone = {} if now is not None else {"decision": "dropped", "reason": reason}
        found.append({**each, **gone, "becomes": now})
    return found


def _attempts(attempts: JsonValue, kept: Kept) -> list[JsonValue]:
    """Return the timing evidence of the attempts that stay, and of the calls that no tool made."""
    listed = [each for each in attempts if isinstance(each, dict)] if isinstance(attempts, list) else []
    outside: list[JsonValue] = [each for each in listed if each.get("event") is None]
    return [*entries(list(listed), "event", kept), *outside]


def _becomes(place: str, before: Document, kept: Kept, first: Sequence[int]) -> str | None:
    """Return what a span has become now: where its own place went, what else of it stays, if anything does."""
    if (match := _DOCUMENT.fullmatch(place)) is not None:
        start = int(match[1])
        end = next((each for each in first if each > start), len(items(before, "documents")))
        places = [f"documents[{index}]" for index in range(start, end)]
    elif (match := _MODEL_EVENT.fullmatch(place)) is not None:
        # A model turn whose words stay has not gone with its record.
        index = int(match[1])
        turns = items(before, "model_events")[index : index + 1]
        said = [name for turn in turns for name in listed_texts(turn.get("output"))]
        places = [place, *reversed([at for name in said if (at := _message(before, name)) is not None])]
    else:
        places = [place]
    return next((now for each in places if (now := moved(each, kept)) is not None), None)


def _message(document: Document, name: str) -> str | None:
    return next(
        (
            f"{path}[{index}]"
            for path in ("input.messages", "messages")
            for index, message in enumerate(items(document, path))
            if message.get("id") == name
        ),
        None,
    )


def _secrets(secrets: JsonValue, kept: Kept) -> list[JsonValue]:
    return [
        {
            **secret,
            "steps": [now for step in listed_texts(secret.get("steps")) if (now := moved(step, kept)) is not None],
        }
        for secret in (secrets if isinstance(secrets, list) else ())
        if isinstance(secret, dict)
    ]


def _residual(residual: JsonValue, before: Document, reduced: Reduced) -> list[JsonValue]:
    """Return the residual tokens that still stand somewhere, each at its first place left."""
    listed = [each for each in residual if isinstance(each, dict)] if isinstance(residual, list) else []
    if not listed:
        return []
    was, now = dict(texts(before)), dict(texts(reduced.document))
    found: list[JsonValue] = []
    for each in listed:
        path, start, end = str(each.get("path")), each.get("start"), each.get("end")
        token = was.get(path, "")[start:end] if isinstance(start, int) and isinstance(end, int) else ""
        place = moved(path, reduced.kept)
        if token and each.get("code") != "language_not_covered":
            count = each.get("count")
            gone = _times(token, was) - _times(token, now)
            left = {"count": max(1, count - gone)} if isinstance(count, int) else {}
            place, start, end = (place, start, end) if place is not None else _first(token, now)
        else:
            left = {}
        if place is not None:
            found.append({**each, "path": place, "start": start, "end": end, **left})
    return found


def _word(token: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){re.escape(token)}(?![^\W_])", re.IGNORECASE)


def _times(token: str, standing: Mapping[str, str]) -> int:
    word = _word(token)
    return sum(len(word.findall(text)) for text in standing.values())


def _first(token: str, standing: Mapping[str, str]) -> tuple[str | None, int, int]:
    word = _word(token)
    for path, text in standing.items():
        if (match := word.search(text)) is not None:
            return path, match.start(), match.end()
    return None, 0, 0
