"""What looks like an identifier and is the bug: none of it may change."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.nlp

DOCUMENTS = {
    "policy with a date": {
        "policy_id": "policy-2026-08-01",
        "policy": "refund-policy-2026-08-01",
        "prompt": "Follow policy-2026-08-01 strictly.",
    },
    "departments": {
        "owner": "finance",
        "assigned_to": "support",
        "team": "payments",
        "requested_by": "customer",
        "text": "finance and support agree",
    },
    "catalogue": {
        "sku": "DL-100-BK",
        "product": "Desk Lamp",
        "brand": "Lumo",
        "flight": "LH865",
        "airport": "OSL",
        "gtin": "04006381333931",
        "isbn": "978-3-16-148410-0",
        "asin": "B07XJ8C8F5",
        "upc": "036000291452",
    },
    "versions": {
        "version": "1.14.2-rc.1+build.77",
        "python": "3.12.4",
        "user_agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        "api_version": "2024-06-20",
        "image": "registry.example.com/shop/api:1.14.2",
    },
    "durations": {"ttl": "P3DT4H", "timeout": "PT30S", "every": "15m", "age": "36h"},
    "colours and sizes": {
        "hex": "#ff8800",
        "background": "#1A2B3C",
        "size": "10.5 MB",
        "dimensions": "120x60x75 cm",
        "discount": "12.5%",
        "weight": "2,500 g",
    },
    "times": {
        "created": 1764500000,
        "ts": 1764500000124,
        "at": "2026-03-01T09:00:00.123456Z",
        "http": "Sun, 01 Mar 2026 09:00:00 GMT",
        "day": "03/01/2026",
        "iso_week": "2026-W09",
        "cron": "0 9 * * 1",
    },
    "statuses": {
        "status": "requires_payment_method",
        "state": "in_transit",
        "http_status": 422,
        "error": "card_declined",
        "decline_code": "insufficient_funds",
        "code": "E11000",
        "errno": "ECONNRESET",
    },
    "models": {
        "model": "claude-sonnet-4-20250514",
        "embedding_model": "text-embedding-3-small",
        "engine": "gpt-4o-2024-08-06",
        "text": "I am llama-3.1-70b-instruct.",
    },
    "enums": {
        "type": "PROCESSING_ERROR",
        "event": "payment_intent.succeeded",
        "action": "ISSUE_REFUND",
        "cabin": "BUSINESS",
        "fare_class": "Y26",
        "gate": "B12",
        "seat": "14C",
        "terminal": "T2",
    },
    "amounts": "Total $1,250.00, EUR 99.95, 3 x 19.99 = 59.97; refund of 12345678 cents? No: 1,234.56.",
    "tools": {
        "tool_calls": [
            {"type": "function", "function": {"name": "get_user_details", "arguments": '{"include": ["orders"]}'}}
        ],
        "tool_choice": "auto",
    },
    "cities": {
        "origin": "New York",
        "destination": "Los Angeles",
        "from": "Paris",
        "to": "Oslo",
        "country": "Norway",
        "timezone": "Europe/Oslo",
    },
    "names of things": {
        "plan": {"name": "Premium"},
        "company": {"name": "Lumo Ltd"},
        "hotel": {"name": "Grand Plaza"},
        "category": {"name": "Lighting"},
        "queue": {"name": "refunds-high"},
        "database": {"name": "shop"},
    },
    "prose": "The refund failed twice because the service timed out after 30 s; retry 2 of 3 used the same key and flight HAT030 left at 09:15.",
    "key lines": "Status: delivered\nTotal: $120.50\nCarrier: Nordic Post\nItems: 3\nError: connection reset\nNote: call back tomorrow",
    "markdown table": "| Item | Qty | Price |\n|---|---|---|\n| Desk Lamp | 2 | $19.99 |",
    "csv": "sku,qty,price\nDL-100-BK,2,19.99\nDL-200-WH,1,29.99",
    "sql": "SELECT status, COUNT(*) FROM orders WHERE status = 'open' AND created_at > '2026-01-01' GROUP BY status",
    "xml": "<order><status>open</status><item><name>Desk Lamp</name><qty>2</qty></item></order>",
    "yaml": "service: checkout\nreplicas: 3\nimage: shop/api:1.14.2\nowner: payments\n",
    "usage": {
        "usage": {"prompt_tokens": 1012, "completion_tokens": 88, "total_tokens": 1100},
        "finish_reason": "stop",
        "temperature": 0.2,
        "max_tokens": 4096,
        "seed": 42,
    },
    "pagination": {"page": 2, "per_page": 50, "total": 12345, "has_more": True, "next": "/orders?page=3", "limit": 100},
    "gps-like numbers": {"score": 0.913868, "ratio": 59.913868, "price": "59.91", "lat_ms": 12},
    "small pin words": {
        "pinned": True,
        "pin_count": 3,
        "opinion": "good",
        "spin": "fast",
        "code": "SAVE20",
        "zip": "archive.zip",
    },
    "stack trace": 'File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode\n    obj, end = self.scan_once(s, idx)\nValueError: Expecting value',
    "documentation urls": "See https://docs.example.com/guides/refunds#partial and /v1/refunds for limits; https://www.w3.org/2001/XMLSchema-instance.",
    "booleans and nulls": {
        "email": None,
        "phone": None,
        "first_name": "",
        "password": None,
        "token": None,
        "verified": False,
    },
    "media": {
        "mime": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "file": "report-q3.pdf",
        "checksum": "d41d8cd98f00b204e9800998ecf8427e",
    },
    "licence": {
        "license": "Apache-2.0",
        "license_type": "MIT",
        "plan_code": "PRO-2026",
        "plate": "steel",
        "serial": False,
    },
    "roles": {
        "role": "user",
        "author": {"role": "assistant"},
        "user": "customer",
        "actor": "system",
        "created_by": "auto",
        "contact": "Customer Support",
        "sender": "noreply",
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_only_identifiers_change(faults, name):
    assert faults(DOCUMENTS[name]) == []
