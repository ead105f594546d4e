"""Keys, numbers, generic members, media, depth, chunks: no place is skipped."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest

from extractor.errors import RedactionRefused
from extractor.model.config import Nlp, Own, RunConfig

pytestmark = pytest.mark.nlp
MAIL = "ines.kaplan@example.org"
ACCOUNT = "7706410293"


def test_keys_have_the_mapping_of_values_and_never_merge(redacted):
    """leak.json_key"""
    secret = "sk-" + "demo-8c1e7a35"
    made = redacted({"balances": {MAIL: 88.25, "bram.voskuil@example.net": 31}, secret: True, "email": MAIL})
    assert list(made["balances"].values()) == [88.25, 31]
    assert next(iter(made["balances"])) == made["email"]
    assert len(made) == 3
    assert not {MAIL, "bram.voskuil@example.net", secret} & {*made, *made["balances"]}


@pytest.mark.parametrize("member", ["id", "type", "role", "name", "status", "kind", "model", "key", "index"])
def test_generic_members_are_read_too(redacted, member):
    """leak.structural_key_skip"""
    made = redacted({member: MAIL, "role2": "tool", "type2": "tool_result"})
    assert MAIL not in made.values()
    assert (made["role2"], made["type2"]) == ("tool", "tool_result")


def test_numbers_under_identifying_members_stay_numbers(redacted):
    """leak.json_number"""
    numbers = {"pan": 5555555555554444, "phone": 12125550148, "acct": 7706410293, "max_tokens": 4096, "ratio": 0.25}
    made = redacted(numbers)
    for name in ("pan", "phone", "acct"):
        assert type(made[name]) is int
        assert made[name] != numbers[name]
        assert len(str(made[name])) == len(str(numbers[name]))
    assert (made["max_tokens"], made["ratio"]) == (4096, 0.25)


@pytest.mark.parametrize(
    ("media", "head"),
    [
        ("image/png", b"\x89PNG\r\n\x1a\n"),
        ("application/pdf", b"%PDF-1.7\n%\xe2\xe3"),
        ("audio/mpeg", b"ID3\x04\x00\xff"),
    ],
)
def test_inline_media_become_markers_with_type_and_length(redacted, media, head):
    """leak.inline_media: the same bytes have the same marker, others another"""

    def of(body: bytes) -> str:
        return f"data:{media};base64," + base64.b64encode(head + body).decode()

    urls = [of(b"a scan of somebody " * 4), of(b"a scan of somebody " * 4), of(b"another scan of it " * 4)]
    parts = [{"type": "text", "text": "see scan"}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]
    made = redacted({"role": "user", "content": parts})["content"]
    first, second, third = (part["image_url"]["url"] for part in made[1:])
    body = urls[0].partition(",")[2]
    assert first == second != third
    assert first.startswith(f"data:{media};base64,blob:{len(body)}:")
    assert made[0] == parts[0]


@pytest.mark.parametrize("shape", ["vendor", "unknown", "nested"])
def test_what_is_exported_is_covered_whoever_made_it(redacted, shape):
    """leak.third_party_span_shape"""
    told = {"gen_ai.prompt.0.content": f"I am {MAIL}", "vendor.y.blob": f"acct {ACCOUNT}"}
    inner = {"vendor": told, "unknown": [told], "nested": {"x": {"y": [{"z": told}]}}}[shape]
    made = json.dumps(
        redacted({"spans": [{"scope": "app", "input": "hello"}, {"scope": "tracekit", "attributes": inner}]})
    )
    assert MAIL not in made
    assert ACCOUNT not in made
    assert '"tracekit"' in made
    assert '"hello"' in made


@pytest.mark.parametrize("depth", [15, 60, 150])
@pytest.mark.parametrize("kind", ["object", "array", "text"])
def test_depth_hides_nothing_or_is_refused(redacted, depth, kind):
    """leak.depth_limit"""
    value = MAIL if kind != "text" else json.dumps({"to": MAIL})
    for level in range(depth if kind != "text" else 11):
        value = {f"m{level}": value} if kind == "object" else [value] if kind == "array" else json.dumps(value)
    try:
        made = json.dumps(redacted(value))
    except RedactionRefused:
        return
    assert "kaplan" not in made


def test_an_allowed_mailbox_spares_only_itself(kept):
    """leak.allow_beats_block"""
    own = RunConfig(own=Own(mailboxes=("desk@shop-a.com",)))
    made = kept({"note": f"hand over to desk@shop-a.com for {MAIL}"}, (MAIL,), config=own)
    assert made["note"].startswith("hand over to desk@shop-a.com for ")


def test_a_recognizer_that_takes_too_long_stops_the_run(redacted, tmp_path):
    """leak.regex_timeout_fails_open: never emitted as if it were scanned"""
    recognizers = tmp_path / "recognizers.yaml"
    recognizers.write_text(
        "recognizers:\n- name: ours\n  supported_entity: CODE\n  supported_language: en\n"
        '  patterns:\n  - {name: slow, regex: "(a|aa)+$", score: 0.9}\n'
    )
    config = RunConfig(nlp=Nlp(recognizers=(str(recognizers),)))
    with pytest.raises(RedactionRefused):
        redacted("this is text " + "a" * 60 + "! " + MAIL, config=config)


# A value that goes on in the next text.

SAID = f"Hello Ines Kaplan, mail {MAIL}, card 5555 5555 5555 4444, SSN 219-09-9998, code 12."


def chunks(text: str, size: int) -> list[str]:
    return [text[place : place + size] for place in range(0, len(text), size)]


def strings(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (found for child in value.values() for found in strings(child))
    elif isinstance(value, list):
        yield from (found for child in value for found in strings(child))


STREAMS = {
    "choices": lambda pieces: [{"choices": [{"delta": {"content": piece}}]} for piece in pieces],
    "deltas": lambda pieces: {"events": [{"delta": {"text": piece}} for piece in pieces]},
    "array": lambda pieces: {"chunks": pieces},
}


@pytest.mark.parametrize("size", [3, 4, 9, 14])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_is_read_as_one_text_and_keeps_its_chunks(redacted, stream, size):
    """leak.adjacent_parts, between streamed deltas"""
    texts = list(strings(redacted(STREAMS[stream](chunks(SAID, size)))))
    (plain,) = redacted([SAID])
    assert len(texts) == len(chunks(SAID, size))
    assert "".join(texts) == plain
    assert all(abs(len(text) - size) <= size for text in texts)


def test_a_stream_of_events_in_one_text_is_read_as_one(redacted):
    """leak.adjacent_parts, between server-sent events"""
    log = "\n\n".join("data: " + json.dumps({"id": 1, "delta": {"text": piece}}) for piece in chunks(SAID, 6))
    made = redacted({"raw": log})["raw"].split("\n\n")
    assert "".join(json.loads(line.removeprefix("data: "))["delta"]["text"] for line in made) == redacted([SAID])[0]


@pytest.mark.parametrize("size", [5, 8, 13])
def test_streamed_arguments_are_a_document(redacted, size):
    """leak.adjacent_parts, between pieces of JSON"""
    text = json.dumps({"email": MAIL, "password": "gr4nite heron", "seats": 2})
    made = redacted([{"type": "input_json_delta", "partial_json": piece} for piece in chunks(text, size)])
    whole = json.loads("".join(one["partial_json"] for one in made))
    assert list(whole) == ["email", "password", "seats"]
    assert whole["seats"] == 2
    assert whole["email"] != MAIL
    assert "heron" not in whole["password"]


@pytest.mark.parametrize(
    ("left", "right", "around"),
    [
        ("SSN on file: 219-09-", "9998 (checked)", ("SSN on file: ", " (checked)")),
        ("mail ines.kap", "lan@example.org please", ("mail ", " please")),
        ("card 5555 5555 ", "5555 4444 was declined", ("card ", " was declined")),
        ("call +1 (212) ", "555-0148 after six", ("call ", " after six")),
    ],
)
@pytest.mark.parametrize("shape", ["parts", "array", "content"])
def test_adjacent_parts_are_joined_where_a_value_crosses_them(redacted, left, right, around, shape):
    """leak.adjacent_parts"""
    value = {
        "parts": {"content": [{"type": "text", "text": left}, {"type": "text", "text": right}]},
        "array": {"lines": [left, right]},
        "content": [{"role": "user", "content": left}, {"role": "user", "content": right}],
    }[shape]
    made = [text for text in strings(redacted(value)) if text not in ("text", "user")]
    assert len(made) == 2
    assert made[0].startswith(around[0])
    assert made[1].endswith(around[1])
    before, after = (left + right).removeprefix(around[0]).removesuffix(around[1]), "".join(made)
    assert before not in after
    assert left not in made[0]
    assert right not in made[1]


def test_known_values_are_found_across_any_members(redacted):
    """leak.adjacent_parts"""
    made = redacted({"account_number": ACCOUNT, "rows": [{"v": "77064"}, {"v": "10293"}]})
    assert "".join(row["v"] for row in made["rows"]) == made["account_number"] != ACCOUNT


@pytest.mark.parametrize(
    "values",
    [
        ["2026-05-15", "2026-05-16"],
        ["please write to", "the desk at once"],
        ["HAT001", "HAT002", "HAT003"],
        [{"text": "Gate B4"}, {"text": "12 minutes"}, {"text": "30 seats"}],
        [{"role": "user", "content": "I pay 4250"}, {"role": "assistant", "content": "0 is due"}],
    ],
)
def test_texts_side_by_side_are_not_one_by_chance(redacted, values):
    """leak.adjacent_parts"""
    assert redacted(values) == values


def test_turns_of_a_conversation_do_not_run_into_an_address(redacted):
    """leak.adjacent_parts: a mailbox alone in its turn is whole"""
    said = ["Cancel what I ordered.", MAIL, "Both.", "Refund them"]
    made = redacted([{"role": "user", "content": text} for text in said])
    assert [turn["content"] for turn in made] == [said[0], redacted(MAIL), said[2], said[3]]
