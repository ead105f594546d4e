"""Enrolment: a value enters the vault as what its rule says it is, with every form that it takes elsewhere."""

from __future__ import annotations

import re

from ..model.config import Own
from . import dates
from .fold import folded
from .forms import is_random
from .initials import abbreviated, dotted_initials
from .joined import forms as joined_forms
from .prefix import algorithm
from .rules import FieldRule, Identifiers, PatternRule
from .unspaced import family_and_given
from .vault import Vault

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
"""A word as names have them."""
CODE = re.compile(r"(?<=[a-z]{3})(?<!Fitz)[A-Z]")
"""A capital inside a word, as in TypeError; not as in McAdam."""
_SERIAL = re.compile(r"(?:[A-Za-z]+[_-])+(\d{6,})")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MAX_NAME_WORDS = 6
_SHORT = 3  # a name of so few letters is as likely a code or a word


class Enrolment:
    """Fills a vault. ``unknown`` are values that only look like identifiers, with their rules; ``protected`` are folded texts that the
    application uses as words of its own, and ``doubtful`` words that may be such a text or a name.
    """

    def __init__(self, identifiers: Identifiers, vocabulary: frozenset[str], own: Own) -> None:
        self.vault = Vault()
        self.unknown: set[tuple[str, PatternRule]] = set()
        self.protected: set[str] = set(map(folded, own.brands))
        self.doubtful: set[str] = set()
        self._rules = identifiers
        self._vocabulary = vocabulary
        self._own = own
        self._ours = frozenset(map(folded, (*own.mailboxes, *own.hosts, *own.ids)))

    def whole(self, text: str, rule: FieldRule, *, number: bool = False) -> None:
        """Enter a whole text that a field rule calls an identifier."""
        if not text or rule.entity is None:
            return
        entity = self._rules.entities[rule.entity]
        if entity.form == "name":
            if text.lower() not in self._rules.words["function_words"]:
                self.person(text, rule.id)
        elif entity.form == "date":
            self.date(text, rule.entity, rule.id)
        elif entity.name == "host" and text.lower() in self._rules.words["reserved_domains"]:
            return  # localhost is nobody's
        elif (
            entity.name in self._rules.words["personal_entities"]
            and text.lower() in self._rules.words["function_words"]
        ):
            self.protected.add(folded(text))
        else:
            personal = entity.name in self._rules.words["personal_entities"]
            self.add(text, rule.entity, rule.id, number=number, word=personal and text.isalpha())
            proof = self.proof(text) if entity.form == "digits" else None
            if proof is not None:  # an account that is an IBAN, a customer number that is a card
                self.add(text, proof.entity, proof.id, number=number)
            if personal:
                self._name_parts(text, rule.id)

    def matched(self, text: str, rule: PatternRule) -> None:
        """Enter what a pattern found; what only looks like an identifier waits in ``unknown``."""
        entity = self._rules.entities[rule.entity]
        if rule.unknown:
            self.unknown.add((text, rule))
        elif entity.form == "name":
            if not self.is_ordinary(text):
                self.person(text, rule.id)
        elif entity.form == "date":
            self.date(text, rule.entity, rule.id)
        else:
            self.add(text, rule.entity, rule.id)
            if entity.name in self._rules.words["personal_entities"]:
                self._name_parts(text, rule.id)

    def date(self, text: str, entity: str, rule: str) -> None:
        """Enter a day in all its spellings; what is no day of a calendar as a text."""
        day = dates.read(text)
        if day is None:  # no calendar's date, but still what somebody gave as theirs
            self.add(text, "birth_year" if _YEAR.fullmatch(text) else "record_id", rule)
        else:
            self.vault.add(day.isoformat(), self._rules.entities[entity], rule, aliases=(text, *dates.spellings(day)))

    def add(self, text: str, entity: str, rule: str, *, number: bool = False, word: bool = False) -> None:
        """Enter a value, unless it is the project's own; of an id with a prefix also the number by itself."""
        if self._is_ours(text):
            return
        self.vault.add(text, self._rules.entities[entity], rule, number=number, word=word)
        if (serial := _SERIAL.fullmatch(text)) and self._rules.entities[entity].form == "id":
            # "credit_card_9513926" is also "the card 9513926" in somebody's words.
            self.vault.add(serial[1], self._rules.entities[entity], rule)

    def person(self, text: str, rule: str, *, local: bool = False) -> None:
        """Enter a name, its parts and what it is abbreviated to; ``local`` where only the text that told it is sure of it."""
        entity = self._rules.entities["person"]
        guessed = rule.startswith("prose.")
        every = WORD.findall(text)
        particles = self._rules.words["name_particles"]
        # Nothing follows a particle at the end: there it is a surname, as in Anh Do.
        suffixes = self._rules.words["name_suffixes"]
        while every and every[-1].lower() in suffixes:
            every.pop()
        words = [word for word in every[:-1] if word.lower() not in particles] + every[-1:]
        if not words or (guessed and (len(words) > _MAX_NAME_WORDS or any(map(CODE.search, words)))):
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
                self.name_word(word, rule, local=local)
            for part in family_and_given(word, self._rules.words["unspaced_family_names"]) or ():
                if len(part) > 1:
                    self.name_word(part, rule, local=local)

    def name_word(self, word: str, rule: str, *, local: bool = False) -> None:
        """Enter one word of a name; it counts as a word where it may be one."""
        lowered = word.lower()
        ambiguous = len(word) <= _SHORT or lowered in self._vocabulary or lowered in self.doubtful
        joined = (
            re.sub("['’]", "", word) if len(word) > _SHORT + 1 else word
        )  # ODwyer, as systems without apostrophes have it
        aliases = () if joined == word or joined.lower() in self._vocabulary else (joined,)
        self.vault.add(word, self._rules.entities["person"], rule, word=ambiguous, local=local, aliases=aliases)

    def proof(self, text: str) -> PatternRule | None:
        """Return the first rule whose check digit proves a whole text."""
        for rule in self._rules.patterns:
            proves = rule.check is not None and not rule.unknown and rule.context is None
            if proves and (0, len(text)) in rule.ranges(text, text.lower()):
                return rule
        return None

    def is_ordinary(self, text: str) -> bool:
        """Tell whether a text is made of nothing but words of the dictionary."""
        return all(word.lower() in self._vocabulary for word in WORD.findall(text))

    def _is_ours(self, text: str) -> bool:
        """Tell whether a mailbox, host or id is the project's own, or that of a function at a domain that nobody owns."""
        plain = folded(text)
        if plain in self._ours:
            return True
        local, at, domain = plain.rpartition("@")
        words = self._rules.words
        nobody = domain in words["reserved_domains"] or domain in map(folded, self._own.domains)
        return bool(at) and nobody and local in words["role_mailboxes"]

    def _name_parts(self, text: str, rule: str) -> None:
        """Learn the names inside a mailbox or a user id: ``yusuf_rossi_9620`` tells two."""
        known = self._rules.words
        if is_random(text[len(algorithm(text)) :]):
            return  # letters of a digest are nobody's name
        for word in WORD.findall(text.partition("@")[0].replace("_", " ")):
            lowered = word.lower()
            if len(word) < _SHORT or lowered in self._vocabulary:
                continue
            if lowered in known["type_words"] or lowered in known["role_mailboxes"]:
                continue
            self.vault.add(word.capitalize(), self._rules.entities["person"], rule, word=True)
