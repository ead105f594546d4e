"""Who the run was for, and under which versions: context attributes of any span."""

from __future__ import annotations

from collections.abc import Sequence

from extractor.model.json import JsonValue
from extractor.model.trace import Subject

from .dialects import Vocabulary
from .facts import Facts


def subject_of(readers: Sequence[Facts], vocabulary: Vocabulary) -> Subject:
    """Return the subject; of several spans the first that says something wins, in the order given."""
    find = _Finder(readers, vocabulary)
    return Subject(
        session=find.text("session"),
        user=find.text("user"),
        tenant=find.text("tenant"),
        roles=find.texts("roles"),
        claims=find.members("claims"),
        locale=find.text("locale"),
        time_zone=find.text("time_zone"),
        workflow_version=find.text("workflow_version"),
        prompt_version=find.text("prompt_version"),
        policy_version=find.text("policy_version"),
        service=find.text("service"),
        service_version=find.text("service_version"),
        environment=find.text("environment"),
        flags=find.members("flags"),
    )


class _Finder:
    def __init__(self, readers: Sequence[Facts], vocabulary: Vocabulary) -> None:
        self._readers = readers
        self._sources = vocabulary.subject

    def text(self, what: str) -> str | None:
        sources = self._sources.get(what, ())
        found = (reader.text(f"subject.{what}", sources) for reader in self._readers)
        return next((text for text in found if text), None)

    def texts(self, what: str) -> tuple[str, ...]:
        sources = self._sources.get(what, ())
        for reader in self._readers:
            parsed = reader.first(f"subject.{what}", sources)
            if parsed is None:
                continue
            value = parsed.value
            items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
            found = tuple(item.strip() for item in items if isinstance(item, str) and item.strip())
            if found:
                return found
            reader.note("odd_type", f"subject.{what}")
        return ()

    def members(self, what: str) -> dict[str, JsonValue]:
        sources = self._sources.get(what, ())
        found: dict[str, JsonValue] = {}
        for reader in self._readers:
            found = {**reader.members(f"subject.{what}", sources), **found}
        return dict(sorted(found.items()))
