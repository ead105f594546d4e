"""One pseudonym per identity: keyed, injective within the case, never an original, derived where originals are derived.

Identities are taken in an order that depends on their texts alone, and each draws candidates until one is free; so the
assignment does not depend on the order of the input, and small formats never collide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date

from ..errors import RedactionRefused
from . import dates, forms
from .draw import Stream, cased_like, name_like, pour, shape_like
from .fold import fold, folded
from .vault import Identity, Vault, canonical_form

_MAX_DRAWS = 4_096
_CROWDED = 256
_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)
_ORDER = ("name", "host", "digits", "date", "ip", "mac", "handle", "address", "id", "mail", "secret", "coordinate")


class Pseudonyms:
    """The stand-ins of all identities of a vault."""

    def __init__(self, vault: Vault, key: bytes, *, words: Mapping[str, frozenset[str]], today: date | None) -> None:
        self._vault = vault
        self._key = key
        self._words = words
        self._given: dict[str, str] = {}
        self._used: set[str] = set()
        self._tails: dict[str, str] = {}
        self._originals = set(_original_texts(vault))
        self._assign(today)

    def of(self, identity: Identity, surface: str) -> str:
        """Return the pseudonym of an identity in the spelling of an original: its case, separators and format."""
        given = self._given[identity.canonical]
        surface = fold(surface).clean  # without what an encoding or an odd spelling put between its characters
        form = identity.entity.form
        if form == "date":
            return dates.respell(given, surface)
        if form in ("name", "address"):
            return self._tokens(identity, surface)
        if form == "digits" or identity.canonical.isdigit():
            alphanumeric = "".join(filter(str.isalnum, given))
            return pour(alphanumeric, surface) if len(alphanumeric) == sum(map(str.isalnum, surface)) else given
        if form == "id" and surface.startswith("#") and not given.startswith("#"):
            given = "#" + given
        if surface.strip() in identity.spellings:
            return given if surface == identity.text or form == "secret" else cased_like_exact(given, surface)
        return cased_like_exact(given, surface)

    def part_of(self, identity: Identity, piece: str) -> str:
        """Return what stands in place of a piece of a value whose rest another, longer value claims."""
        if identity.entity.form in ("name", "address"):
            return self._tokens(identity, piece)
        return shape_like(piece, Stream(self._key, "part", identity.canonical, piece))

    def _assign(self, today: date | None) -> None:
        identities = sorted(
            self._vault.sorted(),
            key=lambda identity: (_ORDER.index(identity.entity.form), len(identity.canonical), identity.canonical),
        )
        personal = [identity for identity in identities if identity.entity.form == "date"]
        shifted = dates.shift([identity.text for identity in personal], self._key, today)
        for identity in identities:
            if identity.entity.form == "date":
                self._take(identity, shifted[identity.text])
            elif identity.entity.form in ("name", "address"):
                self._given[identity.canonical] = ""  # made of tokens, see _tokens
                for token in _TOKEN.findall(identity.text):
                    self._token(token)
            else:
                self._take(identity, self._free(identity))

    def _take(self, identity: Identity, given: str) -> None:
        self._given[identity.canonical] = given
        self._used.add(folded(given))

    def _free(self, identity: Identity) -> str:
        make = self._maker(identity)
        for attempt in range(_MAX_DRAWS):
            stream = Stream(self._key, identity.entity.form, identity.canonical, str(attempt))
            candidate = make(stream)
            if attempt >= _CROWDED and identity.entity.form == "id":
                candidate += stream.choice("0123456789")  # the case holds most ids of this shape; a longer one is free
            if self._is_free(candidate, identity):
                if identity.entity.name == "last_four":
                    self._tails[identity.canonical] = candidate
                return candidate
        raise RedactionRefused(f"no free pseudonym of class {identity.entity.name} is left in this case")

    def _is_free(self, candidate: str, identity: Identity) -> bool:
        lowered = folded(candidate)
        canonical = canonical_form(lowered, identity.entity)
        if lowered in self._used or lowered in self._originals or canonical in self._vault.identities:
            return False
        # A longer pseudonym must not hold an original either, save what it derives from on purpose.
        return not any(
            self._vault.identities.get(occurrence.identity.canonical) is not None
            and not occurrence.identity.word
            and len(occurrence.identity.canonical) > 3  # shorter ones are met by chance
            for occurrence in self._vault.find(fold(candidate))
        )

    def _maker(self, identity: Identity) -> Callable[[Stream], str]:
        form = identity.entity.form
        text = identity.text
        if form == "digits":
            tail = next((new for old, new in sorted(self._tails.items()) if identity.canonical.endswith(old)), "")
            if identity.entity.name == "last_four":
                tail = ""
            return lambda stream: forms.number(identity.entity.name, text, stream, tail)
        if form == "ip":
            return lambda stream: forms.address_of_host(text, stream)
        if form == "mac":
            return lambda stream: forms.mac(text, stream)
        if form == "secret":
            return lambda stream: forms.secret(text, stream, self._words.get("secret_prefixes", frozenset()))
        if form == "mail":
            return lambda stream: self._mailbox(text, stream)
        return lambda stream: self._composite(identity, stream)

    def _composite(self, identity: Identity, stream: Stream) -> str:
        """Return an id in which shorter known values carry their own pseudonyms and the rest is redrawn."""
        text = identity.text.lstrip("#") if identity.entity.form == "id" else identity.text
        pieces: list[str] = []
        position = 0
        for start, end, inner in self._inside(text, identity):
            pieces.append(self._redrawn(text[position:start], identity, stream))
            pieces.append(self.of(inner, text[start:end]))
            position = end
        pieces.append(self._redrawn(text[position:], identity, stream))
        return "".join(pieces)

    def _inside(self, text: str, identity: Identity) -> list[tuple[int, int, Identity]]:
        view = fold(text)
        found: list[tuple[int, int, Identity]] = []
        for occurrence in sorted(self._vault.find(view), key=lambda found_: (found_.start - found_.end, found_.start)):
            inner = occurrence.identity
            if inner is identity or inner.canonical not in self._given or inner.entity.form == "secret":
                continue
            if occurrence.end - occurrence.start >= len(view.text):
                continue
            start, end = view.original(occurrence.start, occurrence.end)
            if all(end <= taken or start >= stop for taken, stop, _ in found):
                found.append((start, end, inner))
        return sorted(found, key=lambda item: item[0])

    def _redrawn(self, text: str, identity: Identity, stream: Stream) -> str:
        # Ids of people are made of their names, and names can be type words: only words for a person stay there.
        personal = identity.entity.name in self._words["personal_entities"]
        kept = self._words["person_type_words" if personal else "type_words"]
        return forms.record(text, stream, kept, serials=not personal)

    def _mailbox(self, text: str, stream: Stream) -> str:
        local, _, domain = text.rpartition("@")
        login = self._vault.identities.get(folded(local))
        if login is not None and self._given.get(login.canonical):
            return self.of(login, local) + "@" + self.domain(domain)
        pieces: list[str] = []
        position = 0
        for found in _TOKEN.finditer(local):
            pieces.append(local[position : found.start()])
            pieces.append(self._local_token(found.group(), stream))
            position = found.end()
        return "".join(pieces) + local[position:] + "@" + self.domain(domain)

    def _local_token(self, token: str, stream: Stream) -> str:
        out: list[str] = []
        for piece in re.findall(r"\d+|\D+", token):
            if piece.isdigit():
                out.append(forms.record(piece, stream, frozenset()))
            elif piece.lower() in self._words["role_mailboxes"]:
                out.append(piece)
            else:
                out.append(self._token(piece))
        return "".join(out)

    def domain(self, domain: str) -> str:
        """Return the stand-in of a mail or host domain: reserved ones stay, all others move below ``.example``."""
        lowered = folded(domain).strip(".")
        if lowered in self._words["reserved_domains"] or lowered.endswith(
            tuple("." + reserved for reserved in self._words["reserved_domains"])
        ):
            return domain
        labels = lowered.split(".")
        public = 2 if len(labels) > 2 and labels[-2] in self._words["second_level"] else 1
        registrable = labels[:-public] or labels
        return cased_like(".".join(map(self._domain_label, registrable)) + ".example", domain)

    def _domain_label(self, label: str) -> str:
        if label in self._words["type_words"]:
            return label
        return re.sub(r"[^\W_\d]+|\d+", lambda found: self._token(found.group()).lower(), label)

    def _tokens(self, identity: Identity, surface: str) -> str:
        address = identity.entity.form == "address"
        kept = self._words["address_words"] if address else self._words["name_particles"]

        def stand_in(found: re.Match[str]) -> str:
            token = found.group()
            known = folded(token) in self._vault.identities  # somebody is called Lane
            region = address and token.isupper() and len(token) == 2  # OR, CA
            return token if (folded(token) in kept or region) and not known else self._token(token)

        return _TOKEN.sub(stand_in, surface)

    def _token(self, token: str) -> str:
        """Return the stand-in of one word of a name or an address, in its case; numbers stay numbers."""
        canonical = folded(token)
        key = "token:" + canonical
        if key not in self._given:
            for attempt in range(_MAX_DRAWS):
                stream = Stream(self._key, "token", canonical, str(attempt))
                made = (
                    forms.record(token, stream, frozenset())
                    if any(map(str.isdigit, token))
                    else (name_like(canonical, stream) if len(canonical) > 1 else stream.choice("bcdfghjklmnpqrstvwz"))
                )
                taken = made.lower() in self._used and len(canonical) > 1
                if not taken and made.lower() not in self._originals and made.lower() not in self._words["vocabulary"]:
                    break
            else:
                raise RedactionRefused("no free name is left in this case")
            self._given[key] = made
            self._used.add(made.lower())
        return cased_like(self._given[key], token)


def _original_texts(vault: Vault) -> Iterator[str]:
    """Yield what no stand-in may be: every spelling, and every word of names and addresses, since those are redrawn alone."""
    for identity in vault.sorted():
        for spelling in identity.spellings:
            yield folded(spelling)
            if identity.entity.form in ("name", "address"):
                yield from _TOKEN.findall(folded(spelling))


def cased_like_exact(text: str, surface: str) -> str:
    """Return a pseudonym in all lower or all upper case where the spelling at hand is so, else as it was made."""
    letters = [char for char in surface if char.isalpha()]
    if letters and all(char.islower() for char in letters):
        return text.lower()
    if len(letters) > 1 and all(char.isupper() for char in letters):
        return text.upper()
    return text
