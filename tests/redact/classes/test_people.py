"""Persons by the members that hold them, in the payloads of many services."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

DOCUMENTS = {
    "stripe charge": {
        "object": "charge",
        "amount": 2000,
        "currency": "usd",
        "status": "succeeded",
        "billing_details": {
            "name": "«Oda Marlow»",
            "email": "«oda@mail.example.net»",
            "phone": "«+1 202 555 0142»",
            "address": {
                "line1": "«12 Elm Row»",
                "line2": "«Apt 4B»",
                "city": "Portland",
                "state": "OR",
                "postal_code": "«97205»",
                "country": "US",
            },
        },
        "payment_method_details": {
            "card": {
                "brand": "visa",
                "last4": "«2478»",
                "exp_month": 12,
                "exp_year": 2031,
                "funding": "credit",
                "name": "«Oda Marlow»",
            }
        },
        "calculated_statement_descriptor": "DESK LAMPS INC",
    },
    "shopify order": {
        "name": "#«10241»",
        "financial_status": "paid",
        "fulfillment_status": "fulfilled",
        "total_price": "129.90",
        "customer": {
            "first_name": "«Ines»",
            "last_name": "«Kaplan-Roth»",
            "default_address": {
                "address1": "«7 Mill Lane»",
                "zip": "«SW1A 1AA»",
                "province_code": "ENG",
                "company": None,
            },
        },
        "line_items": [
            {"title": "Desk Lamp", "name": "Desk Lamp - Black", "vendor": "Lumo", "sku": "DL-100-BK", "quantity": 2}
        ],
        "shipping_lines": [{"title": "Standard Shipping", "code": "STD", "source": "shopify"}],
    },
    "zendesk ticket": {
        "ticket": {
            "subject": "Lamp arrived broken",
            "priority": "high",
            "status": "open",
            "type": "problem",
            "requester": {"name": "«Lena Fischer»", "locale": "de"},
            "submitter": {"name": "«Lena Fischer»"},
            "assignee": "«Tomas Varga»",
            "reporter": "«Lena Fischer»",
            "collaborators": ["«Ruth Abel»", "«Piotr Wolski»"],
            "via": {
                "channel": "email",
                "source": {"from": {"name": "«Lena Fischer»", "address": "«lena.fischer@mail.example»"}},
            },
            "group": "Tier 2 support",
            "tags": ["lamp", "broken"],
        },
    },
    "salesforce contact": {
        "attributes": {"type": "Contact", "url": "/services/data/v60.0/sobjects/Contact/«003Ws00000A1b2CIAR»"},
        "Name": "«Oda Marlow»",
        "FirstName": "«Oda»",
        "LastName": "«Marlow»",
        "Salutation": "Ms.",
        "Title": "Purchasing Manager",
        "Birthdate": "«1982-10-19»",
        "MobilePhone": "«(202) 555-0142»",
        "LeadSource": "Web",
        "Department": "Finance",
        "Owner": {"Name": "«Gunnar Dahl»"},
        "CreatedBy": {"Name": "«Gunnar Dahl»"},
        "LastModifiedBy": {"Name": "«Ruth Abel»"},
    },
    "payee": {"payee": "«Oda Marlow»", "payer": "«Ines Kaplan-Roth»", "amount": "1,250.00", "method": "wire"},
    "mail names": {
        "from": "«Oda Marlow»",
        "to": ["«Ines Kaplan»", "«Piotr Wolski»"],
        "cc": "«Ruth Abel»",
        "bcc": [],
        "subject": "Refund policy",
        "importance": "normal",
    },
    "mail mailboxes": {
        "from": "«Oda Marlow» <«oda@mail.example.net»>",
        "to": "«ines@mail.example.net»",
        "cc": ["«Ruth Abel» <«ruth@corp.example.org»>"],
        "subject": "Late parcel",
    },
    "from and to that are no people": {"from": "JFK", "to": "MIA", "date": "2026-03-01"},
    "from and to states": {"transition": {"from": "pending", "to": "In Progress"}, "field": "status"},
    "from and to cities": {"from": "New York", "to": "Los Angeles", "cabin": "economy"},
    "created by": {
        "created_by": "«Oda Marlow»",
        "updated_by": "«Gunnar Dahl»",
        "approved_by": "«Ruth Abel»",
        "author": "«Oda Marlow»",
        "signature": "«Oda Marlow»",
        "reviewer": "«Piotr Wolski»",
    },
    "created by the system": {
        "created_by": "system",
        "updated_by": "billing-service",
        "approved_by": "auto",
        "author": "assistant",
    },
    "assigned": {
        "assigned_to": "«Tomas Varga»",
        "assignedTo": {"displayName": "«Tomas Varga»"},
        "assignee": {"name": "«Tomas Varga»"},
    },
    "holder": {
        "holder": "«Oda Marlow»",
        "nameOnCard": "«ODA MARLOW»",
        "cardholder": "«Oda Marlow»",
        "account_holder_name": "«Oda Marlow»",
    },
    "card name snake": {
        "name_on_card": "«Ines Kaplan»",
        "beneficiary": "«Oda Marlow»",
        "recipient": "«Ruth Abel»",
        "sender": "«Piotr Wolski»",
        "contact": "«Gunnar Dahl»",
    },
    "travelers": {
        "traveler": "«Oda Marlow»",
        "travelers": ["«Oda Marlow»", "«Ines Kaplan»"],
        "passengers": ["«Ruth Abel»"],
        "attendees": ["«Piotr Wolski»", "«Tomas Varga»"],
        "pax": 2,
    },
    "passengers as objects": {
        "passengers": [
            {"name": "«Ruth Abel»", "type": "adult", "seat": "14C"},
            {"name": "«Ben Abel»", "type": "child", "meal": "vegetarian"},
        ]
    },
    "first and last": {
        "user": {"first": "«Oda»", "last": "«Marlow»"},
        "name": {"first": "«Ines»", "last": "«Kaplan»", "title": "Ms"},
    },
    "first and last of pages": {
        "links": {"first": "/orders?page=1", "last": "/orders?page=9"},
        "first": True,
        "last": False,
    },
    "first and last of lists": {"first": "Monday", "last": "Friday"},
    "fhir patient": {
        "resourceType": "Patient",
        "active": True,
        "gender": "female",
        "birthDate": "«1974-12-25»",
        "name": [{"use": "official", "family": "«Chalmers»", "given": ["«Petra»", "«Jane»"]}],
        "telecom": [
            {"system": "phone", "value": "«(03) 5555 6473»", "use": "work", "rank": 1},
            {"system": "email", "value": "«petra@mail.example»"},
        ],
        "address": [
            {
                "use": "home",
                "type": "both",
                "line": ["«534 Erewhon St»"],
                "city": "PleasantVille",
                "state": "Vic",
                "postalCode": "«3999»",
            }
        ],
        "identifier": [{"use": "usual", "system": "urn:oid:1.2.36.146.595.217.0.1", "value": "«12345612»"}],
        "maritalStatus": {
            "coding": [
                {"system": "http://terminology.hl7.org/CodeSystem/v3-MaritalStatus", "code": "M", "display": "Married"}
            ]
        },
        "contact": [
            {
                "relationship": [{"text": "Emergency contact"}],
                "name": {"family": "«du Marché»", "given": ["«Bénédicte»"]},
            }
        ],
    },
    "google people": {
        "names": [
            {
                "displayName": "«Oda Marlow»",
                "familyName": "«Marlow»",
                "givenName": "«Oda»",
                "displayNameLastFirst": "«Marlow, Oda»",
            }
        ],
        "nicknames": [{"value": "«Odi»"}],
        "birthdays": [{"date": {"year": "«#1982»"}}],
        "genders": [{"value": "female"}],
    },
    "graph user": {
        "displayName": "«Oda Marlow»",
        "givenName": "«Oda»",
        "surname": "«Marlow»",
        "jobTitle": "Auditor",
        "mail": "«oda@corp.example.net»",
        "userPrincipalName": "«oda@corp.example.net»",
        "officeLocation": "18/2111",
        "preferredLanguage": "en-US",
    },
    "slack user": {
        "user": {
            "id": "«U0G9QF9C6»",
            "team_id": "«T0G9PQBBK»",
            "name": "«odam»",
            "real_name": "«Oda Marlow»",
            "tz": "Europe/Oslo",
            "is_admin": False,
            "profile": {
                "realName": "«Oda Marlow»",
                "display_name": "«odam»",
                "status_text": "On leave",
                "status_emoji": ":palm_tree:",
            },
        }
    },
    "jira issue": {
        "key": "SHOP-142",
        "fields": {
            "summary": "Refund called twice",
            "issuetype": {"name": "Bug"},
            "priority": {"name": "High"},
            "status": {"name": "In Progress"},
            "project": {"key": "SHOP", "name": "Shop backend"},
            "reporter": {"displayName": "«Lena Fischer»", "accountId": "«5b10a2844c20165700ede21g»"},
            "assignee": {"displayName": "«Tomas Varga»"},
            "creator": {"displayName": "«Lena Fischer»"},
            "watches": {"watchCount": 3},
        },
    },
    "github": {
        "sender": {"login": "«octomarlow»", "type": "User"},
        "repository": {"full_name": "shop/backend", "default_branch": "main", "private": True},
        "pull_request": {
            "title": "Fix retry",
            "state": "open",
            "user": {"login": "«odamarlow»"},
            "head": {"ref": "fix/retry", "sha": "d92fce3726746a0b1c2d3e4f506172831a2b3c4d"},
        },
        "action": "opened",
    },
    "okta": {
        "status": "ACTIVE",
        "profile": {
            "firstName": "«Oda»",
            "lastName": "«Marlow»",
            "login": "«oda@corp.example.net»",
            "secondEmail": "«oda.m@mail.example»",
            "nickName": "«Odi»",
            "department": "Finance",
            "costCenter": "10",
        },
    },
    "hubspot": {
        "properties": {
            "firstname": "«Oda»",
            "lastname": "«Marlow»",
            "lifecyclestage": "lead",
            "hs_lead_status": "NEW",
            "company": "Lumo Ltd",
            "jobtitle": "Buyer",
            "mobilephone": "«+442079460958»",
        }
    },
    "tools and products keep their names": {
        "tool": {"name": "get_order_details"},
        "function": {"name": "refund"},
        "product": {"name": "Walnut Desk"},
        "plan": {"name": "Premium"},
        "workflow": {"name": "Nightly sync"},
        "item": {"name": "Oak Chair"},
        "event": {"name": "order.created"},
        "agent": {"name": "Refund assistant"},
        "model": {"name": "gpt-4o"},
    },
    "owner is a department": {
        "owner": "finance",
        "team": "payments",
        "note": "The finance team owns the finance report.",
    },
    "owner is a person": {"owner": "«Gunnar Dahl»", "note": "«Gunnar» asked finance to refund."},
    "employee": {
        "employee": {"name": "«Ruth Abel»", "grade": "B2"},
        "manager": "«Gunnar Dahl»",
        "supervisor": {"name": "«Piotr Wolski»"},
        "spouse": "«Ben Abel»",
        "emergency_contact": {"name": "«Ben Abel»", "relationship": "spouse"},
        "next_of_kin": "«Ben Abel»",
    },
    "driver and guest": {
        "driver": {
            "name": "«Piotr Wolski»",
            "rating": 4.9,
            "vehicle": {"make": "Skoda", "model": "Octavia", "plate": "«WX 48213»"},
        },
        "guest": {"name": "«Ines Kaplan»", "loyalty_tier": "gold"},
    },
    "patient text": {
        "patient": "«Oda Marlow»",
        "doctor": "«Ruth Abel»",
        "physician": {"name": "«Piotr Wolski»"},
        "diagnosis": "J06.9",
        "ward": "B",
    },
    "sabre pnr": {
        "CustomerInfo": {"PersonName": [{"NameNumber": "1.1", "GivenName": "«ODA MS»", "Surname": "«MARLOW»"}]},
        "Itinerary": {
            "FlightSegment": {
                "OriginLocation": "OSL",
                "DestinationLocation": "FRA",
                "FlightNumber": "865",
                "MarketingAirline": "LH",
            }
        },
    },
    "amadeus traveler": {
        "travelers": [
            {
                "id": "1",
                "dateOfBirth": "«1982-01-16»",
                "name": {"firstName": "«JORGE»", "lastName": "«GONZALES»"},
                "gender": "MALE",
                "documents": [
                    {
                        "documentType": "PASSPORT",
                        "birthPlace": "Madrid",
                        "issuanceLocation": "Madrid",
                        "number": "«XB0000000»",
                        "expiryDate": "«2030-04-14»",
                        "issuanceCountry": "ES",
                        "holder": True,
                    }
                ],
            }
        ]
    },
    "bank iso 20022": {
        "Dbtr": {"Nm": "«Oda Marlow»"},
        "DbtrAcct": {"Id": {"IBAN": "«GB33BUKB20201555555555»"}},
        "CdtrAgt": {"FinInstnId": {"BICFI": "BUKBGB22"}},
        "Cdtr": {"Nm": "«Ines Kaplan»"},
        "InstdAmt": {"Ccy": "EUR", "value": "1250.00"},
        "ChrgBr": "SLEV",
    },
    "calendar": {
        "summary": "Quarterly review",
        "organizer": {"email": "«oda@corp.example.net»", "displayName": "«Oda Marlow»"},
        "attendees": [{"email": "«ruth@corp.example.net»", "displayName": "«Ruth Abel»", "responseStatus": "accepted"}],
        "location": "Online",
        "start": {"dateTime": "2026-03-01T09:00:00Z", "timeZone": "Europe/Oslo"},
        "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
    },
    "chat speaker": {"speaker": "«Oda Marlow»", "role": "user", "channel": "web", "utterance": "I want my money back"},
    "mothers maiden name": {
        "security_question": "What is your mother's maiden name?",
        "security_answer": "«Thorvald»",
        "mothers_maiden_name": "«Thorvald»",
        "maiden_name": "«Lind»",
    },
    "lower-case names": {
        "customer": {"first_name": "«oda»", "last_name": "«marlow»"},
        "note": "«oda» called twice and «marlow» is the surname",
    },
    "title and suffix": {"title": "Dr", "suffix": "Jr", "prefix": "Mr", "customer_name": "«Otto von Hartlieb»"},
    "company stays": {
        "company": "Lumo Ltd",
        "organization_name": "Northwind",
        "merchant": "Desk & Co",
        "vendor_name": "Lumo",
        "bank_name": "First Bank",
        "airline_name": "Nordwind",
    },
    "participants": {
        "participants": [{"identity": "«oda.marlow»", "role": "publisher"}],
        "members": ["«Oda Marlow»"],
        "signatories": [{"name": "«Oda Marlow»"}],
    },
    "witness": {
        "witness": "«Oda Marlow»",
        "landlord": "«Gunnar Dahl»",
        "policyholder": "«Oda Marlow»",
        "insured": {"name": "«Oda Marlow»"},
        "claimant": "«Oda Marlow»",
        "insured_amount": 5000,
    },
    "phone call": {
        "caller": "«#14155550132»",
        "callee": "«+12025550142»",
        "duration_seconds": 130,
        "national_number": "«#2025550142»",
        "country_code": 1,
    },
    "twilio": {
        "From": "«+14155550132»",
        "To": "«+12025550142»",
        "Body": "Your parcel is late",
        "NumSegments": "1",
        "Direction": "outbound-api",
        "AccountSid": "«AC0123456789abcdef0123456789abcdef»",
        "MessageSid": "«SM0123456789abcdef0123456789abcdef»",
        "Price": "-0.00750",
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
