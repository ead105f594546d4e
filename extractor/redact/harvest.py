"""Harvest: every value that a rule names by field, pattern or cue, over the whole trace, dropped spans included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model.case import KnownValue
from ..model.config import Own
from ..model.json import ExactNumber, JsonValue
from . import dates
from .cover import Cover
from .fold import fold, folded
from .place import Place
from .prose import Finding, is_prose
from .rules import FieldRule, Identifiers, PatternRule
from .vault import Vault
from .walk import Replacement, Walk

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_SERIAL = re.compile(r"(?:[A-Za-z]+[_-])+(\d{6,})")
_FULL_NAME = re.compile(r"[A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*(?: [A-Z][^\W\d_]+(?:['’-][A-Z]?[^\W\d_]+)*){1,3}")
_KEY_DIGITS = 3  # fewer number a field of a form: address2, card_last4
_MAX_NAME_WORDS = 6
_NOTHING_OWN = Own()
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
        self.protected.update(map(folded, own.brands))
        self._unknown: set[tuple[str, PatternRule]] = set()
        self._walk = Walk(self, identifiers.siblings)

    def document(self, value: JsonValue, place: Place) -> JsonValue:
        """Take in one payload value and return it as it is."""
        return self._walk.value(value, place)

    def leaf(self, text: str, place: Place) -> str:
        """Take in one text at a place of ours and return it as it is."""
        return self._walk.text(text, place)

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Record what the rules find in a text."""
        stripped = text.strip()
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
            elif " " not in stripped and place.kind == "value" and stripped:
                self.protected.add(folded(stripped))
            self._patterns(text, islands)
            if place.prose and is_prose(text):
                self.prose.add(text)
            elif place.kind == "key" and _FULL_NAME.fullmatch(stripped) and not self._ordinary(stripped):
                self.prose.add(text)  # what is listed by people's names
        return ()

    def _key_rule(self, place: Place, key: str) -> FieldRule | None:
        """Return the rule that calls a member name an id: ``{"orders": {"20931": …}}`` lists by them."""
        if place.kind != "key" or sum(map(str.isdigit, key)) < _KEY_DIGITS:
            return None
        rule = self._rules.field(place.as_kind("value"), key)
        return rule if rule is not None and self._rules.entities[rule.entity or ""].form == "id" else None

    def number(self, value: int | float, place: Place) -> int | float:
        """Record a whole number under an identifying member."""
        if isinstance(value, int):
            rule = self._rules.field(place.as_kind("value"), str(abs(value)))
            if rule is not None:
                self._whole(str(abs(value)), rule, number=True)
            elif not self._proven_number(str(abs(value))):
                self.kept.add(str(value))
        elif isinstance(value, ExactNumber):
            self.kept.add(value.text)
        return value

    def _proven_number(self, digits: str) -> bool:
        """Record a number that a check digit proves whatever its member is called."""
        for rule in self._rules.patterns:
            proves = rule.check is not None and not rule.unknown and rule.context is None
            if proves and (0, len(digits)) in rule.ranges(digits, digits):
                self.vault.add(digits, self._rules.entities[rule.entity], rule.id, number=True)
                return True
        return False

    def opaque(self, text: str, place: Place, /) -> str:
        """Signatures and blobs are replaced whole where they stand; nothing is learnt from them but that they are there."""
        self.opaque_secret = self.opaque_secret or place.is_opaque_secret
        return text

    def recall(self, value: KnownValue) -> None:
        """Record a value that is known from elsewhere."""
        if self._rules.entities[value.entity].form == "date":
            self._date(value.text, value.entity, value.rule)
        else:
            self.vault.add(value.text, self._rules.entities[value.entity], value.rule, word=value.word)

    def settle(self) -> None:
        """Decide about what only looked like an identifier: it is one unless a keep rule knows the same text."""
        for text, rule in sorted(self._unknown, key=lambda item: (item[0], item[1].id)):
            if folded(text) not in self.kept:
                self._add(text, rule.entity, rule.id)

    def findings(self, found: Iterable[Finding]) -> list[str]:
        """Record what analysis found in one text and return what holds there alone.

        A corroborated name is a known value everywhere; another, and what is no name, is local to its text.
        """
        local: list[str] = []
        for finding in found:
            if finding.foreign:
                self.vault.add(finding.text, self._rules.entities["unknown_id"], finding.rule, local=True)
                local.append(finding.text)
                continue
            lowered = folded(finding.text)
            last = lowered.rpartition(" ")[2]
            if lowered in self.protected or lowered in self.kept or last in self._rules.words["address_words"]:
                continue
            if self._ordinary(finding.text):
                continue
            self._person(finding.text, "prose." + finding.rule, local=not finding.corroborated)
            if not finding.corroborated:
                local.append(finding.text)
        return local

    def _ordinary(self, text: str) -> bool:
        return all(word.lower() in self._vocabulary for word in _WORD.findall(text))

    def _whole(self, text: str, rule: FieldRule, *, number: bool = False) -> None:
        if not text or rule.entity is None:
            return
        entity = self._rules.entities[rule.entity]
        if entity.form == "name":
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
            self._add(text, rule.entity, rule.id, number=number)
            if entity.name in self._rules.words["personal_entities"]:
                self._name_parts(text, rule.id)

    def _date(self, text: str, entity: str, rule: str) -> None:
        day = dates.read(text)
        if day is None:  # no calendar's date, but still what somebody gave as theirs
            self._add(text, "record_id", rule)
        else:
            self.vault.add(day.isoformat(), self._rules.entities[entity], rule, aliases=(text, *dates.spellings(day)))

    def _is_ours(self, text: str) -> bool:
        """Tell whether a mailbox or host is the project's own, or that of a function at a domain that nobody owns."""
        plain = folded(text)
        if plain in map(folded, (*self._own.mailboxes, *self._own.hosts)):
            return True
        local, at, domain = plain.rpartition("@")
        words = self._rules.words
        nobody = domain in words["reserved_domains"] or domain in map(folded, self._own.domains)
        return bool(at) and nobody and local in words["role_mailboxes"]

    def _add(self, text: str, entity: str, rule: str, *, number: bool = False) -> None:
        if self._is_ours(text):
            return
        self.vault.add(text, self._rules.entities[entity], rule, number=number)
        if (serial := _SERIAL.fullmatch(text)) and self._rules.entities[entity].form == "id":
            # "credit_card_9513926" is also "the card 9513926" in somebody's words.
            self.vault.add(serial[1], self._rules.entities[entity], rule)

    def _patterns(self, text: str, islands: Sequence[tuple[int, int]]) -> None:
        view = fold(text)
        opened = Cover(len(text), islands)
        for rule in self._rules.patterns:
            for start, end in rule.ranges(view.clean, view.text):
                if not opened.touches(*view.original(start, end)):
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
        if not words or (guessed and len(words) > _MAX_NAME_WORDS):
            return
        if len(words) > 1:
            self.vault.add(text, entity, rule, local=local)
        for word in words:
            # The model takes units (GB) and parts of addresses (Cedar Drive) for people.
            if len(word) >= _SHORT if guessed else len(word) > 1:
                if guessed and word.lower() in self._vocabulary:
                    continue
                self._name_word(word, rule, local=local)

    def _name_word(self, word: str, rule: str, *, local: bool = False) -> None:
        lowered = word.lower()
        ambiguous = len(word) <= _SHORT or lowered in self._vocabulary or lowered in self.protected
        self.vault.add(word, self._rules.entities["person"], rule, word=ambiguous, local=local)

    def _name_parts(self, text: str, rule: str) -> None:
        """Learn the names inside a mailbox or a user id: ``yusuf_rossi_9620`` tells two."""
        known = self._rules.words
        for word in _WORD.findall(text.partition("@")[0].replace("_", " ")):
            lowered = word.lower()
            if len(word) < _SHORT or lowered in self._vocabulary:
                continue
            if lowered in known["type_words"] or lowered in known["role_mailboxes"]:
                continue
            self.vault.add(word.capitalize(), self._rules.entities["person"], rule, word=True)
