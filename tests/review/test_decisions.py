from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import ApprovalRefused, CaseExists, EvidenceMissing, ProvenanceInvalid, UsageError
from extractor.model.json import parse
from extractor.review import Confirmations, decide, require_approved, state, take, validate_approved
from extractor.review._envelope import opened, sealed
from extractor.review._keys import create_signing_key
from extractor.review._statement import read, render

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
OTHER = "2026-03-05-mail-send-no-error-11223344"
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)


def approve(case: Path, role: str, reviewer: str, **more: Any) -> Path:
    return decide(case, role=role, reviewer=reviewer, decision="approved", now=more.pop("now", NOW), **more)


def payload(statement: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(json.loads(statement.read_text())["payload"]))
    return found


def refused(case: Path, role: str = "privacy", reviewer: str = "Rana Okafor", **more: Any) -> list[str]:
    before = sorted(case.parent.parent.rglob("*"))
    with pytest.raises(ApprovalRefused) as raised:
        approve(case, role, reviewer, **more)
    assert sorted(path for path in case.parent.parent.rglob("*") if path.suffix == ".json") == [
        path for path in before if path.suffix == ".json"
    ]
    return list(raised.value.reasons)


def test_two_people_in_two_roles_bring_a_case_from_quarantine_to_approved(make, root):
    """S9 S53: who approved, and what stays restricted."""
    case = make()
    first = approve(case, "privacy", "Rana Okafor")
    assert first == case / "approvals" / "privacy.1.json"
    assert state(case, now=NOW).name == "in_review"
    assert state(case, now=NOW).missing == {"incident-owner": 1}
    second = approve(case, "incident-owner", "Ines Duarte", now=NOW + timedelta(hours=1))
    approved = root / "approved" / CASE
    assert second == approved / "approvals" / "incident-owner.1.json"
    assert not case.exists()
    assert not (approved / "capture.json").exists()
    assert (root / "restricted" / CASE / "capture.json").exists()
    found = state(approved, now=NOW + timedelta(hours=1))
    assert (found.name, found.faults, found.sound) == ("approved", (), True)
    assert json.loads((approved / "history.jsonl").read_text().splitlines()[-1]) == {
        "at": "2026-03-04T11:00:00Z",
        "event": "approved",
        "fixture_sha256": payload(second)["subject"][0]["digest"]["sha256"],
    }
    (line,) = (root / "register.jsonl").read_text().splitlines()
    record = json.loads(line)
    assert (record["event"], record["case_id"], record["trace_refs"]) == ("approved", CASE, ["r1"])
    assert sorted(record["approvals"]) == ["incident-owner.1.json", "privacy.1.json"]


ANSWER = {
    "tool": "refund.status",
    "arguments": {},
    "outcome": {"type": "result", "value": {"status": "pending"}},
    "synthetic": True,
}


@pytest.mark.parametrize("role", ["workflow", "dependency"])
def test_answers_that_nobody_recorded_wait_for_a_role_that_knows_the_tool(role, make, root):
    """S29: alternates are approved by the workflow or dependency role."""
    case = make(edits={"alternates": [ANSWER]})
    approve(case, "privacy", "Rana Okafor")
    approve(case, "incident-owner", "Ines Duarte")
    assert state(case, now=NOW).missing == {"workflow or dependency": 1}
    assert state(case, now=NOW).faults == ("lacks 1 workflow or dependency approval",)
    known = Confirmations(acceptance={"1": "unknown"} if role == "dependency" else {})
    approve(case, role, "Mateo Silva", confirmations=known)
    assert state(root / "approved" / CASE, now=NOW).sound


def test_a_policy_that_asks_for_the_workflow_asks_for_nobody_else_because_of_alternates(make, root):
    root.mkdir()
    (root / "policy.toml").write_text('version = "2"\n[roles]\nprivacy = 1\nworkflow = 1\n')
    case = make(edits={"alternates": [ANSWER]})
    approve(case, "privacy", "Rana Okafor")
    assert state(case, now=NOW).missing == {"workflow": 1}


def test_each_role_signs_what_it_answers_for(make):
    case = make()
    signed = payload(approve(case, "privacy", "Rana Okafor"))
    assert [entry["name"] for entry in signed["subject"]] == ["fixture.json", "README.md", "provenance.json"]
    (case / "expect.yaml").unlink()
    said = payload(approve(case, "incident-owner", "Ines Duarte").resolve())
    assert [entry["name"] for entry in said["subject"]] == ["fixture.json"]
    assert said["predicate"]["absent"] == ["expect.yaml"]


def test_a_rejection_takes_the_case_away_with_its_reason_and_says_it_nowhere_else(make, root):
    case = make()
    approve(case, "incident-owner", "Ines Duarte")
    found = decide(
        case,
        role="privacy",
        reviewer="Rana Okafor",
        decision="rejected",
        reason="a name stands in messages[0]",
        now=NOW,
    )
    assert found == root / "rejected" / CASE / "approvals" / "privacy.1.json"
    assert payload(found)["predicate"]["reason"] == "a name stands in messages[0]"
    assert state(root / "rejected" / CASE, now=NOW).name == "rejected"
    # The register is committed, and a reason may quote what should not be there.
    assert "messages[0]" not in (root / "register.jsonl").read_text()
    with pytest.raises(UsageError, match="says why"):
        decide(case, role="privacy", reviewer="Rana Okafor", decision="rejected", now=NOW)


@pytest.mark.parametrize("name", ["AI", "review bot", "claude-3", "GPT-4o"])
def test_a_program_decides_nothing(make, name):
    assert refused(make(), "incident-owner", name) == [
        "the reviewer is no person; a person decides, whatever helped them look"
    ]


def test_one_person_in_two_roles_is_refused(make):
    case = make()
    approve(case, "privacy", "Rana Okafor")
    (line,) = refused(case, "incident-owner", " rana  OKAFOR ")
    assert "must be different people" in line
    # Their own role again is no second one.
    assert approve(case, "privacy", "Rana Okafor", now=NOW + timedelta(1)).name == "privacy.2.json"


def test_who_made_the_case_may_not_approve_it_where_the_policy_says_so(make, root):
    case = make()
    (root / "policy.toml").write_text("author-differs = true\n")
    assert "nobody is on record as the case's author" in refused(case)[0]
    (root / "quarantine" / ".register.jsonl").write_text(
        json.dumps({"at": "2026-03-03T09:00:00Z", "event": "set", "case_id": CASE, "facts": {"author": "rana okafor"}})
        + "\n"
    )
    assert "made the case" in refused(case)[0]
    assert payload(approve(case, "privacy", "Jo Lind"))["predicate"]["author"] == "rana okafor"


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        ({"trigger": None}, "lacks the trigger"),
        ({"trigger": "It went wrong"}, "the trigger (what led to the failure) names nothing that one can observe"),
        ({"prohibited": "The answer was bad"}, "the observable outcome (what must not be) names nothing"),
        ({"evidence_needed": "the output"}, "the evidence needed to decide names nothing"),
    ],
)
def test_a_vague_failure_is_refused_by_its_part(make, expected, said):
    """S6."""
    whole: Any = parse((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes())
    statement = whole["expected"]["failure_statement"] | expected
    edits = {"expected": whole["expected"] | {"failure_statement": statement}}
    if "prohibited" in expected:
        edits["expected"]["prohibited_claims"] = [expected["prohibited"]]
    lines = refused(make(edits=edits), "incident-owner", "Ines Duarte")
    assert len(lines) == 1
    assert said in lines[0]


def test_an_incomplete_and_a_non_replayable_case_are_not_approved(make, root):
    whole: Any = parse((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes())
    incomplete = make(edits={"expected": whole["expected"] | {"prohibited_claims": []}})
    assert state(incomplete, now=NOW).name == "incomplete"
    assert any("prohibited" in line for line in refused(incomplete))
    entry = {"field": "input", "code": "no_input", "reason": "No span holds what the user said."}
    dead = make(OTHER, edits={"missing_evidence": [entry]})
    assert state(dead, now=NOW).name == "non_replayable"
    with pytest.raises(EvidenceMissing):
        approve(dead, "privacy", "Rana Okafor")
    decide(dead, role="qa", reviewer="Jo Lind", decision="rejected", reason="no input", now=NOW)
    assert (root / "rejected" / OTHER).exists()


def test_privacy_confirms_each_thing_that_the_sidecar_tells(make, root):
    secret = {"kind": "API key", "rule": "secrets.x", "steps": [], "spans": []}
    case = make(
        secrets=[secret, secret],
        flags=[
            {"category": "medical", "step": "messages[0]", "count": 2},
            {"category": "code", "step": "input", "count": 1},
        ],
        residual=[
            {"code": "ambiguous", "path": "messages[0].parts[0].text", "start": 0, "end": 4, "count": 1},
            {"code": "name_like", "path": "input", "start": 0, "end": 4, "count": 1},
        ],
    )
    lines = refused(case)
    assert [word for line in lines for word in line.split() if word.startswith("--")] == [
        "--confirm-rotated",
        "--accept-flag",
        "--accept-flag",
        "--treat",
        "--accept-residual",
    ]
    # The incident's owner is asked none of it.
    approve(case, "incident-owner", "Ines Duarte")
    part = Confirmations(rotated=True, flags=("medical",))
    assert len(refused(case, confirmations=part)) == 2
    full = Confirmations(rotated=True, flags=("medical", "code"), residual=("messages[0].parts[0].text",))
    approve(case, "privacy", "Rana Okafor", confirmations=full)
    assert state(root / "approved" / CASE, now=NOW).name == "approved"


def test_the_owner_confirms_or_overrules_the_grade_that_found_the_incident(make):
    """S20."""
    case = make(grader={"name": "truthfulness", "version": "3", "result": "fail"})
    (line,) = refused(case, "incident-owner", "Ines Duarte")
    assert "--grade confirmed or --grade overruled" in line
    found = approve(case, "incident-owner", "Ines Duarte", confirmations=Confirmations(grade="overruled"))
    assert payload(found)["predicate"]["confirmed"]["grade"] == "overruled"


def test_the_dependency_says_of_each_failed_attempt_when_it_had_been_accepted(make):
    """S59."""
    case = make()
    (line,) = refused(case, "dependency", "Omar Haddad")
    assert "--acceptance 1=before, after or unknown" in line
    assert refused(case, "dependency", "Omar Haddad", confirmations=Confirmations(acceptance={"1": "never"}))
    assert refused(
        case, "dependency", "Omar Haddad", confirmations=Confirmations(acceptance={"1": "after", "2": "after"})
    )
    approve(case, "dependency", "Omar Haddad", confirmations=Confirmations(acceptance={"1": "unknown"}))


def test_a_case_without_a_red_run_needs_who_the_policy_names_and_their_evidence(make, root):
    """S57."""
    case = make()
    (root / "policy.toml").write_text("missing-red = { qa = 1 }\n")
    assert "missing_red" in state(case, now=NOW).labels
    approve(case, "privacy", "Rana Okafor")
    approve(case, "incident-owner", "Ines Duarte")
    assert state(case, now=NOW).missing == {"qa": 1}
    assert "cite the evidence" in refused(case, "qa", "Jo Lind")[0]
    for wrong in ("tool_events[7].outcome", "../x", "expected.action.x", "ffffffffffffffff"):
        assert "names no evidence" in refused(case, "qa", "Jo Lind", confirmations=Confirmations(cites=(wrong,)))[0]
    good = Confirmations(cites=("tool_events[0].outcome", "a1b2c3d4e5f60718"))
    approve(case, "qa", "Jo Lind", confirmations=good)
    assert state(root / "approved" / CASE, now=NOW).sound


def test_an_edited_case_is_not_approved(make):
    case = make()
    (case / "fixture.json").write_bytes((case / "fixture.json").read_bytes().replace(b"timed out", b"timed ouT"))
    with pytest.raises(ProvenanceInvalid):
        approve(case, "privacy", "Rana Okafor")
    strange = make(OTHER)
    (strange / "conftest.py").write_text("")
    assert "does not belong in a case folder" in refused(strange)[0]


def test_a_change_voids_the_approvals_that_bound_it_and_those_alone(make, root):
    """S64: an expectation is changed by a decision, never in passing."""
    case = make()
    approve(case, "privacy", "Rana Okafor")
    (case / "README.md").write_text("# Something else\n")
    found = state(case, now=NOW)
    assert found.missing == {"privacy": 1, "incident-owner": 1}
    assert found.faults[0] == "approvals/privacy.1.json: README.md is not what Rana Okafor saw as privacy"
    approve(case, "incident-owner", "Ines Duarte")
    assert state(case, now=NOW).missing == {"privacy": 1}
    # Somebody else's later yes takes the place of the one that is void.
    approve(case, "privacy", "Jo Lind", now=NOW + timedelta(hours=1))
    assert state(root / "approved" / CASE, now=NOW + timedelta(hours=2)).faults == ()


def test_what_nobody_asked_for_and_holds_no_longer_is_not_in_the_way(make, root):
    case = make()
    approve(case, "qa", "Jo Lind")
    (case / "approvals" / "qa.1.json").rename(root / "aside")
    # As annotate leaves it: other bytes, and what people added carried along.
    document = (case / "fixture.json").read_bytes()
    case.rename(root / "old")
    case = make(edits={"incident_id": "INC-8"})
    assert (case / "fixture.json").read_bytes() != document
    (case / "approvals").mkdir()
    (root / "aside").rename(case / "approvals" / "qa.1.json")
    assert state(case, now=NOW).verdict.held[0].outdated
    approve(case, "privacy", "Rana Okafor")
    approve(case, "incident-owner", "Ines Duarte")
    assert require_approved(validate_approved(root, now=NOW)) is None


def test_the_last_word_of_a_person_counts(make):
    case = make()
    approve(case, "privacy", "Rana Okafor")
    approve(case, "privacy", "Rana Okafor", now=NOW + timedelta(hours=1))
    found = state(case, now=NOW + timedelta(hours=1))
    assert [held.outdated for held in found.verdict.held] == [True, False]
    assert found.missing == {"incident-owner": 1}


def test_the_last_word_is_told_by_its_date_and_not_by_its_file_s_name(make):
    case = make()
    first = approve(case, "privacy", "Rana Okafor")
    said = read(opened(first.read_bytes()).payload)
    no = replace(said, decision="rejected", reason="a name stands there", at="2026-03-04T10:00:01Z")
    first.rename(first.with_name("privacy.2.json"))
    first.write_bytes(sealed(render(no), None))
    found = state(case, now=NOW + timedelta(hours=1))
    assert [held.outdated for held in found.verdict.held] == [False, True]
    assert "was rejected as privacy by Rana Okafor" in found.faults
    assert any(
        "was rejected" in line for line in refused(case, "incident-owner", "Ines Duarte", now=NOW + timedelta(hours=1))
    )


class Signed:
    """A policy under which only two people's signatures count."""

    def __init__(self, root: Path, tmp_path: Path) -> None:
        self.rana, self.ines, self.stranger = (tmp_path / name for name in ("rana", "ines", "stranger"))
        lines = [create_signing_key(path).public_line for path in (self.rana, self.ines, self.stranger)]
        root.mkdir(exist_ok=True)
        (root / "policy.toml").write_text(
            f"""
            unsigned = false
            lasts-days = 100
            [people."Rana Okafor"]
            keys = ["{lines[0]}"]
            roles = ["privacy"]
            [people."Ines Duarte"]
            keys = ["{lines[1]}"]
            """
        )


@pytest.fixture
def signed(root, tmp_path) -> Signed:
    return Signed(root, tmp_path)


def test_only_trusted_signatures_count_where_the_policy_says_so(make, root, signed):
    case = make()
    for key, said in ((None, "is not signed|has not signed"), (signed.stranger, "no key"), (signed.ines, "no key")):
        with pytest.raises(ProvenanceInvalid, match=said):
            approve(case, "privacy", "Rana Okafor", key=key)
    with pytest.raises(ProvenanceInvalid):
        approve(case, "privacy", "Jo Lind", key=signed.stranger)
    assert not (case / "approvals").exists()
    approve(case, "privacy", "Rana Okafor", key=signed.rana)
    approve(case, "incident-owner", "Ines Duarte", key=signed.ines)
    found = state(root / "approved" / CASE, now=NOW)
    assert found.sound
    assert all(held.key_id for held in found.verdict.held)


def test_a_person_takes_only_the_roles_that_the_policy_gives_them(make, signed):
    assert "may not decide as incident-owner" in refused(make(), "incident-owner", "Rana Okafor", key=signed.rana)[0]


def test_whom_the_policy_knows_by_a_key_must_sign_even_where_others_need_not(make, root, tmp_path):
    case = make()
    line = create_signing_key(tmp_path / "rana").public_line
    (root / "policy.toml").write_text(f"unsigned = true\n[people.'Rana Okafor']\nkeys = ['{line}']\n")
    with pytest.raises(ProvenanceInvalid, match="has a key in the policy and has not signed"):
        approve(case, "privacy", "Rana Okafor")
    approve(case, "privacy", "Rana Okafor", key=tmp_path / "rana")
    approve(case, "incident-owner", "Ines Duarte")
    assert "unsigned" in state(root / "approved" / CASE, now=NOW).labels


def test_a_policy_that_knows_keys_counts_nobody_else_unless_it_says_so(make, root, tmp_path):
    """A stranger's name and fresh key decide nothing."""
    case = make()
    line = create_signing_key(tmp_path / "rana").public_line
    create_signing_key(tmp_path / "stranger")
    (root / "policy.toml").write_text(f"[people.'Rana Okafor']\nkeys = ['{line}']\n")
    with pytest.raises(ProvenanceInvalid, match="no key that the policy trusts"):
        approve(case, "privacy", "Mallory Stone", key=tmp_path / "stranger")
    with pytest.raises(ProvenanceInvalid, match="is not signed"):
        approve(case, "privacy", "Mallory Stone")
    approve(case, "privacy", "Rana Okafor", key=tmp_path / "rana")


def test_an_approval_ends_when_it_said_or_when_the_policy_says(make, root, signed):
    case = make()
    approve(case, "privacy", "Rana Okafor", key=signed.rana)
    approve(case, "incident-owner", "Ines Duarte", key=signed.ines)
    approved = root / "approved" / CASE
    assert state(approved, now=NOW + timedelta(days=99)).sound
    late = state(approved, now=NOW + timedelta(days=100))
    assert not late.sound
    assert "expired" in late.labels
    assert "approvals/privacy.1.json: expired on 2026-06-12" in late.faults
    (root / "policy.toml").write_text((root / "policy.toml").read_text().replace("100", "5"))
    assert not state(approved, now=NOW + timedelta(days=6)).sound


def test_a_case_is_looked_at_again_when_terms_change_or_time_has_passed(make, root):
    """S64."""
    case = make()
    approve(case, "privacy", "Rana Okafor")
    approve(case, "incident-owner", "Ines Duarte")
    approved = root / "approved" / CASE
    assert state(approved, now=NOW).labels == ("missing_red", "unsigned")
    assert state(approved, now=NOW + timedelta(days=180)).labels == ("missing_red", "review_due", "unsigned")
    (root / "policy.toml").write_text('version = "2"\n')
    found = state(approved, now=NOW)
    assert found.labels == ("missing_red", "needs_re_review", "unsigned")
    assert found.sound


def test_what_was_looked_at_is_what_is_decided_about(make):
    case = make()
    seen = {name: hashlib.sha256((case / name).read_bytes()).hexdigest() for name in ("fixture.json", "README.md")}
    (case / "README.md").write_text("# Something else\n")
    assert refused(case, seen=seen) == ["the case has changed since it was looked at; look again, then decide"]
    assert refused(case, seen={"expect.yml": "ab"})
    approve(case, "privacy", "Rana Okafor", seen={"fixture.json": seen["fixture.json"]})


def test_a_signature_by_a_key_that_nobody_knows_proves_nothing_and_is_told(make, tmp_path):
    case = make()
    create_signing_key(tmp_path / "own")
    approve(case, "privacy", "Rana Okafor", key=tmp_path / "own")
    (held,) = state(case, now=NOW).verdict.held
    assert (held.signed, held.key_id, held.counts) == (True, None, True)


def test_a_statement_made_elsewhere_is_taken_for_its_case_alone(make, root):
    one, other = make(), make(OTHER)
    made = approve(one, "privacy", "Rana Okafor")
    with pytest.raises(ProvenanceInvalid, match="speaks of another case"):
        take(other, made, now=NOW)
    aside = root.parent / "statement.json"
    made.rename(aside)
    assert take(one, aside, now=NOW) == made
    # Nor for other bytes of its own, even in a role that nobody asked for.
    stale = root.parent / "stale.json"
    approve(one, "qa", "Jo Lind").rename(stale)
    (one / "expect.yaml").unlink()
    take(one, stale, now=NOW).unlink()
    document = (one / "fixture.json").read_bytes()
    (one / "fixture.json").write_bytes(document + b" ")
    with pytest.raises(ProvenanceInvalid, match=r"fixture\.json is not what Jo Lind saw"):
        take(one, stale, now=NOW)
    (one / "fixture.json").write_bytes(document)
    aside.write_bytes(b"{}")
    with pytest.raises(ProvenanceInvalid, match="damaged"):
        take(one, aside, now=NOW)
    aside.write_bytes(made.read_bytes().replace(b"payloadType", b"payloadtype"))
    with pytest.raises(ProvenanceInvalid, match="damaged"):
        take(one, aside, now=NOW)


def test_an_approved_case_takes_approvals_that_renew_and_no_rejection(make, root, signed):
    case = make()
    approve(case, "privacy", "Rana Okafor", key=signed.rana)
    approve(case, "incident-owner", "Ines Duarte", key=signed.ines)
    approved, late = root / "approved" / CASE, NOW + timedelta(days=101)
    approve(approved, "privacy", "Rana Okafor", key=signed.rana, now=late)
    assert state(approved, now=late).missing == {"incident-owner": 1}
    approve(approved, "incident-owner", "Ines Duarte", key=signed.ines, now=late)
    assert state(approved, now=late).sound
    validate_approved(root, now=late)
    with pytest.raises(UsageError, match="an approved case is not rejected"):
        decide(approved, role="qa", reviewer="Ines Duarte", decision="rejected", reason="x", key=signed.ines, now=late)
    assert require_approved(validate_approved(root, now=late)) is None


def test_nothing_is_decided_about_a_rejected_case(make, root):
    decide(make(), role="qa", reviewer="Jo Lind", decision="rejected", reason="twice", now=NOW)
    with pytest.raises(UsageError, match="stands in rejected"):
        approve(root / "rejected" / CASE, "qa", "Jo Lind")


def test_an_approved_id_stands_once(make, root):
    case = make()
    approve(case, "privacy", "Rana Okafor")
    approve(case, "incident-owner", "Ines Duarte")
    with pytest.raises(CaseExists):
        approve(make(), "privacy", "Rana Okafor", now=NOW + timedelta(hours=1))
    assert state(root / "approved" / CASE, now=NOW).sound
