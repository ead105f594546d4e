"""What is known of a trace: identities, every spelling under which they were met, and one matcher for all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick, MatchKind

from .digests import Source
from .fold import Folded, at_boundary, folded
from .rules import Entity

_LEAST_GROUPED = 6  # letters and digits
_LEAST_FIGURES = 2
_SPACED = re.compile(r"\d(?: \d)+")
"""A PIN as somebody dictates it."""

SUBSTRING_LENGTH = 8  # from here a value is searched inside longer words too
SUBSTRING_DIGITS = 6


@dataclass(slots=True)
class Identity:
    """One identifier of the source. ``text`` is its spelling that sorts first, ``canonical`` what all share.

    ``word`` identities are single tokens that could be ordinary words; ``local`` ones were found by the language model
    alone and hold only where it found them; ``number`` ones stood as a JSON number somewhere, so their stand-ins must too.
    ``digest`` says of what other identity this one is a plain digest. ``met`` are aliases that were replaced somewhere.
    """

    canonical: str
    entity: Entity
    text: str = field(repr=False)
    rules: dict[str, int] = field(default_factory=dict)
    word: bool = False
    local: bool = False
    number: bool = False
    digest: Source | None = None
    spellings: set[str] = field(default_factory=set, repr=False)
    met: set[str] = field(default_factory=set, repr=False)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An identity at ``[start, end)`` of a folded text."""

    start: int
    end: int
    identity: Identity


class Vault:
    """All identities of one trace. Adding is order-independent: what wins is decided by rank and text alone."""

    def __init__(self) -> None:
        self.identities: dict[str, Identity] = {}
        self._claims: dict[str, set[str]] = {}
        self._aliases: dict[str, set[str]] = {}
        self._tokens: set[str] = set()
        self._index: _Index | None = None

    def add(
        self,
        text: str,
        entity: Entity,
        rule: str,
        *,
        word: bool = False,
        local: bool = False,
        number: bool = False,
        aliases: Iterable[str] = (),
        abbreviations: Iterable[str] = (),
    ) -> Identity | None:
        """Record a value; equal canonical forms are one identity, of the entity with the lower rank.

        A value that another rule also knows for sure is neither a mere word nor local. ``aliases`` are other spellings
        of the same value, to be found as well; ``abbreviations`` are others that count as a token alone.
        """
        surface = folded(text).strip()
        canonical = canonical_form(surface, entity)
        if not canonical:
            return None
        known = self.identities.get(canonical)
        if known is None:
            known = Identity(canonical=canonical, entity=entity, text=text.strip(), word=word, local=local)
            self.identities[canonical] = known
        else:
            known.entity = min(known.entity, entity, key=lambda one: _claim(one, surface))
            known.text = min(known.text, text.strip())
            known.word = known.word and word
            known.local = known.local and local
        known.number = known.number or number
        known.rules[rule] = known.rules.get(rule, 0) + 1
        known.spellings.add(text.strip())
        self._claims.setdefault(surface, set()).add(canonical)
        if entity.form == "id":
            self._claims.setdefault(canonical, set()).add(canonical)  # without the number sign, as URLs spell it
        for alias in aliases:
            self._aliases.setdefault(folded(alias).strip(), set()).add(canonical)
        for abbreviation in abbreviations:
            self._aliases.setdefault(abbreviation, set()).add(canonical)
            self._tokens.add(abbreviation)
        self._index = None
        return known

    def by_surface(self, text: str) -> Identity | None:
        """Return the identity that a whole text spells, if any."""
        return self._indexed().surfaces.get(folded(text).strip())

    def by_alias(self, text: str) -> Identity | None:
        """Return the identity of which a whole text is another spelling, whatever else it may be by itself."""
        claims = self._aliases.get(folded(text).strip())
        return self._winner(claims) if claims else None

    def is_abbreviation(self, text: str) -> bool:
        """Tell whether a text is an abbreviation of some value: too short to mean that value inside other words."""
        return folded(text).strip() in self._tokens

    def find(self, view: Folded) -> Iterator[Occurrence]:
        """Yield every occurrence of a non-local identity, overlapping ones included, boundaries respected."""
        index = self._indexed()
        if not index.order:
            return
        for number, start, end in index.matcher.find_matches_as_indexes(view.text, overlapping=True):
            surface, identity = index.order[number]
            anywhere = is_long(surface) and not identity.word and identity.entity.form != "date"  # 1/2/1990, 11/2/1990
            anywhere = anywhere and surface not in self._tokens
            if anywhere or at_boundary(view.clean, start, end):
                yield Occurrence(start, end, identity)

    def find_digits(self, digits: str) -> Iterator[Occurrence]:
        """Yield every known number of `SUBSTRING_DIGITS` digits or more in a run of digits."""
        index = self._indexed()
        if index.numbers:
            for number, start, end in index.digits.find_matches_as_indexes(digits, overlapping=True):
                yield Occurrence(start, end, index.numbers[number])

    def find_respelled(self, squeezed: str) -> Iterator[Occurrence]:
        """Yield every known id of letters and digits in a text of nothing else, whatever separated its groups."""
        index = self._indexed()
        if index.mixed:
            for number, start, end in index.groups.find_matches_as_indexes(squeezed, overlapping=True):
                yield Occurrence(start, end, index.mixed[number])

    def _indexed(self) -> _Index:
        if self._index is None:
            surfaces = {surface: self._winner(claims) for surface, claims in self._claims.items()}
            for alias, claims in self._aliases.items():
                if alias not in surfaces or surfaces[alias].word:  # a mailbox alone tells not that it is two names
                    surfaces[alias] = self._winner(claims)
            self._index = _Index(surfaces)
        return self._index

    def _winner(self, claims: Iterable[str]) -> Identity:
        """Return, of several identities that one text spells, the same one whatever the order they came in."""
        return min(map(self.identities.__getitem__, claims), key=_precedence)

    def sorted(self) -> list[Identity]:
        """Return all identities in an order that depends on their texts alone."""
        return sorted(self.identities.values(), key=_precedence)


class _Index:
    """The matchers over all surfaces; made anew when a value was added."""

    def __init__(self, surfaces: Mapping[str, Identity]) -> None:
        self.surfaces = surfaces
        self.order = [(surface, identity) for surface, identity in sorted(surfaces.items()) if not identity.local]
        self.matcher = AhoCorasick([surface for surface, _ in self.order], matchkind=MatchKind.Standard)
        known = {identity.canonical: identity for _, identity in self.order}
        plain = {
            canonical: identity
            for canonical, identity in known.items()
            if canonical.isdigit() and len(canonical) >= SUBSTRING_DIGITS
        }
        self.numbers = list(plain.values())
        self.digits = AhoCorasick(list(plain), matchkind=MatchKind.Standard)
        mixed = {
            squeezed: identity for canonical, identity in known.items() if (squeezed := _grouped(canonical, identity))
        }
        self.mixed = list(mixed.values())
        self.groups = AhoCorasick(list(mixed), matchkind=MatchKind.Standard)


def _grouped(canonical: str, identity: Identity) -> str | None:
    """Return the letters and digits of an id that people may write in other groups, None for one too short or too plain for that."""
    if identity.entity.form not in ("id", "digits") or identity.word:
        return None
    squeezed = "".join(filter(str.isalnum, canonical))
    figures = sum(map(str.isdigit, squeezed))
    return squeezed if len(squeezed) >= _LEAST_GROUPED and _LEAST_FIGURES <= figures < len(squeezed) else None


def _claim(entity: Entity, surface: str) -> tuple[bool, int, str]:
    """Return what of two entities that claim one value goes first: a word that is a name is one as somebody's login, too."""
    return not (surface.isalpha() and entity.form == "name"), entity.rank, entity.name


def _precedence(identity: Identity) -> tuple[int, str]:
    return identity.entity.rank, identity.canonical


def is_long(surface: str) -> bool:
    """Tell whether a value is so long that it counts inside longer words and numbers too."""
    digits = sum(map(str.isdigit, surface))
    return len(surface) >= SUBSTRING_LENGTH or (digits >= SUBSTRING_DIGITS)


def canonical_form(surface: str, entity: Entity) -> str:
    """Return what all spellings of a value share: digits only for numbers and dictated PINs, no leading ``#`` for ids, single spaces."""
    if entity.form in ("digits", "mac"):
        return "".join(char for char in surface if char.isalnum()) or surface
    if entity.form == "id":
        return surface.lstrip("#")
    if entity.form == "secret" and _SPACED.fullmatch(surface):
        return surface.replace(" ", "")
    return " ".join(surface.split())
