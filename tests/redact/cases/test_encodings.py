"""Values inside encodings: opened, redacted, closed in the style they had."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from urllib.parse import parse_qs, quote, urlsplit

import pytest

pytestmark = pytest.mark.nlp
MAIL = "ines.kaplan@example.org"
ACCOUNT = "7706410293"


def unpadded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def opened(text: str) -> str:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()


def test_json_inside_json_stays_as_deep_as_it_was(kept):
    """leak.json_in_string"""
    body = json.dumps({"holder": {"email": MAIL, "account": ACCOUNT}, "cents": 4250})
    call = {"id": "call_7", "function": {"name": "ledger", "arguments": json.dumps({"verb": "PUT", "body": body})}}
    made = kept({"role": "assistant", "tool_calls": [call]}, (MAIL, ACCOUNT), ("call_7", "ledger", "PUT"))
    inner = json.loads(json.loads(made["tool_calls"][0]["function"]["arguments"])["body"])
    assert list(inner) == ["holder", "cents"]
    assert inner["cents"] == 4250
    assert inner["holder"]["account"].isdigit()
    assert len(inner["holder"]["account"]) == len(ACCOUNT)


@pytest.mark.parametrize("secret", ['q"uo\\te\\', "tab\there", "new\nline\\", "ünï\\u0041"])
def test_quotes_and_backslashes_in_a_neighbour_break_no_level(kept, secret):
    """leak.json_in_string_depth3"""
    text = json.dumps({"remark": f"ask {MAIL}", "other": secret})
    for member in ("reply", "event", "line"):
        text = json.dumps({member: text})
    made = kept(text, (MAIL,), ("remark", "reply"))
    for member in ("line", "event", "reply"):
        made = json.loads(made)[member]
    assert json.loads(made)["other"] == secret


@pytest.mark.parametrize("spelled", ["ines.kaplan\\u0040example.org", "\\u0069nes.kaplan@example.org"])
def test_an_escaped_spelling_is_the_same_address(kept, spelled):
    """leak.json_escape_spelling"""
    made = json.loads(
        kept({"body": f'{{"cc":"{spelled}","note":"for \\u003c{MAIL}\\u003e"}}'}, ("ines.kaplan",))["body"]
    )
    assert made["note"] == f"for <{made['cc']}>"


@pytest.mark.parametrize(
    ("encode", "decode"),
    [
        (
            lambda text: base64.b64encode(text.encode()).decode(),
            lambda text: base64.b64decode(text, validate=True).decode(),
        ),
        (unpadded, opened),
        (lambda text: text.encode().hex(), lambda text: bytes.fromhex(text).decode()),
        (lambda text: text.encode().hex().upper(), lambda text: bytes.fromhex(text).decode()),
        (lambda text: "\\x" + text.encode().hex(), lambda text: bytes.fromhex(text[2:]).decode()),
        (html.escape, html.unescape),
    ],
)
def test_what_an_encoding_hides_is_what_stands_outside(redacted, encode, decode):
    """leak.base64, and its siblings in hexadecimal and HTML"""
    hidden = encode(json.dumps({"email": MAIL, "account_id": ACCOUNT}))
    made = redacted({"x": hidden, "email": MAIL})
    inner = json.loads(decode(made["x"]))
    assert inner["email"] == made["email"] != MAIL
    assert inner["account_id"] != ACCOUNT
    assert made["x"] == encode(json.dumps(inner))


def test_url_safe_base64_without_padding_stays_so(kept):
    """leak.base64url_unpadded"""
    state = unpadded(json.dumps({"m": MAIL, "to": "??>>"}))
    made = kept(f"GET /return?state={state}&tab=4", (state,), ("/return", "tab=4"))
    written = made.partition("state=")[2].partition("&")[0]
    assert not set(written) & set("+/=")
    inner = json.loads(opened(written))
    assert inner["to"] == "??>>"
    assert inner["m"] != MAIL


@pytest.mark.parametrize("at", ["%40", "@"])
def test_a_url_keeps_its_style_and_what_identifies_nobody(redacted, at):
    """leak.percent_encoded"""
    made = redacted(
        {"url": f"https://pay.example.net/bills?for=ines.kaplan{at}example.org&ref=B-17#top", "email": MAIL}
    )
    parts = urlsplit(made["url"])
    assert (parts.scheme, parts.netloc, parts.path, parts.fragment) == ("https", "pay.example.net", "/bills", "top")
    assert parse_qs(parts.query) == {"for": [made["email"]], "ref": ["B-17"]}
    assert at in made["url"]
    assert made["email"] != MAIL


@pytest.mark.parametrize(
    "frame", ["//npm.example.net/:_authToken={}", "{}", "seen '{}' in the log", "Cookie: id={}; theme=dark", "x={}&y=2"]
)
def test_a_signed_token_is_one_unit(redacted, frame):
    """leak.jwt_bare: the header stays, the payload is redacted inside, the signature goes"""
    header, payload, signature = (
        unpadded('{"alg":"HS256","typ":"JWT"}'),
        unpadded(f'{{"sub":"{MAIL}"}}'),
        unpadded("n" * 24),
    )
    made = redacted(frame.format(f"{header}.{payload}.{signature}"))
    before, _, rest = made.partition(header)
    assert before == frame.partition("{}")[0]
    _, new_payload, new_signature = rest.split(".")[:3]
    assert list(json.loads(opened(new_payload))) == ["sub"]
    assert MAIL not in opened(new_payload)
    assert signature not in made
    assert new_signature.endswith(frame.partition("{}")[2])


@pytest.mark.parametrize("member", ["body_b64", "payload", "raw"])
def test_a_compressed_body_is_replaced_whole(kept, member):
    """leak.compressed_body: nobody reads it, so a marker stands for it"""
    body = base64.b64encode(
        gzip.compress(json.dumps({"email": MAIL, "rows": list(range(20))}).encode(), mtime=0)
    ).decode()
    made = kept({"headers": {"content-encoding": "gzip"}, member: body}, (body,), ("content-encoding", "gzip"))
    assert made[member].startswith(f"blob:{len(body)}:")


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
@pytest.mark.parametrize(
    ("member", "value"),
    [("email", MAIL), ("phone", "+12125550148"), ("user_id", "ines_kaplan_9620"), ("account_number", ACCOUNT)],
)
def test_the_hash_of_a_value_becomes_the_hash_of_its_pseudonym(redacted, algorithm, member, value):
    """leak.unkeyed_hash_of_pii: under a digest's name too"""

    def hashed(text: str) -> str:
        return hashlib.new(algorithm, text.encode()).hexdigest()

    digest = hashed(value)
    raw = base64.b64encode(bytes.fromhex(digest)).decode()
    made = redacted(
        {member: value, "etag": digest, "img": f"https://a.example.net/{digest}?s=8", "up": digest.upper(), "b": raw}
    )
    assert made[member] != value
    assert made["etag"] == hashed(made[member])
    assert made["img"] == f"https://a.example.net/{made['etag']}?s=8"
    assert made["up"] == made["etag"].upper()
    assert base64.b64decode(made["b"]).hex() == made["etag"]


@pytest.mark.parametrize(
    "member", ["user_hash", "email_hash", "hashed_email", "customer_hash", "email_sha256", "gravatar_id"]
)
def test_the_hash_of_a_person_is_an_id_of_that_person(redacted, member):
    """leak.unkeyed_hash_of_pii: although nothing tells of what it is the hash"""
    digest = hashlib.sha256(MAIL.encode()).hexdigest()
    made = redacted({member: digest, "content_sha256": digest[::-1]})
    assert made[member] != digest
    assert len(made[member]) == len(digest)
    assert int(made[member], 16)
    assert made["content_sha256"] == digest[::-1]


def test_short_values_are_known_in_hex_and_base64(redacted):
    """leak.base64: a value too short to be taken for text is known by what it spells"""
    made = redacted({"account_number": "770641", "h": b"770641".hex(), "b": base64.b64encode(b"770641").decode()})
    assert bytes.fromhex(made["h"]).decode() == made["account_number"] != "770641"
    assert base64.b64decode(made["b"]).decode() == made["account_number"]


def test_a_lone_surrogate_stops_nothing(kept):
    """fp.lone_surrogate"""
    made = kept('{"t":"cut \\udc4b here ' + MAIL + ' end"}', (MAIL,), ("here", "end", "\\udc4b"))
    assert json.loads(made)["t"].startswith("cut \udc4b here ")


@pytest.mark.parametrize("wrap", [quote, json.dumps, html.escape])
def test_an_address_that_needs_escapes_keeps_them(redacted, wrap):
    """leak.percent_encoded, and its siblings"""
    made = redacted(["see " + wrap("o'hara+x@example.org") + " there", {"email": "o'hara+x@example.org"}])
    assert made[0] == "see " + wrap(made[1]["email"]) + " there"
