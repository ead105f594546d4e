from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import CaseExists, UsageError
from extractor.model.case import Fixture
from extractor.model.layout import case_of
from extractor.write import Shelves, shelves, store

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
Make = Callable[..., Fixture]


@pytest.fixture
def out(tmp_path: Path, fixture_of: Make, capture: bytes) -> Path:
    store(fixture_of(), capture, tmp_path / "out", replace=False)
    return tmp_path / "out"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_case_moves_whole_and_its_capture_goes_into_the_restricted_store(out: Path, capture: bytes) -> None:
    before = content(out / "quarantine" / CASE)
    with shelves(out) as held:
        assert held.move(CASE, "quarantine", "approved") == CASE
    assert not (out / "quarantine" / CASE).exists()
    assert content(out / "approved" / CASE) == {n: data for n, data in before.items() if n != "capture.json"}
    assert content(out / "restricted") == {".gitignore": b"*\n", f"{CASE}/capture.json": capture}
    assert (mode(out / "restricted"), mode(out / "restricted" / CASE)) == (0o700, 0o700)
    assert mode(out / "restricted" / CASE / "capture.json") == 0o600


def test_git_takes_approved_cases_and_neither_captures_nor_rejected_ones(out: Path, fixture_of: Make) -> None:
    store(fixture_of(case_id="another-case"), b"{}", out, replace=False)
    with shelves(out) as held:
        held.move(CASE, "quarantine", "approved")
        held.move("another-case", "quarantine", "rejected")
        held.record({"event": "approved"})
        held.record({"event": "extracted"}, local=True)
    (out / "approved" / CASE / "capture.json").write_text("as a run leaves it that ends just after the rename")
    subprocess.run(["git", "init", "-q"], cwd=out, check=True)
    listed = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=out, check=True, capture_output=True, text=True
    )
    names = {line[3:] for line in listed.stdout.splitlines()}
    assert {name for name in names if CASE not in name} == {".gitattributes", "approved/.gitignore", "register.jsonl"}
    assert not [name for name in names if "capture" in name or "another" in name]


def test_the_next_holder_of_the_lock_finishes_what_a_run_left(out: Path, capture: bytes) -> None:
    with shelves(out) as held:
        held.move(CASE, "quarantine", "approved")
    (out / "restricted" / CASE / "capture.json").rename(out / "approved" / CASE / "capture.json")
    (out / "approved" / f".part-{CASE}").write_text("half a")
    (out / "quarantine" / ".gone-x").mkdir()
    (out / "quarantine" / ".gone-x" / "fixture.json").write_text("{}")
    with shelves(out):
        pass
    assert content(out / "restricted")[f"{CASE}/capture.json"] == capture
    assert sorted(p.name for p in (out / "approved").iterdir()) == [".gitignore", CASE]
    assert not (out / "approved" / CASE / "capture.json").exists()
    assert sorted(p.name for p in (out / "quarantine").iterdir()) == [".gitignore"]


def test_an_approved_id_stands_once_and_a_rejected_one_is_never_lost(out: Path, fixture_of: Make) -> None:
    for text, place in (("one", "rejected"), ("two", "rejected"), ("three", "approved")):
        store(fixture_of(text), b"{}", out, replace=False)
        with shelves(out) as held:
            held.move(CASE, "quarantine", place)
    assert sorted(p.name for p in (out / "rejected").glob("2*")) == [CASE, f"{CASE}~2"]
    store(fixture_of("four"), b"{}", out, replace=False)
    with shelves(out) as held, pytest.raises(CaseExists):
        held.move(CASE, "quarantine", "approved")
    assert (out / "quarantine" / CASE).exists()
    assert case_of(f"{CASE}~2") == CASE
    assert (case_of("~2"), case_of("a~x"), case_of(".part-a"), case_of("A")) == (None, None, None, None)


def test_history_grows_by_lines_and_not_twice_by_the_same(out: Path) -> None:
    file = out / "quarantine" / CASE / "history.jsonl"
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    with shelves(out) as held:
        for _ in range(2):
            held.note("quarantine", CASE, {"event": "approved", "at": "2026-03-04T10:00:00Z"})
    assert [json.loads(line)["event"] for line in file.read_text().splitlines()] == ["extracted", "approved"]


def test_a_file_is_added_without_a_strange_name_in_the_case(out: Path) -> None:
    with shelves(out) as held:
        held.add("quarantine", CASE, "approvals", "privacy.1.json", b"{}\n")
    assert content(out / "quarantine" / CASE)["approvals/privacy.1.json"] == b"{}\n"


def test_a_register_line_that_was_cut_short_is_closed(out: Path) -> None:
    (out / "register.jsonl").write_text('{"event": "appro')
    with shelves(out) as held:
        held.record({"event": "retired"})
    assert (out / "register.jsonl").read_text() == '{"event": "appro\n{"event":"retired"}\n'


def test_links_are_not_followed(out: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (out / "approved").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"), shelves(out) as held:
        held.move(CASE, "quarantine", "approved")
    (out / "approved").unlink()
    (out / "register.jsonl").symlink_to(tmp_path / "elsewhere" / "x")
    with pytest.raises(UsageError, match="symbolic link"), shelves(out) as held:
        held.record({"event": "approved"})
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert (out / "quarantine" / CASE).exists()


def test_what_is_removed_is_gone_at_once(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, order = os.rename, []

    def noted(*args: Any, **named: Any) -> None:
        real(*args, **named)
        order.append(sorted(p.name for p in (out / "quarantine").glob("2*")))

    monkeypatch.setattr(os, "rename", noted)
    with shelves(out) as held:
        held.remove("quarantine", CASE)
    assert order == [[]]
    assert sorted(p.name for p in (out / "quarantine").iterdir()) == [".gitignore"]


def test_a_case_that_has_gone_is_told(out: Path) -> None:
    with pytest.raises(UsageError, match="no longer where it was"), shelves(out) as held:
        held.note("approved", CASE, {"event": "x"})
    assert isinstance(held, Shelves)
