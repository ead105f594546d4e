"""The relation proof: what was equal, different, owned, derived or ordered before is so after."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from ..model.case import KnownValue, Pseudonym, RelationCount
from ..model.json import JsonValue
from ._compare import Pair
from ._fold import fold, squeeze

_DIGITS = re.compile(r"\D+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_LEAST_CARD = 12
_LAST = 4


@dataclass(slots=True)
class RelationProof:
    """Judges the replaced occurrences of one case. ``forms`` say, by entity, what kind of value it is."""

    known: Sequence[KnownValue]
    forms: Mapping[str, str]
    faults: dict[str, None] = field(default_factory=dict)
    doubtful: dict[str, None] = field(default_factory=dict)  # places of faults whose values could be words
    counts: tuple[RelationCount, ...] = ()
    _now: dict[str, dict[str, Pair]] = field(default_factory=dict, repr=False)

    def judge(self, pairs: Sequence[Pair]) -> tuple[int, int, int]:
        """Return classes of equal values, occurrences, and how many occurrences keep their class."""
        was: dict[str, dict[str, Pair]] = {}
        for pair in pairs:
            self._now.setdefault(_class(pair.original), {}).setdefault(_class(pair.redacted), pair)
            was.setdefault(_class(pair.redacted), {}).setdefault(_class(pair.original), pair)
        kinds: dict[str, set[str]] = {}
        for value in self.known:
            kinds.setdefault(_class(value.text), set()).add(value.entity)
        broken: set[str] = set()
        for name, became in self._now.items():
            # The same characters may be two things (a postal code, an order number) whose formats allow no one pseudonym.
            if len(became) > max(1, len(kinds.get(name, ()))):
                broken.add(name)
                self._fault([*became.values()][-1], "is another value than where the same one stood elsewhere")
        for came in was.values():
            if len(came) > 1:
                broken.update(came)
                self._fault([*came.values()][-1], "is the same value as where a different one stood elsewhere")
        self._derived()
        self._ordered()
        kept = sum(_class(pair.original) not in broken for pair in pairs)
        self.counts = tuple(self._counted(pairs, broken))
        return len(self._now), len(pairs), kept

    def stand_ins(self, pairs: Sequence[Pair]) -> tuple[Pseudonym, ...]:
        """Return each distinct stand-in with its class and what it stands for, by class and text."""
        found = {(self.known[pair.value].entity, pair.redacted, pair.original) for pair in pairs}
        return tuple(Pseudonym(entity=entity, text=text, original=original) for entity, text, original in sorted(found))

    def _counted(self, pairs: Sequence[Pair], broken: Collection[str]) -> Iterator[RelationCount]:
        """Yield what a report says of each class of identifiers."""
        by_entity: dict[str, list[str]] = {}
        for pair in pairs:
            by_entity.setdefault(self.known[pair.value].entity, []).append(_class(pair.original))
        for entity, classes in sorted(by_entity.items()):
            yield RelationCount(
                entity=entity,
                values=len(set(classes)),
                occurrences=len(classes),
                preserved=sum(each not in broken for each in classes),
            )

    def owners(self, original: JsonValue, redacted: JsonValue) -> None:
        """Compare who owns what: each resource's owner with the subject and with every other owner."""
        before, after = list(_owners(original)), list(_owners(redacted))
        if [place for place, _ in before] != [place for place, _ in after]:
            self.faults.setdefault("identity: a subject or an owner is missing")
            return
        if _partition([text for _, text in before]) != _partition([text for _, text in after]):
            self.faults.setdefault("identity.resources: an owner relation changed")

    def _fault(self, pair: Pair, what: str) -> None:
        value = self.known[pair.value]
        self.faults.setdefault(f"{value.entity} (rule {value.rule}) at {pair.place} {what}")
        if value.word:
            self.doubtful.setdefault(pair.place)

    def _derived(self) -> None:
        """Compare which values are part of which: names of full names and ids, last four of cards, domains of mail."""
        pairs = [pair for became in self._now.values() for pair in became.values()]
        before = [dict.fromkeys(self._parts(pair, fold(pair.original))) for pair in pairs]
        after = [dict.fromkeys(self._parts(pair, fold(pair.redacted))) for pair in pairs]
        standing = {_class(pair.original): pair for pair in pairs if self._is_part(pair)}
        by_now = {_class(pair.redacted): pair for pair in pairs if self._is_part(pair)}
        for whole, parts, replaced in zip(pairs, before, after, strict=True):
            for part in parts:
                piece = standing.get(part)
                if piece is not None and piece is not whole and not set(self._now[part]) & set(replaced):
                    self._fault(whole, "no longer holds the value that is part of it")
            for part in replaced:
                piece = by_now.get(part)
                if piece is not None and piece is not whole and _class(piece.original) not in parts:
                    self._fault(whole, "now holds a value that was no part of it")

    def _form(self, pair: Pair) -> str:
        return self.forms.get(self.known[pair.value].entity, "")

    def _is_part(self, pair: Pair) -> bool:
        text = fold(pair.original)
        return _WORD.fullmatch(text) is not None or (text.isdigit() and len(text) == _LAST) or "." in text

    def _parts(self, pair: Pair, text: str) -> Iterator[str]:
        digits = _DIGITS.sub("", text)
        if len(digits) >= _LEAST_CARD and digits == squeeze(text):
            yield digits[-_LAST:]
        local, at, domain = text.partition("@")
        if at:
            yield from (_class(local), _class(domain))
        if self._form(pair) in ("name", "mail", "handle", "id", "") and not _is_address(text):
            yield from (word for word in _WORD.findall(text) if word != text)

    def _ordered(self) -> None:
        """Compare the order of personal dates."""
        moved: dict[date, date] = {}
        for became in self._now.values():
            # Numbers of ids may read as days and are none.
            for pair in (each for each in became.values() if self._form(each) in ("date", "")):
                before, after = _date(pair.original), _date(pair.redacted)
                if before is not None and after is not None:
                    moved[before] = after
        days = [moved[day] for day in sorted(moved)]
        if any(later <= earlier for earlier, later in pairwise(days)):
            self.faults.setdefault("personal dates: their order changed")


def _class(text: str) -> str:
    """Return what all spellings of one value share: neither case nor separators count, save in mailboxes."""
    plain = fold(text.strip())
    if "@" in plain:  # first.last@ and firstlast@ are two
        return plain
    loose = squeeze(plain)
    return loose or plain


def _is_address(text: str) -> bool:
    return " " in text and any(char.isdigit() for char in text)


def _date(text: str) -> date | None:
    if (found := _ISO.match(text)) is None:
        return None
    try:
        return date.fromisoformat(found[0])
    except ValueError:
        return None


def _owners(document: JsonValue) -> Iterator[tuple[str, str]]:
    identity = document.get("identity") if isinstance(document, dict) else None
    if not isinstance(identity, dict):
        return
    for name in ("subject", "tenant"):
        if identity.get(name) is not None:
            yield name, fold(str(identity[name]))
    resources = identity.get("resources")
    for index, resource in enumerate(resources if isinstance(resources, list) else ()):
        for name in ("id", "owner"):
            if isinstance(resource, dict) and resource.get(name) is not None:
                yield f"{index}.{name}", fold(str(resource[name]))


def _partition(texts: Sequence[str]) -> list[int]:
    first: dict[str, int] = {}
    return [first.setdefault(text, index) for index, text in enumerate(texts)]
