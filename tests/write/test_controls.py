from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import UsageError
from extractor.model.case import Fixture
from extractor.write import _controls as module
from extractor.write import _store, store, store_controls

Make = Callable[..., Fixture]
AT = "2026-03-04T10:00:00+00:00"


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(params=["one swap", "two renames"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "two renames":
        monkeypatch.setattr(_store, "exchange", lambda *_: False)
    return str(request.param)


@pytest.fixture
def case(tmp_path: Path, fixture_of: Make, capture: bytes) -> Path:
    return store(fixture_of(), capture, tmp_path, replace=False).path


@pytest.fixture
def control_of() -> Callable[[str], Fixture]:
    """A control whose sidecar says that its fixture is the generated one."""

    def made(text: str, *, generated: str | None = None) -> Fixture:
        digest = hashlib.sha256((generated or text).encode()).hexdigest()
        sidecar = json.dumps({"predicate": {"control": {"generated_sha256": digest}}}).encode()
        fixture = text.encode()
        return Fixture(
            case_id="c",
            files={"fixture.json": fixture, "README.md": fixture, "provenance.json": sidecar},
            proofs=None,  # type: ignore[arg-type]  # nothing here reads it
            incomplete=False,
            replayable=True,
        )

    return made


def write(case: Path, replace: bool = False, **controls: Fixture) -> dict[str, str]:
    return dict(store_controls(case, controls, replace=replace, act="controlled", at=AT))


def test_controls_appear_beside_what_the_case_holds(way: str, case: Path, control_of: Any) -> None:
    (case / "expect.yaml").write_text("verdict: reject\n")
    before = content(case)
    assert write(case, success=control_of("one"), timeout=control_of("two")) == {
        "success": "written",
        "timeout": "written",
    }
    after = content(case)
    history = after.pop("history.jsonl").splitlines()
    assert {name: after[name] for name in before if name in after} == {
        name: text for name, text in before.items() if name != "history.jsonl"
    }
    assert after["controls/success/fixture.json"] == b"one"
    assert json.loads(history[-1])["controls"] == 2
    assert (case / "controls").stat().st_mode & 0o777 == 0o700
    assert sorted(entry.name for entry in case.parent.iterdir()) == [".gitignore", case.name]


def test_the_same_again_touches_nothing(case: Path, control_of: Any) -> None:
    write(case, success=control_of("one"))
    inode = case.stat().st_ino
    assert write(case, success=control_of("one")) == {"success": "unchanged"}
    assert case.stat().st_ino == inode


def test_what_was_made_by_rule_is_replaced_and_what_people_changed_is_kept(
    way: str, case: Path, control_of: Any
) -> None:
    write(case, success=control_of("one"), timeout=control_of("said by people", generated="two"))
    (case / "controls" / "success" / "expect.yaml").write_text("verdict: accept\n")
    again = {"success": control_of("three"), "timeout": control_of("four")}
    assert write(case, **again) == {"success": "replaced", "timeout": "kept"}
    now = content(case)
    assert now["controls/success/fixture.json"] == b"three"
    assert now["controls/success/expect.yaml"] == b"verdict: accept\n"
    assert now["controls/timeout/fixture.json"] == b"said by people"
    assert write(case, replace=True, **again) == {"success": "unchanged", "timeout": "replaced"}
    assert content(case)["controls/timeout/fixture.json"] == b"four"


def test_a_control_without_a_sidecar_of_ours_is_somebody_s_own(case: Path, control_of: Any) -> None:
    (case / "controls" / "success").mkdir(parents=True)
    (case / "controls" / "success" / "fixture.json").write_text("{}")
    assert write(case, success=control_of("one")) == {"success": "kept"}
    (case / "controls" / "success" / "provenance.json").write_text("{")
    assert write(case, success=control_of("one")) == {"success": "kept"}


def test_a_run_that_was_cut_short_leaves_the_case_as_it_was(
    case: Path, control_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(case)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            write(case, success=control_of("one"))
    assert content(case) == before
    assert sorted(entry.name for entry in case.parent.iterdir()) == [".gitignore", case.name]
    assert write(case, success=control_of("one")) == {"success": "written"}


def test_no_link_is_followed_and_nothing_strange_is_lost(case: Path, control_of: Any, tmp_path: Path) -> None:
    (case / "conftest.py").write_text("")
    with pytest.raises(UsageError):
        write(case, success=control_of("one"))
    (case / "conftest.py").unlink()
    (tmp_path / "elsewhere").mkdir()
    (case / "controls").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError):
        write(case, success=control_of("one"))
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("name", ["../up", "Success", ".hidden", ""])
def test_a_control_has_a_plain_name(case: Path, control_of: Any, name: str) -> None:
    with pytest.raises(UsageError):
        store_controls(case, {name: control_of("one")}, replace=False, act="controlled", at=AT)


def test_controls_are_written_in_quarantine_alone(case: Path, control_of: Any) -> None:
    approved = case.parent.parent / "approved" / case.name
    approved.parent.mkdir()
    case.rename(approved)
    with pytest.raises(UsageError):
        write(approved, success=control_of("one"))
