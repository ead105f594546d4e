"""The examples of docs/python.md, run in one empty project, and held to what they print."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


@pytest.mark.nlp
def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    (tmp_path / "sample_traces").symlink_to(ROOT / "sample_traces")
    key = tmp_path / "workspace.key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    # One namespace, as a reader would type it.
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) > 15
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.REPORT_UDIFF).run(test, out=told.append)
    assert not told, "".join(told)
