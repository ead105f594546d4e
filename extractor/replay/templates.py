"""The prompt templates of a case: the text that decided then, held to its digest, never the one of today."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from extractor.model.json import JsonValue

from .faults import NothingRecorded, ReplayFault
from .ledger import Ledger

Resolver: TypeAlias = Callable[[str], str]
"""Returns the text of a protected template by its ``ref``: approved and versioned, from wherever the project keeps such."""

_CURE_MISSING = (
    'record the template in the case, or name what fetches it: replay.templates = "module:function" of the project'
)
_CURE_CHANGED = (
    "let the project's resolver return the version that the case names; the text of today proves nothing about then"
)


class Templates:
    """The templates of one run. Protected ones are fetched by `fetch`, before the run is cut off from everything live."""

    def __init__(
        self, entries: Sequence[Mapping[str, JsonValue]], *, resolver: Resolver | None, ledger: Ledger
    ) -> None:
        self._entries = tuple(entries)
        self._resolver = resolver
        self._ledger = ledger
        self._fetched: dict[str, str] = {}
        self._failed: dict[str, str] = {}

    def fetch(self) -> None:
        """Ask the project for every template that the case holds by reference; what fails is told when it is asked for."""
        for ref in (entry.get("ref") for entry in self._entries):
            if not isinstance(ref, str) or self._resolver is None or ref in self._fetched:
                continue
            try:
                text: object = self._resolver(ref)
            except Exception as error:  # noqa: BLE001  # whatever a project's resolver raises, it did not return the text
                self._failed[ref] = f"the project's resolver ended with {type(error).__name__}"
                continue
            if isinstance(text, str):  # whatever the project's function says of itself
                self._fetched[ref] = text
            else:
                self._failed[ref] = "the project's resolver returned no text"

    def text(self, name: str) -> str:
        """Return the text of the template of that name, or of the only one of that role.

        Raises `NothingRecorded`, code ``template_missing`` where the case or the project has no such text and
        ``template_changed`` where it is not the one that the digest names.
        """
        entry = self._entry(name)
        content = entry.get("content")
        text = content if isinstance(content, str) else self._protected(name, entry.get("ref"))
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != entry.get("sha256"):
            raise self._fault(
                name, "template_changed", "its text is not the one whose digest the case holds", _CURE_CHANGED
            )
        return text

    def _entry(self, name: str) -> Mapping[str, JsonValue]:
        found = [entry for entry in self._entries if entry.get("name") == name]
        found = found or [entry for entry in self._entries if entry.get("role") == name]
        if len({str(entry.get("sha256")) for entry in found}) == 1:
            return found[0]
        why = "the case holds none" if not found else f"the case holds {len(found)} of them"
        raise self._fault(name, "template_missing", why, _CURE_MISSING)

    def _protected(self, name: str, ref: JsonValue) -> str:
        if not isinstance(ref, str):
            raise self._fault(name, "template_missing", "the case holds its digest alone", _CURE_MISSING)
        if ref in self._fetched:
            return self._fetched[ref]
        why = self._failed.get(ref) or "the case holds a reference to it, and the project names no resolver"
        raise self._fault(name, "template_missing", why, _CURE_MISSING)

    def _fault(self, name: str, code: str, why: str, cure: str) -> ReplayFault:
        return self._ledger.fail(
            NothingRecorded(
                f"the template {name!r} cannot be served: {why}", code=code, called=f"templates:{name}", cure=cure
            )
        )
