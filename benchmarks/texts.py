"""Recall and needless change on invented texts with known identifiers, ours beside plain Presidio: ``texts.py [N] [SEED]``."""

from __future__ import annotations

import logging
import os
import random
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import peer
from stdnum import iban, luhn

from extractor import ruleset
from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents

DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SLOT = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")
TOKEN = re.compile(r"[^\s,;()<>\"'{}=]*[^\W_][^\s,;()<>\"'{}=]*")
IBANS = ("GB", "DE", "ES", "NL")
SHOW = os.environ.get("SHOW", "")  # an entity whose misses are printed, or `needless`
HELD_OUT = 2  # every second template is never tuned on
NAMES = ("name", "first", "last", "NAME")
PARTLY = frozenset({"phone", "dob", "card"})  # a country code, the year, a test card's issuer stay by design
UNTELLING = re.compile(
    r"[^\W\d_]{1,2}\.?|van|von|der|del|della|bin|and|Box|P\.O\.|\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """An invented text. ``gold`` are the identifiers: entity and char range."""

    text: str
    gold: tuple[tuple[str, int, int], ...]
    held_out: bool


def main() -> None:
    """Print, for both halves of the templates, what each of the two covers and changes."""
    logging.disable(logging.CRITICAL)
    number, seed = (int(argument) for argument in [*sys.argv[1:3], *("600", "7")[len(sys.argv[1:3]) :]])
    texts = list(made(number, seed))
    for name, redact in (("plain Presidio", peer.plain()), ("ours", ours())):
        outputs = [redact(text.text) for text in texts]
        for held_out in (False, True):
            half = [(text, out) for text, out in zip(texts, outputs, strict=True) if text.held_out is held_out]
            print(f"{name}, {'held-out' if held_out else 'tuned'} templates:")
            report(half)


def ours() -> Callable[[str], str]:
    """Return our engine as a function of one text."""
    rules, key = ruleset.load(), WorkspaceKey(material=bytes(range(32)))
    return lambda text: str(redact_documents([text], rules, RunConfig(), key)[0])


def report(results: Sequence[tuple[Text, str]]) -> None:
    """Print spans and full cover for each entity, and the part of all other characters that changed."""
    spans: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    changed = others = 0
    for text, output in results:
        tokens = [(*found.span(), found.group()) for found in TOKEN.finditer(text.text)]
        survived = survivors([token for _, _, token in tokens], TOKEN.findall(output))
        golden = set()
        for entity, start, end in text.gold:
            inside = [number for number, (first, last, _) in enumerate(tokens) if first < end and last > start]
            golden.update(inside)
            spans[entity] += 1
            left = {number for number in survived.intersection(inside) if not UNTELLING.fullmatch(tokens[number][2])}
            if all(UNTELLING.fullmatch(tokens[number][2]) for number in inside):
                left = survived.intersection(inside)
            covered[entity] += len(left) < len(inside) if entity in PARTLY else not left
            if SHOW in (entity, "all") and (len(left) == len(inside) if entity in PARTLY else left):
                print("    MISS", entity, repr(text.text[start:end]), "|", repr(output))
        for number, (first, last, _) in enumerate(tokens):
            if number not in golden:
                others += last - first
                changed += (last - first) * (number not in survived)
                if SHOW == "needless" and number not in survived:
                    print("    CHANGED", text.text[first:last], "|", repr(text.text), "|", repr(output))
    line = (f"{entity} {covered[entity]}/{spans[entity]}" for entity in sorted(spans))
    print("  " + ", ".join(line))
    total = sum(spans.values())
    print(f"  spans {total}, fully covered {sum(covered.values()) / total:.1%}; needless {changed / others:.2%}")


def survivors(before: Sequence[str], after: Sequence[str]) -> set[int]:
    """Return the positions of the words that came through a redaction, in their order."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return {position for block in matcher.get_matching_blocks() for position in range(block.a, block.a + block.size)}


def made(number: int, seed: int) -> Iterator[Text]:
    """Yield texts, each template as often as every other, filled by chance under a seed."""
    templates = [template for group in DATA["templates"].values() for template in group]
    draw = random.Random(seed)
    for position in range(number):
        index = position % len(templates)
        yield filled(templates[index], draw, held_out=index % HELD_OUT == 1)


def filled(template: str, draw: random.Random, *, held_out: bool) -> Text:
    """Return a template with its slots filled."""
    lower = template.startswith("~")
    template = template.removeprefix("~")
    pieces: list[str] = []
    gold = []
    position = length = 0
    for slot in SLOT.finditer(template):
        evidence, entity = slot.groups()
        value = drawn(evidence or entity, draw)
        pieces += (template[position : slot.start()], value)
        length += slot.start() - position
        if entity:
            gold.append(("name" if entity in NAMES else entity, length, length + len(value)))
        length += len(value)
        position = slot.end()
    text = "".join((*pieces, template[position:]))
    return Text(text=text.lower() if lower else text, gold=tuple(gold), held_out=held_out)


def drawn(slot: str, draw: random.Random) -> str:
    """Return a value for a slot."""
    if slot in NAMES:
        name = draw.choice(draw.choice(list(DATA["people"].values())))
        if slot == "first":
            return str(name.split()[0]) if "." not in name else "Juno"
        if slot == "last":
            return str(name.partition(" ")[2]) if "." not in name else "Marwood"
        return str(name.upper() if slot == "NAME" else name)
    if slot in DATA["values"]:
        return str(draw.choice(DATA["values"][slot]))
    if slot in DATA["formats"]:
        return shaped(draw.choice(DATA["formats"][slot]), draw)
    if slot == "card":
        number = draw.choice(("400000", "520000")) + shaped("#########", draw)
        number += luhn.calc_check_digit(number)
        return draw.choice((number, " ".join(number[first : first + 4] for first in range(0, 16, 4))))
    if slot == "iban":
        return bank_account(draw)
    if slot == "email":
        name = re.sub(r"[^a-z]+", ".", drawn("name", draw).lower()).strip(".")
        return name + draw.choice(("@example.com", "@mail.example.org", "@marlow.net"))
    return str(draw.randint(18, 91))  # age


def bank_account(draw: random.Random) -> str:
    """Return an account number that is valid for its country."""
    while True:
        country = draw.choice(IBANS)
        body = {
            "GB": "BUKB^#############",
            "DE": "^#################",
            "ES": "^###################",
            "NL": "ABNA0#########",
        }
        account = shaped(body[country], draw)
        number = country + iban.calc_check_digits(country + "00" + account) + account
        if iban.is_valid(number):
            return str(number)


def shaped(form: str, draw: random.Random) -> str:
    """Return a format with its signs drawn."""
    signs = {"#": "0123456789", "^": "123456789", "@": "ABCDEFGHJKLMNPRSTW"}
    return "".join(draw.choice(signs[char]) if char in signs else char for char in form)


if __name__ == "__main__":
    main()
