"""The case beside a record: what a check may expect, and the instant that it takes for now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from extractor.model.json import JsonValue

from .record import instant
from .tracking import Reads, TrackedObject, tracked


class CheckCase:
    """What the suite would run: ``input``, ``expectations``, ``now``, and each expectation or fact as an attribute.

    ``case.order_id`` is the expectation of that name, else the fact of that name; raises `AttributeError` for neither. Frozen as a
    record is, with readings of its own.
    """

    def __init__(
        self,
        *,
        name: str,
        now: datetime | None,
        input: JsonValue = None,  # noqa: A002  # the member's own name
        expectations: Mapping[str, JsonValue] | None = None,
        facts: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self.reads = Reads()
        self.name = name
        self.now = now
        self.input = tracked(input, "input", self.reads)
        self.expectations = TrackedObject(expectations or {}, "expectations", self.reads)
        self.facts = TrackedObject(facts or {}, "facts", self.reads)
        self.reads.clear()
        self._frozen = True

    @classmethod
    def of(cls, fixture: Mapping[str, JsonValue]) -> CheckCase:
        """Return the case that a fixture of ours holds: its ``expected`` members, the parameters of its boundary, its facts."""
        expected = fixture.get("expected")
        told = dict(expected) if isinstance(expected, dict) else {}
        boundary = told.get("boundary")
        params = boundary.get("params") if isinstance(boundary, dict) else None
        told.update(params if isinstance(params, dict) else {})
        listed = fixture.get("facts")
        facts = {
            str(fact["name"]): fact.get("value")
            for fact in (listed if isinstance(listed, list) else [])
            if isinstance(fact, dict)
        }
        given = fixture.get("input")
        identity = fixture.get("identity")
        return cls(
            name=str(fixture.get("case_id")),
            now=instant(str(fixture["frozen_at"])),
            input=given if isinstance(given, dict) else None,
            expectations=told,
            facts={**facts, "identity": identity} if isinstance(identity, dict) else facts,
        )

    def __setattr__(self, name: str, value: object) -> None:
        if "_frozen" in self.__dict__:
            raise AttributeError("a case is frozen: a check changes nothing")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # JSON of an expectation or a fact
        if not name.startswith("_"):
            for table in (self.__dict__.get("expectations"), self.__dict__.get("facts")):
                if table is not None and name in table:
                    return table[name]
        raise AttributeError(f"the case expects nothing called {name}")
