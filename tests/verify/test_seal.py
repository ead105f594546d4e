from __future__ import annotations

import json

import pytest

from extractor.errors import LeakFound, ProofFailed
from extractor.model.json import pretty
from extractor.verify import prove, reopened, seal, sealed

from .cases import RULES, redacted_case

CASE = "2025-06-15-refund-timeout-1a2b3c4d"


@pytest.fixture
def proved(original, document):
    redacted = redacted_case(original, document)
    files = {"fixture.json": pretty(document).encode(), "README.md": f"# {CASE}\n".encode()}
    return redacted, files, prove(redacted, [original], files, RULES)


def finish(proved, **sidecar):
    redacted, files, proofs = proved
    files = {**files, "provenance.json": json.dumps(sidecar).encode()}
    return seal(CASE, files, redacted, proofs, incomplete=True, replayable=True)


def test_a_fixture_holds_the_very_bytes_that_were_proved(proved):
    fixture = finish(proved, predicate={"leaks": 0, "ledger": {"spans": 9855}, "trace_refs": ["9855" * 16]})
    assert fixture.files["fixture.json"] == proved[1]["fixture.json"]
    assert fixture.files["provenance.json"]
    assert fixture.incomplete
    assert fixture.replayable


def test_the_sidecar_is_searched_too(proved):
    with pytest.raises(LeakFound) as caught:
        finish(proved, predicate={"source": {"incident_id": "INC-Yusuf"}})
    assert "provenance.json predicate.source.incident_id" in str(caught.value)


def test_other_bytes_than_the_proved_ones_are_refused(proved):
    redacted, files, proofs = proved
    with pytest.raises(ProofFailed):
        seal(CASE, {**files, "fixture.json": b"{}"}, redacted, proofs, incomplete=False, replayable=True)
    with pytest.raises(ProofFailed):
        seal(CASE, {"README.md": files["README.md"]}, redacted, proofs, incomplete=False, replayable=True)


def test_nothing_to_prove_against_is_no_proof(original, document):
    redacted = redacted_case(original, document)
    with pytest.raises(ProofFailed):
        prove(redacted, [], {"fixture.json": pretty(document).encode()}, RULES)
    with pytest.raises(ProofFailed):
        prove(redacted, [original], {"README.md": b"x"}, RULES)
    with pytest.raises(ProofFailed):
        prove(redacted, [original], {"fixture.json": b"{"}, RULES)


KEY = bytes(range(32))


def again(fixture, files=None, key=KEY, **other):
    said = {"case_id": CASE, "trace_ref": "a" * 32, "incomplete": True, "replayable": True, **other}
    shut = said.pop("seal", sealed(fixture, KEY, trace_ref="a" * 32))
    return reopened(files or fixture.files, shut, key, **said)


def test_a_sealed_fixture_is_the_same_elsewhere(proved):
    fixture = finish(proved)
    opened = again(fixture)
    assert opened.files == fixture.files
    assert (opened.case_id, opened.incomplete, opened.replayable) == (CASE, True, True)


@pytest.mark.parametrize("name", ["fixture.json", "README.md", "provenance.json"])
def test_a_seal_speaks_of_every_byte(proved, name):
    fixture = finish(proved)
    with pytest.raises(ProofFailed, match="not the case that was proved"):
        again(fixture, {**fixture.files, name: fixture.files[name] + b" "})
    with pytest.raises(ProofFailed):
        again(fixture, {other: content for other, content in fixture.files.items() if other != name})


@pytest.mark.parametrize(
    "other",
    [
        {"key": bytes(32)},
        {"trace_ref": "b" * 32},
        {"case_id": CASE[:-1] + "e"},
        {"incomplete": False},
        {"replayable": False},
        {"seal": None},
        {"seal": "0" * 64},
    ],
)
def test_a_seal_speaks_of_case_trace_and_state_under_one_key(proved, other):
    with pytest.raises(ProofFailed):
        again(finish(proved), **other)
