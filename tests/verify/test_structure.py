from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from extractor.errors import StructureChanged
from extractor.model.case import KnownValue

from .cases import known_values, rewrite, run


def value(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["tool_events"][0]["outcome"]["value"]
    return found


CHANGES = {
    "an amount": lambda document: value(document).update(amounts=[10.51, 3, 7]),
    "the spelling of an amount": lambda document: value(document).update(amounts=[10.50, 3.0, 7]),
    "a shorter array": lambda document: value(document).update(amounts=[10.50, 3]),
    "a longer array": lambda document: value(document).update(amounts=[10.50, 3, 7, 7]),
    "an amount as text": lambda document: value(document).update(amounts=[10.50, "3", 7]),
    "a null filled": lambda document: value(document).update(note=""),
    "a truth turned": lambda document: value(document).update(active=False),
    "a truth as a number": lambda document: value(document).update(active=1),
    "a member dropped": lambda document: value(document).pop("note"),
    "a member added": lambda document: value(document).update(more=1),
    "a member renamed": lambda document: value(document).update(other=value(document).pop("by_order")),
    "a word of a person": lambda document: document.update(
        final_output=document["final_output"].replace("refund", "return")
    ),
    "an amount in prose": lambda document: document.update(
        final_output=document["final_output"].replace("10.50", "10.05")
    ),
    "a sentence dropped": lambda document: document.update(final_output="Done, Tavik."),
    "a word added": lambda document: document.update(final_output=document["final_output"] + " Really."),
    "punctuation": lambda document: document.update(final_output=document["final_output"].replace(",", ";")),
    "a status": lambda document: value(document).update(by_order={"K9041327": "shipped"}),
    "a tool": lambda document: document["tool_events"][0].update(tool="get_user"),
    "a type": lambda document: document["tool_events"][0]["outcome"].update(type="error"),
    "a timing": lambda document: document["tool_events"][0]["timing"].update(end_ms=19123),
    "a path of a link": lambda document: value(document).update(
        link=value(document)["link"].replace("orders", "baskets")
    ),
    "an identifier emptied": lambda document: value(document).update(email=""),
    "an identifier of another type": lambda document: document["tool_events"][0]["arguments"].update(zip="84067"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_anything_but_identifiers_is_refused(original, document, change):
    CHANGES[change](document)
    with pytest.raises(StructureChanged):
        run(original, document)


def test_a_number_that_is_an_identifier_may_change(original, document):
    assert document["tool_events"][0]["arguments"]["zip"] == 84067
    run(original, document)


ENCODED = {
    "JSON": json.dumps,
    "compact JSON": lambda node: json.dumps(node, separators=(",", ":")),
    "JSON twice": lambda node: json.dumps(json.dumps(node)),
    "base64 of JSON": lambda node: base64.b64encode(json.dumps(node).encode()).decode(),
    "a token": lambda node: ".".join(
        base64.urlsafe_b64encode(part.encode()).decode().rstrip("=")
        for part in ('{"alg": "HS256"}', json.dumps(node), f"signature of {len(json.dumps(node))}")
    ),
    "base64 in prose": lambda node: f"The cursor is {base64.b64encode(json.dumps(node).encode()).decode()} for now.",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_encoded_content_is_compared_inside(original, document, encoding):
    inner = {"to": "yusuf.rossi4821@example.com", "amount": 12.5, "note": "keep this"}
    encode = ENCODED[encoding]
    value(original)["note"] = encode(inner)
    value(document)["note"] = encode(rewrite(inner))
    run(original, document)
    value(document)["note"] = encode(rewrite(inner) | {"amount": 13.5})
    with pytest.raises(StructureChanged):
        run(original, document)
    value(document)["note"] = encode(rewrite(inner) | {"note": "drop this"})
    with pytest.raises(StructureChanged):
        run(original, document)


def test_the_style_of_inner_json_stays(original, document):
    value(original)["note"] = '{"a": "Yusuf"}'
    value(document)["note"] = '{"a":"Tavik"}'
    with pytest.raises(StructureChanged):
        run(original, document)


def test_a_local_finding_may_be_replaced_where_it_stood(original, document):
    known = known_values(KnownValue(text="Lakewood", entity="LOCATION", rule="ner", everywhere=False))
    original["final_output"] = "It went to Lakewood today."
    document["final_output"] = "It went to Birchholm today."
    run(original, document, known=known)
    document["final_output"] = "It came to Birchholm today."
    with pytest.raises(StructureChanged):
        run(original, document, known=known)


def test_a_blob_may_become_its_marker(original, document):
    value(original)["note"] = "iVBORw0KGgo" + "A1b2C3d4" * 100
    value(document)["note"] = {"type": "blob", "size": 811, "digest": "ab" * 16}
    document["missing_evidence"] = [{"field": "tool_events[0]", "code": "blob", "reason": "not kept"}]
    run(original, document)
    value(document)["note"] = {"type": "blob", "size": 811, "words": "x"}
    with pytest.raises(StructureChanged):
        run(original, document)


def test_a_fault_names_no_payload_member_and_no_value(original, document):
    value(original)["by_order"] = {"secretword": 1}
    value(document)["by_order"] = {"secretword": 2}
    with pytest.raises(StructureChanged) as caught:
        run(original, document)
    assert "tool_events[0].outcome.value.{11}.{0}" in str(caught.value)
    assert "secretword" not in str(caught.value)
