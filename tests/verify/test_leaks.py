from __future__ import annotations

import base64
import copy
import hashlib
import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.errors import LeakFound
from extractor.model.case import KnownValue

from .cases import ORIGINAL, known_values, rewrite, run

MAIL = "yusuf.rossi4821@example.com"
ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it was": str,
    "upper case": str.upper,
    "full width": lambda text: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text),
    "zero width characters inside": "\u200b".join,
    "soft hyphens inside": "\u00ad".join,
    "percent": lambda text: quote(text, safe=""),
    "percent on every character": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "HTML numbers": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "HTML hex numbers": lambda text: "".join(f"&#x{ord(char):x};" for char in text),
    "HTML escaped": html.escape,
    "JSON escapes": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "hex escapes": lambda text: "".join(
        f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}" for char in text
    ),
    "JSON in a string": lambda text: json.dumps({"to": text}),
    "JSON in JSON in a string": lambda text: json.dumps({"a": json.dumps({"to": [text]})}),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 without padding": lambda text: base64.b64encode(text.encode()).decode().rstrip("="),
    "base64, one byte before": lambda text: base64.b64encode(b"x" + text.encode()).decode(),
    "base64, two bytes before": lambda text: base64.b64encode(b"xy" + text.encode() + b"z").decode(),
    "base64 among binary": lambda text: base64.b64encode(b"\xff\x00\x80" + text.encode() + b"\xfe\x01").decode(),
    "base64 url-safe": lambda text: base64.urlsafe_b64encode(b"\xfb\xef" + text.encode()).decode().rstrip("="),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base64 of JSON with escapes": lambda text: base64.b64encode(
        json.dumps({"to": text}).replace("@", "\\u0040").encode()
    ).decode(),
    "hex": lambda text: text.encode().hex(),
    "upper hex": lambda text: text.encode().hex().upper(),
    "JWT": lambda text: ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg":"none"}', json.dumps({"sub": text}), "signature")
    ),
    "md5": lambda text: hashlib.md5(text.encode()).hexdigest(),
    "sha1": lambda text: hashlib.sha1(text.encode()).hexdigest(),
    "sha256": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "sha256 in base64": lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
}
POSITIONS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "final output": lambda case, text: case.update(final_output=f"Written to {text} at once."),
    "glued to other letters": lambda case, text: case.update(final_output=f"to={text};q"),
    "argument": lambda case, text: case["tool_events"][0]["arguments"].update(first_name=text),
    "argument name": lambda case, text: case["tool_events"][0]["arguments"].update({text: 1}),
    "tool name": lambda case, text: case["tool_events"][0].update(tool=text),
    "template": lambda case, text: case["templates"][0].update(content=text),
    "place of a digest, but no digest": lambda case, text: case["templates"][0].update(sha256=f"({text})"),
    "place of a timing": lambda case, text: case["tool_events"][0]["timing"].update(end_ms=text),
}


def spoiled(text: str, where: str) -> dict[str, Any]:
    case = copy.deepcopy(rewrite(ORIGINAL))
    POSITIONS[where](case, text)
    return case


def test_a_perfect_redaction_has_no_leak(original, document):
    proofs = run(original, document)
    assert proofs.leaks == 0
    assert proofs.known_values == len(known_values())


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_value_is_found_in_every_encoding(original, encoding):
    with pytest.raises(LeakFound) as caught:
        run(original, spoiled(ENCODINGS[encoding](MAIL), "final output"))
    assert "EMAIL (rule test)" in str(caught.value)


@pytest.mark.parametrize("where", POSITIONS)
@pytest.mark.parametrize("text", [MAIL, "4556737586899855", "noelle_grantham_3381"])
def test_a_long_value_is_found_in_every_position(original, where, text):
    with pytest.raises(LeakFound):
        run(original, spoiled(text, where))


SPELLINGS = ("as it was", "upper case", "full width", "zero width characters inside", "soft hyphens inside")
DIGESTS = ("md5", "sha1", "sha256", "sha256 in base64")


@given(
    text=st.sampled_from([MAIL, "4556737586899855", "noelle_grantham_3381", "+1 215 555 0142"]),
    spelling=st.sampled_from(SPELLINGS),
    encodings=st.lists(st.sampled_from([name for name in ENCODINGS if name not in (*SPELLINGS, *DIGESTS)]), max_size=3),
    where=st.sampled_from(["final output", "argument", "argument name", "template"]),
)
def test_layers_of_encodings_hide_nothing(text, spelling, encodings, where):
    for name in (spelling, *encodings):
        text = ENCODINGS[name](text)
    with pytest.raises(LeakFound):
        run(copy.deepcopy(ORIGINAL), spoiled(text, where))


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("Thanks, Yusuf!", "a token"),
        ("Thanks, YUSUF", "another case"),
        ("userYusufId", "a change of case"),
        ("zip19122x", "a change of digit class"),
        ("card 9855.", "a token of digits"),
        ("Rossi, Yusuf", "the name in reverse"),
        ("grantham noelle", "the name in reverse and lower case"),
        ("call 12155550142", "digits alone"),
        ("call (215) 555-0142", "national digits"),
        ("call 1.215.555.0142", "other separators"),
        ("born October 19, 1982", "another way to write the date"),
        ("born 19.10.1982", "another order of the date"),
        ("yusufrossi", "the name run together"),
        ("4556-7375-8689-9855", "a card in groups"),
        ("Yu\u00ads\u00aduf", "format characters inside"),
    ],
)
def test_a_value_is_found_however_it_is_spelled(original, document, said, because):
    document["final_output"] = said
    with pytest.raises(LeakFound):
        run(original, document)


@pytest.mark.parametrize(
    "said",
    [
        "I like available refunds.",
        "119122 items",
        "398551 units",
        "grossing",
        "Yusufzai",
        "a3f9855bc1d2e4",
        "0x3f19122ab9c1",
    ],
)
def test_a_short_value_inside_a_longer_token_is_none(original, document, said):
    original["final_output"] = document["final_output"] = said
    assert run(original, document).leaks == 0


def test_short_names_do_not_refuse_ordinary_words(original, document):
    known = known_values(
        KnownValue(text="Li", entity="PERSON", rule="test"), KnownValue(text="Ava", entity="PERSON", rule="test")
    )
    original["final_output"] = document["final_output"] = "I like what is available."
    assert run(original, document, known=known).leaks == 0


@pytest.mark.parametrize(("said", "leaks"), [("will you do it?", False), ("Thanks, Will.", True), ("WILL", False)])
def test_a_name_that_is_a_word_counts_in_its_own_spelling_alone(original, document, said, leaks):
    known = known_values(KnownValue(text="Will", entity="PERSON", rule="test", word=True))
    original["final_output"] = document["final_output"] = said
    if leaks:
        with pytest.raises(LeakFound):
            run(original, document, known=known)
    else:
        run(original, document, known=known)


def test_a_name_that_is_a_word_may_name_a_model_or_a_tool(original, document):
    known = known_values(KnownValue(text="Claude", entity="PERSON", rule="test", word=True))
    original["model"] = document["model"] = {"provider": "example", "name": "Claude"}
    assert run(original, document, known=known).leaks == 0
    original["final_output"] = document["final_output"] = "Ask Claude."
    with pytest.raises(LeakFound):
        run(original, document, known=known)


@pytest.mark.parametrize(
    ("said", "leaks"), [("민수님, 네", True), ("저는 민수입니다", True), ("민순", False), ("김민숙", False)]
)
def test_a_korean_name_counts_before_a_particle_and_not_inside_a_syllable(original, document, said, leaks):
    known = known_values(KnownValue(text="민수", entity="PERSON", rule="test", word=True))
    original["final_output"] = document["final_output"] = said
    if leaks:
        with pytest.raises(LeakFound):
            run(original, document, known=known)
    else:
        run(original, document, known=known)


@pytest.mark.parametrize(
    "said",
    ["7" * 5000, "\u00b2\u00b3 " * 50, "\\" * 300, "%25" * 300, "\u5c71\u7530" * 50, "{" * 500, "\ud83d\ude00" * 9],
)
def test_odd_text_is_read_without_a_fault(original, document, said):
    original["final_output"] = document["final_output"] = said
    assert run(original, document).leaks == 0


def test_a_name_is_found_in_a_script_without_spaces(original, document):
    known = known_values(KnownValue(text="\u5c71\u7530", entity="PERSON", rule="test"))
    original["final_output"] = document["final_output"] = "\u79c1\u306f\u5c71\u7530\u3067\u3059"
    with pytest.raises(LeakFound):
        run(original, document, known=known)


def test_what_is_encoded_too_deep_to_look_into_is_refused(original, document):
    original["final_output"] = document["final_output"] = "%" + "25" * 40 + "41"
    with pytest.raises(LeakFound):
        run(original, document)


def test_a_local_finding_may_stand_elsewhere(original, document):
    known = known_values(KnownValue(text="Paris", entity="PERSON", rule="ner", everywhere=False))
    original["final_output"] = document["final_output"] = "Flights to Paris are full."
    assert run(original, document, known=known).leaks == 0


def test_a_secret_is_found_inside_other_text(original, document):
    secret = "zq" + "7" + "kX"
    known = known_values(KnownValue(text=secret, entity="PASSWORD", rule="test", secret=True))
    original["final_output"] = document["final_output"] = f"aaa{secret}bbb"
    with pytest.raises(LeakFound):
        run(original, document, known=known)


@pytest.mark.parametrize(
    "value",
    [
        ["yusuf.ro", "ssi4821@exam", "ple.com"],
        list("Yusuf"),
        [ord(char) for char in "Yusuf"],
        [ord(char) for char in MAIL],
        [{"text": "yusuf.rossi"}, {"text": "4821@example.com"}],
        {"a": "yusuf.rossi48", "b": "21@example.com"},
        "[89, 117, 115, 117, 102]",
        '["4556", "7375", "8689", "9855x"]',
    ],
)
def test_a_value_is_found_across_pieces(original, document, value):
    document["tool_events"][0]["outcome"]["value"]["note"] = value
    with pytest.raises(LeakFound):
        run(original, document)


SPREAD = KnownValue(text="Torandedan", entity="PERSON", rule="test")


@pytest.mark.parametrize(
    ("said", "leaks"),
    [
        ("Orbit Orandedan was here", False),  # words that hold its letters by chance
        ("Tor andedanish", False),
        ("T o r a n d e d a n", True),
        ("(tor-ande/dan)", True),
        ("sirTorande dan7", True),
        (["Toran", "dedan"], True),
        ("orbitorandedan", True),
    ],
)
def test_letters_spread_over_pieces_begin_and_end_with_words(original, document, said, leaks):
    for each in (original, document):
        each["tool_events"][0]["outcome"]["value"]["note"] = copy.deepcopy(said)
    if leaks:
        with pytest.raises(LeakFound):
            run(original, document, known=known_values(SPREAD))
    else:
        assert run(original, document, known=known_values(SPREAD)).leaks == 0


def test_numbers_that_we_made_are_exempt_by_place(original, document):
    assert original["tool_events"][0]["timing"]["end_ms"] == 19122
    assert run(original, document).leaks == 0
    document["tool_events"][0]["arguments"]["zip"] = 19122
    with pytest.raises(LeakFound):
        run(original, document)


def test_the_readme_is_searched(original, document):
    with pytest.raises(LeakFound) as caught:
        run(original, document, readme="Yusuf asked for a refund.\n")
    assert "README.md" in str(caught.value)


def test_a_fault_names_rule_and_place_but_no_value(original, document):
    document["tool_events"][0]["arguments"] = {MAIL: MAIL}
    document["final_output"] = "Yusuf Rossi"
    with pytest.raises(LeakFound) as caught:
        run(original, document)
    said = str(caught.value).lower()
    assert "tool_events[0].arguments.{0}" in said
    assert not any(word in said for word in ("yusuf", "rossi", "4821", "example.com"))
