"""A bearer token of a trace leaves its claims in the case, pseudonymised, and nothing of itself."""

from __future__ import annotations

import base64
import json

from extractor.cli.app import run

TRACE = "5b8efff798038103d269b633813fc60d"


def encoded(document):
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


def test_claims_are_kept_as_data_and_the_credential_is_gone(here, tmp_path, capsys):
    """S32, S69."""
    claims = {"sub": "user_58c1e0aa", "tenant": "north", "roles": ["agent"], "exp": 1772359100}
    token = ".".join([encoded({"alg": "RS256", "typ": "JWT"}), encoded(claims), "c2lnbmF0dXJlLW9mLXRva2Vu"])

    def attribute(key, value):
        return {"key": key, "value": {"stringValue": value}}

    span = {
        "traceId": TRACE,
        "spanId": "eee19b7ec3c1b176",
        "name": "execute_tool refund.create",
        "startTimeUnixNano": "1772359201000000000",
        "endTimeUnixNano": "1772359201400000000",
        "attributes": [
            attribute("gen_ai.operation.name", "execute_tool"),
            attribute("gen_ai.tool.name", "refund.create"),
            attribute("gen_ai.tool.call.arguments", json.dumps({"order_id": "QW-551208", "agent": "user_58c1e0aa"})),
            attribute("gen_ai.tool.call.result", json.dumps({"status": "completed"})),
            attribute("http.request.header.authorization", f"Bearer {token}"),
        ],
    }
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    assert run(["--trace-id", TRACE, str(file), "--json"]) in (0, 4)
    capsys.readouterr()
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    fixture = json.loads((case / "fixture.json").read_bytes())
    kept = fixture["identity"]["claims"]["token"]
    assert kept["sub"] == fixture["identity"]["subject"] == fixture["tool_events"][0]["arguments"]["agent"]
    assert kept["expired_at_decision"] is True
    written = "".join(each.read_text() for each in case.iterdir() if each.name != "capture.json")
    for original in ("user_58c1e0aa", token, token.rpartition(".")[2]):
        assert original not in written
