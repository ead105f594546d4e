"""Every error of the product.

ExtractFixtureError                exit
├── UsageError                      2   the command line or a project file asks for something impossible
├── WorkspaceKeyError               2   no usable workspace key
├── RulesError                      2   a rule file is malformed or its own examples fail
├── TraceNotFound                   3   no span of the wanted trace or session
├── EvidenceMissing                 4   the case cannot be judged without what the trace lacks
├── ProofFailed                     5   a proof on the bytes to be written failed
│   ├── LeakFound
│   ├── RelationBroken
│   └── StructureChanged
├── RedactionRefused                5   something could not be redacted with certainty
│   └── ModelChanged                the language model's files are not the pinned ones
├── InputUnreadable                 6   a source cannot be read, or holds no span
│   └── InputChanged                    its bytes are no longer those that were read before
├── ValidationFailed                1   a fixture, sidecar or rule does not fit its schema
├── CaseExists                      1   another case stands where this one would be written
├── ApprovalRefused                 1   the case, or the reviewer, is not fit for this decision
├── ProvenanceInvalid               7   an approval or a sidecar does not fit its case
└── EngineFailed                    1   the cluster gave a bulk run up

What a comparison came to has statuses of its own, 10 to 15: ``replay/results/exits.py``.

No message holds input: places are given by position (file 2, record 17, ``tool_events[3].arguments``), never by
value. Core code raises these ``from None`` where the original exception would quote what it choked on.
"""

from __future__ import annotations

from collections.abc import Sequence


class ExtractFixtureError(Exception):
    """Root of all errors; ``exit_status`` is what the command line ends with, ``hint`` says what settles it."""

    exit_status = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(ExtractFixtureError):
    """The command line, or a project's table, asks for something impossible."""


class WorkspaceKeyError(ExtractFixtureError):
    """No usable workspace key: absent, too short, world-readable or trivial."""


class RulesError(ExtractFixtureError):
    """Rule files are malformed, or a rule's own examples fail; all faults are listed at once."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("the rule set does not load:\n" + "\n".join(f"  {fault}" for fault in faults))
        self.faults = tuple(faults)


class TraceNotFound(ExtractFixtureError):
    """No span of the wanted trace or session stands in the sources."""

    exit_status = 3


class EvidenceMissing(ExtractFixtureError):
    """The case cannot be judged without something the trace does not hold."""

    exit_status = 4


class ProofFailed(ExtractFixtureError):
    """A proof on the bytes to be written failed; nothing was written. ``faults`` name rule and field path only."""

    exit_status = 5
    kind = "proof"

    def __init__(self, faults: Sequence[str], *, hint: str | None = None) -> None:
        shown = list(faults[:20])
        if len(faults) > len(shown):
            shown.append(f"and {len(faults) - len(shown)} more")
        super().__init__(f"{self.kind} proof failed:\n" + "\n".join(f"  {fault}" for fault in shown), hint=hint)
        self.faults = tuple(faults)


class LeakFound(ProofFailed):
    """A known value stands in the bytes to be written."""

    kind = "leak"


class RelationBroken(ProofFailed):
    """Equal identifiers became different, different ones equal, or an owner relation was lost."""

    kind = "relation"


class StructureChanged(ProofFailed):
    """Something other than identifier text differs between source and output."""

    kind = "structure"


class RedactionRefused(ExtractFixtureError):
    """Redaction met something that it cannot treat with certainty: a depth bound, a time bound, an unknown form."""

    exit_status = 5


class ModelChanged(RedactionRefused):
    """The files of the language model are not those that rules or project pin; nothing of them was executed."""


class InputUnreadable(ExtractFixtureError):
    """A source cannot be opened or parsed, breaks a bound, or holds no span at all."""

    exit_status = 6


class InputChanged(InputUnreadable):
    """A source was written over while it was read."""


class ValidationFailed(ExtractFixtureError):
    """A document does not fit its schema; ``problems`` are one line each."""

    exit_status = 1

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class CaseExists(ExtractFixtureError):
    """A case with the same id and other bytes is already there."""

    exit_status = 1


class ApprovalRefused(ExtractFixtureError):
    """A decision about a case is not accepted; ``reasons`` are one line each, all of them at once."""

    exit_status = 1

    def __init__(self, reasons: Sequence[str], *, hint: str | None = None) -> None:
        super().__init__("\n".join(reasons), hint=hint)
        self.reasons = tuple(reasons)


class ProvenanceInvalid(ExtractFixtureError):
    """An approval or a sidecar does not belong to the case beside it."""

    exit_status = 7


class EngineFailed(ExtractFixtureError):
    """The engine of a bulk run gave it up; what it said is not repeated, since it may quote the input."""

    exit_status = 1
