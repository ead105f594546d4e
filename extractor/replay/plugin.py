"""The pytest plugin: a fixture ``incident``, one test a case, and a report that says what makes results comparable.

A test that asks for ``incident`` runs once for every case of the folder that its marker, or the ini option ``incidents``,
names. Whatever the test itself asserts, it fails when the replay had a fault that something swallowed, when recorded evidence
was left out, and when the case's boundary did not hold, each under its own label.
"""

from __future__ import annotations

from typing import Any

import pytest

from .project import Project
from .session import Session

_SESSION: pytest.StashKey[Session] = pytest.StashKey()
_PROJECT: pytest.StashKey[Project] = pytest.StashKey()
_RESULTS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()
_COMPARABLE = ("case_id", "fixture_hash", "implementation_version", "boundary_passed", "label", "lane")


class BoundaryViolated(AssertionError):
    """The run was faultless, and the boundary of the incident did not hold; or, where red was expected, it did."""
