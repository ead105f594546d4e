"""The page about interception says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from extractor.replay.providers import NOT_INTERCEPTED
from extractor.replay.providers.dialects import DIALECTS

PAGE = (Path(__file__).parents[3] / "docs" / "replay-providers.md").read_text("utf-8")


def section(title):
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title):
    found = re.findall(r"^\| (.*) \|$", section(title), re.MULTILINE)
    return [row.split(" | ") for row in found[1:]]


def test_the_page_lists_the_libraries_of_the_state(recording):
    with recording.open() as open_one:
        libraries = open_one.state().libraries
    assert [cells[0].strip("`") for cells in rows("What is intercepted")] == list(libraries)


def test_the_page_lists_what_is_not_intercepted():
    listed = re.findall(r"^- (.*)$", section("What is intercepted"), re.MULTILINE)
    assert tuple(listed) == NOT_INTERCEPTED


def test_the_page_lists_the_formats_and_their_paths():
    said = [(cells[0], tuple(re.findall(r"`([^`]+)`", cells[1]))) for cells in rows("Model calls")]
    assert said == [(dialect.name, dialect.endings) for dialect in DIALECTS]
