"""Words that hardly repeat: texts drawn from the grammar in bulk_words.toml, and the values that stand in them."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

SERVICES = ("airline", "retail", "telecom")
_DATA: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_SLOT = re.compile(r"\{(\w+)\}")
_SENTENCE = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
_MOST_DEEP = 12
# How many people, places and firms a conversation speaks of: they come back in it, as they do when people talk.
_CAST = {"pal": 6, "town": 8, "Coined": 12}
_TOLD = 0.7  # how often an agent's figure is one that a tool returned


@cache
def _pieces(template: str) -> tuple[str, ...]:
    """Return a template's own words at the even places, the names of its slots at the odd ones."""
    return tuple(_SLOT.split(template))


@cache
def _rules(service: str) -> Mapping[str, list[str]]:
    return {
        name: alternatives
        for table in ("people", "sounds", "shared", "policy", "values", service)
        for name, alternatives in _DATA[table].items()
    }


class Words:
    """Draws for one conversation: its own people, ids, amounts and wording.

    ``facts`` are what the slots of this conversation stand for (`full`, `record` …); they may change as it goes on.
    ``told`` are values that tools returned, by slot; most of what is said afterwards speaks of them.
    """

    def __init__(self, draw: random.Random, service: str) -> None:
        self.draw = draw
        self.service = service
        self.facts: dict[str, str] = {}
        self.told: dict[str, list[str]] = {}
        self._cast: dict[str, list[str]] = {}
        self._rules = _rules(service)
        self._drawn: Mapping[str, Callable[[], str]] = {
            "amount": self.amount,
            "small": lambda: str(draw.randint(2, 19)),
            "count": lambda: str(draw.randint(20, 98)),
            "year": lambda: str(draw.randint(1994, 2024)),
            "time": lambda: f"{draw.randint(6, 22)}:{draw.randrange(60):02d}",
            "date": self.date,
            "birth": lambda: f"{draw.randint(1948, 2004)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
            "ref": lambda: self.code("@@-#####"),
            "rule_no": lambda: f"{draw.randint(1, 19)}.{draw.randint(1, 30)}",
            "flight": lambda: self.code("@@###"),
            "Coined": lambda: self._known("Coined", self.coined),
            "pal": lambda: self._known("pal", self.person),
            "town": lambda: self._known("town", lambda: self._expanded("place", 0)),
            "phone_new": self.phone,
            "card_last": lambda: self.code("####"),
            "article": lambda: f"{self._expanded('Coined', 0)} {self.choice('article_kind')}",
            "device": lambda: f"{self._expanded('Coined', 0)} {self.choice('device_kind')}",
            "label_low": lambda: self.choice("label").lower(),
        }

    def say(self, rule: str) -> str:
        """Return a text of a rule, its sentences beginning with capitals."""
        return _SENTENCE.sub(lambda found: found.group().upper(), self._expanded(rule, 0))

    def choice(self, rule: str) -> str:
        """Return one alternative of a rule that has no slots."""
        return self.draw.choice(self._rules[rule])

    def code(self, form: str) -> str:
        """Return a form with its signs drawn: ``#`` a digit, ``@`` a capital, ``*`` either, ``~`` a hex digit."""
        signs = {"#": "0123456789", "@": "ABCDEFGHJKLMNPQRSTUVWXYZ", "~": "0123456789abcdef"}
        signs["*"] = signs["#"] + signs["@"]
        return "".join(self.draw.choice(signs[sign]) if sign in signs else sign for sign in form)

    def again(self, slot: str, form: str) -> str:
        """Return an id that a tool returned before; a new one of that form when there is none."""
        told = self.told.get(slot)
        return self.draw.choice(told) if told else self.code(form)

    def amount(self) -> str:
        """Return a price."""
        return f"${self.draw.randint(300, 145_000) / 100:,.2f}"

    def date(self) -> str:
        """Return a date of the year in which the conversations take place."""
        return f"2025-{self.draw.randint(1, 12):02d}-{self.draw.randint(1, 28):02d}"

    def coined(self) -> str:
        """Return an invented brand, firm or village."""
        sounds = [self.choice("begin"), self.choice("middle"), self.choice("end")]
        if self.draw.random() < 0.3:
            sounds.insert(1, self.choice("begin"))
        return "".join(sounds).capitalize()

    def person(self) -> str:
        """Return first and last name."""
        return f"{self.choice('first')} {self.choice('last')}"

    def phone(self) -> str:
        """Return a telephone number of the range that is reserved for fiction."""
        return f"+1 {self.draw.choice(('415', '312', '206', '512', '617'))}-555-01{self.draw.randrange(100):02d}"

    def address(self) -> dict[str, str]:
        """Return an address in parts."""
        return {
            "line1": f"{self.draw.randint(2, 980)} {self.choice('street')} {self.choice('way')}",
            "line2": f"{self.draw.choice(('Suite', 'Apt', 'Unit', 'Floor'))} {self.draw.randint(1, 60)}",
            "city": self.choice("city"),
            "postcode": self.code("#####"),
        }

    def _known(self, slot: str, new: Callable[[], str]) -> str:
        cast = self._cast.setdefault(slot, [])
        if len(cast) < _CAST[slot]:
            cast.append(new())
            return cast[-1]
        return self.draw.choice(cast)

    def _expanded(self, rule: str, deep: int) -> str:
        if (fact := self.facts.get(rule)) is not None:
            return fact
        if (told := self.told.get(rule)) and self.draw.random() < _TOLD:
            return self.draw.choice(told)
        if (drawn := self._drawn.get(rule)) is not None:
            return drawn()
        alternatives = self._rules[rule]
        template = self.draw.choice(alternatives)
        if deep > _MOST_DEEP:
            # Rules that hold each other end here, with the alternative that has the fewest slots.
            template = min(alternatives, key=lambda one: (one.count("{"), one))
        first, *rest = _pieces(template)
        text = [first]
        for slot, after in zip(rest[::2], rest[1::2], strict=True):
            text += (self._expanded(slot, deep + 1), after)
        return "".join(text)
