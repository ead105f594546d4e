"""Payloads as services return them, with everything in one: people, numbers, machines and evidence."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

DOCUMENTS = {
    "shippo": {
        "address_to": {
            "name": "«Oda Marlow»",
            "street1": "«12 Elm Row»",
            "city": "Portland",
            "state": "OR",
            "zip": "«97205»",
            "country": "US",
            "phone": "«+1 202 555 0142»",
        },
        "parcels": [{"length": "10", "mass_unit": "lb"}],
        "servicelevel": {"name": "Priority Mail"},
        "eta": "2026-03-04T00:00:00Z",
    },
    "auth0": {
        "user_id": "«auth0|5f7c8ec7c33c6c004bbafe82»",
        "nickname": "«oda.m»",
        "email_verified": True,
        "identities": [{"provider": "auth0", "connection": "Username-Password-Authentication"}],
        "last_ip": "«203.0.113.9»",
        "logins_count": 12,
    },
    "github event": {
        "action": "closed",
        "comment": {"user": {"login": "«odamarlow»"}, "body": "Fixed in 1.14.2, thanks @«tomasvarga»"},
        "repository": {"name": "shop", "language": "Python"},
    },
    "slack message": {
        "type": "message",
        "user": "«U0G9QF9C6»",
        "text": "<@«U0G9QF9C7»> can you refund order #«77120»?",
        "team": "«T0G9PQBBK»",
        "channel_type": "im",
    },
    "microsoft mail": {
        "from": {"emailAddress": {"name": "«Lena Fischer»", "address": "«lena@mail.example»"}},
        "toRecipients": [{"emailAddress": {"name": "«Tomas Varga»", "address": "«tomas@mail.example»"}}],
        "subject": "Late parcel",
        "isRead": False,
    },
    "hubspot form": {
        "fields": [
            {"name": "firstname", "value": "«Oda»"},
            {"name": "email", "value": "«oda@mail.example»"},
            {"name": "plan", "value": "gold"},
        ]
    },
    "car fleet": {
        "vehicle": {"vin": "«1M8GDM9AXKP042788»", "plate": "«B-MW 1234»", "model": "Octavia", "fuel": "diesel"},
        "driver": {"name": "«Piotr Wolski»", "licence_number": "«D1234567»"},
        "position": {"latitude": "«59.913868»", "longitude": "«10.752245»"},
        "speed_kmh": 48,
    },
    "iot": {
        "device": {"serial": "«C02XL0GYJGH5»", "mac": "«00:00:5e:00:53:af»", "firmware": "2.4.1"},
        "wifi": {"ssid": "Lumo-Guest", "bssid": "«00:00:5e:00:53:b0»", "rssi": -61},
        "temperature": 21.5,
    },
    "insurance claim": {
        "claimant": "«Oda Marlow»",
        "policy_number": "«PN-4477120»",
        "claim_number": "«CL-20931»",
        "insured": {"name": "«Oda Marlow»", "dob": "«1982-10-19»"},
        "cause": "Water damage",
        "reserve": 5000,
    },
    "sap partner": {
        "BusinessPartner": "«10100001»",
        "FirstName": "«Oda»",
        "LastName": "«Marlow»",
        "to_BusinessPartnerAddress": {
            "StreetName": "«Elm Row»",
            "HouseNumber": "«12»",
            "CityName": "Portland",
            "PostalCode": "«97205»",
        },
        "Currency": "USD",
    },
    "key and value pairs": [
        {"key": "customer_email", "value": "«oda@mail.example»"},
        {"key": "first_name", "value": "«Oda»"},
        {"key": "tier", "value": "gold"},
    ],
    "fhir appointment": {
        "resourceType": "Appointment",
        "status": "booked",
        "participant": [{"actor": {"reference": "Patient/«88213»", "display": "«Oda Marlow»"}, "status": "accepted"}],
        "start": "2026-03-01T09:00:00Z",
    },
    "k8s log": '2026-03-01T09:00:00Z stderr F {"level":"error","user_id":"«u-88213»","host":"«checkout-api-7f9c5d8b6f-x2k4p»","msg":"refund failed"}',
    "stack trace": 'KeyError: "«oda@mail.example»"\n  File "/home/«omarlow»/app/refund.py", line 12, in refund',
    "chat transcript": "Customer: «Oda Marlow»\nEmail: «oda@mail.example»\nPhone: «+1 202 555 0142»\nOrder: #«77120»\nIssue: parcel late\nAgent: checked",
    "csv of orders": "order_id,customer_name,total\n«ORD-77120»,«Oda Marlow»,129.90\n«ORD-77121»,«Ines Kaplan»,12.00",
    "html mail": '<table><tr><td>Name</td><td>«Lena Fischer»</td></tr></table><a href="mailto:«lena@mail.example»">mail</a>',
    "url of a search": "https://shop.example.com/search?q=lamp&user=«oda.marlow»&email=«oda%40mail.example»&sort=price",
    "graphql variables": {
        "query": "mutation($in: UserInput!) { createUser(input: $in) { id } }",
        "variables": {"in": {"givenName": "«Oda»", "familyName": "«Marlow»", "role": "ADMIN"}},
    },
    "baggage": {"baggage": "user.id=«u-88213»,tenant=«acme-7f3a»,region=eu", "tracestate": "vendor=«0123456789abcdef»"},
    "bank transfer": {
        "beneficiary_name": "«Oda Marlow»",
        "beneficiary_iban": "«GB33BUKB20201555555555»",
        "bic": "BUKBGB22",
        "remittance_info": "Invoice «RF18539007547034»",
        "amount": {"value": "12.50", "currency": "EUR"},
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
