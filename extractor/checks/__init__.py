"""Checks over frozen runs, and fixtures that test the checks. Needs the standard library and, for YAML, yaml alone."""

from .case import CheckCase
from .declaring import Check, NotApplicable, Rejected, check, checks_of
from .loading import load_case
from .record import RunRecord
from .running import Outcome, Result, run_all_checks
from .suite import Suite

__all__ = [
    "Check",
    "CheckCase",
    "NotApplicable",
    "Outcome",
    "Rejected",
    "Result",
    "RunRecord",
    "Suite",
    "check",
    "checks_of",
    "load_case",
    "run_all_checks",
]
