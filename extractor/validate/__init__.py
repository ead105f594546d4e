"""Hold written cases against what a case must be: the seed's checks, our schema, the bytes, the sidecar, the folder."""

from ._cases import validate_case
from ._report import CaseReport, Problem, ValidationReport
from ._sidecar import vouched

__all__ = ["CaseReport", "Problem", "ValidationReport", "validate_case", "vouched"]
