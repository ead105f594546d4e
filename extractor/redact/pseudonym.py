"""One pseudonym per identity: keyed, injective within the case, never an original, derived where originals are derived.

Identities are taken in an order that depends on their texts alone, and each draws candidates until one is free; so the
assignment does not depend on the order of the input, and small formats never collide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from itertools import takewhile

from ..errors import RedactionRefused
from . import casing, dates, forms
from .checks import digits
from .draw import Stream, cased_like, digits_like, pour, shape_like
from .fold import fold, folded
from .joined import Piece
from .joined import forms as joined_forms
from .longer import is_inside_another
from .prefix import algorithm, type_prefix
from .taken import LAST, Taken
from .tokens import MAX_DRAWS, PATIENCE, Tokens
from .vault import Identity, Vault

_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_WORD = re.compile(r"[^\W\d_]+")
_RUN = re.compile(r"\d+|[^\W\d_]+")
# What others are derived from comes first; of one group, the shorter first.
_ORDER = {"name": 0, "address": 1, "date": 2, "digits": 3, "ip": 3, "mac": 3, "secret": 5}
_NATIONAL = 9  # digits that a number has wherever it is dialled from
_COUNTRY = 4  # digits before them
_NUMBER = re.compile(r"\d+")
_STRICT = 16  # draws that may hold not even such a value, nor a word, nor what stands for another value


def _regrouped(given: str, surface: str) -> str | None:
    """Return a stand-in in the groups of another spelling, None where it has those already or cannot be put into them."""
    plain = "".join(filter(str.isalnum, given))
    apart = [[char for char in text if not char.isalnum()] for text in (given, surface)]
    return pour(plain, surface) if apart[0] != apart[1] and len(plain) == sum(map(str.isalnum, surface)) else None


class Pseudonyms:
    """The stand-ins of all identities of a vault."""

    def __init__(self, vault: Vault, key: bytes, *, words: Mapping[str, frozenset[str]], today: date | None) -> None:
        self._vault = vault
        self._key = key
        self._words = words
        self._given: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._phones: dict[str, tuple[str, str]] = {}
        self._taken = Taken(vault, key)
        self._tokens = Tokens(vault, key, words, self._taken.used, self._taken.originals)
        self._assign(today)

    def of(self, identity: Identity, surface: str) -> str:
        """Return the pseudonym of an identity in the spelling of an original: its case, separators and format."""
        surface = fold(surface).clean  # without what an encoding or an odd spelling put between its characters
        if (source := identity.digest) is not None:
            return source.of(self.of(self._vault.identities[source.canonical], source.spelling), surface)
        given = self._given[identity.canonical]
        form = identity.entity.form
        if form != "name" and (named := self._named(surface)) is not None and folded(named) == folded(given):
            return named
        if form == "date":
            return dates.respell(given, surface)
        if form == "name" and (
            pieces := joined_forms(identity.text, self._words["name_particles"]).get(folded(surface))
        ):
            return self._joined(identity, pieces, surface)
        if form in ("name", "address"):
            return self._tokens.of_text(identity, surface)
        if form in ("digits", "mac") or identity.canonical.isdigit():
            alphanumeric = "".join(filter(str.isalnum, given))
            return pour(alphanumeric, surface) if len(alphanumeric) == sum(map(str.isalnum, surface)) else given
        if form == "id" and surface.startswith("#") and not given.startswith("#"):
            given = "#" + given
        if form == "id" and surface != identity.text and (regrouped := _regrouped(given, surface)) is not None:
            given = regrouped
        as_made = surface == identity.text or (form == "secret" and surface.strip() in identity.spellings)
        if form in ("id", "secret", "handle", "mail") and surface != identity.text and casing.is_mixed(surface):
            return casing.like_each(given, surface)
        return given if as_made else casing.like_whole(given, surface)

    def _named(self, text: str) -> str | None:
        """Return what stands for a text that is a known person's name in one word."""
        person = self._vault.by_alias(text)
        return self.of(person, text) if person is not None and person.entity.form == "name" else None

    def _joined(self, identity: Identity, pieces: Sequence[Piece], surface: str) -> str:
        """Return a name in one word, made of the same stand-ins as the words apart."""
        made: list[str] = []
        position = 0
        for piece in pieces:
            letters = "".join(filter(str.isalnum, self._tokens.of_text(identity, piece.word)))
            end = position + len(piece.text)
            made.append(cased_like(letters[:1] if piece.initial else letters, surface[position:end]))
            position = end
        return "".join(made)

    def part_of(self, identity: Identity, piece: str) -> str:
        """Return what stands in place of a piece of a value whose rest another, longer value claims."""
        if identity.entity.form in ("name", "address"):
            return self._tokens.of_text(identity, piece)
        return shape_like(piece, Stream(self._key, "part", identity.canonical, piece))

    def _assign(self, today: date | None) -> None:
        identities = sorted(
            self._vault.sorted(),
            key=lambda identity: (
                identity.digest is not None,
                _ORDER.get(identity.entity.form, 4),
                len(identity.canonical),
                identity.canonical,
            ),
        )
        personal = [identity for identity in identities if identity.entity.form == "date"]
        shifted = dates.shift([identity.text for identity in personal], self._key, today)
        for identity in identities:
            if identity.digest is not None:
                self._take(identity, self.of(identity, identity.text))
            elif identity.entity.form == "date":
                self._take(identity, shifted[identity.text])
            elif identity.entity.form in ("name", "address"):
                self._given[identity.canonical] = ""  # made of words, see Tokens
                made = self._tokens.of_text(identity, fold(identity.text).clean)
                if len(letters := "".join(filter(str.isalpha, made))) == len(_WORD.findall(made)) > 1:
                    self._taken.used.add(folded(letters))  # initials, Z. E.: an id that held ZE would seem to be theirs
            else:
                self._take(identity, self._free(identity))

    def _take(self, identity: Identity, given: str) -> None:
        self._given[identity.canonical] = given
        self._taken.take(identity, given)
        if identity.entity.name == "phone" and len(identity.canonical) >= _NATIONAL:
            self._phones.setdefault(identity.canonical[-_NATIONAL:], (identity.canonical, digits(given)))
        if len(identity.canonical) == LAST and any(rule.startswith("last_four") for rule in identity.rules):
            self._tails[identity.canonical] = given

    def _free(self, identity: Identity) -> str:
        make = self._maker(identity)
        for attempt in range(MAX_DRAWS):
            if attempt == PATIENCE and (number := self._taken.left_over(identity)):
                return number
            stream = Stream(self._key, identity.entity.form, identity.canonical, str(attempt))
            candidate = make(stream, attempt // PATIENCE)
            strict = attempt < _STRICT
            if self._taken.is_free(candidate, identity, strict=strict) and not (
                strict and self._meets(candidate, identity)
            ):
                return candidate
        raise RedactionRefused(f"no free pseudonym of class {identity.entity.name} is left in this case")

    def _meets(self, candidate: str, identity: Identity) -> bool:
        """Tell whether an id holds by chance what stands for another value: it would tell a relation that never was."""
        if identity.entity.form != "id":
            return False
        met = {run for run in _RUN.findall(folded(candidate)) if len(run) > 1 and run in self._taken.used}
        for start, end, inner in self._inside(identity.text, identity) if met else ():
            met.difference_update(_RUN.findall(folded(self.of(inner, identity.text[start:end]))))
        return bool(met)

    def _maker(self, identity: Identity) -> Callable[[Stream, int], str]:
        """Return what draws candidates, longer ones on demand: no value lost, no two made one, goes before length."""
        entity, text = identity.entity, identity.text
        if entity.form == "digits":
            short = entity.name == "last_four" or len(identity.canonical) <= LAST
            tail = "" if short else self._tail_of(identity.canonical)
            if entity.name == "phone" and (same := self._dialled(identity.canonical)) is not None:
                return lambda stream, extra: (
                    forms.number(entity.name, text, stream, tail, extra=extra) if extra else pour(same, text)
                )
            return lambda stream, extra: forms.number(entity.name, text, stream, tail, extra=extra)
        if entity.form == "ip":
            return lambda stream, extra: forms.address_of_host(text, stream, reserve=extra)
        if entity.form == "mac":
            return lambda stream, _: forms.mac(text, stream)
        if entity.form == "coordinate":
            return lambda stream, extra: forms.coordinate(text, stream, extra=extra)
        if entity.form == "host":
            return self._host_maker(identity)
        if entity.form == "secret":
            prefixes = self._words["secret_prefixes"]
            return lambda stream, extra: forms.secret(forms.grown(text, extra), stream, prefixes)
        if entity.form == "mail":
            local, _, domain = text.rpartition("@")
            return lambda stream, extra: (
                self._composite(forms.grown(local, extra), identity, stream, self._mailbox_piece)
                + "@"
                + self._mail_domain(domain, identity)
            )
        if (named := self._named(text)) is not None:
            return lambda stream, extra: named + digits_like("1" * extra, stream)
        plain = text.lstrip("#") if entity.form == "id" else text
        head = self._head(plain, identity)
        tail = "" if forms.is_random(text) else self._tail_of(text)

        def make(stream: Stream, extra: int) -> str:
            made = self._composite(forms.grown(plain, extra), identity, stream, self._record_piece)
            return forms.ending_in(self._headed(head, made, identity), "" if extra else tail)

        return make

    def _headed(self, head: str, made: str, identity: Identity) -> str:
        """Return an id's stand-in with the head that stays, unless a known value with a stand-in of its own begins there, or it is what
        stands for another value.
        """
        inside = self._inside(identity.text.lstrip("#"), identity) if head else []
        met = any(folded(word) in self._taken.used for word in _WORD.findall(head))
        return made if met or (inside and inside[0][0] < len(head)) else head + made[len(head) :]

    def _head(self, text: str, identity: Identity) -> str:
        """Return what of an id says its type or its digest's algorithm, and stays."""
        if identity.entity.form != "id":
            return ""
        personal = identity.entity.name in self._words["personal_entities"]
        return algorithm(text) or ("" if personal else type_prefix(text, self._words["type_words"], self._is_somebody))

    def _is_somebody(self, word: str) -> bool:
        """Tell whether a word is known by itself, or as somebody's initials."""
        return self._vault.by_surface(word) is not None or f"{'.'.join(word)}." in self._vault.identities

    def _tail_of(self, text: str) -> str:
        """Return what stands for the last four digits of a text's last number, where they are known by themselves."""
        numbers = _NUMBER.findall(text)
        return self._tails.get(numbers[-1][-LAST:], "") if numbers and len(numbers[-1]) > LAST else ""

    def _dialled(self, number: str) -> str | None:
        """Return the stand-in of a telephone that has one already, called from home or from abroad."""
        known, given = self._phones.get(number[-_NATIONAL:], ("", ""))
        pairs = zip(reversed(number), reversed(known), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if not known or len(given) != len(known) or len(number) - same > _COUNTRY:
            return None
        return number[: len(number) - same] + given[len(given) - same :]

    def _host_maker(self, identity: Identity) -> Callable[[Stream, int], str]:
        """Return what draws hosts: a network's own top level and a port stay, what others registered moves."""
        head, suffix = forms.host_parts(identity.text, self._words["internal_domains"])
        public = self._tokens.domain(head) if "." in head and not suffix.strip(":,0123456789") else head
        if folded(public) != folded(head):
            return lambda stream, extra: public + digits_like("1" * extra, stream) * bool(extra) + suffix
        return lambda stream, extra: (
            self._composite(forms.grown(head, extra), identity, stream, self._record_piece) + suffix
        )

    def _composite(
        self, text: str, identity: Identity, stream: Stream, piece: Callable[[str, Identity, Stream], str]
    ) -> str:
        """Return a text in which shorter known values carry their own pseudonyms and the rest is redrawn."""
        pieces: list[str] = []
        position = 0
        for start, end, inner in self._inside(text, identity):
            pieces.append(piece(text[position:start], identity, stream))
            pieces.append(self.of(inner, text[start:end]))
            position = end
        pieces.append(piece(text[position:], identity, stream))
        return "".join(pieces)

    def _inside(self, text: str, identity: Identity) -> list[tuple[int, int, Identity]]:
        if forms.is_random(text):
            return []  # what stands in a UUID or a digest stands there by chance
        view = fold(text)
        found: list[tuple[int, int, Identity]] = []
        doubtful: list[tuple[int, int, Identity]] = []
        for occurrence in sorted(self._vault.find(view), key=lambda found_: (found_.start - found_.end, found_.start)):
            inner = occurrence.identity
            if inner is identity or inner.canonical not in self._given or inner.entity.form == "secret":
                continue
            if is_inside_another(view, occurrence):
                continue  # a number in the middle of a longer one is chance, not a part
            if occurrence.end - occurrence.start >= len(view.text) and identity.entity.form != "mail":
                continue
            start, end = view.original(occurrence.start, occurrence.end)
            if not all(end <= taken or start >= stop for taken, stop, _ in found):
                continue
            if inner.word and view.text[occurrence.start : occurrence.end] in self._kept(identity):
                doubtful.append((start, end, inner))  # somebody is called Card, and this is a card's number
            else:
                found.append((start, end, inner))
        names = [(start, end) for start, end, inner in found if inner.entity.form == "name"]
        for start, end, inner in doubtful:  # beside the first name it is the last one: ana_guest_3120
            if any(end + 1 == other or stop + 1 == start for other, stop in names):
                found.append((start, end, inner))
        return sorted(found, key=lambda item: item[0])

    def _kept(self, identity: Identity) -> frozenset[str]:
        # Ids of people are made of their names, and names can be type words: only words for a person stay there.
        personal = identity.entity.name in self._words["personal_entities"]
        return self._words["person_type_words" if personal else "type_words"]

    def _record_piece(self, text: str, identity: Identity, stream: Stream) -> str:
        personal = identity.entity.name in self._words["personal_entities"]
        return forms.record(text, stream, self._kept(identity), serials=not personal)

    def _mailbox_piece(self, text: str, _: Identity, stream: Stream) -> str:
        def stand_in(run: re.Match[str]) -> str:
            if run.group().isdigit():
                return forms.record(run.group(), stream, frozenset())
            if run.group().lower() in self._words["role_mailboxes"]:
                return run.group()
            return self._tokens.of(run.group())

        return _RUN.sub(stand_in, text)

    def _mail_domain(self, domain: str, identity: Identity) -> str:
        host = self._vault.by_surface(domain)
        if host is not None and host is not identity and self._given.get(host.canonical):
            return self.of(host, domain)
        return self._tokens.domain(domain)
