from __future__ import annotations

import json

import pytest

from extractor.errors import LeakFound, ProofFailed
from extractor.model.json import pretty
from extractor.verify import prove, seal

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
