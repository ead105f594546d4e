"""What only looks like an identifier stays byte for byte: it is the bug."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

pytestmark = pytest.mark.nlp


@pytest.mark.parametrize(
    "value",
    [
        # fp.epoch_ms_card
        {"at_millis": 1780000000016, "ns": 1780000000123456784, "s": "1780000000016"},
        {"rows": [1780000000008, 1780000000016, 1780000000024]},
        # fp.timestamp_phone
        "backup 20260417153012, Fri Apr 17 15:30:12 CEST 2026, 2026-04-17 31 rows",
        "ran 17/04/2026 15:30:12.004, took 00:41:07, 2026-W16",
        # fp.ip_scope_operator
        "std::map<int> b; face::off; y = cafe::babe::go(); listen 0.0.0.0:8080 or [::]:80 or 127.0.0.1",
        "Foo::Bar::ADD(a::b) and 1.2.3 and v10.4.2",
        # fp.person_on_tokens
        "1712334567.00 -0.37 | letter 41a | docker compose up | def mean(x): return np.mean",
        "SELECT id FROM parcels WHERE weight > 4; git rebase main; npm run build",
        # fp.decimal_fraction
        "M1.5,2 C0.219099998,7 share 0.145262935 score=0.98765432100 and 12.7706410293",
        # fp.high_entropy
        {
            "integrity": "sha384-" + "oqVuAfXRKap7fdgcCY5uykM6R9GqQ8Kuxy9rx7HNQlGYl1kPzQho1wx4JwY8wC77",
            "git_sha": "8c1f" * 10,
        },
        {"symbol": "listShipmentsWhoseCarrierAlreadyConfirmedDelivery", "css": "flex-direction-column-reverse-2"},
        # fp.url_on_dotted_names
        {
            "name": "parcel.track",
            "keys": ["order.number", "gen_ai.usage.output_tokens", "http.response.header.age", "db.name"],
        },
        "np.inf, os.path.exists, app.py, self.me, config.is, store.no",
        # fp.checksum_inside_hex
        {"etag": "d92fce3726746a0b1c2d3e4f50617283"},
        # leak.regex_timeout_fails_open: a long run of one letter is no identifier
        "a" * 400 + "! and so on",
    ],
)
def test_it_stays_as_it_is(redacted, value):
    assert redacted(value) == value


@pytest.mark.parametrize("version", [1, 4, 7])
@pytest.mark.parametrize("spell", [str, str.upper, lambda text: text.replace("-", "")])
def test_a_uuid_is_one_token_and_stays_a_uuid(redacted, version, spell):
    """fp.uuid_segment"""
    ids = {
        "session.id": spell(f"219099a8-5555-{version}55a-8444-555544441111"),
        "req": spell(f"7b2d4f16-0c1e-{version}a11-9d3e-84b1c25f7a06"),
    }
    for name, made in redacted(ids).items():
        assert made != ids[name]
        assert len(made) == len(ids[name])
        assert UUID(made).version == UUID(ids[name]).version
        assert UUID(made).variant == UUID(ids[name]).variant
        assert made.isupper() == ids[name].isupper()


def test_record_ids_keep_their_prefix_and_their_links(redacted):
    """fp.product_record_ids"""
    run, prompt = "run_0f3k9Qm2XrV7bKpLz1", "prompt_8sJd02kLmQw"
    made = redacted({"run": run, "prompt": prompt, "log": f"{run} used {prompt}", "by": {run: [prompt]}})
    assert made["run"].startswith("run_")
    assert made["prompt"].startswith("prompt_")
    assert made["log"] == f"{made['run']} used {made['prompt']}"
    assert made["by"] == {made["run"]: [made["prompt"]]}


def test_text_that_looks_like_an_assignment_leaves_json_whole(redacted):
    """fp.json_broken_by_regex"""
    text = json.dumps(
        {
            "command": 'echo "=== rotate secret ===" && exit',
            "env": "SMTP_PASSWORD=gr4nite-heron9",
            "baseUrl": "https://x.example.net?api_key=zq81kd",
            "provider": "mistral",
        }
    )
    made = json.loads(redacted(text))
    assert list(made) == ["command", "env", "baseUrl", "provider"]
    assert made["command"] == 'echo "=== rotate secret ===" && exit'
    assert made["provider"] == "mistral"
    assert made["env"].startswith("SMTP_PASSWORD=")
    assert "heron" not in made["env"]
    assert made["baseUrl"].startswith("https://x.example.net?api_key=")
    assert "zq81kd" not in made["baseUrl"]


def test_an_iban_needs_boundaries_on_both_sides(redacted):
    """fp.checksum_inside_hex"""
    made = redacted({"iban": "GB33BUKB20201555555555", "etag": "x" + "gb33bukb20201555555555" + "77"})
    assert made["iban"] != "GB33BUKB20201555555555"
    assert made["iban"].startswith("GB")
