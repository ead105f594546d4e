"""Whole leaves: each encoding opens into its parts and closes as it was."""

from __future__ import annotations

import base64
import json

import pytest

from extractor.errors import RedactionRefused
from extractor.model.json import JsonValue
from extractor.redact.encodings import Opened, open_text

ANA, EVE = "ana.quintero@example.com", "eve.moreau@example.org"


def opened(text: str) -> Opened:
    found = open_text(text)
    assert found is not None
    assert found.close([part.value for part in found.parts]) == text
    return found


def replaced(text: str, old: str = ANA, new: str = EVE) -> str:
    found = opened(text)
    return found.close([_swap(part.value, old, new) for part in found.parts])


def _swap(value: JsonValue, old: str, new: str) -> JsonValue:
    if isinstance(value, dict):
        return {str(_swap(key, old, new)): _swap(child, old, new) for key, child in value.items()}
    if isinstance(value, list):
        return [_swap(child, old, new) for child in value]
    return value.replace(old, new) if isinstance(value, str) else value


def roles(text: str) -> list[tuple[str, str | None, JsonValue]]:
    return [(part.role, part.key, part.value) for part in opened(text).parts]


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def b64url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def token(payload: str, header: str = '{"alg":"HS256","typ":"JWT"}') -> str:
    return f"{b64url(header)}.{b64url(payload)}.c2lnbmF0dXJlLW5vdC1yZWFsLTAxMjM0"


@pytest.mark.parametrize(
    "text",
    [
        "", "plain words", "12", "true", "null", "-1.5", "12:30", "status ok", "std::vector", "tool.call", "{name}",
        "[INFO] started", "[link](see below)", "a == b", "{", "[[[", "2026-03-01T20:17:00Z", "x => y", "20%desconto",
        "callFunctionCheckIfDataAlreadyExistsPerpetualSubinventory", "d41d8cd98f00b204e9800998ecf8427e",
        "7f3c9a1e-52b8-4d06-a1c7-e0938bd4f215", "q83vEjRWeJCrze8=", "fXkgJ2zRuF8=", "Basic Economy", "/srv/app/x.py",
        "Authorization: token required for access", "1+1=2", "the total = 5 today",
    ],
)  # fmt: skip
def test_plain_text_does_not_open(text: str) -> None:
    assert open_text(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"to":"ana.quintero@example.com","n":10.10}', '{"to":"eve.moreau@example.org","n":10.10}'),
        ('{ "to" :"ana.quintero\\u0040example.com"}\r\n', '{ "to" :"eve.moreau\\u0040example.org"}\r\n'),
        ('[1E+2, -0.0, "\\/ana.quintero@example.com"]', '[1E+2, -0.0, "\\/eve.moreau@example.org"]'),
        ('{"ana.quintero@example.com": null}', '{"eve.moreau@example.org": null}'),
        ('"{\\"a\\": \\"ana.quintero@example.com\\"}"', '"{\\"a\\": \\"eve.moreau@example.org\\"}"'),
        ('{"t":"\\ud83d ana.quintero@example.com"}', '{"t":"\\ud83d eve.moreau@example.org"}'),
        ("{'to': 'ana.quintero@example.com', 'n': (1, None)}", "{'to': 'eve.moreau@example.org', 'n': (1, None)}"),
        ("https://a.example.com/x?to=ana.quintero%40example.com&b", "https://a.example.com/x?to=eve.moreau%40example.org&b"),
        ("https://a.example.com/ana.quintero@example.com#f", "https://a.example.com/eve.moreau@example.org#f"),
        ("/v1/ana.quintero%40example.com/orders", "/v1/eve.moreau%40example.org/orders"),
        ("to=ana.quintero@example.com&page=2", "to=eve.moreau@example.org&page=2"),
        ("ana.quintero%40example.com", "eve.moreau%40example.org"),
        ('level=info msg="to ana.quintero@example.com"', 'level=info msg="to eve.moreau@example.org"'),
        ("mailto:ana.quintero@example.com?subject=hi", "mailto:eve.moreau@example.org?subject=hi"),
        ("data:a/b;name=ana.quintero@example.com;base64,AA==", "data:a/b;name=eve.moreau@example.org;base64,AA=="),
        ("data:text/plain,ana.quintero%40example.com", "data:text/plain,eve.moreau%40example.org"),
    ],
)  # fmt: skip
def test_only_the_replaced_text_changes(text: str, expected: str) -> None:
    assert replaced(text) == expected


def test_non_ascii_replacements_follow_the_document() -> None:
    assert replaced('{"n":"Zo\\u00eb"}', "Zoë", "Chloé") == '{"n":"Chlo\\u00e9"}'
    assert replaced('{"n":"Zoë"}', "Zoë", "Chloé") == '{"n":"Chloé"}'
    assert replaced("https://a.example.com/%e4%ba%ac", "京", "é") == "https://a.example.com/%c3%a9"


def test_a_tree_may_change_shape_at_one_place() -> None:
    found = opened('{"a": [1, 2], "b": "x"}')
    assert found.close([{"a": "[blob]", "b": {"marker": 1}}]) == '{"a": "[blob]", "b": {"marker":1}}'


def test_equal_numbers_of_another_type_are_a_change() -> None:
    assert opened('{"a": 1}').close([{"a": True}]) == '{"a": true}'


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"a": "ana.quintero@example.com", "a": 2}', "json_tokens"),
        ('{"a": "ana.quintero@example.com", "b": {"c": "cut of', "json_tokens"),
        ('{"a": NaN, "b": "ana.quintero@example.com"}', "json_tokens"),
        ('["x", ana.quintero@example.com, 555 0100]', "json_tokens"),
        ('"{\\"a\\": \\"ana.quintero@example.com', "json_tokens"),
        ("{'a': 'ana.quintero@example.com', 'b': Tool(", "python_tokens"),
        ("{'a': b'ana.quintero@example.com'}", "python_tokens"),
    ],
)
def test_what_no_tree_holds_opens_as_tokens(text: str, kind: str) -> None:
    assert opened(text).kind == kind
    assert replaced(text) == text.replace(ANA, EVE)


def test_tokens_know_the_member_they_stand_under() -> None:
    assert roles('{"to": ["x", {"id": 7}], "to": "y"}') == [
        ("key", None, "to"), ("value", "to", "x"), ("key", None, "id"), ("value", "id", 7),
        ("key", None, "to"), ("value", "to", "y"),
    ]  # fmt: skip


@pytest.mark.parametrize("cut", ["", '"}'])
def test_inner_documents_nested_too_deep_are_refused(cut: str) -> None:
    deep = '{"a":' * 201 + '"x' + cut + "}" * (200 if cut else 0)
    with pytest.raises(RedactionRefused):
        open_text(deep)


def test_a_close_with_another_number_of_values_is_refused() -> None:
    with pytest.raises(RedactionRefused):
        opened("a=1&b=2").close([])


def test_a_url_opens_into_its_components() -> None:
    assert roles("postgres://svc:p%40ss@db-7.example.net:5432/ledger?a+b=c+d#top") == [
        ("userinfo_user", None, "svc"), ("userinfo_password", None, "p@ss"), ("host", "dsn_host", "db-7.example.net"),
        ("path_segment", None, "ledger"), ("key", None, "a b"), ("value", "a b", "c d"), ("fragment", None, "top"),
    ]  # fmt: skip


def test_a_segment_of_a_path_stands_under_the_word_before_it() -> None:
    assert roles("https://example.com/v2/orders/5521/items") == [
        ("host", None, "example.com"), ("path_segment", None, "v2"), ("path_segment", None, "orders"),
        ("path_segment", "path_orders", "5521"), ("path_segment", "path_orders", "items"),
    ]  # fmt: skip
    assert ("path_segment", "path_handle", "oda") in roles("https://www.linkedin.com/in/oda")


def test_a_cookie_keeps_its_attributes() -> None:
    assert roles("sid=f3a9c1; Path=/; Domain=shop.example.com; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly") == [
        ("key", None, "sid"), ("value", "cookie_sid", "f3a9c1"),
    ]  # fmt: skip


@pytest.mark.parametrize("password", ["pa/ss", "p@ss", "pa?s#s", "p:w"])
def test_odd_passwords_stay_whole(password: str) -> None:
    assert ("userinfo_password", None, password) in roles(f"postgres://svc:{password}@db.example.net:5432/x")


def test_fields_in_a_fragment_open() -> None:
    text = "https://a.example.com/cb#access_token=abc&state=1"
    assert ("value", "access_token", "abc") in roles(text)


def test_a_token_keeps_its_header_and_opens_its_payload() -> None:
    text = token('{"sub":"ana.quintero@example.com","acct":"4477"}')
    assert roles(text) == [
        ("payload", "payload", {"sub": ANA, "acct": "4477"}),
        ("signature", None, "c2lnbmF0dXJlLW5vdC1yZWFsLTAxMjM0"),
    ]
    assert replaced(text) == token('{"sub":"eve.moreau@example.org","acct":"4477"}')


def test_a_header_that_names_somebody_opens_too() -> None:
    text = token('{"a":1}', '{"alg":"none","kid":"ana.quintero@example.com"}')
    assert replaced(text) == token('{"a":1}', '{"alg":"none","kid":"eve.moreau@example.org"}')


def test_a_payload_that_is_cut_off_is_replaced_whole() -> None:
    cut = token('{"sub":"ana.quintero@example.com"}').rpartition(".")[0][:-6]
    assert {part.role for part in opened(cut).parts} <= {"payload", "signature"}


@pytest.mark.parametrize("spell", [b64, b64url])
def test_base64_keeps_alphabet_and_padding(spell: object) -> None:
    assert callable(spell)
    for text in (f'{{"to":"{ANA}"}}', f"{ANA}?>~é", f"x{ANA}?>~é"):
        assert replaced(spell(text)) in {spell(text.replace(ANA, EVE)), b64(text.replace(ANA, EVE))}


def test_wrapped_base64_stays_wrapped() -> None:
    text = base64.encodebytes((f"{ANA} " * 9).encode()).decode()
    assert replaced(text) == base64.encodebytes((f"{EVE} " * 9).encode()).decode()


def test_binary_is_a_blob() -> None:
    image = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(60))).decode()
    assert roles(image) == [("blob", None, image)]
    assert roles(f"data:image/png;base64,{image}") == [("blob", None, image)]
    assert opened(f"data:image/png;base64,{image}").close(["[blob]"]) == "data:image/png;base64,[blob]"


def test_every_line_of_an_environment_file_opens() -> None:
    text = "# for Ana\nDB_PASSWORD=\"p@ss w0rd one\"\nPLAIN=two words # why\n\nexport SMTP_PASS='s3cr3t-two'\n"
    assert roles(text) == [
        ("text", None, " for Ana"), ("key", None, "DB_PASSWORD"), ("value", "DB_PASSWORD", "p@ss w0rd one"),
        ("key", None, "PLAIN"), ("value", "PLAIN", "two words"), ("text", None, " why"),
        ("key", None, "SMTP_PASS"), ("value", "SMTP_PASS", "s3cr3t-two"),
    ]  # fmt: skip


def test_connection_strings_keep_spaces_in_their_values() -> None:
    text = "Server=db.example.com,1433;User Id=sa;Password=p@ss w0rd;"
    assert ("value", "Password", "p@ss w0rd") in roles(text)
    assert ("value", "User Id", "sa") in roles(text)


def test_a_bare_value_that_gets_a_space_gets_quotes() -> None:
    assert opened("NAME=ana").close(["NAME", "Eve Moreau"]) == 'NAME="Eve Moreau"'


def test_a_credential_opens_behind_its_scheme() -> None:
    assert roles("Bearer abc123def456") == [("value", "Authorization", "abc123def456")]
    assert roles(f"Basic {b64('ana:pw')}") == [("value", "Authorization", b64("ana:pw"))]


def test_duplicates_and_invalid_bytes_survive_a_change_beside_them() -> None:
    assert replaced("x=%ff ana.quintero%40example.com".replace(" ", "+") + "&y") == "x=%ff+eve.moreau%40example.org&y"


def test_json_of_json_of_json_opens_layer_by_layer() -> None:
    text = json.dumps(json.dumps(json.dumps({"to": ANA})))
    for _ in range(2):
        value = opened(text).parts[0].value
        assert isinstance(value, str)
        text = value
    assert opened(text).parts[0].value == {"to": ANA}
