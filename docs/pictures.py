"""Take the pictures of the review page, from the running product on a sample case: ``docs/pictures.py``.

It needs a Chromium on the path; the picture of the line is written by docs/generate.py, which needs none.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
SOURCE = ROOT / "sample_traces" / "exports" / "refund-timeout.otlp.jsonl"
SCHEMES = ("light", "dark")
_WIDTH, _HEIGHT = 1100, 900  # pixels
# Always the same one, so that a picture changes only where the page does.
_KEY = "extract-fixture-key-1:" + bytes(range(32)).hex()
_TOLD = (
    *("--incident", "INC-2041"),
    *("--failure", "After both attempts timed out, the agent said that the refund had been completed."),
    *("--prohibit", "the refund has been completed"),
    *("--evidence-needed", "A result of refund.create with status completed."),
)


def main() -> int:
    """Write one picture a scheme. Returns 1 where there is no browser."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        sys.stderr.write("no Chromium on the path\n")
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        case, key = _case(Path(folder))
        for scheme in SCHEMES:
            with _opened(case, key) as page:
                _take(started, browser, page, scheme)
    return 0


def _case(folder: Path) -> tuple[Path, Path]:
    key = folder / "workspace.key"
    key.write_text(_KEY + "\n", "ascii")
    key.chmod(0o600)
    said = ["--trace-id", "6d383010", str(SOURCE), *_TOLD, "--out", str(folder / "fixtures"), "--key-file", str(key)]
    subprocess.run([*_program(), *said, "--quiet"], check=True, cwd=folder)
    (case,) = (folder / "fixtures" / "quarantine").glob("2*")
    return case, key


@contextmanager
def _opened(case: Path, key: Path) -> Iterator[str]:
    """Give the file that opens the page, once."""
    words = [*_program(), "review", str(case), "--source", str(SOURCE), "--key-file", str(key), "--no-browser"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        line = process.stdout.readline() if process.stdout else ""
        try:
            yield line.split()[1]
        finally:
            process.terminate()


def _take(started: Playwright, browser: str, opening: str, scheme: str) -> None:
    chromium = started.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
    context = chromium.new_context(
        viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    page.goto(opening)
    page.wait_for_url(re.compile("/case/1$"))
    page.screenshot(path=PICTURES / f"review-{scheme}.png")
    chromium.close()


def _program() -> list[str]:
    return [sys.executable, "-P", "-m", "extractor"]


if __name__ == "__main__":
    sys.exit(main())
