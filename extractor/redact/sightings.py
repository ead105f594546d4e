"""Sightings: in which spans and steps each credential stood; its kind and rule leave here, its value never."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..model.case import Case, SecretFound
from ..model.span import tree
from .fold import fold
from .place import Place
from .sensitive import Sensitive
from .steps import document_steps
from .vault import Identity, Vault
from .walk import Replacement
from .watch import Watcher

_OPAQUE = {"signature": "structure.signature", "blob": "structure.private_key"}


@dataclass(slots=True)
class _Secret:
    """One credential and where it stood; ``core`` is what all its spellings share."""

    core: str = field(repr=False)
    kind: str
    rule: str
    steps: dict[str, None] = field(default_factory=dict)
    spans: dict[str, None] = field(default_factory=dict)


def secrets_found(
    case: Case, vault: Vault, rules: Sensitive, span_ids: Mapping[str, str], *, opaque: bool
) -> tuple[SecretFound, ...]:
    """Return every credential of a trace, the spans that held it and the steps of the case where it stood.

    ``opaque`` tells that the harvest met one that is in no vault. Without either nothing is read a second time.
    """
    if not opaque and not any(identity.entity.secret for identity in vault.sorted()):
        return ()
    sightings = _Sightings(vault, rules)
    for span in case.trace.spans:
        sightings.walk.value(tree(span), Place())
        for secret in sightings.met():
            secret.spans[span_ids[span.span_id]] = None
    for step in document_steps(case.document):
        sightings.watch(step.document)
        for secret in sightings.met():
            secret.steps[step.place] = None
    found = [
        SecretFound(kind=each.kind, rule=each.rule, steps=tuple(each.steps), spans=tuple(each.spans))
        for each in _distinct(sightings.found.values())
    ]
    return tuple(sorted(found, key=lambda each: (each.kind, each.rule, each.steps, each.spans)))


def _distinct(secrets: Iterable[_Secret]) -> Iterator[_Secret]:
    """Leave out what is another credential with its scheme before it, as ``Bearer``, wherever both stand."""
    by_core = {secret.core: secret for secret in secrets}
    for secret in by_core.values():
        bare = by_core.get(secret.core.rpartition(" ")[2])
        if (
            bare is None
            or bare is secret
            or not (secret.steps.keys() <= bare.steps.keys() and secret.spans.keys() <= bare.spans.keys())
        ):
            yield secret


class _Sightings(Watcher):
    """Notes the credentials in documents."""

    def __init__(self, vault: Vault, rules: Sensitive) -> None:
        super().__init__()
        self._vault = vault
        self._rules = rules
        self.found = {
            identity.canonical: secret
            for identity in vault.sorted()
            if identity.entity.secret and (secret := self._known(identity)) is not None
        }

    def met(self) -> list[_Secret]:
        """Return what was met since this was asked last."""
        return [self.found[name] for name in self.taken()]

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Note the credentials in a text."""
        del place, islands
        self.walk.tally.extend(
            occurrence.identity.canonical
            for occurrence in self._vault.find(fold(text))
            if occurrence.identity.canonical in self.found
        )
        return ()

    def number(self, value: int | float, place: Place) -> int | float:
        """Note a number that is a credential, as a PIN is."""
        del place
        identity = self._vault.by_surface(str(abs(value)))
        if identity is not None and identity.canonical in self.found:
            self.walk.tally.append(identity.canonical)
        return value

    def opaque(self, text: str, place: Place, /) -> str:
        """Note a signature or the body of a private key."""
        if place.is_opaque_secret:
            rule = _OPAQUE[place.kind]
            name = f"{rule}:{text}"
            self.found.setdefault(name, _Secret(core=text, kind=self._rules.kind_of((), rule), rule=rule))
            self.walk.tally.append(name)
        return text

    def _known(self, identity: Identity) -> _Secret | None:
        rule = self._rules.rule_of(identity.rules)
        if rule is None:
            return None
        return _Secret(core=identity.canonical, kind=self._rules.kind_of(identity.spellings, rule), rule=rule)
