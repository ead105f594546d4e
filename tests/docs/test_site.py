"""The site is built as `make docs` builds it; reading it fetches nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from .pages import ROOT

_ELSEWHERE = re.compile(r"(?:https?:)?//")
_FETCHED = re.compile(
    r"<(?:link|script|img|iframe|source|object|embed|video|audio)\b[^>]*?\b(?:src|href|data)=[\"']?([^\"'\s>]+)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    building = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(building, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_site_holds_the_pages_and_what_they_lead_to(site):
    assert {"index.html", "tutorial.html", "CHANGELOG.html", "LICENSE"} <= {path.name for path in site.iterdir()}
    assert (site / "bulk" / "cronjob.yaml").is_file()
    assert list(site.rglob("*.sh")) == []


def test_no_page_fetches_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    fetched = [address for page in pages for address in _FETCHED.findall(page.read_text("utf-8"))]
    assert "assets/javascripts" in " ".join(fetched)
    assert [address for address in fetched if _ELSEWHERE.match(address)] == []
    sheets = [sheet.read_text("utf-8") for sheet in site.rglob("*.css")]
    assert [found for sheet in sheets for found in re.findall(r"(?:url\(|@import)[\"' ]*(?:https?:)?//", sheet)] == []


def test_no_page_holds_what_the_theme_would_fetch_for_it(site):
    # The theme's script loads a library for diagrams, and asks a service about a repository, when a page has one.
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        assert 'class="mermaid' not in text
        assert 'data-md-component="source"' not in text
        assert "<form" not in text.replace('<form class="md-search__form"', "").replace(
            '<form class="md-header__option"', ""
        )
