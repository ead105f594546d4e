"""Which traces become cases: by list, by rule, by chance that is the same everywhere."""

from __future__ import annotations

import json

import pytest

from extractor import ruleset
from extractor.bulk.choosing import Choice, rule
from extractor.bulk.flagged import listed
from extractor.errors import InputUnreadable, UsageError
from extractor.model.span import Resource, Span, SpanEvent
from extractor.read.containers import ids
from extractor.redact import WorkspaceKey

RULES = ruleset.load(())
KEY = WorkspaceKey(material=b"k" * 32)
DAY = 86_400 * 10**9
AT = 20_000 * DAY


def span(name="step", *, status="unset", resource=(), events=(), **attributes):
    return Span(
        trace_id="0" * 32,
        span_id="1" * 16,
        parent_id=None,
        name=name,
        kind="internal",
        start_ns=AT,
        end_ns=AT + 1,
        status_code=status,
        attributes=tuple((key.replace("__", "."), value) for key, value in attributes.items()),
        events=tuple(SpanEvent(name="e", time_ns=AT, attributes=each) for each in events),
        resource=Resource(attributes=resource),
    )


def tool(name, **attributes):
    return span(f"execute_tool {name}", gen_ai__operation__name="execute_tool", gen_ai__tool__name=name, **attributes)


def answer(*tools):
    parts = [{"type": "tool_call", "id": "c1", "name": name, "arguments": {}} for name in tools]
    said = json.dumps([{"role": "assistant", "parts": parts}])
    return span(gen_ai__operation__name="chat", gen_ai__request__model="m", gen_ai__output__messages=said)


def takes(*where, spans=(), start=AT, trace_id="a" * 32):
    choice = Choice(RULES, KEY, where=[rule(text) for text in where])
    return choice.takes(trace_id, start, choice.bits(spans))


@pytest.mark.parametrize(
    ("text", "spans", "wanted"),
    [
        ("error", [span(status="error")], True),
        ("error", [span(error__type="TimeoutError")], True),
        ("error", [span()], False),
        ("error=TimeoutError", [span(events=[(("exception.type", "builtins.TimeoutError"),)])], True),
        ("error=TimeoutError", [span(error__type="ValueError", status="error")], False),
        ("tool=refund.create", [tool("refund.create")], True),
        ("tool=refund.create", [tool("refund.find")], False),
        ("side_effect", [tool("refund.create")], True),
        ("side_effect", [tool("refund.find")], False),
        ("side_effect", [answer("refund.find", "refund.create")], True),
        ("tool=refund.create", [answer("refund.create")], True),
        ("side_effect", [answer("refund.find")], False),
        ("side_effect", [answer()], False),
        ("grade", [span(eval__score__label="fail")], True),
        ("grade", [span(eval__score__label="pass")], False),
        ("attr:deploy.version=3", [span(deploy__version=3)], True),
        ("attr:deploy.version=3", [span(resource=(("deploy.version", "3"),))], True),
        ("attr:deploy.version=3", [span(deploy__version=4)], False),
        ("'attr:customer tier=very good'", [span(**{"customer tier": "very good"})], True),
    ],
)
def test_a_term_asks_the_spans(text, spans, wanted):
    assert takes(text, spans=spans) is wanted


def test_terms_of_a_rule_all_hold_and_rules_are_alternatives():
    failed, refund = span(status="error"), tool("refund.create")
    assert takes("error side_effect", spans=[failed, refund])
    assert not takes("error side_effect", spans=[failed])
    assert takes("error side_effect", "error", spans=[failed])


def test_bits_of_several_records_of_a_trace_add_up():
    choice = Choice(RULES, KEY, where=[rule("error side_effect")])
    bits = choice.bits([span(status="error")]) | choice.bits([tool("refund.create")])
    assert choice.takes("a" * 32, AT, bits)


@pytest.mark.parametrize(
    ("text", "start", "wanted"),
    [
        ("since=2024-10-04", AT, True),
        ("since=2024-10-05", AT, False),
        ("until=2024-10-05", AT, True),
        ("until=2024-10-04T00:00:00Z", AT, False),
        ("until=2024-10-05", 0, False),
        ("since=2024-10-04T02:00:00+02:00", AT, True),
    ],
)
def test_a_window_asks_when_the_trace_began(text, start, wanted):
    assert takes(text, start=start) is wanted


def test_a_sample_is_a_share_of_the_traces_and_the_same_every_time():
    ids = [f"{number:032x}" for number in range(4000)]
    taken = [each for each in ids if takes("sample=5%", trace_id=each)]
    assert 120 < len(taken) < 280
    assert taken == [each for each in reversed(ids) if takes("sample=0.05", trace_id=each)][::-1]
    other = Choice(RULES, WorkspaceKey(material=b"o" * 32), where=[rule("sample=5%")])
    assert taken != [each for each in ids if other.takes(each, AT, 0)]


def test_a_list_wins_over_rules_and_says_what_is_absent():
    choice = Choice(RULES, KEY, where=[rule("error")], flagged=frozenset({"a" * 32, "b" * 32}))
    assert choice.takes("a" * 32, AT, 0)
    assert not choice.takes("c" * 32, AT, 0)
    assert choice.absent({"a" * 32}) == 1
    assert Choice(RULES, KEY).takes("c" * 32, AT, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "errors",
        "tool",
        "tool=",
        "grade=fail",
        "attr:x",
        "attr:=1",
        "since=yesterday",
        "sample=0",
        "sample=101%",
        "'error",
    ],
)
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(UsageError) as refused:
        rule(text)
    assert "where" in refused.value.message or "take" in refused.value.message


def test_a_list_has_an_id_a_line_or_json(tmp_path):
    file = tmp_path / "flagged"
    file.write_text(f"# tickets\n{'A' * 32}\n\n" + '{"trace_id": "' + "b" * 32 + '", "ticket": "T-1"}\n')
    assert listed(file) == {"a" * 32, "b" * 32}
    file.write_text("ines.kaplan@example.com\n")
    with pytest.raises(InputUnreadable, match=r"^line 1 of the list names no trace id$"):
        listed(file)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (f"\ufeff{'A' * 32}\r\n{'b' * 32}\r\n\r\n{'a' * 32}", {"a" * 32, "b" * 32}),
        (
            "\n".join(f'{{"trace_id": "{each * 32}", "title": "one\u2028two\x85three"}}' for each in "ab"),
            {"a" * 32, "b" * 32},
        ),
        (f"0x{'a' * 32}\n{'b' * 16}\nqqqqqqqqqqqqqqqqqqqqqg==", {"a" * 32, "b" * 16}),
    ],
)
def test_a_list_is_read_as_tools_of_other_people_write_it(tmp_path, content, names):
    file = tmp_path / "flagged"
    file.write_bytes(content.encode())
    assert listed(file) == {name.zfill(32) for name in names}


def test_ids_of_other_systems_are_listed_as_they_are_read(tmp_path):
    file = tmp_path / "flagged"
    file.write_text("lf-trace-42\n")
    assert listed(file) == {ids.foreign_trace_id("lf-trace-42")}
    for no_id in ("abcdef12", "a" * 31, "some words", "0" * 32, "x1" * 200):
        file.write_text(f"{'a' * 32}\n{no_id}\n")
        with pytest.raises(InputUnreadable, match="line 2"):
            listed(file)
