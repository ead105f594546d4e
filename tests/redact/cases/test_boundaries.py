"""Where a value begins and ends: separators, neighbours, overlaps, cues, positions."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.nlp
SSN = "219-09-9998"
CARD = "5555555555554444"
MAIL = "ines.kaplan@example.org"


@pytest.mark.parametrize(
    ("text", "gone", "stays"),
    [
        # leak.cjk_no_word_boundary
        (f"客户邮箱{MAIL}已核实，卡号{CARD}已停用", (MAIL, CARD), ("客户邮箱", "已核实，卡号", "已停用")),
        (f"電話は+12125550148です。カード{CARD}は無効", ("12125550148", CARD), ("電話は", "です。カード", "は無効")),
        # leak.underscore_boundary
        (f"row worker_{SSN}_v3 and acct_7706410293.txt", (SSN, "7706410293"), ("row worker_", "_v3 and acct_", ".txt")),
        (f"scan-{CARD}-front.png, export_{CARD}_2026.csv", (CARD,), ("scan-", "-front.png", "export_", "_2026.csv")),
        # leak.ipv6_compressed
        (
            "from 2001:db8:41::7c2a:91:5510 port 40122, [2001:db8::7]:443 and 203.0.113.77:8080",
            ("2001:db8:41::7c2a:91:5510", "2001:db8::7]", "203.0.113.77"),
            ("from 2001:db8:", " port 40122, [2001:db8:", "]:443 and ", ":8080"),
        ),
        # leak.card_bridges_neighbour
        (f"charged {CARD} 77 times", (CARD,), ("charged ", " 77 times")),
        (f"12 of {CARD} 4250 cents", (CARD,), ("12 of ", " 4250 cents")),
        # leak.line_global_veto
        (f"Employee SSN: {SSN} " + " ".join(map(str, range(1, 40))), (SSN,), ("Employee SSN: ", " 1 2 3 ", "38 39")),
        # leak.sample_number_blocklist
        ("ssn 123-45-6789 on form W-9", ("123-45-6789",), ("ssn ", " on form W-9")),
        ("ssn 078-05-1120 on form W-9", ("078-05-1120",), (" on form W-9",)),
        # leak.cued_bare_number
        ("SSN: 219099998, tracking 219099998417, done", ("SSN: 219099998,", "219099998417"), ("tracking ", ", done")),
        # leak.wrong_occurrence
        (
            "card VISA 5555 5555 5555 4444\nDial 5555 5555 4444 for help.",
            ("VISA 5555 5555 5555 4444",),
            ("card VISA ", "Dial ", " for help."),
        ),
        # leak.partial_mask
        ("card 5555 5555 5555 4444, phone +1 212 555 0148", ("5555 5555", "4444", "0148"), ("card ", ", phone +1 ")),
        # fp.overlap_corruption
        ("Card 5555 5555 5555 4444.net overlaps a name", ("5555 5555 5555 4444",), ("Card ", " overlaps a name")),
        # fp.checksum_luck
        (
            "sent GB33BUKB20201555555555 failed; order GB29NWBK failed",
            ("GB33BUKB20201555555555",),
            ("sent ", " failed; order "),
        ),
        # leak.combining_marks
        ("ssn 219\u0301-09-9998 end", ("9998",), ("ssn ", " end")),
    ],
)
def test_the_value_goes_whole_and_its_neighbours_stay(kept, text, gone, stays):
    kept(text, gone, stays)


@pytest.mark.parametrize("dash", ["\u2013", "\u2010", "\u2011", "\u2212"])
def test_dashes_of_any_kind_separate_one_number(redacted, digits, dash):
    """leak.unicode_dash"""
    one, other = re.split(" / ", redacted(f"SSN {SSN.replace('-', dash)} / {SSN}").removeprefix("SSN "))
    assert digits(one) == digits(other) != digits(SSN)


@pytest.mark.parametrize(
    "spelled", ["5555  5555  5555  4444", "5555.5555.5555.4444", "5555-5555-\n5555-4444", "5555 5555-5555 4444"]
)
def test_odd_separators_make_no_other_card(redacted, digits, spelled):
    """leak.card_odd_separators"""
    one, other = redacted([f"card {spelled}", f"card {CARD}"])
    assert digits(one) == digits(other) != CARD
    assert re.sub(r"\d", "0", one) == "card " + re.sub(r"\d", "0", spelled)


@pytest.mark.parametrize("sign", ["\u200b", "\u200d", "\u2060", "\ufeff"])
def test_invisible_characters_hide_nothing(redacted, sign):
    """leak.zero_width"""
    made, plain = redacted(
        [f"mail ines.kaplan@{sign}example.org or acct 7706{sign}4102{sign}93.", f"mail {MAIL} or acct 7706410293."]
    )
    assert made == plain
    assert made.startswith("mail ")
    assert "7706410293" not in made


@pytest.mark.parametrize("letter", ["\u0456", "\u0456n\u0435s.\u043a\u0430plan@example.org"[:1]])
def test_a_look_alike_letter_takes_the_whole_local_part(kept, letter):
    """leak.homoglyph"""
    made = kept(f"{letter}nes.kaplan@example.org wrote", ("nes.kaplan", letter), (" wrote",))
    assert made.count("@") == 1


def test_every_position_is_counted_in_characters(redacted):
    """fp.emoji_offsets"""
    before, after = "Hey 🎉👩‍👩‍👦 my name is ", " 🇳🇱!"
    made = redacted(f"{before}Ines Kaplan, mail {MAIL}{after}")
    assert made.startswith(before)
    assert made.endswith(after)
    assert not re.search("ines|kaplan", made.removeprefix(before), re.IGNORECASE)
    made.encode("utf-8")


def test_overlapping_findings_become_one(redacted):
    """fp.overlap_longer_lower_score"""
    made = redacted(
        "Name: Ines Lucia Kaplan Moor", also=[{"full_name": "Ines Lucia Kaplan"}, {"full_name": "Kaplan Moor"}]
    )
    assert re.fullmatch(r"Name: \w+ \w+ \w+ \w+", made)
    assert not re.search("ines|lucia|kaplan|moor", made.removeprefix("Name: "), re.IGNORECASE)


def test_a_synthetic_address_is_one_of_the_documentation_ranges(redacted):
    """leak.ipv6_compressed"""
    four, six = redacted(["203.0.113.77", "2001:db8:41::7c2a:91:5510"])
    assert four.startswith(("192.0.2.", "198.51.100.", "203.0.113."))
    assert six.startswith("2001:db8:")
