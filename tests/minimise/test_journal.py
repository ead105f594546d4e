from __future__ import annotations

import pytest

from extractor.errors import UsageError
from extractor.minimise.journal import Journal
from extractor.minimise.oracle import Verdict

RED, GREEN, LATE = (Verdict(status=status, matched=True) for status in (1, 0, None))
ORACLE, OTHER, ONE, TWO = ("a" * 64, "b" * 64, "1" * 64, "2" * 64)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


def test_verdicts_are_there_again_in_their_order(path):
    journal = Journal.opened(path, ORACLE)
    for fixture, verdict in ((ONE, RED), (TWO, LATE), (ONE, GREEN)):
        journal.add(fixture, verdict)
    for held in (journal, Journal.opened(path, ORACLE)):
        assert held.verdicts(ONE) == (RED, GREEN)
        assert held.verdicts(TWO) == (LATE,)
        assert held.verdicts("3" * 64) == ()


def test_another_oracle_has_said_nothing(path):
    Journal.opened(path, ORACLE).add(ONE, RED)
    assert Journal.opened(path, OTHER).verdicts(ONE) == ()


def test_a_line_that_was_cut_short_is_passed_over_and_not_continued(path):
    Journal.opened(path, ORACLE).add(ONE, RED)
    Journal.opened(path, ORACLE).add(TWO, RED)
    path.write_bytes(path.read_bytes()[:-30])
    journal = Journal.opened(path, ORACLE)
    assert journal.verdicts(TWO) == ()
    journal.add(TWO, GREEN)
    assert Journal.opened(path, ORACLE).verdicts(TWO) == (GREEN,)
    assert Journal.opened(path, ORACLE).verdicts(ONE) == (RED,)


def test_only_its_owner_reads_it(path):
    Journal.opened(path, ORACLE)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_no_journal(path, tmp_path):
    (tmp_path / "elsewhere").write_text("")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        Journal.opened(path, ORACLE)


@pytest.mark.parametrize("content", ["some notes of mine\n", '{"oracle": 1}\n', "[]\n", '{"fixture":"x"}\n'])
def test_what_is_no_journal_is_not_written_to(path, content):
    path.write_text(content)
    with pytest.raises(UsageError) as told:
        Journal.opened(path, ORACLE)
    assert "notes" not in told.value.message
    assert path.read_text() == content


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError):
        Journal.opened(tmp_path / "none" / "journal.jsonl", ORACLE)
