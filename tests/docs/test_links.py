from __future__ import annotations

import pytest
import yaml

from .pages import PAGES, ROOT, headings, links, name_of


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or target.suffix != ".md" or anchor in headings(target), link


def test_the_check_sees_links_and_anchors(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One `two.json`\n\n[a](other.md#b) ![c](d.png)\n\n```text\n[x](y)\n# no heading\n```\n\n`[z](w)`\n"
    )
    assert links(page) == ["other.md#b", "d.png"]
    assert headings(page) == {"one-twojson"}


def leaves(nav):
    for entry in nav:
        for place in entry.values():
            yield from leaves(place) if isinstance(place, list) else [place]


def test_the_navigation_names_every_page_once_and_no_other():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    named = list(leaves(settings["nav"]))
    pages = {name_of(page).removeprefix("docs/") for page in (ROOT / "docs").rglob("*.md")}
    assert sorted(named) == sorted(pages | {"index.md", "CHANGELOG.md", "sample_traces/README.md"})
