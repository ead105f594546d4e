from __future__ import annotations

import pytest

from extractor.redact import checks


@pytest.mark.parametrize(
    ("check", "text", "expected"),
    [
        ("card", "4111 1111 1111 1111", True),
        ("card", "378282246310005", True),
        ("card", "4111111111111112", False),
        ("card", "0000000000000000", False),
        ("card", "1111111111111117", False),
        ("card", "411111111111", False),
        ("instant", "1764500000", True),
        ("instant", "1764500000124", True),
        ("instant", "20261130101500", True),
        ("instant", "7764500000124", False),
        ("instant", "17645000.1", False),
        ("iban", "GB33BUKB20201555555555", True),
        ("iban", "GB33BUKB20201555555556", False),
        ("us_ssn", "219-09-9999", True),
        ("us_ssn", "000-09-9999", False),
        ("us_ssn", "219-00-9999", False),
        ("us_ssn", "219-09-0000", False),
        ("ip", "203.0.113.9", True),
        ("ip", "127.0.0.1", False),
        ("ip", "0.0.0.0", False),
        ("ip", "300.1.1.1", False),
        ("ip", "::1", False),
        ("ip", "2001:db8::1", True),
        ("ip", "20:17:00", False),
        ("phone", "+12025550142", True),
        ("phone", "555-0142", False),
        ("phone", "1764500000", False),
        ("phone", "2026-11-30 12", False),
        ("phone", "1111111111", False),
        ("random_text", "0f3k9Qm2XrV7bKpLz1", True),
        ("random_text", "callFunctionCheckIfData", False),
        ("random_text", "short1", False),
        ("long_number", "7706410293", True),
        ("long_number", "20261130", False),
        ("long_number", "100000000", False),
        ("long_number", "1234567", False),
        ("identifier", "cust_18", True),
        ("identifier", "visa", False),
        ("identifier", "a 18", False),
        ("mixed_token", "ORD-7Q2K9", True),
        ("mixed_token", "HAT030", False),
        ("mixed_token", "v1.2", False),
        ("mixed_token", "1080mm", False),
        ("mixed_token", "claude-3-5", False),
        ("cued_token", "EQ1G6C", True),
        ("cued_token", "123456", True),
        ("cued_token", "12345", False),
        ("cued_token", "2024-05-15", False),
        ("cued_token", "HAT030", False),
        ("cued_token", "2026-08", False),
        ("cued_token", "4417-88", True),
        ("no_ordinal", "call_1", False),
        ("no_ordinal", "ORD-7Q2K9", True),
        ("edition", "refunds-2026-08", True),
        ("edition", "returns_policy_v2.1", True),
        ("edition", "refund_policy_202608", True),
        ("edition", "refunds-2026-13", False),
        ("edition", "refunds-2026-0817", False),
        ("edition", "ORD-2026-08-0417", False),
        ("edition", "yusuf-2026-08", False),
        ("edition", "member-1982-10", False),
        ("random_text", "international-returns-policy-2026-08", False),
        ("random_text", "yusuf-returns-policy-2026-08", True),
        ("no_word", "QWXZTY", True),
        ("no_word", "PENDING", False),
    ],
)
def test_a_check_says_whether_the_form_is_real(check, text, expected):
    assert getattr(checks, check)(text) is expected


def test_digits_are_all_that_is_left():
    assert checks.digits("+1 (202) 555-0142") == "12025550142"
