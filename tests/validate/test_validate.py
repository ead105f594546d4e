from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractor.errors import InputUnreadable, ProvenanceInvalid, ValidationFailed
from extractor.model.json import parse, pretty
from extractor.validate import validate_case

CASE = "2026-03-02-refund-create-timeout-error-0a1b2c3d"
GOLDEN = (Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes()


def sidecar(content: bytes) -> bytes:
    """A minimal whole sidecar for these bytes."""
    statement: Any = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "fixture.json", "digest": {"sha256": hashlib.sha256(content).hexdigest()}}],
        "predicateType": "urn:extract-fixture:provenance:1",
        "predicate": {
            "source": {"incident_id": None, "trace_refs": ["r1"], "dialects": [], "evidence": []},
            "attempts": [],
            "boundary": {"span_id": "a1", "reason": "last_answer", "candidates": []},
            "selection": [
                {
                    "span_id": "a1",
                    "decision": "kept",
                    "reason": "boundary",
                    "becomes": None,
                    "distance": 0,
                    "overridden": False,
                    "flows": [],
                }
            ],
            "overrides": {"keep": 0, "drop": 0, "treat": {}},
            "redaction": {
                "scope": "case",
                "scope_of": None,
                "structural": False,
                "key_id": "k1",
                "values": 0,
                "occurrences": 0,
                "classes": [],
                "secrets": [],
            },
            "flags": [],
            "residual": [],
            "relations": {"classes": 0, "occurrences": 0, "preserved": 0, "entities": []},
            "leaks": {"known_values": 0, "found": 0, "entities": []},
            "ledger": [],
            "grader": None,
            "rules": {"sha256": "ab" * 32},
            "versions": {"tool": "0", "schema": "1", "models": []},
        },
    }
    return pretty(statement).encode()


@pytest.fixture
def case(tmp_path: Path) -> Path:
    folder = tmp_path / "out" / "quarantine" / CASE
    folder.mkdir(parents=True)
    (folder / "fixture.json").write_bytes(GOLDEN)
    (folder / "provenance.json").write_bytes(sidecar(GOLDEN))
    (folder / "README.md").write_text("#\n")
    (folder / "history.jsonl").write_text("{}\n")
    return folder


def said(path: Path, **named: Any) -> list[tuple[str, str]]:
    report = validate_case(path, **named)
    return [(problem.voice, problem.line) for found in report.cases for problem in found.problems]


def edit(case: Path, **members: Any) -> None:
    """Change members and keep the sidecar true of the bytes, so that one voice speaks at a time."""
    document: Any = parse(GOLDEN)
    document.update(members)
    content = pretty(document).encode()
    (case / "fixture.json").write_bytes(content)
    (case / "provenance.json").write_bytes(sidecar(content))


@pytest.mark.parametrize("named", ["", "fixture.json", "..", "../.."])
def test_a_whole_case_is_valid_by_folder_by_file_and_by_store(case: Path, named: str) -> None:
    """S10: capture.json is not needed."""
    report = validate_case(case / named)
    report.require()
    assert report.exit_status == 0
    assert report.cases[0].lines() == (f"valid replay fixture: {CASE}",)


def test_an_incomplete_case_fails_with_the_seed_s_own_words(case: Path) -> None:
    """S6, S17: the structural check speaks, the schema is content."""
    expected: Any = parse(GOLDEN)
    edit(case, expected=expected["expected"] | {"prohibited_claims": []})
    report = validate_case(case)
    assert said(case) == [("structure", "expected.prohibited_claims must name the incident boundary")]
    assert report.exit_status == 1
    with pytest.raises(ValidationFailed) as raised:
        report.require()
    assert raised.value.problems == ("expected.prohibited_claims must name the incident boundary",)


def test_missing_members_are_told_once(case: Path) -> None:
    """S15."""
    (case / "fixture.json").write_bytes(b"{}\n")
    (case / "provenance.json").unlink()
    voices = [voice for voice, _ in said(case)]
    assert voices == ["structure"]


def test_the_schema_says_that_it_is_the_one_who_speaks(case: Path) -> None:
    edit(case, lane="Ana Lima")
    assert said(case) == [("schema", "lane: enum")]
    assert validate_case(case).cases[0].lines() == ("schema: lane: enum",)


@pytest.mark.parametrize(
    "content",
    [GOLDEN[:-1], GOLDEN + b"\n", GOLDEN.replace(b"\n", b"\r\n"), GOLDEN.replace(b"  ", b"\t"), b" " + GOLDEN],
)
def test_bytes_that_we_would_not_write_are_said(case: Path, content: bytes) -> None:
    (case / "fixture.json").write_bytes(content)
    (case / "provenance.json").write_bytes(sidecar(content))
    assert [voice for voice, _ in said(case)] == ["bytes"]


def test_a_sidecar_of_other_bytes_is_exit_status_7(case: Path) -> None:
    (case / "provenance.json").write_bytes(sidecar(b"other"))
    report = validate_case(case)
    assert said(case) == [("provenance", "provenance.json speaks of other bytes than this fixture.json")]
    assert report.exit_status == 7
    with pytest.raises(ProvenanceInvalid):
        report.require()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b'{"a": 1, "a": 1}', b"[" * 5000, b"[]", b"null", b'{"subject": 7}']
)
def test_a_sidecar_that_is_none_is_exit_status_7(case: Path, content: bytes) -> None:
    (case / "provenance.json").write_bytes(content)
    assert validate_case(case).exit_status == 7


def test_a_sidecar_of_another_form_is_exit_status_1(case: Path) -> None:
    statement = json.loads(sidecar(GOLDEN))
    statement["predicate"]["approved"] = True
    (case / "provenance.json").write_text(json.dumps(statement))
    assert said(case) == [("sidecar schema", "predicate: additionalProperties")]
    assert validate_case(case).exit_status == 1


def test_the_sidecar_may_stand_elsewhere_or_nowhere(case: Path, tmp_path: Path) -> None:
    """S10."""
    elsewhere = tmp_path / "sidecars"
    (elsewhere / CASE).mkdir(parents=True)
    (case / "provenance.json").rename(elsewhere / CASE / "provenance.json")
    absent = validate_case(case).cases[0]
    assert (absent.provenance, absent.problems) == ("absent", ())
    assert absent.lines() == (f"valid replay fixture: {CASE} (no provenance.json)",)
    assert validate_case(case, provenance_dir=elsewhere).cases[0].provenance == "elsewhere"
    assert validate_case(case, provenance_dir=elsewhere / CASE).cases[0].provenance == "elsewhere"
    (elsewhere / CASE / "provenance.json").write_bytes(sidecar(b"other"))
    assert validate_case(case, provenance_dir=elsewhere).exit_status == 7


@pytest.mark.parametrize("name", ["conftest.py", "notes.txt", ".hidden", "fixture.json.bak"])
def test_a_strange_file_is_refused_by_position(case: Path, name: str) -> None:
    (case / name).write_text("")
    ((voice, line),) = said(case)
    position = sorted(entry.name for entry in case.iterdir()).index(name) + 1
    assert (voice, line) == ("folder", f"entry {position} by name does not belong in a case folder")


def test_links_in_a_case_are_refused(case: Path, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_bytes(GOLDEN)
    (case / "fixture.json").unlink()
    (case / "fixture.json").symlink_to(tmp_path / "real.json")
    assert [voice for voice, _ in said(case)] == ["folder", "structure"]


def test_the_folder_bears_the_case_id(case: Path) -> None:
    moved = case.rename(case.parent / "other")
    assert said(moved) == [("folder", "the folder does not bear the name of its case_id")]


def test_controls_are_judged_with_their_case(case: Path) -> None:
    """S41."""
    control = case / "controls" / "just-before"
    control.mkdir(parents=True)
    document: Any = parse(GOLDEN)
    (control / "fixture.json").write_text(pretty({**document, "lane": "none"}))
    assert said(case) == [("schema", "lane: enum")]


def test_many_cases_are_all_told(case: Path) -> None:
    for number in range(3):
        other = case.parent / f"case-{number}"
        other.mkdir()
        content = pretty({**json.loads(GOLDEN), "case_id": other.name, "lane": "?" if number else "gate"}).encode()
        (other / "fixture.json").write_bytes(content)
    (case.parent / ".new-half").mkdir()
    report = validate_case(case.parent.parent)
    assert [len(found.problems) for found in report.cases] == [0, 0, 1, 1]
    with pytest.raises(ValidationFailed) as raised:
        report.require()
    assert raised.value.problems == ("case-1: schema: lane: enum", "case-2: schema: lane: enum")


@pytest.mark.parametrize("place", ["absent", "empty", "a\0b"])
def test_nothing_to_judge_is_an_error(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputUnreadable):
        validate_case(tmp_path / place)


def test_a_case_that_lost_its_fixture_is_no_pass(case: Path) -> None:
    (case / "fixture.json").unlink()
    assert said(case) == [("structure", "fixture cannot be read")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(sorted(json.loads(GOLDEN))), inner),
    max_leaves=6,
)
MEMBER = st.sampled_from(sorted(json.loads(GOLDEN)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary()
    | st.tuples(MEMBER, JSON).map(lambda pair: json.dumps({**json.loads(GOLDEN), pair[0]: pair[1]}).encode())
)
def test_any_content_is_judged_and_never_raises(case: Path, content: bytes) -> None:
    (case / "fixture.json").write_bytes(content)
    (case / "provenance.json").write_bytes(content)
    report = validate_case(case)
    assert report.exit_status in {1, 7}
    assert all(line.isprintable() for found in report.cases for line in found.lines())


def test_no_line_quotes_the_case(case: Path) -> None:
    document = copy.deepcopy(json.loads(GOLDEN))
    for name in document:
        edit(case, **{name: {"canary": "canary"}})
        assert not any("canary" in line for _, line in said(case))
    edit(case, canary="canary")
    assert not any("canary" in line for _, line in said(case))


def test_validation_loads_nothing_heavy(case: Path) -> None:
    program = (
        "import sys, pathlib; from extractor.validate import validate_case\n"
        "early = 'jsonschema' in sys.modules\n"
        "validate_case(pathlib.Path(sys.argv[1])).require()\n"
        "print(early, [name for name in ('spacy', 'presidio_analyzer', 'pyarrow', 'click', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(case)], check=True, capture_output=True, text=True)
    assert done.stdout == "False []\n"


def test_what_is_no_regular_file_is_not_opened(case: Path, tmp_path: Path) -> None:
    (case / "provenance.json").unlink()
    os.mkfifo(case / "provenance.json")
    assert said(case)[-1] == ("provenance", "provenance.json cannot be read")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputUnreadable):
        validate_case(tmp_path / "pipe")


def test_a_case_that_breaks_a_bound_of_ours_is_told_so(case: Path) -> None:
    edit(case, final_output=10**1200)
    assert said(case) == [("bytes", "fixture breaks a bound of ours: number_too_long")]
