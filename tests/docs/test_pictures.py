from __future__ import annotations

import re

import pytest

from .pages import PAGES, ROOT, links

PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
_MOST = 200_000  # bytes


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_is_small_and_shown_on_a_page(picture):
    assert picture.stat().st_size < _MOST
    shown = {(page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links(page)}
    assert picture in shown


def test_the_line_reads_in_both_schemes_and_fetches_nothing():
    drawn = (ROOT / "docs" / "pictures" / "line.svg").read_text("utf-8")
    assert "prefers-color-scheme: dark" in drawn
    assert re.findall(r"(?:href|src)=|url\(|@import|<script", drawn) == []
    stages = re.findall(r'class="name"[^>]*>(\w+)<', drawn)
    assert stages == ["read", "normalise", "select", "assemble", "redact", "verify", "write"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_review_page_has_a_picture_a_scheme(scheme):
    assert (ROOT / "docs" / "pictures" / f"review-{scheme}.png").read_bytes().startswith(b"\x89PNG")
