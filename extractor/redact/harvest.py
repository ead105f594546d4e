"""Harvest: every value that a rule names by field, pattern or cue, over the whole trace, dropped spans included."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..model.case import KnownValue
from ..model.config import Deny, Own
from ..model.json import ExactNumber, JsonValue
from ..model.json import number as spelled
from . import checks, digests
from .alone import tail
from .checks import listed_name
from .cover import Cover
from .crossing import Crossing
from .enrol import CODE, WORD, Enrolment
from .fold import fold, folded
from .labelled import labelled
from .longer import is_inside_another, longer_numbers
from .place import Place, normal_name
from .prose import Finding, is_prose
from .rewrite import Local
from .rules import FieldRule, Identifiers
from .walk import REACH, Openings, Replacement, Walk

_FULL_NAME = re.compile(r"[A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*(?: [A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*){1,3}")
_MAY_GO_ON = re.compile(r"[\d@]")
_TAIL = 24  # characters on each side of a bound in which something must tell an identifier
_PIECE = re.compile(r"[^\W_]+", re.UNICODE)
_COUNT = re.compile(r"v?\d{1,3}|(?:19|20)\d\d")
_KEY_DIGITS = 3  # fewer number a field of a form: address2, card_last4
_NOTHING_OWN = Own()
_ROW_LABELS = frozenset({"id", "uid", "key", "index", "row", "line", "lang", "language", "locale", "split"})
_VERSION = re.compile(r"\d{1,5}(?:\.\d{1,5}){3}")


class Harvest:
    """Visits documents without changing them and fills a vault; `settle` must follow the last document."""

    def __init__(self, identifiers: Identifiers, vocabulary: frozenset[str], own: Own = _NOTHING_OWN) -> None:
        self._enrol = Enrolment(identifiers, vocabulary, own)
        self._crossing = Crossing(identifiers, vocabulary)
        self.vault = self._enrol.vault
        self.prose: set[str] = set()
        self.kept: set[str] = set()
        self.opaque_secret = False
        self._rules = identifiers
        self._vocabulary = vocabulary
        self._own = own
        self._structured = False
        self._address_ends: dict[str, list[int]] = {}
        self._digests: set[str] = set()
        self._met: set[str] = set()
        self._numbers: set[str] = set()
        self._searched: set[str] = set()
        self.openings: Openings = {}
        self._walk = Walk(self, identifiers.siblings, identifiers.alike, self.openings)

    def document(self, value: JsonValue, place: Place) -> JsonValue:
        """Take in one payload value and return it as it is."""
        return self._walk.value(value, place)

    def leaf(self, text: str, place: Place) -> str:
        """Take in one text at a place of ours and return it as it is."""
        return self._walk.text(text, place)

    def together(self, value: JsonValue, skipped: Collection[str]) -> JsonValue:
        """Take in the texts of a value that make one with their neighbours, and return it with the chunks of streams settled."""
        return self._walk.together(value, Place(), skipped=skipped)

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Record what the rules find in a text."""
        stripped = text.strip()
        if text not in self._met:
            self._met.add(text)
            self._digests.update(digests.candidates(fold(text)))
        rule = (
            self._rules.field(place, stripped) if place.kind in ("value", "host") else self._key_rule(place, stripped)
        )
        if place.kind == "userinfo":
            self._enrol.add(stripped, "credential", "structure.userinfo")
        elif rule is not None:
            self._enrol.whole(stripped, rule)
        else:
            if self._rules.kept(place, stripped):
                self.kept.add(folded(stripped))
                self._structured = self._structured or _is_result(place)
            elif " " not in stripped and place.kind == "value" and stripped:
                self._enrol.protected.add(folded(stripped))
                self._structured = self._structured or _is_result(place)
            if not (place.name.endswith("version") and _VERSION.fullmatch(stripped)):  # four numbers, and no address
                self._patterns(text, islands)
            if place.kind == "value":
                if not place.names and listed_name(stripped):
                    self._enrol.person(stripped, "person.listed")  # a cell of a table that names no column
                self._labelled(text, place, Cover(len(text), islands))
            if place.prose and is_prose(text):
                self.prose.add(text)
            elif place.kind == "key" and _FULL_NAME.fullmatch(stripped) and not self._enrol.is_ordinary(stripped):
                self.prose.add(text)  # what is listed by people's names
        return ()

    def _labelled(self, text: str, place: Place, opened: Cover) -> None:
        """Record what field rules say of values that the text itself labels."""
        for item in labelled(text):
            if opened.touches(item.start, item.end) and item.loose:
                continue  # what stands there was opened, or is no whole value
            inner = Place((*place.names, *item.names), self._rules.siblings.intersection(item.beside))
            rule = self._rules.field(inner, item.text)
            if rule is not None and not (item.loose and self._begins_sentence(item.text, rule)):
                self._enrol.whole(item.text, rule)

    def _begins_sentence(self, text: str, rule: FieldRule) -> bool:
        """Tell whether words after a colon say something, as in ``Recipient: the warehouse``, and name nobody."""
        entity = self._rules.entities[rule.entity or ""]
        if entity.form == "name":
            return not checks.named(text)
        return entity.secret and (" " in text or not checks.login_like(text))

    def _key_rule(self, place: Place, key: str) -> FieldRule | None:
        """Return the rule that calls a member name an id: ``{"orders": {"20931": …}}`` lists by them."""
        if place.kind != "key" or sum(map(str.isdigit, key)) < _KEY_DIGITS:
            return None
        rule = self._rules.field(place.as_kind("value"), key)
        return rule if rule is not None and self._rules.entities[rule.entity or ""].form == "id" else None

    def across(self, text: str, _place: Place, bounds: Sequence[int], is_text: bool, /) -> Iterable[Replacement]:
        """Record what the rules find across the bounds of texts that may be one."""
        edges = (0, *bounds, len(text))
        for before, bound, after in zip(edges, edges[1:], edges[2:], strict=False) if is_text else ():
            if _MAY_GO_ON.search(text, max(0, bound - _TAIL), bound + _TAIL):
                first = max(0, bound - REACH)
                ranges = (max(0, before - first), bound - first, after - first)
                for value, rule in self._crossing.found(text[first : bound + REACH], *ranges):
                    self._enrol.matched(value, rule)
        return ()

    def members(self, value: Mapping[str, JsonValue], /) -> None:
        """Record the full name that an object tells by its parts."""
        given, family = (
            next((text for name, text in value.items() if isinstance(text, str) and normal_name(name) in members), "")
            for members in (self._rules.words["given_name_members"], self._rules.words["family_name_members"])
        )
        words = WORD.findall(given)
        if words and WORD.search(family) and not any(map(str.isdigit, given + family)):
            self._enrol.person(f"{words[0]} {family.strip()}", "person.members")

    def number(self, value: int | float, place: Place) -> int | float:
        """Record a whole number under an identifying member."""
        if isinstance(value, int):
            self._numbers.add(str(abs(value)))
            rule = self._rules.field(place.as_kind("value"), str(abs(value)))
            if rule is not None:
                self._enrol.whole(str(abs(value)), rule, number=True)
            elif not self._proven_number(str(abs(value))):
                self.kept.add(str(value))
        elif (rule := self._coordinate_rule(spelled(value), place)) is not None:
            self._enrol.whole(spelled(value), rule)
        elif isinstance(value, ExactNumber):
            self.kept.add(value.text)
        return value

    def _coordinate_rule(self, text: str, place: Place) -> FieldRule | None:
        rule = self._rules.field(place.as_kind("value"), text)
        coordinate = rule is not None and self._rules.entities[rule.entity or ""].form == "coordinate"
        return rule if coordinate else None

    def _proven_number(self, digits: str) -> bool:
        """Record a number that a check digit proves whatever its member is called."""
        proof = self._enrol.proof(digits)
        if proof is not None:
            self.vault.add(digits, self._rules.entities[proof.entity], proof.id, number=True)
        return proof is not None

    def array(self, value: list[JsonValue], /) -> JsonValue:
        """Learn nothing from a long array of fractions."""
        return value

    def opaque(self, text: str, place: Place, /) -> str:
        """Signatures and blobs are replaced whole where they stand; nothing is learnt from them but that they are there."""
        self.opaque_secret = self.opaque_secret or place.is_opaque_secret
        return text

    def deny(self, deny: Deny) -> None:
        """Record what the project says always identifies."""
        for name in deny.names:
            self._enrol.person(name, "deny.names")
        for value in deny.values:
            self.vault.add(value, self._rules.entities["unknown_id"], "deny.values")

    def recall(self, value: KnownValue) -> None:
        """Record a value that is known from elsewhere."""
        if self._rules.entities[value.entity].form == "date":
            self._enrol.date(value.text, value.entity, value.rule)
        else:
            self.vault.add(value.text, self._rules.entities[value.entity], value.rule, word=value.word)

    def settle(self) -> None:
        """Decide what could not be told before all was seen.

        What only looked like an identifier is one unless a keep rule knows the same text. A name that is also a code or
        a member of the application, or part of a text that a rule keeps, as of a model's, could be that elsewhere too.
        """
        kept = (map(str.lower, WORD.findall(text)) for text in self.kept)
        self._enrol.doubtful = self._enrol.protected.union(self._rules.member_words, *kept)
        for canonical in self._enrol.doubtful.intersection(self.vault.identities):
            identity = self.vault.identities[canonical]
            identity.word = identity.word or identity.entity.form == "name"
        unknown = sorted(self._enrol.unknown, key=lambda item: (item[0], item[1].id))
        # What is known for sure is asked before anything is added: adding makes the index anew.
        for text, rule in [
            item for item in unknown if folded(item[0]) not in self.kept and not self._is_wrapping(item[0])
        ]:
            self._enrol.add(text, rule.entity, rule.id)
        self._learn_longer()

    def _learn_longer(self) -> None:
        """Record the numbers that hold a known one: each is another, and has a stand-in of its own."""
        found = {
            (text, known.canonical, number)
            for texts, number in ((self._met, False), (self._numbers, True))
            for text, known in longer_numbers(texts, self.vault)
        }
        unknown = self._rules.entities["unknown_id"]
        for text, canonical, number in sorted(found):
            entity = self.vault.identities[canonical].entity
            kept = entity.form in ("secret", "address", "mail")  # a longer card number is no card's
            self.vault.add(text, entity if kept else unknown, "number.longer", number=number)

    def unmask(self) -> None:
        """Record, once all values are known, the digests of them that the texts hold."""
        certain = [identity for identity in self.vault.sorted() if not (identity.word or identity.local)]
        known = [(text, identity.canonical) for identity in certain for text in identity.spellings]
        for digest, source in digests.traced(self._digests, known).items():
            added = self.vault.add(digest, self._rules.entities["unknown_id"], "digest.known")
            if added is not None and added.canonical != source.canonical:
                added.digest = source

    def _is_wrapping(self, text: str) -> bool:
        """Tell whether only known values make a text look like an identifier: in ``row_219-09-9999_v2`` words are around one."""
        view = fold(text)
        inside = Cover(len(text))
        for occurrence in self.vault.find(view):
            word = occurrence.identity.word or is_inside_another(view, occurrence)
            if occurrence.end - occurrence.start < len(text) and not word:
                inside.take(*view.original(occurrence.start, occurrence.end))
        around = [text[start:end] for start, end in inside.gaps(0, len(text))]
        if around == [text]:
            return False
        pieces = [piece.lower() for piece in _PIECE.findall(" ".join(around))]
        types = self._rules.words["type_words"]
        return all(piece in self._vocabulary or piece in types or _COUNT.fullmatch(piece) for piece in pieces)

    def findings(self, text: str, found: Iterable[Finding]) -> list[Local]:
        """Record what analysis found in one text and return what holds there alone.

        A corroborated name is a known value everywhere; another, and what is no name, is local to its text.
        """
        local: list[Local] = []
        places = []
        for finding in found:
            if finding.alone:
                if self.alone and not CODE.search(finding.text):
                    local.extend(self._standing(finding))
                    places.append((finding.start, finding.end))
                continue
            if finding.foreign:
                self.vault.add(finding.text, self._rules.entities["unknown_id"], finding.rule, local=True)
                local.append(Local(finding.text))
                continue
            if finding.rule == "greeted":
                self._enrol.name_word(finding.text, "prose.greeted", local=True)
                local.append(Local(finding.text))
                continue
            if self._is_evidence(finding.text):
                continue
            self._enrol.person(finding.text, "prose." + finding.rule, local=not finding.corroborated)
            if not finding.corroborated:
                local.append(Local(finding.text))
        if self.alone:
            local.extend(self._tails(text, Cover(len(text), places)))
        return local

    @property
    def alone(self) -> bool:
        """Whether nothing structured was seen that could tell what in the prose is evidence."""
        return not self._structured

    def _is_evidence(self, name: str) -> bool:
        lowered = folded(name)
        last = lowered.rpartition(" ")[2]
        coded = any(part in self.kept for part in lowered.split() if not part.isalpha())  # SKU NAAN-G
        listed = lowered in self._enrol.protected or lowered in self.kept
        kept = listed or coded or last in self._rules.words["address_words"]
        return kept or self._enrol.is_ordinary(name)

    def _standing(self, finding: Finding) -> Iterator[Local]:
        """Record what identifies in text that stands alone, save what is the project's own."""
        if folded(finding.text) in map(folded, self._own.brands):
            return
        self.vault.add(finding.text, self._rules.entities[finding.entity], "prose.alone", local=True)
        yield Local(finding.text, finding.start, finding.end)

    def _tails(self, text: str, places: Cover) -> Iterator[Local]:
        """Record towns, postal codes and countries that follow a street address."""
        for end in self._address_ends.get(text, ()):
            if (found := tail(text, end, places)) is not None:
                part = text[slice(*found)]
                self.vault.add(part, self._rules.entities["place"], "prose.address_tail", local=True)
                yield Local(part, *found)

    def _patterns(self, text: str, islands: Sequence[tuple[int, int]]) -> None:
        if text in self._searched:  # at another place: patterns ask for none
            return
        self._searched.add(text)
        view = fold(text)
        opened = Cover(len(text), islands)
        for rule in self._rules.patterns:
            for start, end in rule.ranges(view.clean, view.text):
                first, last = view.original(start, end)
                if not opened.touches(first, last):
                    if rule.entity == "postal_address":
                        self._address_ends.setdefault(text, []).append(last)
                    self._enrol.matched(view.clean[start:end], rule)


def _is_result(place: Place) -> bool:
    """Tell whether a short text says something of the world: a row's own label, as its id or language, does not."""
    return bool(place.names) and place.name not in _ROW_LABELS and not place.name.endswith("_id")
