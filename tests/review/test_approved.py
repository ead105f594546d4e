from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import InputUnreadable, ProvenanceInvalid
from extractor.review import decide, require_approved, validate_approved
from extractor.review._keys import create_signing_key, load_signing_key
from extractor.review._statement import Statement

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
OTHER = "2026-03-05-mail-send-no-error-11223344"
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)


@pytest.fixture
def keys(root, tmp_path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("rana", "ines", "mallory")}
    lines = {name: create_signing_key(path).public_line for name, path in found.items()}
    root.mkdir()
    (root / "policy.toml").write_text(
        f"""
        unsigned = false
        lasts-days = 365
        [people]
        "Rana Okafor" = {{ keys = ["{lines["rana"]}"], roles = ["privacy"] }}
        "Ines Duarte" = {{ keys = ["{lines["ines"]}"] }}
        """
    )
    return found


@pytest.fixture
def approved(make, root, keys) -> Path:
    """Two approved cases, signed; the path of the first."""
    for case_id in (CASE, OTHER):
        case = make(case_id)
        decide(case, role="privacy", reviewer="Rana Okafor", decision="approved", key=keys["rana"], now=NOW)
        decide(case, role="incident-owner", reviewer="Ines Duarte", decision="approved", key=keys["ines"], now=NOW)
    return root / "approved" / CASE


def faults(root: Path, now: datetime = NOW) -> dict[str, tuple[str, ...]]:
    return {case.name: case.faults for case in validate_approved(root, now=now) if case.faults}


def test_what_people_approved_holds(approved, root):
    for folder in (root, root / "approved"):
        judged = validate_approved(folder, now=NOW)
        assert [case.name for case in judged] == [CASE, OTHER]
        require_approved(judged)


@pytest.mark.parametrize(
    "name",
    [
        "fixture.json",
        "README.md",
        "provenance.json",
        "expect.yaml",
        "approvals/privacy.1.json",
        "approvals/incident-owner.1.json",
    ],
)
def test_any_byte_of_a_bound_file_or_a_statement_is_missed(approved, root, name):
    file = approved / name
    content = file.read_bytes()
    step = max(1, len(content) // 20)
    for position in (*range(0, len(content), step), len(content) - 1):
        file.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        found = faults(root)
        assert list(found) == [CASE], position
        assert any(Path(name).name in line for line in found[CASE]), (position, found[CASE])
    for changed in (b"", content[:-1], content + b"\n", content * 2):
        file.write_bytes(changed)
        assert list(faults(root)) == [CASE]
    file.unlink()
    assert list(faults(root)) == [CASE]
    file.write_bytes(content)
    assert faults(root) == {}


def test_each_change_voids_the_approvals_that_bound_it(approved, root):
    for name, roles in (
        ("README.md", {"privacy"}),
        ("provenance.json", {"privacy"}),
        ("expect.yaml", {"incident-owner"}),
        ("fixture.json", {"privacy", "incident-owner"}),
    ):
        content = (approved / name).read_bytes()
        (approved / name).write_bytes(content + b" ")
        lacking = {line.split()[2] for line in faults(root)[CASE] if line.startswith("lacks 1")}
        assert lacking == roles
        (approved / name).write_bytes(content)


def test_an_expectation_that_was_bound_as_absent_may_not_appear(make, root, keys):
    case = make()
    (case / "expect.yaml").unlink()
    decide(case, role="privacy", reviewer="Rana Okafor", decision="approved", key=keys["rana"], now=NOW)
    decide(case, role="incident-owner", reviewer="Ines Duarte", decision="approved", key=keys["ines"], now=NOW)
    assert faults(root) == {}
    (root / "approved" / CASE / "expect.yaml").write_text("verdict: accept\n")
    assert "expect.yaml is not what Ines Duarte saw as incident-owner" in faults(root)[CASE][0]


def test_a_swapped_key_is_named(approved, root, keys):
    """Somebody rewrites a statement with a key of their own, or has the policy's key for a person changed."""
    for key in (keys["mallory"], keys["ines"], None):
        original = resign(approved / "approvals" / "privacy.1.json", key)
        assert any("privacy.1.json" in line and "sign" in line for line in faults(root)[CASE])
        (approved / "approvals" / "privacy.1.json").write_bytes(original)
    lines = [load_signing_key(keys[name]).public_line for name in ("rana", "mallory")]
    policy = (root / "policy.toml").read_text()
    (root / "policy.toml").write_text(policy.replace(lines[0], lines[1]))
    assert sorted(faults(root)) == [CASE, OTHER]
    (root / "policy.toml").write_text(policy)
    assert faults(root) == {}


def test_statements_of_one_case_do_not_serve_another(approved, root):
    other = root / "approved" / OTHER
    for name in ("privacy.1.json", "incident-owner.1.json"):
        shutil.copy(other / "approvals" / name, approved / "approvals" / name)
    told = faults(root)[CASE]
    assert "approvals/privacy.1.json: speaks of another case" in told
    assert "approvals/incident-owner.1.json: speaks of another case" in told
    # Nor for a copy of the whole case under the other's name.
    shutil.rmtree(approved)
    shutil.copytree(other, approved)
    assert any("speaks of another case" in line for line in faults(root)[CASE])


def test_one_person_in_two_roles_is_named(approved, root, keys):
    def both(said: Statement) -> dict[str, Any]:
        return {"reviewer": "Ines Duarte"}

    resign(approved / "approvals" / "privacy.1.json", keys["ines"], both)
    assert any("Ines Duarte has approved as incident-owner and as privacy" in line for line in faults(root)[CASE])


def test_one_key_under_two_names_is_no_second_person(approved, root, keys):
    resign(approved / "approvals" / "privacy.1.json", keys["ines"])
    assert any("no key that the policy trusts" in line for line in faults(root)[CASE])


def test_an_approval_that_ended_is_named(approved, root):
    assert faults(root, NOW + timedelta(days=364)) == {}
    told = faults(root, NOW + timedelta(days=365))
    assert sorted(told) == [CASE, OTHER]
    assert "approvals/privacy.1.json: expired on 2027-03-04" in told[CASE]


def test_a_role_that_the_policy_does_not_give_or_that_nobody_filled_is_named(approved, root):
    policy = (root / "policy.toml").read_text()
    (root / "policy.toml").write_text(policy.replace('roles = ["privacy"]', 'roles = ["qa"]'))
    assert "approvals/privacy.1.json: Rana Okafor may not decide as privacy" in faults(root)[CASE]
    (root / "policy.toml").write_text("roles = { privacy = 1, incident-owner = 1, qa = 2 }\n" + policy)
    assert faults(root)[CASE] == ("lacks 2 qa approvals",)


def test_a_statement_that_is_taken_away_or_added_off_the_record_is_named(approved, root, keys):
    approvals = approved / "approvals"
    (approvals / "privacy.2.json").write_bytes((approvals / "privacy.1.json").read_bytes())
    assert "approvals/privacy.2.json: the register has no record of it" in faults(root)[CASE]
    (approvals / "privacy.2.json").rename(approvals / "Zebra.json")
    told = faults(root)[CASE]
    assert any("entry 1 by name" in line for line in told)
    assert "Zebra" not in str(told)
    (approvals / "Zebra.json").unlink()
    (approvals / "privacy.1.json").unlink()
    assert "approvals/privacy.1.json: is gone" in faults(root)[CASE]


def test_unsigned_statements_are_bound_by_the_register(make, root):
    case = make()
    decide(case, role="privacy", reviewer="Rana Okafor", decision="approved", now=NOW)
    decide(case, role="incident-owner", reviewer="Ines Duarte", decision="approved", now=NOW)
    assert faults(root) == {}
    resign(root / "approved" / CASE / "approvals" / "privacy.1.json", None, lambda _: {"reviewer": "Jo Lind"})
    assert faults(root)[CASE] == ("approvals/privacy.1.json: is not the statement that the register recorded",)


def test_a_case_that_somebody_only_put_there_is_not_approved(make, root):
    case = make()
    (root / "approved").mkdir()
    case.rename(root / "approved" / CASE)
    told = faults(root)[CASE]
    assert "lacks 1 privacy approval" in told
    assert "the register has no record of its approval" in told
    assert any("capture.json" in line for line in told)


def test_what_is_no_case_is_named_by_its_position(approved, root):
    (root / "approved" / "Zebra").write_text("")
    (root / "approved" / "zzz").symlink_to(approved)
    assert faults(root) == {"entry 3 by name": ("is no case",), "entry 4 by name": ("is no case",)}
    (root / "approved" / "empty-case").mkdir()
    assert any("fixture.json cannot be read" in line for lines in faults(root).values() for line in lines)


def test_a_control_or_a_strange_file_is_validated_with_its_case(approved, root):
    (approved / "conftest.py").write_text("")
    assert any("does not belong" in line for line in faults(root)[CASE])


def test_an_empty_folder_proves_nothing(root):
    for folder in (root, root / "approved"):
        folder.mkdir()
        with pytest.raises(InputUnreadable):
            validate_approved(folder, now=NOW)


def test_every_case_and_fault_is_in_the_error(approved, root):
    for case in (approved, root / "approved" / OTHER):
        (case / "README.md").write_text("")
    with pytest.raises(ProvenanceInvalid) as raised:
        require_approved(validate_approved(root, now=NOW))
    assert {line.partition(":")[0] for line in str(raised.value).splitlines()} == {CASE, OTHER}


def resign(file: Path, key: Path | None, changed: Callable[[Any], dict[str, Any]] | None = None) -> bytes:
    """Write a statement anew with changed members, signed by another key; return its bytes before."""
    from extractor.review._envelope import sealed

    before = file.read_bytes()
    document = json.loads(base64.b64decode(json.loads(before)["payload"]))
    document["predicate"].update(changed(document) if changed else {})
    payload = (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
    file.write_bytes(sealed(payload.replace(b": []", b": []"), load_signing_key(key) if key else None))
    return before
