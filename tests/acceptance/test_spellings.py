"""One value in two spellings, in what somebody wrote and in what a tool held, through the whole line and all its proofs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import extractor

TRACE = "5e1c" * 8
KEY = extractor.WorkspaceKey(material=bytes(range(32)))


def span(number: int, name: str, start: int, **told: str) -> dict[str, Any]:
    attributes = [{"key": key.replace("__", "."), "value": {"stringValue": value}} for key, value in told.items()]
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": name,
        "startTimeUnixNano": str(1_750_000_000_000_000_000 + start),
        "endTimeUnixNano": str(1_750_000_000_000_000_500 + start),
        "attributes": attributes,
    }


def export(folder: Path, said: str, held: dict[str, Any]) -> Path:
    heard = [{"role": "user", "parts": [{"type": "text", "content": said}]}]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": "I have noted it."}]}]
    result = {
        "gen_ai__tool__call__arguments": json.dumps({"note": said}),
        "gen_ai__tool__call__result": json.dumps(held),
    }
    chat = {"gen_ai__input__messages": json.dumps(heard), "gen_ai__output__messages": json.dumps(answer)}
    spans = [
        span(
            1,
            "execute_tool note.add",
            0,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="note.add",
            **result,
        ),
        span(2, "chat gpt-4o", 1000, gen_ai__operation__name="chat", gen_ai__request__model="gpt-4o", **chat),
    ]
    file = folder / "export.jsonl"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    return file


@pytest.mark.parametrize(
    ("said", "held", "gone"),
    [
        ("Note it (DOB 2/2/44).", {}, ["2/2/44"]),
        ("Born on 2/2/44, she said (DOB 2/2/44).", {"date_of_birth": "1944-02-02"}, ["2/2/44", "1944-02-02"]),
        ("sort code 401160, please", {"bank": {"sort": "40-11-60"}}, ["401160", "40-11-60"]),
        ("你好,我叫欧阳娜美,电话138 0013 8000。", {"patient": {"mobile": "13800138000"}}, ["0013 8000", "13800138000"]),
        ("Ring 01632 960290 before noon.", {"phone": "01632960290"}, ["960290"]),
        ("The pin is 4 8 2 7.", {"pin": "4827"}, ["4 8 2 7", "4827"]),
        ("D’Amico Salvatore signed.", {"full_name": "Salvatore D'Amico"}, ["Amico", "Salvatore"]),
        ("Thank you, Mr Øvergård.", {"name": "Bjørn Øvergård"}, ["verg", "Bj"]),
        ("owner:\n  name: Ferdinand Okpara\n", {"config": "owner=Ferdinand "}, ["Ferdinand", "Okpara"]),
        ("It is HO3 22 0019845 or HO3220019845.", {"policy_number": "HO3-22-0019845"}, ["0019845"]),
        ("It is SW 4471 9928 3GB???", {"tracking": "SW447199283GB"}, ["4471"]),
        ("It is FLTKQ7Z2M.", {"order_id": "FLT-KQ7Z2M"}, ["KQ7Z2M"]),
        ("Call 2125550142, born 1984.03.03", {"phone": "212-555-0142", "dob": "1984-03-03"}, ["5550142", "1984.03.03"]),
        ("Born 03 MAR 1984.", {"date_of_birth": "1984-03-03"}, ["MAR 1984", "1984-03-03"]),
        ("It is 250 099 417.", {"claim_id": "250099417"}, ["250 099", "250099417"]),
        ("user SD1182K or H-7-X-2-P-D", {"user_id": "SD-1182-K", "reservation_id": "H7X2PD"}, ["1182", "H-7-X"]),
        ("car GK482TR, CB74XX", {"plate": "GK-482-TR", "postal_code": "CB7 4XX"}, ["GK482TR", "GK-482", "CB74XX"]),
        ("Ms ODwyer, O'DWYER, odwyer", {"name": "Siobhan O'Dwyer"}, ["dwyer", "DWYER", "Dwyer", "Siobhan"]),
        ("It is agreement no. RA-88213-7.", {"agreement_ref": "RA-88213-7"}, ["88213"]),
    ],
)
def test_a_value_in_two_spellings_becomes_one_proved_case(said, held, gone, tmp_path):
    case = extractor.extract(export(tmp_path, said, held), trace_id=TRACE, key=KEY, keep=("all",))
    written = b"".join(case.fixture.files.values()).decode()
    for text in gone:
        assert text not in written


def test_a_code_that_stays_makes_nobody_of_its_words(tmp_path):
    """The model takes SKU NAAN-G for a person, whom the proof would then find in the product."""
    file = export(tmp_path, "Naan: 6.40. SKU NAAN-G.", {"sku": "NAAN-G"})
    case = extractor.extract(file, trace_id=TRACE, key=KEY, keep=("all",))
    assert b"Naan: 6.40. SKU NAAN-G." in case.fixture.files["fixture.json"]
