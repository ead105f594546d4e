from __future__ import annotations

import pytest

from extractor.redact.labelled import labelled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Passenger name: Oda Marlow", [(("passenger_name",), "Oda Marlow")]),
        ("- **Full name:** Oda Marlow, phone: 555-0142", [(("full_name",), "Oda Marlow"), (("phone",), "555-0142")]),
        ("customer:\n  first_name: Oda\nplan: gold", [(("customer", "first_name"), "Oda"), (("plan",), "gold")]),
        ("<Dbtr><Nm>Oda</Nm></Dbtr>", [(("dbtr", "nm"), "Oda")]),
        ('<ns:guest firstName="Oda"/>', [(("guest", "first_name"), "Oda")]),
        ('createUser(lastName: "Marlow")', [(("last_name",), "Marlow")]),
        ("id;full_name\n7;Oda", [(("id",), "7"), (("full_name",), "Oda")]),
        ('id,name\n7,"Marlow, Oda"', [(("id",), "7"), (("name",), "Marlow, Oda")]),
        ("| Name | Plan |\n|---|---|\n| Oda | gold |", [(("name",), "Oda"), (("plan",), "gold")]),
        ("SELECT 1 FROM t WHERE u.last_name = 'Marlow'", [(("last_name",), "Marlow")]),
        (
            "INSERT INTO users (first_name, n) VALUES ('Oda', 1), ('Ines', 2)",
            [
                (("users", "first_name"), "Oda"),
                (("users", "n"), "1"),
                (("users", "first_name"), "Ines"),
                (("users", "n"), "2"),
            ],
        ),
        (
            "GET /users/88213/orders/5521 404",
            [(("path_users",), "88213"), (("path_users",), "orders"), (("path_orders",), "5521")],
        ),
        ("BEGIN:VCARD\nN:Marlow;Oda;;;", [(("family_name",), "Marlow"), (("given_name",), "Oda")]),
        ("ORGANIZER;CN=Oda Marlow:mailto:x BEGIN:VEVENT", [(("full_name",), "Oda Marlow")]),
    ],
)
def test_a_text_labels_its_values(text, expected):
    found = [(item.names, item.text) for item in labelled(text)]
    for pair in expected:
        assert pair in found
    for item in labelled(text):
        assert text[item.start : item.end].strip() == item.text or item.text in text[item.start : item.end]


@pytest.mark.parametrize(
    "text", ["It is late: he left.", "no label here", "a, b and c\nd, e and f", "x < y > z", "2 / 3"]
)
def test_prose_has_no_rows_or_elements(text):
    assert all(item.loose for item in labelled(text))


@pytest.mark.parametrize(
    "unit",
    [
        "a:",
        "a: ",
        "<a",
        "<a>",
        "</a>",
        '<a b="c">',
        "/a",
        "|",
        "a,b\n",
        "a: b\n",
        "'",
        "insert into t (",
        "CN=",
        '"a":"',
    ],
)
def test_repetition_does_not_slow_it_down(unit):
    """A finder that looked back over what it has seen would not come back."""
    text = unit * (60_000 // len(unit))
    assert sum(1 for _ in labelled(text)) <= len(text)
