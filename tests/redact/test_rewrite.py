"""One pass over each text: what is known goes, in every spelling and encoding; what only looks alike stays."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from urllib.parse import quote

import pytest

from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.place import Place
from extractor.redact.rewrite import Local, Rewriter
from extractor.redact.vault import Vault
from extractor.ruleset import load, vocabulary

KNOWN = [
    ("person", "Ana Lucia"),
    ("person", "Lucia Quintero"),
    ("email", "ana.quintero@shop-a.com"),
    ("user_id", "ana_quintero_9620"),
    ("card", "4556737586899855"),
    ("phone", "+1 215 867 5309"),
    ("record_id", "#W2378156"),
    ("postal_address", "281 Spruce Street"),
    ("credential", "hunter2!xyz"),
]
WORDS = ("Will", "May", "Grant", "Mia", "Li", "Claude")


@pytest.fixture
def vault(filled, identifiers):
    vault = filled(KNOWN)
    for word in WORDS:
        vault.add(word, identifiers.entities["person"], "person.field", word=True)
    return vault


@pytest.fixture
def rewriter(vault, assigned, identifiers):
    return Rewriter(vault, assigned(vault), identifiers, b"k" * 32, {}, vocabulary())


@pytest.fixture
def rewrite(rewriter):
    def of(value, *names, prose=True):
        return rewriter.value(value, Place(names=names, prose=prose))

    return of


ORIGINALS = ["ana.quintero@shop-a.com", "ana_quintero_9620", "4556737586899855", "#W2378156", "+1 215 867 5309"]


@pytest.mark.parametrize("original", ORIGINALS)
@pytest.mark.parametrize(
    "wrapped",
    [
        lambda text: f"please look at {text}, thanks",
        lambda text: f"({text})",
        lambda text: {text: 1},
        lambda text: {"a": [{"b": text}]},
        lambda text: json.dumps({"deep": [text]}),
        lambda text: json.dumps(json.dumps({"deep": text})),
        lambda text: "https://shop.example/x?q=" + quote(text, safe="") + "&n=1",
        lambda text: base64.b64encode(f"the value {text} is here".encode()).decode(),
        lambda text: "to=" + quote(text, safe="") + "&cc=none",
        lambda text: text.upper(),
        "\u200b".join,
        lambda text: unicodedata.normalize("NFD", text + " é"),
        lambda text: "".join(chr(ord(char) + 0xFEE0) if char.isalnum() else char for char in text),
    ],
)
def test_a_known_value_goes_wherever_it_stands(rewrite, original, wrapped):
    before = wrapped(original)
    after = json.dumps(rewrite(before), ensure_ascii=False)
    seen = after + "".join(_opened(after))
    plain = unicodedata.normalize("NFKC", seen).replace("\u200b", "").lower()
    assert original.lower().lstrip("#") not in plain
    assert quote(original, safe="").lower() not in plain
    assert type(rewrite(before)) is type(before)


def _opened(text):
    for run in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        yield base64.b64decode(run + "=" * (-len(run) % 4)).decode("utf-8", "replace")


@pytest.mark.parametrize(
    "text",
    [
        "4556 7375 8689 9855",
        "4556-7375-8689-9855",
        "4556.7375.8689.9855",
        "card 4556 7375 8689 9855 123",
        "+1 (215) 867-5309",
        "1-215-867-5309",
        "on 2026-11-30 4556-7375-8689-9855 failed",
    ],
)
def test_known_numbers_go_in_separators_never_met(rewrite, text):
    made = rewrite(text)
    digits = re.sub(r"\D", "", made)
    assert "4556737586899855" not in digits
    assert "2158675309" not in digits
    assert re.sub(r"\d", "0", made) == re.sub(r"\d", "0", text)


def test_what_only_reads_as_a_known_number_across_others_stays(rewrite):
    text = "rows 12 145567375868998 559 and 3"
    assert rewrite(text) == text


def test_pseudonyms_are_never_replaced_again(filled, assigned, identifiers):
    """A becomes B and B becomes C in one pass; a chain would make A and B one."""
    vault = Vault()
    person = identifiers.entities["person"]
    vault.add("Tavik", person, "r")
    first = assigned(vault).of(vault.by_surface("Tavik"), "Tavik")
    vault.add(first, person, "r")
    made = assigned(vault)
    rewriter = Rewriter(vault, made, identifiers, b"k" * 32, {}, vocabulary())
    text = rewriter.leaf(f"Tavik and {first}", Place())
    assert text == f"{made.of(vault.by_surface('Tavik'), 'Tavik')} and {made.of(vault.by_surface(first), first)}"
    assert len(set(text.split(" and "))) == 2
    assert first not in text


@pytest.mark.parametrize(
    "text",
    [
        "Ana Lucia Quintero",
        "ANA LUCIA QUINTERO",
        "Quintero, Ana Lucia",
        "AnaLucia Quintero",
        "4556737586899855123",
        "x4556737586899855x",
        "mail ana.quintero@shop-a.com/4556737586899855",
        "281 Spruce Street 281 SPRUCE STREET",
        "https://shop.example/u/ana.quintero@shop-a.com/4556737586899855?o=%23W2378156",
        "#W2378156#W2378156",
        "ana_quintero_9620_4556737586899855",
        "note: Lucia https://shop.example/?q=Quintero Ana Lucia",
    ],
)
def test_overlaps_leave_nothing_over(rewrite, text):
    made = rewrite(text).lower()
    for original in ("ana", "lucia", "quintero", "4556737586899855", "w2378156", "spruce", "9620"):
        assert not re.search(rf"(?<![a-z0-9]){original}(?![a-z0-9])", made), original
    assert len(made) - len(text) < 20


def test_a_value_that_holds_encoded_text_goes_whole(filled, assigned, identifiers):
    secret = "see https://vault.test-a.com/x?k=1 then say swordfish9"
    vault = filled([("credential", secret)])
    rewriter = Rewriter(vault, assigned(vault), identifiers, b"k" * 32, {}, vocabulary())
    made = rewriter.leaf(f"it was: {secret}!", Place())
    assert "swordfish" not in made
    assert "vault.test-a.com" not in made
    assert made.startswith("it was: ")
    assert len(made) == len(secret) + 9


@pytest.mark.parametrize(
    "text",
    [
        "Will you send it? said Will",
        "tell Mia, please",
        "MIA: my name is mia and i am here",
        "Dear grant,",
        "Li Quintero called",
        "quintero li called",
    ],
)
def test_ambiguous_names_go_in_the_known_capitalisation_beside_a_cue_or_beside_a_name(rewrite, text):
    made = rewrite(text, "note")
    assert made != text
    assert "Will" not in made
    assert "Mia" not in made


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I will grant it, it may be", ("note",)),
        ("MIA", ("origin",)),
        ("may", ("month",)),
        ("Claude", ("model",)),
        ("Will", ("status",)),
        ("due on May 5th", ("note",)),
        ("grants and maybe willing", ("note",)),
    ],
)
def test_words_stay_words(rewrite, text, names):
    assert rewrite(text, *names) == text


def test_member_names_hold_no_ambiguous_names_but_known_ones(rewrite):
    assert rewrite({"will": 1, "Grant": 2, "may_retry": 3}) == {"will": 1, "Grant": 2, "may_retry": 3}
    [key] = rewrite({"ana_quintero_9620": 1})
    assert key != "ana_quintero_9620"


def test_a_field_that_names_people_is_replaced_in_any_case(rewrite):
    for text in ("Will", "will", "WILL"):
        assert rewrite(text, "first_name").lower() != "will"


def test_two_spellings_of_one_member_stay_two_members(rewrite):
    made = rewrite({"Quintero": 1, "Quinte\u0301ro": 2, "other": 3})
    assert list(made.values()) == [1, 2, 3]
    assert "Quintero" not in made


def test_order_of_members_and_items_stays(rewrite):
    before = {"z": 1, "ana_quintero_9620": [3, "Quintero", 1], "a": {"y": None, "x": True}}
    made = rewrite(before)
    assert list(made)[0::2] == ["z", "a"]
    assert list(made["a"]) == ["y", "x"]
    assert [type(item) for item in list(made.values())[1]] == [int, str, int]


@pytest.fixture
def numbers(assigned, identifiers):
    vault = Vault()
    for entity, text in [("record_id", "4477120"), ("last_four", "2478"), ("user_id", "77")]:
        vault.add(text, identifiers.entities[entity], f"{entity}.field", number=True)
    rewriter = Rewriter(vault, assigned(vault), identifiers, b"k" * 32, {}, vocabulary())
    return lambda value, *names: rewriter.value(value, Place(names=names))


def test_whole_numbers_go_under_identifying_members_and_where_they_are_long(numbers):
    assert numbers(77, "user_id") not in (77, None)
    assert isinstance(numbers(77, "user_id"), int)
    assert numbers(4477120, "amount") != 4477120
    assert numbers(-4477120, "amount") == -numbers(4477120, "amount")
    assert len(str(numbers(2478, "last_four"))) == 4
    assert "4477120" not in str(numbers(94477120, "amount"))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (77, "count"),
        (2478, "amount"),
        (True, "user_id"),
        (False, "last_four"),
        (2478.0, "last_four"),
        (0, "user_id"),
        (None, "user_id"),
    ],
)
def test_short_numbers_elsewhere_floats_and_booleans_stay(numbers, value, name):
    made = numbers(value, name)
    assert made == value
    assert type(made) is type(value)


def test_numbers_and_their_spellings_stay_equal(numbers):
    assert str(numbers(4477120, "order_id")) == numbers("4477120", "order_id")


@pytest.mark.parametrize("media", ["image/png", "audio/mpeg"])
def test_blobs_become_markers_that_tell_their_size(rewrite, media):
    body = base64.b64encode(bytes(range(256)) * 4).decode()
    made = rewrite(f"data:{media};base64,{body}")
    assert re.fullmatch(rf"data:{media};base64,blob:{len(body)}:[0-9a-f]{{16}}", made)
    assert made == rewrite(f"data:{media};base64,{body}")
    other = base64.b64encode(bytes(reversed(range(256))) * 4).decode()
    assert made != rewrite(f"data:{media};base64,{other}")


def test_every_replacement_is_counted_repetitions_included(rewriter, vault):
    rewriter.value(["Quintero", "Quintero", {"x": "Quintero and Quintero"}], Place())
    assert rewriter.counts[vault.by_surface("quintero").canonical] == 4


def test_names_that_hold_in_one_text_stay_in_others(assigned, identifiers):
    vault = Vault()
    vault.add("Ottoline", identifiers.entities["person"], "prose.model", local=True)
    local = {"Ottoline wrote; ottolines do not": frozenset({Local("Ottoline")})}
    rewriter = Rewriter(vault, assigned(vault), identifiers, b"k" * 32, local, vocabulary())
    made = rewriter.leaf("Ottoline wrote; ottolines do not", Place())
    assert not made.startswith("Ottoline")
    assert made.endswith("wrote; ottolines do not")
    assert rewriter.leaf("Ottoline is a colour", Place()) == "Ottoline is a colour"


def test_a_long_text_full_of_values_is_rewritten_in_one_go(rewrite):
    """Twenty thousand findings: a pass that copied the text for each, or compared each with each, would not end."""
    text = "Quintero and Will met Ana at https://shop.example/a?b=c with #W2378156 " * 3_000
    made = rewrite(text, "note")
    assert "Quintero" not in made
    assert made.count("https://shop.example/") == 3_000


def test_a_wide_document_is_rewritten_in_one_go(rewrite):
    made = rewrite([{"name": f"Quintero {number}", "n": number} for number in range(5_000)])
    assert len(made) == 5_000
    assert "Quintero" not in json.dumps(made)


@pytest.mark.nlp
def test_names_of_neighbours_are_no_name_in_one_word():
    people = [{"full_name": "Tomas Kaplan"}, {"full_name": "Ruth Kaplan"}]
    (made,) = redact_documents([{"people": people}], load(), RunConfig(), WorkspaceKey(material=bytes(range(32))))
    first, second = (one["full_name"].split() for one in made["people"])
    assert first[1] == second[1]
    assert all(word.istitle() for word in (*first, *second))
