"""Harvest: every value that a rule names by field, pattern or cue, over the whole trace, dropped spans included."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..model.case import KnownValue
from ..model.config import Deny, Own
from ..model.json import ExactNumber, JsonValue
from ..model.json import number as spelled
from . import checks, dates, digests
from .alone import tail
from .checks import listed_name
from .cover import Cover
from .fold import Folded, fold, folded
from .forms import is_random
from .initials import abbreviated, dotted_initials
from .joined import forms as joined_forms
from .labelled import labelled
from .longer import is_inside_another, longer_numbers
from .place import Place, normal_name
from .prefix import algorithm
from .prose import Finding, is_prose
from .rewrite import Local
from .rules import FieldRule, Identifiers, PatternRule
from .unspaced import family_and_given
from .vault import Vault
from .walk import REACH, Openings, Replacement, Walk

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_SERIAL = re.compile(r"(?:[A-Za-z]+[_-])+(\d{6,})")
_FULL_NAME = re.compile(r"[A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*(?: [A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*){1,3}")
_MAY_GO_ON = re.compile(r"[\d@]")
_TAIL = 24  # characters on each side of a bound in which something must tell an identifier
_PIECE = re.compile(r"[^\W_]+", re.UNICODE)
_COUNT = re.compile(r"v?\d{1,3}|(?:19|20)\d\d")
_KEY_DIGITS = 3  # fewer number a field of a form: address2, card_last4
_CODE = re.compile(r"(?<=[a-z]{3})(?<!Fitz)[A-Z]")  # TypeError, but not McAdam
_MAX_NAME_WORDS = 6
_NOTHING_OWN = Own()
_ROW_LABELS = frozenset({"id", "uid", "key", "index", "row", "line", "lang", "language", "locale", "split"})
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"\d{1,5}(?:\.\d{1,5}){3}")
_SHORT = 3  # a name of so few letters is as likely a code or a word


class Harvest:
    """Visits documents without changing them and fills a vault; `settle` must follow the last document."""

    def __init__(self, identifiers: Identifiers, vocabulary: frozenset[str], own: Own = _NOTHING_OWN) -> None:
        self.vault = Vault()
        self.prose: set[str] = set()
        self.kept: set[str] = set()
        self.protected: set[str] = set()
        self.opaque_secret = False
        self._rules = identifiers
        self._vocabulary = vocabulary
        self._own = own
        self._ours = frozenset(map(folded, (*own.mailboxes, *own.hosts, *own.ids)))
        self.protected.update(map(folded, own.brands))
        self._structured = False
        self._address_ends: dict[str, list[int]] = {}
        self._unknown: set[tuple[str, PatternRule]] = set()
        self._doubtful: set[str] = set()
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
            self._add(stripped, "credential", "structure.userinfo")
        elif rule is not None:
            self._whole(stripped, rule)
        else:
            if self._rules.kept(place, stripped):
                self.kept.add(folded(stripped))
                self._structured = self._structured or _is_result(place)
            elif " " not in stripped and place.kind == "value" and stripped:
                self.protected.add(folded(stripped))
                self._structured = self._structured or _is_result(place)
            if not (place.name.endswith("version") and _VERSION.fullmatch(stripped)):  # four numbers, and no address
                self._patterns(text, islands)
            if place.kind == "value":
                if not place.names and listed_name(stripped):
                    self._person(stripped, "person.listed")  # a cell of a table that names no column
                self._labelled(text, place, Cover(len(text), islands))
            if place.prose and is_prose(text):
                self.prose.add(text)
            elif place.kind == "key" and _FULL_NAME.fullmatch(stripped) and not self._ordinary(stripped):
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
                self._whole(item.text, rule)

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
                self._goes_on(text[first : bound + REACH], max(0, before - first), bound - first, after - first)
        return ()

    def _goes_on(self, text: str, before: int, bound: int, after: int) -> None:
        left, right, whole = fold(text[before:bound]), fold(text[bound:after]), fold(text)
        lefts = ((before, left), (0, fold(text[:bound])))
        ends, begins = text[bound - 1].isalnum(), text[bound].isalnum()
        found = [
            (rule, start, end)
            for rule in self._rules.patterns
            if not rule.unknown
            for start, end in rule.ranges(whole.clean, whole.text)
            # Judged where it first goes on.
            if before <= whole.original(start, end)[0] < bound < whole.original(start, end)[1]
        ]
        if found and self._ends_whole(left):
            return
        for rule, start, end in found:
            first, last = whole.original(start, end)
            ended = (at + view.original(*one)[1] for at, view in lefts for one in rule.ranges(view.clean, view.text))
            if any(place > first for place in ended):
                continue  # a value that is whole before its text ends does not go on
            begun = (bound + right.original(*one)[0] for one in rule.ranges(right.clean, right.text))
            word = left.clean.rpartition(" ")[2]
            apart = not ends or word == left.clean.strip() or word[:1].isupper()
            if apart and any(place < last for place in begun):
                continue  # nor does a sentence, a name or a word by itself, in a value that the next text holds whole
            if not (ends and begins) or self._is_one(rule, text[first:bound]):
                self._matched(whole.clean[start:end], rule)

    def _ends_whole(self, left: Folded) -> bool:
        """Tell whether some rule knows a value, of whatever kind, that is whole where its text ends."""
        ranges = (one for rule in self._rules.patterns for one in rule.ranges(left.clean, left.text))
        return any(end == len(left.clean) for _, end in ranges)

    def _is_one(self, rule: PatternRule, before: str) -> bool:
        """Tell whether letters or digits on both sides of a bound are one value, although nothing shows that it goes on."""
        entity = self._rules.entities[rule.entity]
        if entity.form == "mail":
            return before.rpartition(" ")[2].lower() not in self._vocabulary
        return entity.secret or entity.name in ("card", "iban", "ssn") or rule.context is not None

    def members(self, value: Mapping[str, JsonValue], /) -> None:
        """Record the full name that an object tells by its parts."""
        given, family = (
            next((text for name, text in value.items() if isinstance(text, str) and normal_name(name) in members), "")
            for members in (self._rules.words["given_name_members"], self._rules.words["family_name_members"])
        )
        words = _WORD.findall(given)
        if words and _WORD.search(family) and not any(map(str.isdigit, given + family)):
            self._person(f"{words[0]} {family.strip()}", "person.members")

    def number(self, value: int | float, place: Place) -> int | float:
        """Record a whole number under an identifying member."""
        if isinstance(value, int):
            self._numbers.add(str(abs(value)))
            rule = self._rules.field(place.as_kind("value"), str(abs(value)))
            if rule is not None:
                self._whole(str(abs(value)), rule, number=True)
            elif not self._proven_number(str(abs(value))):
                self.kept.add(str(value))
        elif (rule := self._coordinate_rule(spelled(value), place)) is not None:
            self._whole(spelled(value), rule)
        elif isinstance(value, ExactNumber):
            self.kept.add(value.text)
        return value

    def _coordinate_rule(self, text: str, place: Place) -> FieldRule | None:
        rule = self._rules.field(place.as_kind("value"), text)
        coordinate = rule is not None and self._rules.entities[rule.entity or ""].form == "coordinate"
        return rule if coordinate else None

    def _proven_number(self, digits: str) -> bool:
        """Record a number that a check digit proves whatever its member is called."""
        proof = self._proof(digits)
        if proof is not None:
            self.vault.add(digits, self._rules.entities[proof.entity], proof.id, number=True)
        return proof is not None

    def _proof(self, text: str) -> PatternRule | None:
        """Return the first rule whose check digit proves a whole text."""
        for rule in self._rules.patterns:
            proves = rule.check is not None and not rule.unknown and rule.context is None
            if proves and (0, len(text)) in rule.ranges(text, text.lower()):
                return rule
        return None

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
            self._person(name, "deny.names")
        for value in deny.values:
            self.vault.add(value, self._rules.entities["unknown_id"], "deny.values")

    def recall(self, value: KnownValue) -> None:
        """Record a value that is known from elsewhere."""
        if self._rules.entities[value.entity].form == "date":
            self._date(value.text, value.entity, value.rule)
        else:
            self.vault.add(value.text, self._rules.entities[value.entity], value.rule, word=value.word)

    def settle(self) -> None:
        """Decide what could not be told before all was seen.

        What only looked like an identifier is one unless a keep rule knows the same text. A name that is also a code or
        a member of the application, or part of a text that a rule keeps, as of a model's, could be that elsewhere too.
        """
        kept = (map(str.lower, _WORD.findall(text)) for text in self.kept)
        self._doubtful = self.protected.union(self._rules.member_words, *kept)
        for canonical in self._doubtful.intersection(self.vault.identities):
            identity = self.vault.identities[canonical]
            identity.word = identity.word or identity.entity.form == "name"
        unknown = sorted(self._unknown, key=lambda item: (item[0], item[1].id))
        # What is known for sure is asked before anything is added: adding makes the index anew.
        for text, rule in [
            item for item in unknown if folded(item[0]) not in self.kept and not self._is_wrapping(item[0])
        ]:
            self._add(text, rule.entity, rule.id)
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
                if self.alone and not _CODE.search(finding.text):
                    local.extend(self._standing(finding))
                    places.append((finding.start, finding.end))
                continue
            if finding.foreign:
                self.vault.add(finding.text, self._rules.entities["unknown_id"], finding.rule, local=True)
                local.append(Local(finding.text))
                continue
            if finding.rule == "greeted":
                self._name_word(finding.text, "prose.greeted", local=True)
                local.append(Local(finding.text))
                continue
            if self._is_evidence(finding.text):
                continue
            self._person(finding.text, "prose." + finding.rule, local=not finding.corroborated)
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
        kept = lowered in self.protected or lowered in self.kept or last in self._rules.words["address_words"]
        return kept or self._ordinary(name)

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

    def _ordinary(self, text: str) -> bool:
        return all(word.lower() in self._vocabulary for word in _WORD.findall(text))

    def _whole(self, text: str, rule: FieldRule, *, number: bool = False) -> None:
        if not text or rule.entity is None:
            return
        entity = self._rules.entities[rule.entity]
        if entity.form == "name":
            if text.lower() not in self._rules.words["function_words"]:
                self._person(text, rule.id)
        elif entity.form == "date":
            self._date(text, rule.entity, rule.id)
        elif entity.name == "host" and text.lower() in self._rules.words["reserved_domains"]:
            return  # localhost is nobody's
        elif (
            entity.name in self._rules.words["personal_entities"]
            and text.lower() in self._rules.words["function_words"]
        ):
            self.protected.add(folded(text))
        else:
            personal = entity.name in self._rules.words["personal_entities"]
            self._add(text, rule.entity, rule.id, number=number, word=personal and text.isalpha())
            proof = self._proof(text) if entity.form == "digits" else None
            if proof is not None:  # an account that is an IBAN, a customer number that is a card
                self._add(text, proof.entity, proof.id, number=number)
            if personal:
                self._name_parts(text, rule.id)

    def _date(self, text: str, entity: str, rule: str) -> None:
        day = dates.read(text)
        if day is None:  # no calendar's date, but still what somebody gave as theirs
            self._add(text, "birth_year" if _YEAR.fullmatch(text) else "record_id", rule)
        else:
            self.vault.add(day.isoformat(), self._rules.entities[entity], rule, aliases=(text, *dates.spellings(day)))

    def _is_ours(self, text: str) -> bool:
        """Tell whether a mailbox, host or id is the project's own, or that of a function at a domain that nobody owns."""
        plain = folded(text)
        if plain in self._ours:
            return True
        local, at, domain = plain.rpartition("@")
        words = self._rules.words
        nobody = domain in words["reserved_domains"] or domain in map(folded, self._own.domains)
        return bool(at) and nobody and local in words["role_mailboxes"]

    def _add(self, text: str, entity: str, rule: str, *, number: bool = False, word: bool = False) -> None:
        if self._is_ours(text):
            return
        self.vault.add(text, self._rules.entities[entity], rule, number=number, word=word)
        if (serial := _SERIAL.fullmatch(text)) and self._rules.entities[entity].form == "id":
            # "credit_card_9513926" is also "the card 9513926" in somebody's words.
            self.vault.add(serial[1], self._rules.entities[entity], rule)

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
                    self._matched(view.clean[start:end], rule)

    def _matched(self, text: str, rule: PatternRule) -> None:
        entity = self._rules.entities[rule.entity]
        if rule.unknown:
            self._unknown.add((text, rule))
        elif entity.form == "name":
            if not self._ordinary(text):
                self._person(text, rule.id)
        elif entity.form == "date":
            self._date(text, rule.entity, rule.id)
        else:
            self._add(text, rule.entity, rule.id)
            if entity.name in self._rules.words["personal_entities"]:
                self._name_parts(text, rule.id)

    def _person(self, text: str, rule: str, *, local: bool = False) -> None:
        entity = self._rules.entities["person"]
        guessed = rule.startswith("prose.")
        every = _WORD.findall(text)
        particles = self._rules.words["name_particles"]
        # Nothing follows a particle at the end: there it is a surname, as in Anh Do.
        suffixes = self._rules.words["name_suffixes"]
        while every and every[-1].lower() in suffixes:
            every.pop()
        words = [word for word in every[:-1] if word.lower() not in particles] + every[-1:]
        if not words or (guessed and (len(words) > _MAX_NAME_WORDS or any(map(_CODE.search, words)))):
            return
        if len(words) > 1:
            ordinary = guessed and any(word.lower() in self._vocabulary for word in words)
            joined = () if local or ordinary else set(joined_forms(text, particles)) - self._vocabulary
            short = () if local or ordinary else abbreviated(text, particles)
            self.vault.add(text, entity, rule, local=local, aliases=joined, abbreviations=short)
            usual = self._rules.words["abbreviations"]
            for initials in () if local or ordinary else dotted_initials(text, particles, usual):
                self.vault.add(initials, entity, rule, word=True)
        for word in words:
            # The model takes units (GB) and parts of addresses (Cedar Drive) for people.
            if len(word) >= _SHORT if guessed else len(word) > 1:
                if guessed and word.lower() in self._vocabulary:
                    continue
                self._name_word(word, rule, local=local)
            for part in family_and_given(word, self._rules.words["unspaced_family_names"]) or ():
                if len(part) > 1:
                    self._name_word(part, rule, local=local)

    def _name_word(self, word: str, rule: str, *, local: bool = False) -> None:
        lowered = word.lower()
        ambiguous = len(word) <= _SHORT or lowered in self._vocabulary or lowered in self._doubtful
        self.vault.add(word, self._rules.entities["person"], rule, word=ambiguous, local=local)

    def _name_parts(self, text: str, rule: str) -> None:
        """Learn the names inside a mailbox or a user id: ``yusuf_rossi_9620`` tells two."""
        known = self._rules.words
        if is_random(text[len(algorithm(text)) :]):
            return  # letters of a digest are nobody's name
        for word in _WORD.findall(text.partition("@")[0].replace("_", " ")):
            lowered = word.lower()
            if len(word) < _SHORT or lowered in self._vocabulary:
                continue
            if lowered in known["type_words"] or lowered in known["role_mailboxes"]:
                continue
            self.vault.add(word.capitalize(), self._rules.entities["person"], rule, word=True)


def _is_result(place: Place) -> bool:
    """Tell whether a short text says something of the world: a row's own label, as its id or language, does not."""
    return bool(place.names) and place.name not in _ROW_LABELS and not place.name.endswith("_id")
