"""A real browser walks through a review: open, read, mark, see what changed; by keyboard, at two widths, in two schemes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance import samples

ROOT = Path(__file__).parents[3]
SHOTS = os.environ.get("REVIEW_SHOTS")


class Opened:
    """The command, run as a person runs it, and the file that it names."""

    def __init__(self, case: Path, key: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "extractor", "review", str(case), "--key-file", str(key), "--no-browser", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        self.file = self.process.stdout.readline().split()[1]

    def end(self) -> tuple[str, str]:
        if self.process.poll() is None:
            self.process.terminate()  # a job in the background may ignore an interrupt
        return self.process.communicate(timeout=30)


@pytest.fixture
def key(tmp_path) -> Path:
    file = tmp_path / "workspace.key"
    file.write_text("extract-fixture-key-1:" + samples.KEY.material.hex() + "\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def opened(case, key) -> Iterator[Opened]:
    one = Opened(case, key, "--source", str(samples.source_of("refund-timeout")))
    yield one
    one.end()


def visited(chromium, opened: Opened, *, width=1280, height=900, scheme="light"):
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(opened.file)
    page.wait_for_url(re.compile("/case/1$"))
    return page


def shot(page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def test_a_reviewer_walks_through(chromium, opened, case):
    page = visited(chromium, opened)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    assert page.get_by_role("heading", level=1).inner_text() == case.name
    assert page.locator(".judge").count() == 2
    assert "Skarn" in page.locator(".judge").first.inner_text()
    assert next(item.get_attribute("class") for item in page.locator(".timeline > li").all()) == "entry turn user"
    # Occurrences are linked to each other.
    first = page.locator(".timeline .value").first
    here = first.get_attribute("id")
    first.click()
    assert page.url.endswith(first.get_attribute("href"))
    assert page.url.rpartition("#")[2] != here
    shot(page, "walk-1-open")
    page.locator(".judge").first.get_by_role("button", name="It is a name").click()
    page.wait_for_selector(".outcome")
    assert "every proof made anew" in page.locator(".outcome").inner_text()
    assert "Skarn" in page.locator(".outcome table").inner_text()
    assert page.locator(".judge").count() == 1
    assert b"karn" not in (case / "fixture.json").read_bytes()
    shot(page, "walk-2-marked")
    page.locator(".judge").first.get_by_role("button", name="Accept").click()
    page.wait_for_selector("text=Nothing is left to judge")
    page.get_by_label("It must", exact=True).fill("say that it is not known yet")
    page.get_by_role("button", name="Note it").click()
    page.wait_for_selector("text=redacted and proved like the rest")
    assert page.get_by_label("It must", exact=True).input_value() == "say that it is not known yet"
    shot(page, "walk-3-noted")
    for role, reviewer, became in (
        ("privacy", "Ann Lindqvist", "The case is in review."),
        ("incident-owner", "Ben Okonjo", "The case is approved."),
    ):
        page.get_by_label("In the role of").select_option(role)
        page.get_by_label("Your name").fill(reviewer)
        for box in page.get_by_role("checkbox").all():
            box.check()
        if role == "incident-owner":
            page.get_by_label("It is right.").check()
        page.get_by_role("button", name="Approve").click()
        page.wait_for_selector(f"text={became}")
    shot(page, "walk-4-approved")
    assert (case.parent.parent / "approved" / case.name / "fixture.json").exists()
    assert said == []  # the policy blocked nothing of ours
    page.get_by_role("button", name="Close the page").click()
    assert opened.process.wait(timeout=30) == 0
    assert not Path(opened.file.removeprefix("file://")).exists()


def test_the_file_opens_once_and_another_browser_sees_nothing(chromium, opened):
    page = visited(chromium, opened)
    address = page.url
    other = chromium.new_context().new_page()
    other.goto(address)
    assert other.get_by_role("heading", level=1).inner_text() == "Closed"
    other.goto(opened.file)
    other.wait_for_selector("text=This code was used")
    assert Path(opened.file.removeprefix("file://")).stat().st_mode & 0o777 == 0o600
    assert "?" not in address


def test_the_keyboard_is_enough(chromium, opened, case):
    page = visited(chromium, opened)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    reached = ""
    for _ in range(40):
        page.keyboard.press("Tab")
        reached = page.evaluate("document.activeElement.innerText") or ""
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        if reached.startswith("Accept"):
            break
    assert reached.startswith("Accept")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Accepted: it stays")
    assert b'"accepted": [\n      {' in (case / "provenance.json").read_bytes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_it_fits_the_screen_and_axe_finds_no_fault(chromium, opened, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = visited(chromium, opened, width=width, height=812 if width < 500 else 900, scheme=scheme)
    for details in page.locator("details").all():
        details.evaluate("one => one.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["impact"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    for details in page.locator("details").all():
        details.evaluate("one => one.open = false")
    shot(page, f"page-{width}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_packet_is_as_legible(chromium, case, tmp_path, key, scheme):
    from axe_playwright_python.sync_playwright import Axe

    command = [sys.executable, "-m", "extractor", "review", str(case), "--packet", str(tmp_path / "handoff")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    page = chromium.new_context(viewport={"width": 375, "height": 812}, color_scheme=scheme).new_page()
    blocked: list[str] = []
    page.on("console", lambda message: blocked.append(message.text))
    page.goto((tmp_path / "handoff.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("getComputedStyle(document.querySelector('.stamp')).textTransform") == "uppercase"
    assert blocked == []
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["impact"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    shot(page, f"packet-375-{scheme}")


def test_hostile_text_runs_nothing_in_a_real_browser(chromium, case, key, tmp_path):
    from .test_hostile import ATTACKS, hostile

    hostile(case, " ".join(ATTACKS.values()))
    one = Opened(case, key)
    try:
        page = visited(chromium, one)
        page.evaluate("1")
        for name in ("script", "img", "iframe", "object", "link", "base"):
            assert page.locator(name).count() == 0
        assert page.evaluate("document.styleSheets.length") == 1
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        assert len(asked) == 1
    finally:
        one.end()


def test_originals_are_shown_only_where_they_were_asked_for(chromium, case, key):
    planted = [entry["value"] for entry in samples.FACTS["refund-timeout"]["planted"] if " " in entry["value"]]
    one = Opened(case, key, "--source", str(samples.source_of("refund-timeout")), "--with-source")
    try:
        page = visited(chromium, one)
        assert any(value in page.locator("main").inner_text() for value in planted)
        assert page.locator("text=originals are shown").count() == 1
        shot(page, "with-source")
    finally:
        out, err = one.end()
    assert not [value for value in planted if value in out + err]
