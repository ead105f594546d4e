"""The page about each rule: what it finds, why, and the texts that it takes and leaves."""

from __future__ import annotations

import json
from collections.abc import Iterator

from extractor.redact.catalogue import RuleCard, catalogue
from extractor.ruleset import load

from .tables import code

_SHOWN = 12  # names of members; the whole list stands in the rule file


def page() -> str:
    """Return the page: a section a file, a part a rule."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Each rule, with its examples\n"
    yield "Written by `make docs` from `rules/identifiers`, `rules/time.toml` and `rules/sensitive.toml`. [Rules](../rules.md) says how they work together and how to write"
    yield "your own; `extract-fixture rules show ID` prints one whole. Examples of secrets are cut off."
    file = ""
    for card in sorted(catalogue(load()), key=lambda card: card.file):
        if card.file != file:
            file = card.file
            yield f"\n## {file.rpartition('/')[2]}"
        yield from _rule(card)
    yield from _times()
    yield from _sensitive()
    yield ""


def _times() -> Iterator[str]:
    yield "\n## time\n"
    yield "Members that a decision reads together with a clock: [facts of a case](../fixture-format.md#fixturejson)."
    for domain in load().documents["time"]["domain"]:
        yield f"\n### time: {domain['id']}\n"
        yield f"{domain['why']}\n"
        if domain["members"]:
            yield f"- names: {', '.join(code(name) for name in domain['members'])}"
        for member, word in (("matches", "takes"), ("non_matches", "leaves")):
            yield f"- {word}: {', '.join(code(json.dumps(example)) for example in domain[member])}"


def _sensitive() -> Iterator[str]:
    yield "\n## sensitive\n"
    yield "Text that is [flagged for a reviewer](../privacy-model.md#flagged-for-a-reviewer), and never changed."
    document = load().documents["sensitive"]
    for name, category in document["category"].items():
        yield f"\n### sensitive: {name}\n"
        yield f"{category['why']}\n"
        for flagged, word in ((True, "flags"), (False, "passes over")):
            texts = [
                each["text"] for each in document["example"] if each["category"] == name and each["flagged"] is flagged
            ]
            if texts:
                yield f"{word}:\n"
                yield from (f"- {code(_line(text))}" for text in texts)
                yield ""


def _rule(card: RuleCard) -> Iterator[str]:
    yield f"\n### {card.id}\n"
    yield f"{card.why}\n"
    yield f"- kind: {card.kind}" + (f"; class: {card.entity}" if card.entity else "")
    forms = []
    for label, text in card.conditions():
        if label in {"shape", "pattern"}:
            forms.append(text)
        else:
            yield f"- {label}: {_listed(text)}"
    for member, word in (("matches", "takes"), ("non_matches", "leaves")):
        examples = card.examples(member)
        if examples:
            yield f"- {word}: {', '.join(code(_line(example)) for example in examples)}"
    for form in forms:
        yield f"\n```text\n{form.strip()}\n```"


def _listed(text: str) -> str:
    words = text.split(", ")
    more = f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return ", ".join(code(word) for word in words[:_SHOWN]) + more


def _line(text: str) -> str:
    return " ".join(text.split())
