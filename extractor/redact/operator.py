"""Our pseudonyms as an operator of presidio-anonymizer, for pipelines that are Presidio's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from presidio_anonymizer.entities import InvalidParamError
from presidio_anonymizer.operators import Operator, OperatorType

from ..ruleset import load, vocabulary
from .keys import KEY_BYTES, WorkspaceKey
from .pseudonym import Pseudonyms
from .rulebook import compile_identifiers
from .rules import Identifiers
from .vault import Vault

# Presidio's entity types by our classes; any other is treated as a record's id.
ENTITIES: Mapping[str, str] = {
    "CREDIT_CARD": "card",
    "DATE_OF_BIRTH": "birth_date",
    "EMAIL_ADDRESS": "email",
    "IBAN_CODE": "iban",
    "IP_ADDRESS": "ip_address",
    "MAC_ADDRESS": "mac_address",
    "PERSON": "person",
    "PHONE_NUMBER": "phone",
    "US_BANK_NUMBER": "account_number",
    "US_SSN": "ssn",
}


class PseudonymOperator(Operator):  # type: ignore[misc]  # Presidio ships no types
    """Replaces each finding by its keyed pseudonym: equal texts get equal ones, in any text and any process.

    Parameters: ``key`` (bytes, at least 32), ``scope`` (text; one scope, one mapping) and ``forms``, a mapping of entity
    types to our classes that adds to `ENTITIES`. An operator sees one finding at a time: what only a whole case can
    promise (no two values one, no pseudonym an original, card and last four related) is `redact`'s to give.
    """

    def operate(self, text: str, params: Mapping[str, object] | None = None) -> str:
        """Return the pseudonym of a text; ``entity_type`` comes from the engine."""
        given = params or {}
        key, scope = given.get("key"), given.get("scope", "presidio")
        self.validate(given)
        assert isinstance(key, bytes)  # noqa: S101  # validated
        forms = given.get("forms")
        known = {**ENTITIES, **forms} if isinstance(forms, Mapping) else ENTITIES
        return _pseudonym(key, str(scope), str(known.get(str(given.get("entity_type")), "record_id")), text)

    def validate(self, params: Mapping[str, object] | None = None) -> None:
        """Raise `InvalidParamError` for a missing or short key and for a class that no rule defines."""
        given = params or {}
        key, forms = given.get("key"), given.get("forms", {})
        if not isinstance(key, bytes) or len(key) < KEY_BYTES:
            raise InvalidParamError(f"key: {KEY_BYTES} bytes or more are needed")
        if not isinstance(given.get("scope", ""), str):
            raise InvalidParamError("scope: a text is needed")
        if not isinstance(forms, Mapping) or not set(map(str, forms.values())) <= set(_identifiers().entities):
            raise InvalidParamError("forms: a mapping of entity types to classes of our rules is needed")

    def operator_name(self) -> str:
        """Return the name under which an `OperatorConfig` asks for this operator."""
        return "pseudonym"

    def operator_type(self) -> OperatorType:
        """Return that this operator anonymises."""
        return OperatorType.Anonymize


@lru_cache(maxsize=1)
def _identifiers() -> Identifiers:
    return compile_identifiers(load())


def _pseudonym(key: bytes, scope: str, entity: str, text: str) -> str:
    identifiers = _identifiers()
    vault = Vault()
    identity = vault.add(text, identifiers.entities[entity], "operator")
    if identity is None:
        return text
    words = {**identifiers.words, "vocabulary": vocabulary()}
    scoped = WorkspaceKey(material=key).derive("scope/" + scope)
    return Pseudonyms(vault, scoped, words=words, today=None).of(identity, text)
