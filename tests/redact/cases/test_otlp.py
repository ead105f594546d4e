"""Every position of a trace export, through the command: its trace and span ids stay, all else is text."""

from __future__ import annotations

import json
import re

import pytest

pytestmark = pytest.mark.nlp
MAIL = "ines.kaplan@example.org"
ACCOUNT = "7706410293"


def text(key: str, value: str) -> dict:
    return {"key": key, "value": {"stringValue": value}}


def attributes(span: dict) -> dict:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_scope_attributes_are_walked(exported, ids):
    """leak.otlp_scope_attributes"""
    span = exported(scope=[text("built.for", MAIL), text("release", "1.4")], attributes=[text("contact", MAIL)])
    first, second = span["scope"]["attributes"]
    assert first["value"]["stringValue"] == attributes(span)["contact"] != MAIL
    assert second["value"]["stringValue"] == "1.4"
    assert span["scope"]["name"] == "parcel-agent"
    assert (span["traceId"], span["spanId"]) == ids


def test_span_and_event_names_are_content(exported, ids):
    """leak.otlp_span_and_event_name"""
    event = {"name": f"receipt sent to {MAIL}", "attributes": []}
    span = exported(name=f"notify {MAIL}", events=[event])
    stand_in = span["name"].removeprefix("notify ")
    assert stand_in.count("@") == 1
    assert stand_in != MAIL
    assert span["events"][0]["name"] == f"receipt sent to {stand_in}"
    assert (span["traceId"], span["spanId"]) == ids


def test_links_status_and_resource_share_one_mapping(exported, ids):
    """leak.otlp_links_status_resource"""
    link = {"traceId": ids[0], "spanId": "c40f2b9e71d8a635", "attributes": [text("sent.by", MAIL)]}
    span = exported(
        resource=[text("user.email", MAIL), text("service.name", "parcel-bot")],
        attributes=[text("account.number", ACCOUNT)],
        links=[link],
        status={"code": 2, "message": f"limit reached on account {ACCOUNT}"},
    )
    owner, service = (one["value"]["stringValue"] for one in span["resource"]["attributes"])
    assert service == "parcel-bot"
    assert span["links"][0]["attributes"][0]["value"]["stringValue"] == owner != MAIL
    assert span["links"][0]["spanId"] == link["spanId"]
    assert span["status"]["message"] == f"limit reached on account {attributes(span)['account.number']}"
    assert ACCOUNT not in json.dumps(span)


@pytest.mark.parametrize("state", ["shop=acct:{}", "shop={},other=1", "shop=t61rcWkgMzE;acct:{}"])
def test_trace_state_and_baggage_are_read(exported, state):
    """leak.otlp_tracestate_baggage"""
    baggage = {"arrayValue": {"values": [{"stringValue": "user=ines.kaplan%40example.org,plan=gold"}]}}
    span = exported(
        traceState=state.format(ACCOUNT), attributes=[{"key": "http.request.header.baggage", "value": baggage}]
    )
    assert ACCOUNT not in span["traceState"]
    assert span["traceState"].startswith("shop=")
    (held,) = attributes(span)["http.request.header.baggage"]["values"]
    assert "kaplan" not in held["stringValue"]
    assert held["stringValue"].endswith(",plan=gold")
    assert "%40" in held["stringValue"]


@pytest.mark.parametrize("number", [ACCOUNT, 7706410293])
def test_an_integer_stays_a_sixty_four_bit_integer_of_as_many_digits(exported, number):
    """leak.otlp_int_value"""
    span = exported(
        attributes=[
            {"key": "account.number", "value": {"intValue": number}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7706"}},
            {"key": "app.wide", "value": {"intValue": "9100000000000000007"}},
        ]
    )
    made = attributes(span)
    assert type(made["account.number"]) is type(number)
    assert re.fullmatch(r"[1-9]\d{9}", str(made["account.number"]))
    assert str(made["account.number"]) != ACCOUNT
    assert made["gen_ai.usage.input_tokens"] == "7706"
    assert int(made["app.wide"]) < 2**63


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
def test_every_element_is_redacted_apart(exported, kind):
    """leak.otlp_array_value"""
    people = [MAIL, "bram.voskuil@example.net", MAIL]
    values = [{"stringValue": one} if kind == "arrayValue" else text(f"to.{at}", one) for at, one in enumerate(people)]
    span = exported(attributes=[{"key": "copied", "value": {kind: {"values": values}}}])
    made = [one.get("value", one)["stringValue"] for one in attributes(span)["copied"]["values"]]
    assert len(made) == 3
    assert made[0] == made[2] != made[1]
    assert not set(made) & set(people)


def test_exception_text_and_stack_locals_go_and_frames_stay(exported):
    """leak.exception_stack_locals"""
    token = "tok" + "_5Vt8LqZr2w"
    stack = (
        f"Traceback (most recent call last):\n  File \"/srv/pay/ledger.py\", line 41, in settle\n    key = '{token}'\n"
        f"    find(acct='{ACCOUNT}', who=\"{MAIL}\")\nLookupError: '{ACCOUNT}'"
    )
    told = [
        text("exception.type", "LookupError"),
        text("exception.message", f"no account {ACCOUNT} of {MAIL}"),
        text("exception.stacktrace", stack),
    ]
    span = exported(events=[{"name": "exception", "attributes": told}])
    kind, message, made = (one["value"]["stringValue"] for one in span["events"][0]["attributes"])
    account, _, mail = message.removeprefix("no account ").partition(" of ")
    assert kind == "LookupError"
    assert made.replace(account, ACCOUNT).replace(mail, MAIL).replace(made.split("'")[1], token) == stack
    assert token not in made
    assert ACCOUNT not in message


def test_tool_definitions_are_customer_text_and_stay_json_schema(exported):
    """leak.tool_schema"""
    schema = {
        "name": "find_parcel",
        "description": f"Ask only for the desk of Ines Kaplan ({MAIL})",
        "parameters": {"type": "object", "properties": {"parcel": {"type": "string"}}, "required": ["parcel"]},
    }
    span = exported(attributes=[text("llm.tools.0.tool.json_schema", json.dumps(schema))])
    made = json.loads(attributes(span)["llm.tools.0.tool.json_schema"])
    assert made["parameters"] == schema["parameters"]
    assert made["name"] == "find_parcel"
    assert re.fullmatch(r"Ask only for the desk of \w+ \w+ \([\w.]+@example\.org\)", made["description"])
    assert not re.search("ines|kaplan", made["description"], re.IGNORECASE)


def test_ids_of_the_trace_and_their_copies_stay_byte_for_byte(exported, ids):
    """fp.trace_ids: the command keeps them; in a case all become synthetic"""
    trace, span_id = ids
    span = exported(
        parentSpanId="f1e2d3c4b5a60718",
        links=[{"traceId": trace, "spanId": "c40f2b9e71d8a635"}],
        attributes=[text("metadata.otelTraceId", trace), text("log.span", f"see {span_id} for more")],
    )
    assert (span["traceId"], span["spanId"], span["parentSpanId"]) == (trace, span_id, "f1e2d3c4b5a60718")
    assert span["links"][0] == {"traceId": trace, "spanId": "c40f2b9e71d8a635"}
    assert attributes(span) == {"metadata.otelTraceId": trace, "log.span": f"see {span_id} for more"}
    assert (span["startTimeUnixNano"], span["endTimeUnixNano"]) == ("1780000000000000123", "1780000000250000123")


def test_query_credentials_go_in_every_attribute_that_repeats_them(exported, ids):
    """leak.url_query_secret"""
    token = "vT4x" + "Qm9sRk2bLw7z"
    span = exported(
        attributes=[
            text("url.query", f"access_token={token}&code=7be04d&lang=nl"),
            text("url.full", f"https://api.example.net/v2/me?access_token={token}&lang=nl"),
        ]
    )
    query, full = attributes(span).values()
    found = re.fullmatch(r"access_token=(\w{16})&code=(\w{6})&lang=nl", query)
    assert found
    assert found[1] != token
    assert found[2] != "7be04d"
    assert full == f"https://api.example.net/v2/me?access_token={found[1]}&lang=nl"
    assert (span["traceId"], span["spanId"]) == ids
