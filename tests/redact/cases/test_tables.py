"""Rows of tables, short numbers beside dates, and members of other languages."""

from __future__ import annotations

import pytest


def test_cells_of_rows_are_values_of_their_own(redacted):
    """leak.rows"""
    rows = [["Imre Kovacs", "imre@quarry.example.net"], ["Lucia Fante", "lf@quarry.example.net"]]
    made = redacted(rows)
    for row in made:
        assert row[1].count("@") == 1
        assert " " in row[0]
        assert "@" not in row[0]
    assert not {cell for row in rows for cell in row} & {cell for row in made for cell in row}


@pytest.mark.parametrize(
    ("document", "stays"),
    [
        ({"user_id": 12, "date": "2026-12-12", "total": "12.00"}, ("date", "total")),
        ({"customer_id": 34, "ts": "2026-05-01T10:34:00Z"}, ("ts",)),
        ({"user": {"id": 2026}, "created_at": "2026-01-02"}, ("created_at",)),
        ({"zip": "10001", "order_total": "10001.00", "fee": "$10001"}, ("order_total", "fee")),
    ],
)
def test_a_short_number_is_no_part_of_a_date_or_an_amount(redacted, document, stays):
    """fp.short_number"""
    made = redacted(document)
    assert {name: made[name] for name in stays} == {name: document[name] for name in stays}


@pytest.mark.parametrize(
    "document",
    [
        {"vorname": "Annegret", "nachname": "Pfeiffer", "geburtsdatum": "03.11.1962"},
        {"nombre": "Itziar", "apellidos": "Zubeldia Otxoa", "fecha_nacimiento": "1962-11-03"},
        {"имя": "Анна", "фамилия": "Каренко", "дата_рождения": "03.11.1962"},
        {"姓名": "陈晓燕"},
    ],
)
def test_members_of_other_languages_are_known(redacted, document):
    """leak.member_language"""
    made = redacted(document)
    assert list(made) == list(document)
    assert not set(made.values()) & set(document.values())


@pytest.mark.parametrize("name", ["Ana Bello", "Ottilie Brandt"])
def test_a_bare_name_that_lists_know_is_a_persons(redacted, name):
    """leak.bare_name"""
    assert redacted({"name": name})["name"] != name


@pytest.mark.parametrize("name", ["Grace Period", "Desk Lamp", "May Sale", "refund_order"])
def test_a_bare_name_of_words_is_a_things(redacted, name):
    """fp.bare_name"""
    assert redacted({"name": name})["name"] == name


def test_an_error_class_is_no_name(redacted):
    """fp.error_class"""
    assert redacted("TypeError: Cannot read properties of undefined (reading 'id')").startswith("TypeError: Cannot")
