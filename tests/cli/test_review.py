from __future__ import annotations

import builtins

import pytest

from extractor.cli import review
from extractor.cli.app import run


@pytest.fixture
def unserved(monkeypatch):
    """Keep what would be served, and serve nothing."""
    kept = []
    monkeypatch.setattr(review, "_serve", lambda _console, one, *, browser: kept.append((one, browser)))
    return kept


def test_a_page_is_made_for_all_cases_that_were_named(case, unserved):
    assert run(["review", str(case), str(case), "--no-browser"]) == 0
    ((one, browser),) = unserved
    assert [path.name for path in one.cases] == [case.name, case.name]
    assert not browser
    assert one.desk.hindrance(case) == ""
    assert one.code not in repr(one)


def test_a_reviewer_without_a_key_reads_and_gets_no_new_one(case, unserved, monkeypatch, tmp_path):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))
    assert run(["review", str(case)]) == 0
    assert "--key-file" in unserved[0][0].desk.hindrance(case)
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    ("options", "status"),
    [(["--manifest", "m.json"], 2), (["--source", "nowhere"], 2), (["--with-source"], 6)],
)
def test_what_cannot_be_shown_is_said_before_a_page_is_opened(case, unserved, capsys, options, status):
    assert run(["review", str(case), *options]) == status
    assert unserved == []
    assert capsys.readouterr().err.startswith("error: ")


def test_originals_need_the_key(case, unserved, monkeypatch, tmp_path):
    monkeypatch.delenv("EXTRACT_FIXTURE_KEY_FILE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))
    assert run(["review", str(case), "--with-source"]) == 2


def test_what_is_no_case_is_refused(here, unserved):
    assert run(["review", str(here)]) == 6


def test_without_the_extra_the_command_says_how_to_get_it(case, unserved, monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *more):
        if name.partition(".")[0] in ("flask", "jinja2"):
            raise ImportError
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert run(["review", str(case)]) == 2
    assert "extract-fixture[review]" in capsys.readouterr().err
