"""What tests of several packages share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# No test asserts a time: an example that waits for a busy machine is no fault.
settings.register_profile("patient", settings.default, deadline=None)
settings.load_profile("patient")

_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless Chromium. CI must have one; elsewhere tests that ask for it are skipped without."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not os.environ.get("CI"):
        pytest.importorskip("playwright.sync_api", reason="no Playwright here: make setup installs it")
        if found is None:
            pytest.skip("no Chromium here")
    assert found is not None, "CI needs a browser: .ci/run installs it"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, headless=True, args=_FLAGS)
        yield browser
        browser.close()
