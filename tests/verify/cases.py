"""A small case with two people, its perfect redaction, and a way to spoil either."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from extractor.model.case import KnownValue, Proofs, RedactedCase
from extractor.model.json import parse, pretty
from extractor.model.selection import Selection
from extractor.ruleset import RuleSet
from extractor.verify import prove

REPLACED: dict[str, str] = {
    "Yusuf Rossi": "Tavik Breslan",
    "Yusuf": "Tavik",
    "Rossi": "Breslan",
    "Noelle Grantham": "Odrun Weskit",
    "Noelle": "Odrun",
    "Grantham": "Weskit",
    "yusuf.rossi4821@example.com": "tavik.breslan7730@example.com",
    "yusuf_rossi_9620": "tavik_breslan_1743",
    "noelle_grantham_3381": "odrun_weskit_5508",
    "19122": "84067",
    "4556737586899855": "4916338506082832",
    "9855": "2832",
    "1982-10-19": "1982-11-02",
    "1991-03-07": "1991-03-30",
    "+1 215 555 0142": "+1 312 555 0187",
    "W2378156": "K9041327",
}
ENTITIES = {
    "19122": "POSTAL_CODE",
    "4556737586899855": "CARD",
    "9855": "LAST_FOUR",
    "1982-10-19": "BIRTH_DATE",
    "1991-03-07": "BIRTH_DATE",
    "+1 215 555 0142": "PHONE",
    "W2378156": "RECORD_ID",
    "yusuf.rossi4821@example.com": "EMAIL",
    "yusuf_rossi_9620": "USER_ID",
    "noelle_grantham_3381": "USER_ID",
}
RULES = RuleSet(
    documents={
        "identifiers/test": {
            "entity": {
                "PERSON": {"form": "name"},
                "EMAIL": {"form": "mail"},
                "USER_ID": {"form": "handle"},
                "POSTAL_CODE": {"form": "digits"},
                "ADDRESS": {"form": "address"},
            },
            "rule": [
                {"id": "keep-product", "keep": True, "names": ["product_id", "sku*"], "why": "goods are no people"}
            ],
        }
    },
    digest="0" * 64,
)
_KNOWN = re.compile(
    "|".join(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])" for text in sorted(REPLACED, key=len, reverse=True))
)

ORIGINAL: dict[str, Any] = {
    "schema_version": "1",
    "case_id": "2025-06-15-refund-timeout-1a2b3c4d",
    "templates": [{"role": "system", "name": "support", "content": "You help customers with refunds. Be polite."}],
    "input": {
        "messages": [
            {
                "id": "m1",
                "role": "user",
                "parts": [
                    {"type": "text", "text": "My name is Yusuf Rossi, zip 19122. Refund order #W2378156, please!"}
                ],
            }
        ]
    },
    "identity": {
        "subject": "yusuf_rossi_9620",
        "tenant": None,
        "resources": [
            {"type": "order", "id": "W2378156", "owner": "yusuf_rossi_9620"},
            {"type": "order", "id": "W5", "owner": "noelle_grantham_3381"},
        ],
    },
    "tool_events": [
        {
            "attempt": 1,
            "tool": "find_user",
            "arguments": {"first_name": "Yusuf", "last_name": "Rossi", "zip": 19122},
            "outcome": {
                "type": "result",
                "value": {
                    "name": "Yusuf Rossi",
                    "email": "yusuf.rossi4821@example.com",
                    "born": "1982-10-19",
                    "partner": {"name": "Noelle Grantham", "born": "1991-03-07"},
                    "phone": "+1 215 555 0142",
                    "card": "4556737586899855",
                    "last_four": "9855",
                    "amounts": [10.50, 3, 7],
                    "note": None,
                    "active": True,
                    "link": "https://shop.example.com/orders/W2378156?mail=yusuf.rossi4821%40example.com",
                    "by_order": {"W2378156": "pending"},
                },
            },
            "timing": {"dispatch_ms": 9855, "end_ms": 19122},
        }
    ],
    "final_output": "Done, Yusuf. Your refund of $10.50 goes to the card ending in 9855.",
    "missing_evidence": [],
}

Redact = Callable[[Any], Any]


def rewrite(node: Any, replaced: Mapping[str, str] = REPLACED) -> Any:
    """Replace exactly the known values, as a perfect rewriter would."""
    if isinstance(node, dict):
        return {
            name: child if name == "timing" else rewrite(child, replaced)
            for name, child in ((_text(key, replaced), child) for key, child in node.items())
        }
    if isinstance(node, list):
        return [rewrite(child, replaced) for child in node]
    if isinstance(node, str):
        return _text(node, replaced)
    if node == 19122:
        return int(replaced["19122"])
    return node


def _text(text: str, replaced: Mapping[str, str]) -> str:
    plain = _KNOWN.sub(lambda match: replaced[match.group()], text)
    return plain.replace("yusuf.rossi4821%40example.com", replaced["yusuf.rossi4821@example.com"].replace("@", "%40"))


def known_values(*more: KnownValue) -> tuple[KnownValue, ...]:
    return (*(KnownValue(text=text, entity=ENTITIES.get(text, "PERSON"), rule="test") for text in REPLACED), *more)


def redacted_case(
    original: dict[str, Any], document: dict[str, Any], known: tuple[KnownValue, ...] | None = None
) -> RedactedCase:
    return RedactedCase(
        document=document,
        original=original,
        known=known_values() if known is None else known,
        counts=(),
        selection=Selection(boundary="1", boundary_reason="last_answer", decisions=()),
        becomes={},
        span_ids={},
        trace_refs=(),
        scope="case",
        key_id="00000000",
    )


def run(
    original: dict[str, Any],
    document: dict[str, Any],
    *,
    known: tuple[KnownValue, ...] | None = None,
    readme: str = "# What happened\n\nA refund timed out.\n",
) -> Proofs:
    """Prove a document against its original, both read from text first, as the pipeline would have them."""
    original, document = parse(pretty(original)), parse(pretty(document))  # type: ignore[assignment]
    files = {"fixture.json": pretty(document).encode(), "README.md": readme.encode()}
    return prove(redacted_case(original, document, known), [original], files, RULES)
