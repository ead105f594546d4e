"""The case of `cases`, to be spoiled by one test each."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from .cases import ORIGINAL, rewrite


@pytest.fixture
def original() -> dict[str, Any]:
    return copy.deepcopy(ORIGINAL)


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(rewrite(ORIGINAL))
