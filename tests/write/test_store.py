from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import CaseExists, UsageError
from extractor.model.case import Fixture
from extractor.write import _store as module
from extractor.write import store

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
Make = Callable[..., Fixture]
Content = dict[str, bytes]


def content(folder: Path) -> Content:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_case_is_written_with_the_files_of_the_design_alone(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    stored = store(fixture_of(), capture, tmp_path / "out", replace=False)
    case = tmp_path / "out" / "quarantine" / CASE
    assert (stored.path, stored.state, stored.case_id) == (case, "written", CASE)
    assert sorted(content(case)) == ["README.md", "capture.json", "fixture.json", "history.jsonl", "provenance.json"]
    assert {name: (case / name).read_bytes() for name in fixture_of().files} == fixture_of().files
    assert (case / "capture.json").read_bytes() == capture
    assert json.loads((case / "history.jsonl").read_text()) == {
        "at": "2026-03-03T09:00:00Z",
        "event": "extracted",
        "fixture_sha256": hashlib.sha256(b"one fixture.json\n").hexdigest(),
    }


def test_quarantine_is_closed_to_others_and_to_git(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    """S53."""
    (tmp_path / "quarantine").mkdir(mode=0o755)
    store(fixture_of(), capture, tmp_path, replace=False)
    quarantine = tmp_path / "quarantine"
    assert (mode(quarantine), mode(quarantine / CASE)) == (0o700, 0o700)
    assert {mode(file) for file in (quarantine / CASE).iterdir()} == {0o600}
    assert (quarantine / ".gitignore").read_text() == "*\n"
    assert (tmp_path / ".gitattributes").read_text() == "* -text\n"
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert listed.stdout == "?? .gitattributes\n"


def test_a_project_s_own_gitattributes_stay(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    (tmp_path / ".gitattributes").write_text("*.md text\n")
    store(fixture_of(), capture, tmp_path, replace=False)
    assert (tmp_path / ".gitattributes").read_text() == "*.md text\n"


def test_an_ignore_file_that_ignores_nothing_is_mended(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    (tmp_path / "quarantine").mkdir()
    (tmp_path / "quarantine" / ".gitignore").write_text("")
    store(fixture_of(), capture, tmp_path, replace=False)
    assert (tmp_path / "quarantine" / ".gitignore").read_text() == "*\n"


def test_the_same_bytes_again_are_unchanged_and_nothing_is_touched(
    tmp_path: Path, fixture_of: Make, capture: bytes
) -> None:
    first = store(fixture_of(), capture, tmp_path, replace=False)
    before = content(tmp_path)
    for replace in (False, True):
        assert store(fixture_of(), b'{"extracted_at": "later"}', tmp_path, replace=replace).state == "unchanged"
    assert content(tmp_path) == before
    assert first.state == "written"


@pytest.mark.parametrize("name", ["fixture.json", "README.md", "provenance.json"])
def test_any_other_byte_is_another_case(tmp_path: Path, fixture_of: Make, capture: bytes, name: str) -> None:
    case = store(fixture_of(), capture, tmp_path, replace=False).path
    (case / name).write_bytes(b"edited\n")
    before = content(tmp_path)
    with pytest.raises(CaseExists) as raised:
        store(fixture_of(), capture, tmp_path, replace=False)
    assert raised.value.hint == "--replace writes over it"
    assert content(tmp_path) == before


@pytest.fixture(params=["swap", "two renames"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of replacing: the system's swap, and what remains where there is none."""
    if request.param == "two renames":
        monkeypatch.setattr(module, "exchange", lambda *_: False)
    return str(request.param)


def test_replacing_keeps_what_people_added(way: str, tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    case = store(fixture_of(), capture, tmp_path, replace=False).path
    (case / "expect.yaml").write_text("verdict: reject\n")
    (case / "approvals").mkdir()
    (case / "approvals" / "privacy.json").write_text("{}")
    (case / "controls" / "just-before").mkdir(parents=True)
    (case / "controls" / "just-before" / "fixture.json").write_text("{}")
    people = {name: data for name, data in content(case).items() if name[:4] in {"expe", "appr", "cont"}}
    stored = store(fixture_of("two"), capture, tmp_path, replace=True)
    assert stored.state == "replaced"
    now = content(case)
    assert now == now | fixture_of("two").files | people | {"capture.json": capture}
    events = [json.loads(line)["event"] for line in now["history.jsonl"].splitlines()]
    assert events == ["extracted", "replaced"]
    assert sorted(entry.name for entry in (tmp_path / "quarantine").iterdir()) == [".gitignore", CASE]


def test_an_annotation_keeps_the_capture_and_has_its_own_line(
    way: str, tmp_path: Path, fixture_of: Make, capture: bytes
) -> None:
    case = store(fixture_of(), capture, tmp_path, replace=False).path
    store(fixture_of("two"), None, tmp_path, replace=True, act="annotated", at="2026-03-04T10:00:00Z")
    assert (case / "capture.json").read_bytes() == capture
    lines = [json.loads(line) for line in (case / "history.jsonl").read_text().splitlines()]
    assert [(line["at"], line["event"]) for line in lines] == [
        ("2026-03-03T09:00:00Z", "extracted"),
        ("2026-03-04T10:00:00Z", "annotated"),
    ]
    (case / "capture.json").unlink()
    store(fixture_of("three"), None, tmp_path, replace=True, act="annotated")
    assert not (case / "capture.json").exists()


def test_a_strange_file_is_not_silently_lost(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    case = store(fixture_of(), capture, tmp_path, replace=False).path
    (case / "conftest.py").write_text("")
    before = content(tmp_path)
    with pytest.raises(UsageError, match="holds what no case has"):
        store(fixture_of("two"), capture, tmp_path, replace=True)
    assert content(tmp_path) == before


def crash_at(step: int, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run the work in a child that the system ends at its n-th call that changes the disk; say whether it got there."""
    child = os.fork()
    if child == 0:
        left = step

        def counting(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **kwargs: Any) -> Any:
                nonlocal left
                if left == 0:
                    os._exit(17)
                left -= 1
                return real(*args, **kwargs)

            return call

        for name in ("open", "mkdir", "rename", "fsync", "unlink", "rmdir", "fchmod"):
            monkeypatch.setattr(os, name, counting(getattr(os, name)))
        monkeypatch.setattr(module, "exchange", counting(module.exchange))
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17


# The child only touches files and ends: that another thread of the runner held a lock does not matter.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@forks
def test_a_crash_anywhere_leaves_no_half_case_and_a_rerun_completes_it(
    tmp_path: Path, fixture_of: Make, capture: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, crashed = 0, True
    while crashed:
        out = tmp_path / str(step)
        crashed = crash_at(step, lambda: store(fixture_of(), capture, out, replace=False), monkeypatch)  # noqa: B023
        case = out / "quarantine" / CASE
        if case.exists():
            assert content(case) == content(case) | fixture_of().files
        assert store(fixture_of(), capture, out, replace=False).state in {"written", "unchanged"}
        assert sorted(content(out / "quarantine")) == sorted(
            [".gitignore", *(f"{CASE}/{name}" for name in content(case))]
        )
        assert len(content(case)) == 5
        step += 1
    assert step > 20


@forks
def test_a_crash_anywhere_in_a_replacement_leaves_the_old_case_or_the_new(
    way: str, tmp_path: Path, fixture_of: Make, capture: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, crashed, seen = 0, True, set()
    while crashed:
        out = tmp_path / str(step)
        case = store(fixture_of("one"), capture, out, replace=False).path
        (case / "expect.yaml").write_text("verdict: reject\n")
        crashed = crash_at(step, lambda: store(fixture_of("two"), capture, out, replace=True), monkeypatch)  # noqa: B023
        if way == "swap":
            assert case.exists()
        # Any later run heals, that of another case too.
        store(fixture_of("other", case_id="another-case"), capture, out, replace=False)
        now = content(case)
        whole = [text for text in ("one", "two") if now == now | fixture_of(text).files]
        assert len(whole) == 1
        assert now["expect.yaml"] == b"verdict: reject\n"
        assert sorted(entry.name for entry in case.parent.iterdir()) == [".gitignore", CASE, "another-case"]
        seen.add(whole[0])
        assert store(fixture_of("two"), capture, out, replace=True).state in {"replaced", "unchanged"}
        assert content(case) == content(case) | fixture_of("two").files
        step += 1
    assert seen == {"one", "two"}


def fail_at(step: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    left, failed = [step], []

    def counting(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                failed.append(name)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/secret/place")
            return real(*args, **kwargs)

        return call

    for name in ("open", "mkdir", "rename", "fsync", "fchmod"):
        monkeypatch.setattr(os, name, counting(name, getattr(os, name)))
    monkeypatch.setattr(module, "exchange", counting("exchange", module.exchange))
    return failed


def failure_of(work: Callable[[], object]) -> UsageError | None:
    try:
        work()
    except UsageError as error:
        return error
    return None


def test_an_error_of_the_disk_anywhere_leaves_the_old_case_or_the_new(
    way: str, tmp_path: Path, fixture_of: Make, capture: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    step, kinds = 0, set()
    while True:
        out = tmp_path / str(step)
        case = store(fixture_of("one"), capture, out, replace=False).path
        with monkeypatch.context() as patched:
            failed = fail_at(step, patched)
            if way == "two renames":
                patched.setattr(module, "exchange", lambda *_: False)
            error = failure_of(lambda: store(fixture_of("two"), capture, out, replace=True))  # noqa: B023
        assert "secret" not in str(error)
        if not failed:
            break
        kinds.update(failed)
        now = content(case)
        assert [text for text in ("one", "two") if now == now | fixture_of(text).files]
        store(fixture_of("two"), capture, out, replace=True)
        assert content(case) == content(case) | fixture_of("two").files
        assert sorted(entry.name for entry in case.parent.iterdir()) == [".gitignore", CASE]
        step += 1
    assert {"open", "mkdir", "fsync", "fchmod"} <= kinds


def test_links_are_not_followed(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    places = {
        "output folder": tmp_path / "a",
        "quarantine folder": tmp_path / "b" / "quarantine",
        "case folder": tmp_path / "c" / "quarantine" / CASE,
    }
    for (name, link), out in zip(places.items(), ("a", "b", "c"), strict=True):
        link.parent.mkdir(parents=True, exist_ok=True)
        for target in (elsewhere, tmp_path / "nowhere"):
            link.unlink(missing_ok=True)
            link.symlink_to(target)
            for replace in (False, True):
                with pytest.raises(UsageError, match=f"the {name} is or holds a symbolic link"):
                    store(fixture_of(), capture, tmp_path / out, replace=replace)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", ["fixture.json", "expect.yaml", "approvals"])
def test_a_link_inside_the_case_is_not_followed(tmp_path: Path, fixture_of: Make, capture: bytes, name: str) -> None:
    case = store(fixture_of(), capture, tmp_path / "out", replace=False).path
    (tmp_path / "target").write_bytes(fixture_of().files["fixture.json"])
    (case / name).unlink(missing_ok=True)
    (case / name).symlink_to(tmp_path / "target")
    with pytest.raises(UsageError, match="the case folder is or holds a symbolic link"):
        store(fixture_of("two"), capture, tmp_path / "out", replace=True)
    assert (case / name).is_symlink()
    assert not (case.parent / f".new-{CASE}").exists()


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    (tmp_path / "a").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "quarantine").write_text("")
    for name, out in (("output", "a"), ("quarantine", "b")):
        with pytest.raises(UsageError, match=f"the {name} folder is no folder"):
            store(fixture_of(), capture, tmp_path / out, replace=False)


def test_a_folder_that_may_not_be_written_is_refused_by_its_role(
    tmp_path: Path, fixture_of: Make, capture: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_named: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path))

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(UsageError) as raised:
        store(fixture_of(), capture, tmp_path, replace=False)
    assert str(raised.value) == "the quarantine folder cannot be used (Permission denied)"


@pytest.mark.parametrize("case_id", ["", "..", "../x", "a/b", "a\0b", "A", "-rf", ".new-a", "a" * 101, "a\n"])
def test_an_id_that_is_no_name_touches_nothing(tmp_path: Path, fixture_of: Make, capture: bytes, case_id: str) -> None:
    with pytest.raises(UsageError):
        store(fixture_of(case_id=case_id), capture, tmp_path / "out", replace=True)
    assert not (tmp_path / "out").exists()


def test_a_fixture_without_its_sidecar_is_not_stored(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    whole = fixture_of()
    part = {name: data for name, data in whole.files.items() if name != "provenance.json"}
    bare = Fixture(case_id=CASE, files=part, proofs=whole.proofs, incomplete=False, replayable=True)
    with pytest.raises(UsageError, match=r"without provenance\.json"):
        store(bare, capture, tmp_path, replace=False)


def test_two_writers_of_one_case_leave_one_whole_case(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    states: list[str] = []

    def work() -> None:
        states.extend(store(fixture_of(text), capture, tmp_path, replace=True).state for text in ("one", "two") * 5)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(states) == 40
    now = content(tmp_path / "quarantine" / CASE)
    assert [text for text in ("one", "two") if now == now | fixture_of(text).files]
    assert sorted(entry.name for entry in (tmp_path / "quarantine").iterdir()) == [".gitignore", CASE]


def test_a_pipe_in_the_place_of_a_file_does_not_block(tmp_path: Path, fixture_of: Make, capture: bytes) -> None:
    case = store(fixture_of(), capture, tmp_path, replace=False).path
    (case / "fixture.json").unlink()
    os.mkfifo(case / "fixture.json")
    with pytest.raises(UsageError, match="the case folder"):
        store(fixture_of(), capture, tmp_path, replace=True)
