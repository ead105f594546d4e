"""Identifiers inside the formats that payloads carry as text."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

DOCUMENTS = {
    "xml": "<customer><firstName>«Lena»</firstName><lastName>«Fischer»</lastName><status>gold</status><dob>«1984-03-12»</dob><accountId>«88213774»</accountId></customer>",
    "xml attributes": '<passenger firstName="«Lena»" lastName="«Fischer»" type="ADT" seat="14C"/>',
    "soap": '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><ns:Traveler><ns:GivenName>«ODA»</ns:GivenName><ns:Surname>«MARLOW»</ns:Surname><ns:Code>OSL</ns:Code></ns:Traveler></soapenv:Body></soapenv:Envelope>',
    "xml nested name": "<order><customer><name>«Oda Marlow»</name></customer><product><name>Desk Lamp</name></product></order>",
    "iso 20022 xml": '<Dbtr><Nm>«Oda Marlow»</Nm></Dbtr><DbtrAcct><Id><IBAN>«GB33BUKB20201555555555»</IBAN></Id></DbtrAcct><Amt Ccy="EUR">12.50</Amt>',
    "form": "name=«Lena+Fischer»&email=«lena%40mail.example»&plan=gold&zip=«10115»",
    "form first names": "first_name=«Lena»&last_name=«Fischer»&status=active",
    "csv": "email,name,phone,plan\n«lena@mail.example»,«Lena Fischer»,«+49 30 5550 1420»,gold\n«tomas@mail.example»,«Tomas Varga»,«+36 1 555 0142»,basic",
    "csv quoted": 'id;"full_name";city\n«88213774»;"«Fischer, Lena»";Berlin\n',
    "markdown table": "| Name | Email | Plan |\n|---|---|---|\n| «Lena Fischer» | «lena@mail.example» | gold |\n| «Tomas Varga» | «tomas@mail.example» | basic |",
    "yaml": "customer:\n  first_name: «Lena»\n  last_name: «Fischer»\n  plan: gold\n  ssn: «219-09-9999»\n",
    "key lines": "Order summary\nCustomer: «Lena Fischer»\nPassenger name: «Tomas Varga»\nStatus: delivered\nFlight: LH865\n",
    "key lines bold": "**Full name:** «Lena Fischer»\n- **Assigned to:** «Tomas Varga»\n- **Status:** open",
    "sql where": "SELECT id, total FROM orders WHERE last_name = '«Fischer»' AND status = 'open' AND email = '«lena@mail.example»'",
    "sql insert": "INSERT INTO customers (first_name, last_name, plan) VALUES ('«Lena»', '«Fischer»', 'gold'), ('«Tomas»', '«Varga»', 'basic')",
    "sql update": "UPDATE users SET first_name = '«Lena»', tier = 'gold' WHERE user_id = «88213774»",
    "vcard": "BEGIN:VCARD\nVERSION:4.0\nFN:«Lena Fischer»\nN:«Fischer»;«Lena»;;;\nTEL;TYPE=cell:«+49 30 5550 1420»\nEMAIL:«lena@mail.example»\nBDAY:«19840312»\nEND:VCARD",
    "ical": 'BEGIN:VEVENT\nSUMMARY:Quarterly review\nORGANIZER;CN=«Lena Fischer»:mailto:«lena@mail.example»\nATTENDEE;CN="«Tomas Varga»";PARTSTAT=ACCEPTED:mailto:«tomas@mail.example»\nDTSTART:20260301T090000Z\nEND:VEVENT',
    "mail headers": 'From: «Lena Fischer» <«lena@mail.example»>\nTo: "«Varga, Tomas»" <«tomas@mail.example»>\nSubject: Late parcel\nDate: Mon, 2 Mar 2026 09:00:00 +0100\nMIME-Version: 1.0',
    "encoded word": "From: =?UTF-8?B?«TGVuYSBGaXNjaGVy»?= <«lena@mail.example»>\nSubject: Late",
    "html entities": "<p>Write to «lena&#64;mail.example»</p>",
    "http dump": "POST /v1/refunds HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: shop/1.4\r\nX-User-Id: «u-88213»\r\nX-Forwarded-For: «203.0.113.9»\r\nContent-Length: 52\r\n\r\n",
    "logfmt": 'level=error ts=2026-03-01T09:00:00Z user="«Lena Fischer»" user_id=«u-88213» dur=12ms status=500 msg="refund failed"',
    "access log": '«203.0.113.9» - «lfischer» [01/Mar/2026:09:00:00 +0000] "GET /orders HTTP/1.1" 200 5321 "-" "curl/8.4"',
    "syslog": "Mar  1 09:00:00 web-«7».corp sshd[1123]: Accepted publickey for «lfischer» from «203.0.113.9» port 50122 ssh2",
    "json in log": 'ERROR payload={"customer":{"first_name":"«Lena»","plan":"gold"}} retry=2',
    "python repr": "Customer(first_name='«Lena»', last_name='«Fischer»', plan='gold')",
    "zero width": {"email": "«le\u200bna@mail.example»", "note": "«lena@mail.example» wrote"},
    "full width": {"phone": "«＋４９ ３０ ５５５０ １４２０»", "note": "call «+49 30 5550 1420»"},
    "nfd": {"customer": {"name": "«Jose\u0301 Nun\u0303ez»"}, "note": "«José Nuñez» called"},
    "toml": '[customer]\nfirst_name = "«Lena»"\nplan = "gold"',
    "ini mail": "smtp_user = «lfischer77»\nsmtp_password = «s3cr3tpw»\nsmtp_port = 587",
    "fhir in text": '{"resourceType":"Patient","name":[{"family":"«Chalmers»","given":["«Petra»"]}],"active":true}',
    "graphql": 'mutation { createUser(firstName: "«Lena»", lastName: "«Fischer»", role: ADMIN) { id } }',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
