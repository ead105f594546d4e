"""What every judgement about a store rests on, read once: its policy, its register, the terms in force, the moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .. import ruleset, settings
from ..schemas import SCHEMA_VERSION
from ._faults import Context
from ._folder import CaseFolder
from ._policy import Policy, policy
from ._register import Facts, Record, facts, records, seen_red
from ._statement import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The state of a store apart from its cases."""

    root: Path
    policy: Policy
    terms: Terms
    records: tuple[Record, ...]
    now: datetime

    @classmethod
    def of(cls, root: Path, now: datetime | None = None) -> Ground:
        """Read a store's policy and register. Raises what `policy`, `records` and the rules raise."""
        found = policy(root)
        overlays = settings.find(root.resolve()).rules
        return cls(
            root=root,
            policy=found,
            terms=Terms(rules=ruleset.load(overlays).digest, policy=found.version, schema=SCHEMA_VERSION),
            records=records(root),
            now=now or datetime.now(UTC),
        )

    def facts(self, case: CaseFolder) -> Facts:
        """Return what people have put on record about a case."""
        return facts(self.records, case.case_id)

    def context(self, case: CaseFolder) -> Context:
        """Return what a judgement of this case depends on."""
        known = self.facts(case)
        return Context(policy=self.policy, now=self.now, author=known.author, red=seen_red(known, case))
