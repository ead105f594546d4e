"""Numbers that governments, banks and insurers give to people, in members and in prose."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

DOCUMENTS = {
    "birth date spellings": {
        "birthday": "«3/12/84»",
        "dob": "«05/10/1982»",
        "birthDate": "«19821019»",
        "date_of_birth": "«19 Oct 1982»",
        "departure_date": "2026-05-10",
    },
    "birth year": {"birth_year": "«#1982»", "yearOfBirth": "«1982»", "model_year": 2024},
    "birth date in prose": "She was born on «3/12/84», DOB: «19.10.1982», and the parcel left on 3/12/24.",
    "birth date day first": "Date of birth: «23/04/1990». Departure 23/04/2026.",
    "passport": {
        "passport_no": "«X1234567»",
        "document_no": "«L898902C3»",
        "passportNumber": "«C01X00T47»",
        "documentType": "PASSPORT",
        "nationality": "DE",
    },
    "document of a traveller": {
        "documents": [
            {
                "document_type": "passport",
                "number": "«XB1234567»",
                "expiry_date": "«2030-04-14»",
                "issuance_country": "ES",
            }
        ]
    },
    "licences": {
        "driver_licence": "«MORGA657054SM9IJ»",
        "drivers_license_number": "«D1234567»",
        "dl_number": "«F255-9215-0094»",
        "licence_no": "«A1234567»",
        "license": "Apache-2.0",
    },
    "licence in prose": "My driving licence number is «MORGA657054SM9IJ» and my passport no. «X1234567».",
    "tax ids": {
        "ein": "«12-3456789»",
        "vat_number": "«DE136695976»",
        "nino": "«AB123456C»",
        "tfn": "«123 456 782»",
        "pan_number": "«ACUPA7085R»",
        "aadhaar": "«2341 2341 2346»",
        "tax_rate": "0.19",
    },
    "more national ids": {
        "cpf": "«390.533.447-05»",
        "cnpj": "«16.727.230/0001-97»",
        "dni": "«54362315K»",
        "codice_fiscale": "«RCCMNL83S18D969H»",
        "sin": "«046 454 286»",
        "pesel": "«44051401359»",
        "bsn": "«111222333»",
        "nir": "«2 95 10 99 126 111 93»",
        "personnummer": "«880320-0016»",
        "curp": "«BOXW310820HNERXN09»",
        "rut": "«12.531.909-2»",
    },
    "national ids in prose": "My CPF is «390.533.447-05», my national insurance number is «AB 12 34 56 C», my codice fiscale is «RCCMNL83S18D969H» and my DNI «54362315K».",
    "uncued strong formats": "I wrote RCC: «RCCMNL83S18D969H» and «390.533.447-05» and «AB 12 34 56 C» on the form.",
    "social insurance in prose": "SSN «219-09-9999», SIN: «046 454 286», EIN «12-3456789», tax id «98-7654321».",
    "health ids": {
        "nhs_number": "«943 476 5919»",
        "medicare_number": "«2123 45670 1»",
        "mrn": "«MRN-0048213»",
        "member_id": "«XQH889123»",
        "insurance_id": "«W123456789»",
        "icd10": "J06.9",
    },
    "nhs in prose": "NHS number «943 476 5919», MRN «0048213».",
    "bank": {
        "routing_number": "«021000021»",
        "aba": "«021000021»",
        "sort_code": "«20-00-00»",
        "bsb": "«062-000»",
        "account_number": "«55779911»",
        "iban": "«GB33BUKB20201555555555»",
        "bic": "BUKBGB22",
        "currency": "GBP",
    },
    "bank in prose": "Sort code «20-00-00», account «55779911», routing number «021000021».",
    "plaid": {
        "accounts": [
            {
                "account_id": "«BxBXxLj1m4HMXBm9WZZmCWVbPjX16EHwv99vp»",
                "mask": "«0093»",
                "name": "Plaid Checking",
                "official_name": "Gold Standard 0% Interest Checking",
                "subtype": "checking",
                "balances": {"available": 100.5, "current": 110, "iso_currency_code": "USD"},
            }
        ],
        "numbers": {
            "ach": [{"account": "«1111222233330000»", "routing": "«011401533»", "wire_routing": "«021000021»"}]
        },
    },
    "card": {
        "number": "«4111 1111 1111 1111»",
        "cvv": "«737»",
        "cvc": "«737»",
        "exp": "12/31",
        "expiry": "12/31",
        "network": "visa",
        "bin": "411111",
    },
    "card in prose": "Card «4111 1111 1111 1111», cvv «737», pin «4821», exp 12/31.",
    "codes in prose": "Your one-time code is «493021». The verification code «118204» expires in 10 minutes. PIN: «9042».",
    "pins that are none": "Pin 3 tickets to the board. The error code 500 and the promo code SAVE20 stay. Access code review: 2 people.",
    "otp field": {
        "otp": "«493021»",
        "pin": "«#4821»",
        "mfa_code": "«118204»",
        "verification_code": "«903214»",
        "country_code": "DE",
        "error_code": "E1001",
        "zip_code": "«10115»",
    },
    "last four": {
        "card_last4": "«2478»",
        "ssn_last4": "«9999»",
        "last_digits": "«2478»",
        "text": "Visa ending in «2478», xxxx-«2478», ****«2478», •••• «2478»",
    },
    "vehicle": {
        "vin": "«1M8GDM9AXKP042788»",
        "license_plate": "«WX 48213»",
        "plate_number": "«B-MW 1234»",
        "registration_plate": "«AB12 CDE»",
        "make": "Volvo",
        "year": 2021,
        "odometer_km": 48213,
    },
    "vehicle in prose": "VIN «1M8GDM9AXKP042788», license plate «B-MW 1234» was parked.",
    "devices": {
        "imei": "«490154203237518»",
        "iccid": "«8944110068236401123»",
        "imsi": "«310150123456789»",
        "idfa": "«6D92078A-8246-4BA4-AE5B-76104861E7DC»",
        "gaid": "«38400000-8cf0-11bd-b23e-10b96e40000d»",
        "serial_number": "«C02XL0GYJGH5»",
        "udid": "«00008030-001A2D3E0C38802E»",
        "firmware": "2.4.1",
        "os": "iOS 17.4",
    },
    "devices in prose": "IMEI «490154203237518», ICCID «8944110068236401123», serial number «C02XL0GYJGH5».",
    "vat in prose": "VAT number «DE136695976» on the invoice, VAT rate 19%.",
    "phones": {
        "caller": "«#14155550132»",
        "callback_number": "«+44 20 7946 0958»",
        "contact_number": "«(202) 555-0142»",
        "whatsapp": "«+4915755501420»",
        "phoneNumbers": [{"type": "mobile", "number": "«+1 202-555-0142»"}],
        "fax": "«+49 30 5550142»",
    },
    "phones in prose": "Call «+49 30 5550 1420» or «(202) 555-0142»; tel. «030/5550142».",
    "postal codes": "Ship to «SW1A 1AA» or «K1A 0B6». The postcode is «10115».",
    "address fields": {
        "street": "«Hauptstraße 5»",
        "house_number": "«5b»",
        "postcode": "«K1A 0B6»",
        "plz": "«10115»",
        "city": "Berlin",
        "country": "DE",
        "address_line_2": "«Flat 3»",
    },
    "address one line": {
        "address": "«221B Baker Street»",
        "shipping_address": {
            "street1": "«12 Elm Row»",
            "street2": "«Suite 9»",
            "city": "Portland",
            "state": "OR",
            "zip": "«97205»",
            "country": "US",
        },
    },
    "coordinates": {
        "location": {"lat": "«59.913868»", "lng": "«10.752245»"},
        "latitude": "«59.913868»",
        "score": 0.913868,
        "geo": "geo:«59.9138»,«10.7522»",
    },
    "coordinates in prose": "I am at «59.913868», «10.752245»; meet at 59.9 percent.",
    "security answers": {
        "securityQuestions": [{"question": "First pet?", "answer": "«Rexo»"}],
        "secret_answer": "«Rexo»",
        "security_answer": "«Thorvald»",
    },
    "security answer in prose": "My mother's maiden name is «Thorvald» and my memorable word is «Rexo».",
    "user names in prose": "My username is «odam77», my login «oda.marlow». User name: «odam77»",
    "handles": "Telegram: «odam_77», Skype «live:oda.marlow», IG «oda.makes», find me as @«odamarlow» on X.",
    "handle fields": {
        "telegram": "«odam_77»",
        "skype": "«live:oda.marlow»",
        "instagram": "«oda.makes»",
        "twitter_handle": "@«odamarlow»",
        "discord": "«odam#4821»",
        "github_username": "«odamarlow»",
        "channel": "telegram",
    },
    "telecom": {
        "msisdn": "«4915755501420»",
        "calling_party": "«+4915755501420»",
        "called_number": "«+442079460958»",
        "imsi": "«262011234567890»",
        "cell_tower": "berlin-17",
        "duration": 61,
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
