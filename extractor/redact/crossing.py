"""Values that stand across the bound of two texts which may be one, as chunks of a stream are."""

from __future__ import annotations

from collections.abc import Iterator

from .fold import Folded, fold
from .rules import Identifiers, PatternRule


class Crossing:
    """Tells which values go on over a bound, by rules that know no field."""

    def __init__(self, identifiers: Identifiers, vocabulary: frozenset[str]) -> None:
        self._rules = identifiers
        self._vocabulary = vocabulary

    def found(self, text: str, before: int, bound: int, after: int) -> Iterator[tuple[str, PatternRule]]:
        """Yield each value across ``bound``, with its rule; its two texts are ``[before, bound)`` and ``[bound, after)``."""
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
                yield whole.clean[start:end], rule

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
