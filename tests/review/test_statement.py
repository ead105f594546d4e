from __future__ import annotations

import json
from dataclasses import replace

import pytest

from extractor.review._statement import Confirmations, Malformed, Statement, Terms, bound, read, render

SAID = Statement(
    case_id="2026-03-02-refund-create-timeout-error-0a1b2c3d",
    decision="approved",
    role="incident-owner",
    reviewer="Ines Duarte",
    at="2026-03-04T10:00:00Z",
    expires_at="2027-03-04T10:00:00Z",
    digests={"fixture.json": "ab" * 32},
    absent=("expect.yaml",),
    terms=Terms(rules="cd" * 32, policy="1", schema="1"),
    author="Jo Lind",
    confirmations=Confirmations(
        rotated=True,
        flags=("medical",),
        residual=("a.b",),
        grade="confirmed",
        acceptance={"2": "unknown"},
        cites=("x",),
    ),
)


def test_a_statement_is_in_toto_s_and_gives_itself_back():
    document = json.loads(render(SAID))
    assert document["_type"] == "https://in-toto.io/Statement/v1"
    assert document["subject"] == [{"name": "fixture.json", "digest": {"sha256": "ab" * 32}}]
    assert document["predicateType"] == "urn:extract-fixture:decision:1"
    assert document["predicate"]["absent"] == ["expect.yaml"]
    assert read(render(SAID)) == SAID
    rejected = replace(SAID, decision="rejected", reason="an address stands in messages[2]", expires_at=None)
    assert read(render(rejected)) == rejected


@pytest.mark.parametrize(
    ("member", "value"),
    [
        *(("decision", each) for each in ("Approved", "", None, "maybe")),
        *(("role", each) for each in ("owner", None, 3)),
        *(("at", each) for each in ("2026-03-04", "2026-03-04T10:00:00+00:00", "2026-03-04T10:00:00", "x", None)),
        *(("reviewer", each) for each in ("", " Ines", "Ines\n", None)),
        *(("case_id", each) for each in ("../x", "", None)),
        *(("absent", each) for each in ({}, [1], "expect.yaml")),
        ("more", 1),
        ("confirmed", {}),
        ("terms", {"rules": "x"}),
    ],
)
def test_anything_else_is_malformed(member, value):
    document = json.loads(render(SAID))
    document["predicate"][member] = value
    with pytest.raises(Malformed):
        read(json.dumps(document, indent=2).encode() + b"\n")


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b"\xff", b"null", b'{"predicate": []}'])
def test_what_is_no_statement_is_malformed(payload):
    with pytest.raises(Malformed):
        read(payload)


def test_another_predicate_type_is_no_decision():
    with pytest.raises(Malformed):
        read(render(SAID).replace(b"decision:1", b"provenance:1"))


def test_a_role_binds_its_files_and_the_absence_of_others():
    digests = {"fixture.json": "a", "README.md": "b", "provenance.json": "c"}
    assert bound("privacy", digests) == (digests, ())
    assert bound("incident-owner", digests) == ({"fixture.json": "a"}, ("expect.yaml",))
    assert bound("incident-owner", {**digests, "expect.yaml": "d"}) == ({"fixture.json": "a", "expect.yaml": "d"}, ())
