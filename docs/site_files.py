"""A hook of mkdocs: files outside docs/ that pages link to become part of the site, and the links lead to them.

README.md is the site's first page; any other file keeps its path in the repository.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
FIRST = "README.md"
ROOTS = (FIRST, "CHANGELOG.md", "sample_traces/README.md")
_LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)#\s]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside docs/, and every file that a page leads to."""
    waiting = [*ROOTS, *(f"docs/{file.src_uri}" for file in files.documentation_pages())]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if not path.startswith("docs/"):
            files.append(File.generated(config, _place(path), abs_src_path=str(ROOT / path)))
        for target in _targets(path):
            if target not in seen and (ROOT / target).is_file():
                seen.add(target)
                if not target.startswith("docs/"):
                    waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links that hold in the repository into links that hold in the site."""
    del config, files
    path = _path(page.file.src_uri)
    here = posixpath.dirname(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found[2]))
        return found[1] + posixpath.relpath(_place(target), here or ".")

    return _LINK.sub(moved, markdown)


def _targets(path: str) -> Iterator[str]:
    if path.endswith(".md"):
        for _, link in _LINK.findall((ROOT / path).read_text("utf-8")):
            yield posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def _place(path: str) -> str:
    """Return where a file of the repository stands in the site."""
    return "index.md" if path == FIRST else path.removeprefix("docs/")


def _path(place: str) -> str:
    """Return the file of the repository that stands at a place of the site."""
    return FIRST if place == "index.md" else f"docs/{place}" if (ROOT / "docs" / place).is_file() else place
