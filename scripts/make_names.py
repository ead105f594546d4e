"""Build rules/vocabulary/given.txt and family.txt: people's names of many languages, lower case, without marks.

Takes what is nothing but a name out of en.txt. Run in a throwaway environment:
``pip install Faker==40.63.0 names==0.3.0 symspellpy==6.10.1``, then ``python scripts/make_names.py``, after
``make_vocabulary.py``. Sources and licences: rules/vocabulary/README.md.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from make_vocabulary import CALENDAR, COLOURS, FAMILY, GIVEN, SPARED, guided_counts, shares

FOLDER = Path(__file__).resolve().parent.parent / "rules" / "vocabulary"
MEMBERS = {
    "given": ("first_names", "first_names_male", "first_names_female", "first_names_nonbinary"),
    "family": ("last_names", "last_names_male", "last_names_female"),
}
MOST_FAMILY = 20_000  # of the census, the most frequent first
LEAST = 3  # letters; two are as likely a code or a word
SHARED = 2  # languages in which a given name must be listed to be one whatever the word list says
NOT_ONLY_NAMES = "april august june january november october september sunday brit dag emir indiana mar mats nadir rune sienna sonata tilde tor"
NAME = re.compile(r"[a-z]+")
LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "ß": "ss", "ı": "i", "ð": "d", "þ": "th"})


def main() -> None:
    """Write both lists, one name a line, sorted."""
    for kind, census in (("given", GIVEN), ("family", FAMILY)):
        listed = shares(census)
        ranked = sorted(listed, key=lambda name: (-listed[name], name))[:MOST_FAMILY]
        names = {plain for name in (*ranked, *from_faker(MEMBERS[kind])) for plain in spelled(name)}
        (FOLDER / f"{kind}.txt").write_text("".join(name + "\n" for name in sorted(names)), "ascii")
    purge()


def purge() -> None:
    """Take out of the word list the given names that several languages share and that follow no *the*, *your*, *very*."""
    languages: Counter[str] = Counter()
    for _, names in groupby(sorted(located(MEMBERS["given"])), key=itemgetter(0)):
        languages.update({plain for _, name in names for plain in spelled(name)})
    guided = guided_counts()
    spared = set(f"{COLOURS} {CALENDAR} {SPARED} {NOT_ONLY_NAMES}".split())
    words = (FOLDER / "en.txt").read_text("ascii").split()
    kept = [word for word in words if word in spared or languages[word] < SHARED or guided[word]]
    (FOLDER / "en.txt").write_text("".join(word + "\n" for word in kept), "ascii")


def from_faker(members: Iterable[str]) -> Iterator[str]:
    """Yield the names of every locale, in whatever script it writes them."""
    yield from (name for _, name in located(members))


def located(members: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names with the language of their locale."""
    package = importlib.import_module("faker.providers.person")
    for found in pkgutil.iter_modules(package.__path__):
        provider = getattr(importlib.import_module(f"faker.providers.person.{found.name}"), "Provider", None)
        for member in members:
            values = getattr(provider, member, ())
            if isinstance(values, Iterable):  # some locales compute theirs from others
                yield from ((found.name.partition("_")[0], name) for name in values)


def spelled(name: str) -> Iterator[str]:
    """Yield the words of a name that are written in Latin letters, without marks."""
    plain = unicodedata.normalize("NFKD", name.lower().translate(LETTERS))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    for word in re.split(r"[ '’.-]+", plain):
        if len(word) >= LEAST and NAME.fullmatch(word):
            yield word


if __name__ == "__main__":
    main()
