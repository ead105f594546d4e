"""Flags: steps of a case that tell of a person, a product or an access whatever is replaced in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..model.case import Document, Flag, SecretFound
from .place import Place
from .sensitive import CREDENTIAL, Category, Sensitive
from .steps import DocumentStep, document_steps
from .walk import Replacement
from .watch import Watcher


def flagged(document: Document, secrets: Sequence[SecretFound], rules: Sensitive) -> tuple[Flag, ...]:
    """Return the flags of a document with originals, by category and then in the order of its steps.

    A step is flagged when its own signs suffice or, for what is told over a conversation, when those of all steps do and
    it shows one of them. Steps that held a credential are flagged for it.
    """
    steps = list(document_steps(document))
    texts = _Texts()
    said = [(step, texts.of(step)) for step in steps]
    flags: list[Flag] = []
    for category in rules.categories:
        if category.name == CREDENTIAL:
            held = Counter(place for secret in secrets for place in secret.steps)
            counts = [(step.place, held[step.place]) for step in steps if held[step.place]]
        else:
            counts = _counts(category, said, rules)
        flags.extend(Flag(category=category.name, step=place, count=count) for place, count in counts)
    return tuple(sorted(flags, key=lambda flag: flag.category))


def _counts(
    category: Category, said: Iterable[tuple[DocumentStep, Sequence[str]]], rules: Sensitive
) -> list[tuple[str, int]]:
    """Return how many signs each step shows that counts."""
    shown: list[tuple[str, Counter[str]]] = []
    for step, texts in said:
        if step.speaker in category.roles:
            signs: Counter[str] = Counter()
            for text in texts:
                signs |= rules.signs(text, category)  # a sign told twice is one sign
            shown.append((step.place, signs))
    together: Counter[str] = Counter()
    for _, signs in shown:
        together |= signs
    whole = category.whole and category.reached(together, rules.points)
    return [
        (place, signs.total()) for place, signs in shown if signs and (whole or category.reached(signs, rules.points))
    ]


class _Texts(Watcher):
    """Notes the decoded texts of a document, those of one line with the name of their member."""

    def of(self, step: DocumentStep) -> Sequence[str]:
        """Return the distinct texts of a step, in its order."""
        self.watch(step.document)
        return self.taken()

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Note a text; one on a line of its own reads like a line of a form (``diagnosis_code: E11.9``)."""
        del islands
        if place.kind == "value":
            self.walk.tally.append(text if "\n" in text or not place.name else f"{place.name}: {text}")
        return ()
