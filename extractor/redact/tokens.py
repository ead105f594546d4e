"""Stand-ins of single words: parts of names, of addresses and of domains, the same wherever a word recurs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from ..errors import RedactionRefused
from . import forms
from .draw import Stream, cased_like, letters_beside, name_like
from .fold import fold, folded, is_unspaced
from .keys import keyed_digest
from .unspaced import family_and_given
from .vault import Identity, Vault

MAX_DRAWS = 4_096
PATIENCE = 64  # draws of one length before a stand-in may grow longer than its original
_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)
_KINDS = ("street_kinds", "street_kinds_short", "dwelling_kinds")
_FREE = "freemail"  # whoever offers mailboxes to everybody is told from other domains, and one from another


class Tokens:
    """Draws words until one is free; ``used`` and ``originals``, lower case, are shared with all other stand-ins."""

    def __init__(
        self, vault: Vault, key: bytes, words: Mapping[str, frozenset[str]], used: set[str], originals: set[str]
    ) -> None:
        self._vault = vault
        self._key = key
        self._words = words
        self._used = used
        self._originals = originals
        self._given: dict[str, str] = {}
        self._domains: dict[str, str] = {}
        self._registrable: dict[str, str] = {}
        self._initials: dict[str, str] = {}
        names = (each.canonical for each in vault.identities.values() if each.entity.form == "name")
        self._apart = {name.replace("'", ""): name for name in sorted(names) if "'" in name and " " not in name}
        self._kinds = {
            kind: other for group in _KINDS for kind, other in _ring(sorted(words[group]), key, group).items()
        }

    def of_text(self, identity: Identity, surface: str) -> str:
        """Return a name or an address word by word; particles and regions stay, a kind of street becomes another."""
        address = identity.entity.form == "address"
        kept = self._words["address_words"] if address else self._words["name_particles"]

        def stand_in(found: re.Match[str]) -> str:
            token = found.group()
            known = (
                identity.entity.name == "title" or folded(token) in self._vault.identities
            )  # somebody is called Lane
            region = address and token.isalpha() and token.isupper() and len(token) == 2  # OR, CA
            if known or not (folded(token) in kept or region):
                return self.of(token)
            return cased_like(self._kinds.get(folded(token), token), token) if address else token

        return unicodedata.normalize("NFC", _TOKEN.sub(stand_in, surface))

    def of(self, token: str) -> str:
        """Return the stand-in of one word in its case; numbers stay numbers.

        Raises `RedactionRefused` when no word is left, which takes more people than a trace can hold.
        """
        canonical = folded(token)
        if len(canonical) == 1 and canonical.isalpha() and (initial := self._initial(canonical)):
            return cased_like(initial, token)
        if f"{'.'.join(canonical)}." in self._vault.identities:  # somebody's initials, here without their full stops
            return cased_like("".join(map(self._initial, canonical)), token)
        if (parts := family_and_given(token, self._words["unspaced_family_names"])) is not None:
            return "".join(map(self.of, parts))
        if (apart := self._apart.get(canonical)) is not None:  # ODwyer, who is O'Dwyer elsewhere
            return cased_like("".join(map(self.of, _TOKEN.findall(apart))), token)
        if canonical not in self._given:
            made = self._given[canonical] = self._drawn(token, canonical)
            self._used.add(folded(made))
        return cased_like(self._given[canonical], token)

    def _initial(self, letter: str) -> str:
        """Return the letter with which the stand-ins of all words begin that begin with a folded letter; never its own.

        So every initial is that of its name, wherever it stands. Empty where the script has no other letter.
        """
        if letter not in self._initials:
            letters = letters_beside(letter)
            alphabet = letter in letters and not is_unspaced(letter)
            self._initials.update(_ring(letters, self._key, "initial") if alphabet else {letter: letter})
        made = self._initials.get(letter, "")
        return made if made != letter else ""

    def _drawn(self, token: str, canonical: str) -> str:
        numeric = any(map(str.isdigit, token))
        composed = unicodedata.normalize("NFC", canonical)
        for attempt in range(MAX_DRAWS):
            stream = Stream(self._key, "token", canonical, str(attempt))
            grown = attempt // PATIENCE
            if numeric:
                made = forms.record(forms.grown(token, grown), stream, frozenset())
            else:
                made = name_like(forms.grown(composed, grown), stream, self._initial(canonical[0]))
            lowered = folded(made)
            if (
                lowered != canonical
                and lowered not in self._used
                and lowered not in self._originals
                and lowered not in self._words["vocabulary"]
            ):
                return made
        raise RedactionRefused("no free name is left in this case")

    def domain(self, domain: str) -> str:
        """Return the stand-in of a mail or host domain: reserved ones stay, all others move below ``.example``.

        Different domains stay different, even where only the top level differs.
        """
        lowered = folded(domain).strip(".")
        if lowered not in self._domains:
            self._domains[lowered] = lowered if self._is_reserved(lowered) else self._moved(lowered)
        made = self._domains[lowered]
        return domain if made == lowered else cased_like(made, domain)

    def _is_reserved(self, domain: str) -> bool:
        if any(not occurrence.identity.word for occurrence in self._vault.find(fold(domain))):
            return False
        reserved = self._words["reserved_domains"]
        labels = domain.split(".")
        return any(".".join(labels[first:]) in reserved for first in range(len(labels)))

    def _moved(self, domain: str) -> str:
        labels = domain.split(".")
        public = 2 if len(labels) > 2 and labels[-2] in self._words["second_level"] else 1
        first = max(0, len(labels) - public - 1)
        return ".".join((*map(self._label, labels[:first]), self._registered(labels[first:])))

    def _registered(self, labels: Sequence[str]) -> str:
        """Return the stand-in of what somebody registered, told apart from the same name below another top level."""
        domain = ".".join(labels)
        if domain in self._words["free_mail"]:
            return f"{_FREE}{_ring_place(domain, self._words['free_mail'], self._key)}.example"
        if domain not in self._registrable:
            label = self._label(labels[0])
            attempt = 0
            while f"{label}.example" in self._used:
                label += name_like("x", Stream(self._key, "domain", domain, str(attempt)))
                attempt += 1
            self._registrable[domain] = f"{label}.example"
            self._used.add(f"{label}.example")
        return self._registrable[domain]

    def _label(self, label: str) -> str:
        if label in self._words["type_words"]:
            return label
        return re.sub(r"[^\W_\d]+|\d+", lambda found: self.of(found.group()).lower(), label)


def _ring_place(member: str, members: Iterable[str], key: bytes) -> int:
    """Return the place of a member, from 1, in a keyed order of all: the same number of stand-ins as there are members."""
    return 1 + sorted(members, key=lambda other: keyed_digest(key, "free-mail", other)).index(member)


def _ring(members: Iterable[str], key: bytes, purpose: str) -> dict[str, str]:
    """Return a stand-in for each of a few members among themselves; none is its own."""
    ring = sorted(members, key=lambda member: keyed_digest(key, purpose, member))
    return dict(zip(ring, ring[1:] + ring[:1], strict=True))
