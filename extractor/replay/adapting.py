"""The reader of an application's older schema, as production had it: a case keeps the schema of its incident."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from extractor.model.json import JsonValue

from .case import ReplayCase
from .faults import AdapterFailed
from .ledger import Ledger
from .matching import as_json

Adapter: TypeAlias = Callable[[str, JsonValue], JsonValue]
"""The tool and its recorded result in, what the agent saw out."""


class Adapting:
    """Reads recorded results by the adapter that a case names, among those that the project has, by ``name@version``."""

    def __init__(self, case: ReplayCase, adapters: Mapping[str, Adapter], ledger: Ledger) -> None:
        told = case.members("adapter")
        self._name = f"{told.get('name')}@{told.get('version')}" if told else None
        self._adapter = adapters.get(self._name) if self._name else None
        self._ledger = ledger

    def read(self, tool: str, value: JsonValue) -> JsonValue:
        """Return a recorded result as the agent saw it; as it stands where the case names no adapter. Raises `AdapterFailed`."""
        if self._name is None:
            return value
        if self._adapter is None:
            raise self._ledger.fail(
                AdapterFailed(
                    f"the case needs the adapter {self._name}, and the project names none",
                    code="adapter_unknown",
                    called=f"tools:{tool}",
                    cure='name it: [tool.extract-fixture.replay.adapters] "NAME@VERSION" = "module:function"',
                )
            )
        try:
            return as_json(self._adapter(tool, value))
        except Exception as error:  # noqa: BLE001  # whatever a project's adapter raises, it is the adapter's
            raise self._ledger.fail(
                AdapterFailed(
                    f"the adapter {self._name} cannot read the recorded result: {type(error).__name__}",
                    code="adapter_failed",
                    called=f"tools:{tool}",
                    cure="mend the adapter; a case keeps the schema of its incident and is never regenerated to please it",
                )
            ) from None
