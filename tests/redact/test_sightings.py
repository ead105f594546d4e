"""S69: which kind of credential stood in which step; never the value."""

from __future__ import annotations

import base64
import json

import pytest

from extractor.model.case import Case, Flag
from extractor.model.config import RunConfig
from extractor.model.reading import Reading
from extractor.model.selection import Decision, Selection
from extractor.model.span import Span
from extractor.model.trace import Subject, Trace
from extractor.redact import WorkspaceKey, redact

KEY = WorkspaceKey(material=bytes(range(32)))
TRACE = "0af7651916cd43dd8448eb211c80319c"
GITHUB = "gh" + "p_" + "q7Zk2LmN8vRt4XyB6cWd1"
PHRASE = "Tr0ub4dor-and-3"
HEADER = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
PAYLOAD = base64.urlsafe_b64encode(b'{"sub":"orla","exp":1900000000}').decode().rstrip("=")
JWT = f"{HEADER}.{PAYLOAD}.c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4"
PEM = "-----BEGIN " + "PRIVATE KEY-----\nMIIBVgIBADANBgkqhkiG9w0BAQEFAASCAUAwggE8\n-----END PRIVATE KEY-----"


def span(number, **attributes):
    return Span(
        trace_id=TRACE,
        span_id=f"{number:016x}",
        parent_id=None,
        name="execute_tool fetch",
        kind="internal",
        start_ns=number,
        end_ns=number + 1,
        attributes=tuple(attributes.items()),
    )


def event(number, arguments):
    return {
        "attempt": number,
        "tool": "fetch",
        "arguments": arguments,
        "outcome": {"type": "result", "value": {"ok": True}},
    }


def found_in(rules, spans, *events, said="Hello"):
    decisions = tuple(Decision(span_id=each.span_id, kept=True, reason="feeds") for each in spans)
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": said}]}
    return redact(
        Case(
            document={
                "frozen_at": "2026-11-30T10:15:00+00:00",
                "input": {"messages": [message]},
                "tool_events": list(events),
            },
            trace=Trace(trace_ids=(TRACE,), spans=spans, steps=(), subject=Subject(), dialects=()),
            selection=Selection(boundary=spans[-1].span_id, boundary_reason="last_answer", decisions=decisions),
            reading=Reading(spans=spans),
        ),
        rules,
        RunConfig(),
        KEY,
    )


def test_a_secret_is_told_by_kind_rule_step_and_span(rules):
    arguments = {"url": "https://api.example.com", "auth": f"use {GITHUB} now"}
    spans = (span(1, note="nothing"), span(2, arguments=json.dumps(arguments)))
    redacted = found_in(rules, spans, event(1, {"page": 1}), event(2, arguments))
    (secret,) = redacted.secrets
    assert (secret.kind, secret.rule) == ("GitHub access", "secret.vendor")
    assert secret.steps == ("tool_events[1]",)
    assert secret.spans == (redacted.span_ids[spans[1].span_id],)
    assert Flag(category="credential", step="tool_events[1]", count=1) in redacted.flags
    assert GITHUB not in repr((redacted.secrets, redacted.flags))


def test_a_field_s_secret_is_told_where_prose_repeats_it(rules):
    spans = (span(1, password=PHRASE), span(2, said=f"it is {PHRASE}, I think"))
    redacted = found_in(rules, spans, event(1, {"password": PHRASE}), said=f"it is {PHRASE}, I think")
    (secret,) = redacted.secrets
    assert secret.kind == "credential in a field of its own"
    assert secret.steps == ("input.messages[0]", "tool_events[0]")
    assert len(secret.spans) == 2


def test_a_secret_of_dropped_spans_alone_stands_outside_the_case(rules):
    (secret,) = found_in(rules, (span(1, password=PHRASE), span(2, a="b")), event(1, {"page": 1})).secrets
    assert (secret.steps, len(secret.spans)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "kind"), [(JWT, "signed bearer (JWT)"), (f"key:\n{PEM}", "private key")], ids=["jwt", "pem"]
)
def test_what_is_replaced_whole_is_told_too(rules, text, kind):
    redacted = found_in(rules, (span(1, value=text),), event(1, {"value": text}))
    assert [(secret.kind, secret.steps) for secret in redacted.secrets] == [(kind, ("tool_events[0]",))]


def test_one_secret_in_two_wrappings_is_told_once(rules):
    arguments = {"authorization": f"Bearer {GITHUB}", "note": GITHUB}
    redacted = found_in(rules, (span(1, arguments=json.dumps(arguments)),), event(1, arguments))
    assert [secret.kind for secret in redacted.secrets] == ["GitHub access"]


def test_two_secrets_are_two(rules):
    other = "A" + "KIA" + "Q7ZK2LMN8VRT4XYB"
    redacted = found_in(rules, (span(1, a=f"{GITHUB} {other}"),), event(1, {"a": f"{GITHUB} {other}"}))
    assert [secret.kind for secret in redacted.secrets] == ["AWS access key", "GitHub access"]
    (flag,) = [flag for flag in redacted.flags if flag.category == "credential"]
    assert flag.count == 2


def test_a_number_that_is_a_secret_is_told(rules):
    redacted = found_in(rules, (span(1, arguments='{"pin": 48213}'),), event(1, {"pin": 48213}))
    assert [secret.steps for secret in redacted.secrets] == [("tool_events[0]",)]


def test_a_trace_without_secrets_tells_of_none(rules):
    redacted = found_in(rules, (span(1, a="Hello there, all of you"),), event(1, {"page": 1}))
    assert (redacted.secrets, redacted.flags) == ((), ())


def test_a_short_secret_inside_a_long_one_hides_neither(rules):
    short = GITHUB[6:10]
    arguments = {"pin": short, "note": GITHUB}
    redacted = found_in(rules, (span(1, arguments=json.dumps(arguments)),), event(1, arguments))
    assert [secret.kind for secret in redacted.secrets] == ["GitHub access", "credential in a field of its own"]


def test_a_secret_in_pieces_is_told(rules):
    arguments = {"chunks": [{"delta": {"content": f"it is {GITHUB[:9]}"}}, {"delta": {"content": f"{GITHUB[9:]} now"}}]}
    redacted = found_in(rules, (span(1, arguments=json.dumps(arguments)),), event(1, arguments))
    assert [(secret.kind, secret.steps) for secret in redacted.secrets] == [("GitHub access", ("tool_events[0]",))]


def test_what_is_public_has_nothing_to_rotate(rules):
    public = "AAAAC3" + "NzaC1lZDI1NTE5AAAAIJ8Q2vB7mK4pXwT9rL1nYc6Zd3Hf5Gs0Ek2Ua7Ow8Pq"
    redacted = found_in(rules, (span(1, note=f"ssh-ed25519 {public}"),), event(1, {"note": f"ssh-ed25519 {public}"}))
    assert public not in str(redacted.document)
    assert redacted.secrets == ()
