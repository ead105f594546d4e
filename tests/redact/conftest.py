"""Rules, a key and short ways to fill a vault."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

import pytest

from extractor.redact.keys import WorkspaceKey
from extractor.redact.pseudonym import Pseudonyms
from extractor.redact.rulebook import compile_identifiers
from extractor.redact.rules import Identifiers
from extractor.redact.vault import Vault
from extractor.ruleset import RuleSet, load, vocabulary

Fill = Callable[[Iterable[tuple[str, str]]], Vault]
Assign = Callable[..., Pseudonyms]


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return load()


@pytest.fixture(scope="session")
def identifiers(rules: RuleSet) -> Identifiers:
    return compile_identifiers(rules)


@pytest.fixture(scope="session")
def key() -> WorkspaceKey:
    return WorkspaceKey(material=bytes(range(32)))


@pytest.fixture(scope="session")
def filled(identifiers: Identifiers) -> Fill:
    """A vault of (entity, text) pairs; persons are added with each of their words, as the harvest does."""

    def fill(values: Iterable[tuple[str, str]]) -> Vault:
        vault = Vault()
        for entity, text in values:
            rule = f"{entity}.field"
            vault.add(text, identifiers.entities[entity], rule)
            if entity == "person":
                for word in text.split():
                    vault.add(word, identifiers.entities[entity], rule, word=len(word) <= 3)
        return vault

    return fill


@pytest.fixture(scope="session")
def assigned(filled: Fill, identifiers: Identifiers, key: WorkspaceKey) -> Assign:
    """Pseudonyms of a vault, under the scope key ``purpose``."""

    def assign(vault: Vault, purpose: str = "scope/test", today: date | None = None) -> Pseudonyms:
        words = {**identifiers.words, "vocabulary": vocabulary()}
        return Pseudonyms(vault, key.derive(purpose), words=words, today=today)

    return assign
