"""S32: identity frozen as claims, never as a credential."""

from __future__ import annotations

import base64
import json
from typing import Any

from extractor.model.config import Override, RunConfig
from extractor.model.trace import Subject, ToolCall

from ..select.traces import START_NS, Builder
from .test_timing import document_of

ALL = RunConfig(override=Override(keep=("all",)))
DONE = ToolCall(name="issue_refund", arguments={}, result="ok", has_result=True)
NOW = START_NS // 1_000_000_000


def encoded(document: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


def token(**claims: Any) -> str:
    return ".".join([encoded({"alg": "RS256", "typ": "JWT"}), encoded(claims), "c2lnbmF0dXJl"])


def test_the_payload_of_a_token_says_who_it_spoke_for() -> None:
    build = Builder()
    said = token(sub="user_77", tenant="north", roles=["agent"], email_verified=True, exp=NOW + 60, jti="j-1")
    build.tool(1, 2, None, DONE, attributes={"http.request.header.authorization": [f"Bearer {said}"]})
    document = document_of(build.trace(), ALL)
    assert document["identity"]["subject"] == "user_77"
    assert document["identity"]["tenant"] == "north"
    assert document["identity"]["roles"] == ["agent"]
    assert document["identity"]["claims"] == {
        "token": {
            "sub": "user_77",
            "tenant": "north",
            "roles": ["agent"],
            "email_verified": True,
            "exp": NOW + 60,
            "expired_at_decision": False,
        }
    }
    assert "identity.subject" not in {entry["field"] for entry in document["missing_evidence"]}
    assert said not in json.dumps(document)


def test_a_claim_that_was_stale_when_the_decision_was_made_is_said() -> None:
    build = Builder()
    build.tool(1, 2, None, DONE, attributes={"auth.token": token(sub="user_77", role="admin", exp=NOW - 60)})
    (claims,) = document_of(build.trace(), ALL)["identity"]["claims"].values()
    assert claims["expired_at_decision"] is True


def test_attributes_speak_before_tokens_and_each_token_is_told_once() -> None:
    build = Builder()
    first, second = token(sub="user_77", role="customer"), token(sub="user_78", role="admin")
    for position, each in enumerate((first, first, second, "eyJub3Q.eyJqc29u.x")):
        build.tool(position, position + 0.5, None, DONE, attributes={"auth.token": each})
    identity = document_of(build.trace(Subject(user="user_1", roles=("guest",))), ALL)["identity"]
    assert (identity["subject"], identity["roles"]) == ("user_1", ["guest"])
    assert [claims["sub"] for claims in identity["claims"].values()] == ["user_77", "user_78"]
