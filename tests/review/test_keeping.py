from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import ApprovalRefused, ProvenanceInvalid, UsageError
from extractor.review import (
    Facts,
    decide,
    enrol,
    locate,
    pack,
    purge,
    put_on_record,
    red_run,
    register,
    retire,
    state,
    validate_approved,
)
from extractor.validate import validate_case

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
OTHER = "2026-03-05-mail-send-no-error-11223344"
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
DOCUMENT = json.loads((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_text())
LATER = NOW + timedelta(days=60)


@pytest.fixture
def approve(make, root):
    def approved(case_id: str = CASE, **named: Any) -> Path:
        case = make(case_id, **named)
        enrol(root, case_id, now=NOW - timedelta(days=1))
        decide(case, role="privacy", reviewer="Rana Okafor", decision="approved", now=NOW)
        decide(case, role="incident-owner", reviewer="Ines Duarte", decision="approved", now=NOW)
        return Path(root / "approved" / case_id)

    return approved


def reject(case: Path) -> None:
    decide(case, role="qa", reviewer="Jo Lind", decision="rejected", reason="seen before", now=NOW)


def rows(root: Path, now: datetime = NOW) -> dict[str, str]:
    return {row.case_id: row.state for row in register(root, now=now).rows}


def test_the_register_lists_each_case_with_its_people_and_dates(approve, make, root):
    """S9 S53 S59."""
    approve()
    reject(make(OTHER))
    put_on_record(
        root / "approved" / CASE,
        Facts(owners={"privacy": "Rana Okafor", "refund-service": "Omar Haddad"}, affected_version="4.1"),
        now=NOW,
    )
    put_on_record(
        root / "approved" / CASE,
        Facts(
            owners={"refund-service": "Lea Brandt"}, fixed_version="4.2", covering_test="tests/test_refund.py::test_red"
        ),
        now=NOW,
    )
    found = register(root, now=NOW)
    assert found.problems == found.unsound == ()
    first, second = (row.members() for row in found.rows)
    assert first["owners"] == {"privacy": "Rana Okafor", "refund-service": "Lea Brandt"}
    assert first["versions"] == {
        "workflow": DOCUMENT["workflow_version"],
        "prompt": DOCUMENT["prompt_version"],
        "affected": "4.1",
        "fixed": "4.2",
    }
    assert first["covering_test"] == "tests/test_refund.py::test_red"
    assert first["expected_reviewed"] == {"by": "Ines Duarte", "at": "2026-03-04T10:00:00Z", "grade": None}
    assert first["dates"] == {
        "extracted": "2026-03-03T09:00:00Z",
        "approved": "2026-03-04T10:00:00Z",
        "expires": None,
        "review_due": (NOW + timedelta(days=180)).isoformat(),
        "ended": None,
    }
    assert (second["state"], second["dates"]["ended"]) == ("rejected", "2026-03-04T10:00:00Z")


def test_what_is_on_record_of_a_quarantined_case_goes_along_when_it_leaves(make, root):
    case = make()
    put_on_record(case, Facts(author="Jo Lind", covering_test="t"), now=NOW)
    assert not (root / "register.jsonl").exists()
    decide(case, role="privacy", reviewer="Rana Okafor", decision="approved", now=NOW)
    decide(case, role="incident-owner", reviewer="Ines Duarte", decision="approved", now=NOW)
    shutil.rmtree(root / "quarantine")
    (row,) = register(root, now=NOW).rows
    assert (row.facts.author, row.facts.covering_test) == ("Jo Lind", "t")


def test_an_owner_is_no_program(make):
    """S59."""
    case = make()
    for given in (Facts(owners={"privacy": "AI"}), Facts(author="review bot")):
        with pytest.raises(ApprovalRefused):
            put_on_record(case, given, now=NOW)
    with pytest.raises(UsageError, match="nothing to put"):
        put_on_record(case, Facts(), now=NOW)


def test_a_red_run_is_one_of_these_very_bytes(make, tmp_path, root):
    case = make()
    digest = hashlib.sha256((case / "fixture.json").read_bytes()).hexdigest()
    whole = {"case_id": CASE, "fixture_hash": digest, "implementation_version": "4.1", "boundary_passed": False}
    manifest = tmp_path / "manifest.json"
    for change, said in (
        ({"case_id": OTHER}, "another case"),
        ({"fixture_hash": "ab" * 32}, "other bytes"),
        ({"boundary_passed": True}, "no red run"),
        ({"boundary_passed": None}, "no red run"),
        ({"implementation_version": ""}, "which implementation"),
    ):
        manifest.write_text(json.dumps(whole | change))
        with pytest.raises(ApprovalRefused, match=said):
            red_run(case, manifest)
    manifest.write_text(json.dumps(whole))
    assert "missing_red" in state(case, now=NOW).labels
    put_on_record(case, Facts(red=red_run(case, manifest)), now=NOW)
    assert "missing_red" not in state(case, now=NOW).labels
    (case / "fixture.json").write_bytes((case / "fixture.json").read_bytes() + b" ")
    assert "missing_red" in state(case, now=NOW).labels


def test_a_retired_case_stays_with_reason_date_and_successor(approve, root):
    """S119."""
    first, second = approve(), approve(OTHER)
    with pytest.raises(UsageError, match="no other case"):
        retire(first, reason="covered", successor="2020-01-01-nobody-no-error-00000000", now=LATER)
    with pytest.raises(UsageError, match="one line"):
        retire(first, reason=" ", now=LATER)
    folder = retire(first, reason="covered  by the other", successor=OTHER, now=LATER)
    assert folder == root / "retired" / CASE
    assert state(folder, now=LATER).name == "superseded"
    assert state(retire(second, reason="the tool is gone", now=LATER), now=LATER).name == "retired"
    found = {row.case_id: row for row in register(root, now=LATER).rows}
    assert (found[CASE].reason, found[CASE].successor) == ("covered by the other", OTHER)
    assert found[CASE].ended_at == "2026-05-03T10:00:00Z"
    with pytest.raises(UsageError, match="stands in retired"):
        retire(folder, reason="again", now=LATER)
    assert register(root, now=LATER).problems == ()


def test_a_case_in_quarantine_is_rejected_not_retired(make):
    with pytest.raises(UsageError, match="stands in quarantine"):
        retire(make(), reason="x", now=NOW)


def test_purge_removes_what_is_past_its_time_with_a_record_and_no_approved_case(approve, make, root):
    """S63."""
    approve()
    for name, place in (
        (OTHER, "rejected"),
        ("2026-01-01-a-b-00000000", "quarantine"),
        ("2026-01-02-a-b-00000001", "no end"),
    ):
        case = make(name)
        enrol(root, name, now=NOW)
        if place == "rejected":
            reject(case)
        elif place == "no end":
            (case / "capture.json").unlink()
    assert purge(root, now=NOW) == []
    due = purge(root, dry_run=True, now=LATER)
    assert [(one.case_id, one.place) for one in due] == [
        ("2026-01-01-a-b-00000000", "quarantine"),
        (OTHER, "rejected"),
        (CASE, "restricted"),
    ]
    assert (root / "rejected" / OTHER).exists()
    assert purge(root, now=LATER) == due
    assert not (root / "rejected" / OTHER).exists()
    assert not (root / "restricted" / CASE).exists()
    assert (root / "quarantine" / "2026-01-02-a-b-00000001").exists()
    assert [case.faults for case in validate_approved(root, now=LATER)] == [()]
    assert rows(root, LATER) == {
        "2026-01-01-a-b-00000000": "purged",
        "2026-01-02-a-b-00000001": "in_review",
        CASE: "approved",
        OTHER: "purged",
    }
    assert register(root, now=LATER).problems == ()
    # Whoever converts in bulk knows these traces again.
    lines = [json.loads(line) for line in (root / "register.jsonl").read_text().splitlines()]
    assert [line["trace_refs"] for line in lines if line["event"] == "purged"] == [["r1"], ["r1"]]


def test_a_shorter_time_may_be_asked_for_and_never_a_longer_one(make, root):
    make()
    day = timedelta(days=1)
    assert purge(root, ttl_days=90, dry_run=True, now=NOW) == []
    assert len(purge(root, ttl_days=90, dry_run=True, now=LATER)) == 1
    assert len(purge(root, ttl_days=1, dry_run=True, now=NOW)) == 1
    assert purge(root, ttl_days=2, dry_run=True, now=NOW) == []
    assert len(purge(root, ttl_days=2, dry_run=True, now=NOW + day)) == 1


def test_an_expired_capture_is_labelled_in_quarantine(make):
    case = make()
    assert "expired" not in state(case, now=NOW).labels
    assert "expired" in state(case, now=LATER).labels


@pytest.mark.parametrize("place", ["quarantine", "approved", "retired"])
def test_a_case_that_vanished_from_disk_is_an_error(approve, make, root, place):
    if place == "quarantine":
        make()
        enrol(root, CASE, now=NOW)
    else:
        folder = approve()
        if place == "retired":
            retire(folder, reason="done", now=NOW)
    assert register(root, now=NOW).problems == ()
    shutil.rmtree(root / place / CASE)
    (problem,) = register(root, now=NOW).problems
    assert problem.startswith(f"{CASE}: was ")
    assert "gone without a record" in problem


def test_a_case_that_vanished_from_git_is_an_error_whatever_the_register_says(approve, root, tmp_path):
    """S119."""
    approve()
    approve(OTHER)

    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *arguments],
            cwd=root,
            check=True,
            capture_output=True,
        )

    assert register(root, now=NOW).history_asked is False
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "cases")
    assert register(root, now=NOW).problems == ()
    git("rm", "-rq", f"approved/{CASE}")
    lines = (root / "register.jsonl").read_text().splitlines(keepends=True)
    (root / "register.jsonl").write_text("".join(line for line in lines if CASE not in line))
    shutil.rmtree(root / "quarantine")
    git("add", "-A")
    git("commit", "-qm", "gone")
    assert register(root, now=NOW).problems == (
        f"{CASE}: stands in git's history as approved, and is gone without a record",
    )
    retire(root / "approved" / OTHER, reason="done", now=NOW)
    git("add", "-A")
    git("commit", "-qm", "retire one")
    assert len(register(root, now=NOW).problems) == 1
    # A clone of the last commit alone has no history to be asked.
    git("clone", "-q", "--depth", "1", f"file://{root}", str(tmp_path / "shallow"))
    shallow = register(tmp_path / "shallow", now=NOW)
    assert (shallow.history_asked, shallow.problems) == (False, ())


def test_a_case_of_a_colleague_s_quarantine_is_not_missed_here(make, root):
    reject(make())
    make(OTHER)
    enrol(root, OTHER, now=NOW)
    for place in ("quarantine", "rejected", "restricted"):
        shutil.rmtree(root / place, ignore_errors=True)
    found = register(root, now=NOW)
    assert found.problems == ()
    assert {row.case_id: row.state for row in found.rows} == {CASE: "rejected"}


def test_an_approved_case_that_was_changed_is_told_by_the_register(approve, root):
    folder = approve()
    (folder / "README.md").write_text("")
    assert any("README.md is not what" in line for line in register(root, now=NOW).unsound)


@pytest.mark.parametrize(
    "line", [b"Zebra\n", b"{}\n", b'{"at":"x","event":"approved","case_id":"a"}\n', b"\xff\n", b"[]\n"]
)
def test_a_register_that_holds_anything_else_vouches_for_nothing(approve, root, line):
    approve()
    file = root / "register.jsonl"
    file.write_bytes(line + file.read_bytes())
    with pytest.raises(ProvenanceInvalid, match=r"line 1 of register.jsonl") as raised:
        register(root, now=NOW)
    assert "Zebra" not in str(raised.value)


def test_a_line_that_a_crash_cut_short_is_passed_over(approve, root):
    approve()
    file = root / "register.jsonl"
    file.write_bytes(file.read_bytes() + b'{"at":"2026-03-04T10:00:00Z","event":"reti')
    assert rows(root) == {CASE: "approved"}
    approve(OTHER)
    assert rows(root) == {CASE: "approved", OTHER: "approved"}


def test_a_case_extracted_again_is_on_record_again(make, root):
    reject(make())
    make()
    enrol(root, CASE, now=NOW + timedelta(hours=1))
    enrol(root, CASE, now=NOW + timedelta(hours=2))
    assert len((root / "quarantine" / ".register.jsonl").read_text().splitlines()) == 1
    shutil.rmtree(root / "quarantine" / CASE)
    assert len(register(root, now=NOW).problems) == 1


def test_a_case_is_named_by_path_or_by_id(approve, make, root):
    folder = approve()
    assert locate(root, CASE) == locate(Path("/nowhere"), str(folder)) == folder
    make()
    assert locate(root, CASE) == folder
    with pytest.raises(UsageError):
        locate(root, OTHER)


def test_a_pack_holds_what_ci_needs_and_nothing_that_leads_back(approve, root, tmp_path):
    """S10."""
    folder = approve()
    out = tmp_path / "pack"
    (folder / "expect.yaml").rename(tmp_path / "aside")
    with pytest.raises(ProvenanceInvalid):
        pack(root, out, now=NOW)
    assert not out.exists()
    (tmp_path / "aside").rename(folder / "expect.yaml")
    assert pack(root, out, now=NOW) == 1
    held = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert held == [f"{CASE}/README.md", f"{CASE}/expect.yaml", f"{CASE}/fixture.json", "pack.json"]
    assert (out / CASE / "fixture.json").read_bytes() == (folder / "fixture.json").read_bytes()
    text = (out / "pack.json").read_text()
    assert not any(word in text for word in ("trace", "r1", "Rana", "Ines"))
    with pytest.raises(UsageError, match="exists already"):
        pack(root, out, now=NOW)


def test_a_store_is_validated_without_what_it_keeps_apart(approve, make, root):
    approve()
    for _ in range(2):
        reject(make(OTHER))
    report = validate_case(root)
    assert [case.case_id for case in report.cases] == [CASE, OTHER, OTHER]
    assert report.exit_status == 0
