"""Credentials: in URLs, headers, files, keys and copies; and the words that only sound like one."""

from __future__ import annotations

import json
import re

import pytest

pytestmark = pytest.mark.nlp
PASSWORD = "Gr4nite" + "-heron"
KEY_LIKE = "sk-" + "demo-8c1e7a35"


@pytest.mark.parametrize("scheme", ["postgres", "mysql", "redis", "amqps", "mongodb+srv", "https", "sftp"])
def test_the_userinfo_of_a_uri_goes_and_the_uri_still_parses(kept, scheme):
    """leak.uri_userinfo"""
    made = kept(
        {"dsn": f"{scheme}://svc_billing:{PASSWORD}@db-4.internal.example.net:6432/books?ssl=on"},
        (PASSWORD, "svc_billing"),
    )
    assert re.fullmatch(rf"{re.escape(scheme)}://[^:@/]+:[^:@/]+@[\w.-]+:6432/books\?ssl=on", made["dsn"])


TOKEN = "vT4x" + "Qm9sRk2bLw7z"
CREDENTIALS = {  # what stands before the credential, the credential, what stands after it
    "implicit grant": ("https://app.example.org/#access_token=", TOKEN, "&token_type=bearer&expires_in=3600"),
    "code beside a token": (f"id_token={TOKEN}x&code=", "7be04d", "&lang=nl"),
    "code at a callback": ("https://app.example.net/oauth/callback?code=", "3da90e", "&page=2"),
    "code in a log line": ("GET /auth/callback?code=", "3da90e", "&page=2 HTTP/1.1"),
    "code from a mail": ("https://app.example.net/signin-oidc?code=", "482913", "&theme=dark"),
    "code in a form body": (
        "grant_type=authorization_code&code=",
        "Kx81mq",
        "&redirect_uri=https%3A%2F%2Fapp.example.net%2Fcb",
    ),
    "state": ("https://id.example.net/authorize?response_type=code&state=", "q81kz2", "&lang=nl"),
    "nonce": ("https://id.example.net/authorize?response_type=id_token&nonce=", "n-0S6_WzA2Mj", "&lang=nl"),
    "verifier": ("grant_type=authorization_code&code_verifier=", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r", "&lang=nl"),
    "refresh token": ("grant_type=refresh_token&refresh_token=", "8xLOxBtZp8", "&scope=read"),
    "assertion": ("grant_type=x&client_assertion=", "PHNhbWxwOl9RkZg4QQ", "&scope=read"),
    "SAML": ("SAMLResponse=", "PHNhbWxwOl9RkZg4QQ7", "&page=2"),
    "signed storage URL": (
        "https://files.example.net/a.pdf?X-Amz-Expires=300&X-Amz-Signature=",
        "fe5f80f77d5fa3beca038a248ff027d0",
        "",
    ),
    "shared access signature": ("https://files.example.net/a.pdf?sv=2024-11-04&sig=", "kTx2q83vEjRWeJCrze8", "&sp=r"),
    "API key": ("https://api.example.net/geo?api_key=", "zq81-kd0", "&units=metric"),
    "session": ("/basket;jsessionid=", "5F8A21C9D0E7", "?page=2"),
    "password": ("user_type=guest&password=", PASSWORD, "&page=2"),
}


@pytest.mark.parametrize("kind", CREDENTIALS)
@pytest.mark.parametrize("place", ["url.full", "url.query", "note", "body"])
def test_a_credential_in_a_query_goes_and_harmless_parameters_stay(redacted, kind, place):
    """leak.url_query_secret"""
    before, secret, after = CREDENTIALS[kind]
    made = redacted({place: before + secret + after})[place]
    assert secret not in made
    assert made.endswith(after)
    assert len(made) == len(before + secret + after)
    for plain in (
        "grant_type=authorization_code",
        "response_type=code",
        "https://id.example.net/authorize?",
        "/oauth/callback?",
    ):
        assert (plain in made) == (plain in before)


@pytest.mark.parametrize(
    "harmless",
    [
        "https://shop.example.net/price?code=EUR&lang=en",
        "https://shop.example.net/deals?code=SUMMER25&state=CA&country=US",
        "https://shop.example.net/item?code=B07XJ8C8F5&page=3",
        "access_token_type=none&code=404&lang=en",
        "redirect_uri=none&state=active&code=invalid_grant",
        "status=failed&code=E1042&nonce_check=off",
        {"address": {"state": "OR", "code": "97205"}},
        {"error": {"code": "card_declined", "state": "closed", "sign": "minus", "auth": "required"}},
        {"feature_signature": "tool_timeout", "code": "R-88", "state": "in transit"},
    ],
)
def test_a_code_that_names_something_stays(redacted, harmless):
    """leak.url_query_secret: currencies, promotions, products, countries and errors are evidence"""
    assert redacted(harmless) == harmless


def test_copies_in_unknown_members_share_one_pseudonym(kept):
    """leak.request_context_copy"""
    span = {
        "attributes": {"apiKey": "k-31f0c7d8e5"},
        "context": {"caller": {"apiKey": "k-31f0c7d8e5"}, "log": "used k-31f0c7d8e5"},
    }
    made = kept({"span": span}, ("k-31f0c7d8e5",), ("context", "caller"))["span"]
    assert made["attributes"]["apiKey"] == made["context"]["caller"]["apiKey"]
    assert made["context"]["log"] == "used " + made["attributes"]["apiKey"]


@pytest.mark.parametrize(
    ("line", "secret", "stays"),
    [
        ("aUTHORIZATION: BEARER {}", "opaque" + "Granite77316", "aUTHORIZATION: BEARER "),
        ("proxy-Authorization: bAsIc {}", "b3BhcXVlOkdyYW5pdGU3", "proxy-Authorization: bAsIc "),
        ("X-API-KEY: {}", "gr4nite-heron-12", "X-API-KEY: "),
        ("cookie: SID={}; theme=dark", "31f0c7d8e5aa", "theme=dark"),
    ],
)
def test_header_names_and_schemes_have_no_case(kept, line, secret, stays):
    """leak.header_case"""
    kept(line.format(secret), (secret,), (stays,))


ENV = """# local
DB_PASSWORD="two words {0}"
HOOK=whsec{1}
REGION=eu-central-1
export MAIL_PASS='{2}'
set API_TOKEN={3}
DEBUG=true
"""


def test_every_line_of_an_env_file_is_covered(redacted):
    """leak.multiline_env"""
    secrets = ("gr4n!te", "_demo_7be04d", "h3ron-two", "q81kz2vT4x")
    made = redacted({"tool": "write_file", "args": {"path": ".env", "content": ENV.format(*secrets)}})["args"]
    lines = made["content"].split("\n")
    assert made["path"] == ".env"
    assert not [secret for secret in secrets if secret in made["content"]]
    assert re.fullmatch(r'DB_PASSWORD="[^"]{10,}"', lines[1])
    assert "two words" not in lines[1]
    assert lines[2].startswith("HOOK=whsec_")
    assert re.fullmatch(r"export MAIL_PASS='[^']+'", lines[4])
    assert lines[5].startswith("set API_TOKEN=")
    assert (lines[0], lines[3], lines[6]) == ("# local", "REGION=eu-central-1", "DEBUG=true")


PEM = "-----BEGIN {0}-----\nMIIBOgIBAAJBAKheronheronheronheron\nWeJCrze8q83vEjR=\n-----END {0}-----"


@pytest.mark.parametrize("label", ["PRIVATE" + " KEY", "RSA PRIVATE" + " KEY", "OPENSSH PRIVATE" + " KEY"])
@pytest.mark.parametrize("frame", ["key:\n{}\nend", "{}", "before {} after"])
def test_a_pem_body_goes_as_one(redacted, label, frame):
    """leak.pem_block: with newlines escaped in JSON as well"""
    text = frame.format(PEM.format(label))
    for made in (redacted(text), json.loads(redacted(json.dumps({"file": text})))["file"]):
        assert "heron" not in made
        assert "WeJCrze8" not in made
        before, after = frame.split("{}")
        assert made.startswith(f"{before}-----BEGIN {label}-----")
        assert made.endswith(f"-----END {label}-----{after}")


def test_a_pem_block_without_an_end_goes_to_the_end_of_the_text(redacted):
    """leak.pem_block"""
    made = redacted("see " + PEM.format("PRIVATE" + " KEY").partition("\n-----END")[0])
    assert made.startswith("see -----BEGIN PRIVATE")
    assert "heron" not in made
    assert "WeJCrze8" not in made


@pytest.mark.parametrize("order", [("granite-heron-9", "granite"), ("granite", "granite-heron-9")])
def test_one_secret_inside_another_is_not_replaced_twice(redacted, order):
    """rel.placeholder_cascade"""
    made = redacted("key=granite-heron-9 pass=granite", also=[{"password": one} for one in order])
    found = re.fullmatch(r"key=(\S+) pass=(\S+)", made)
    assert found
    assert "granite" not in made
    assert len(found[1]) == len("granite-heron-9")
    assert len(found[2]) == len("granite")


@pytest.mark.parametrize(
    ("member", "value", "prefix"),
    [
        ("aws", "AKIA" + "Q7XW3R5TZ9PLMN2K", "AKIA"),
        ("host", "gh" + "p_" + "0a1B2c3D4e5F6g7H8i9J", "ghp_"),
        ("model", "sk-" + "ant-" + "0a1B2c3D4e5F6g7H8i9J", "sk-ant-"),
    ],
)
def test_a_synthetic_key_keeps_its_form_and_is_stable_under_redaction(redacted, member, value, prefix):
    """rel.synthetic_looks_live"""
    made = redacted({"card": "5555555555554444", member: value})
    assert made[member].startswith(prefix)
    assert made[member] != value
    assert len(made[member]) == len(value)
    assert len(made["card"]) == 16
    assert made["card"].startswith("520000")


def test_tokens_of_a_language_model_are_no_credentials(redacted):
    """fp.token_keys"""
    usage = {
        "prompt_token_ids": [2201, 887],
        "token_count": 12,
        "max_output_tokens": 900,
        "tokenizer": "cl100k",
        "prompt_tokens_details": {"cached_tokens": 128},
        "logit_bias": {"50256": -100},
    }
    assert redacted(usage) == usage


@pytest.mark.parametrize(
    ("line", "secret", "after"),
    [
        ("x-api-key: sk-0f3k9Qm2XrV7bKpLz1; Path=/; lang=en", "sk-0f3k9Qm2XrV7bKpLz1", "; Path=/; lang=en"),
        (
            "X-Auth-Token: abc123def456 ; theme=dark\nAccept: text/html",
            "abc123def456",
            " ; theme=dark\nAccept: text/html",
        ),
        ("curl -H 'api-key: zz88yy77QQ11; Secure; v=1' -s", "zz88yy77QQ11", "; Secure; v=1' -s"),
        ("x-api-key: zz88yy77QQ11;", "zz88yy77QQ11", ";"),
        ("x-api-key: part1;part2XY77; Path=/", "part1;part2XY77", "; Path=/"),
    ],
)
def test_parameters_after_a_header_value_are_no_secret(redacted, line, secret, after):
    made = redacted(line)
    before = line.partition(secret)[0]
    assert made.startswith(before)
    assert made.endswith(after)
    assert made != line
    assert len(made) == len(line)


def test_a_parameter_that_is_a_secret_goes_by_itself(redacted):
    made = redacted("x-api-key: zz88yy77QQ11; session=abc123def456; lang=en; user=oda.marlow@mail.shop-a.com")
    assert re.fullmatch(r"x-api-key: [a-zA-Z0-9]{12}; session=[a-z0-9]{12}; lang=en; user=\S+@\S+", made)
    assert not re.search("zz88|abc123|oda|marlow|shop-a", made)
