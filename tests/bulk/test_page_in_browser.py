"""The report's page in a real browser: it fits the screen, is legible in both schemes, and asks for nothing."""

from __future__ import annotations

import os

import pytest

from extractor.bulk.journal import Entry
from extractor.bulk.page import page
from extractor.bulk.reports import Report
from extractor.bulk.run import Passed, Run
from extractor.model.reading import Note

SHOTS = os.environ.get("REVIEW_SHOTS")
HOSTILE = '<img src=x onerror="document.title=1"> / <script>1</script> / \u202eTimeout / - / unknown'


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of a run in which everything happened."""
    made = [
        Entry(
            run=1,
            trace_ref=f"{number:032x}",
            outcome="written",
            case_id=f"2026-12-02-refund-create-timeout-error-{number:08x}",
            signature=HOSTILE if number % 2 else "uncured_error / refund.create / Timeout / remote_timeout / unknown",
            classes={"email": number, "person": 2},
            residuals=number,
            seconds=number / 3,
            spans=number,
            source_bytes=number * 90_000,
            place=f"file 1 record {number}",
        )
        for number in range(1, 40)
    ]
    dead = [
        Entry(run=1, trace_ref="f" * 32, outcome="dead", stage=stage, code=code, place="file 12 record 1234567")
        for stage, code in (("verify", "leak_proof_failed"), ("read", "worker_died"), ("redact", "KeyError"))
    ]
    run = Run(
        began="2026-12-03T03:15:00+00:00",
        traces=50,
        passed=Passed(known=3, settling=1, over_limit=2, absent=1),
        entries=(*made, *dead),
        notes=(Note(code="record_refused", count=2, places=("file 1 record 4 (syntax)",)),),
        damaged=0,
        peak=900_000_000,
        seconds={"reading": 31.0, "converting": 4000.0},
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(Report.of(run, exit_status=5)), "utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_it_fits_the_screen_and_axe_finds_no_fault(chromium, file, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    opened = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    opened.goto(file.as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(opened).response["violations"]
    assert [(one["id"], one["impact"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    if SHOTS:
        opened.screenshot(path=f"{SHOTS}/bulk-{width}-{scheme}.png", full_page=True)


def test_it_runs_nothing_and_asks_for_nothing(chromium, file):
    opened = chromium.new_context().new_page()
    asked, said = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("console", lambda message: said.append(message.text))
    opened.goto(file.as_uri())
    assert asked == [file.as_uri()]
    assert said == []
    assert opened.title() == "Bulk run"
    for name in ("script", "img", "iframe", "link", "b"):
        assert opened.locator(name).count() == 0
    assert opened.locator("text=<script>1</script>").count() == 1
    assert "\u202e" not in opened.content()
