from __future__ import annotations

import base64
import json
import shutil
import subprocess

import pytest

from extractor.errors import UsageError
from extractor.review._envelope import Damaged, opened, sealed, signers
from extractor.review._keys import create_signing_key, load_signing_key, public_key

PAYLOAD = b'{"_type": "https://in-toto.io/Statement/v1"}'


@pytest.fixture
def key(tmp_path):
    return create_signing_key(tmp_path / "keys" / "rana")


def test_a_key_is_made_once_and_its_private_half_is_for_its_owner_alone(tmp_path):
    path = tmp_path / "keys" / "rana"
    made = create_signing_key(path)
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert load_signing_key(path).public == made.public
    assert public_key(path.with_name("rana.pub").read_text()) == made.public
    for occupied in (path, path.with_name("rana.pub")):
        occupied.rename(tmp_path / "aside")
        with pytest.raises(UsageError, match="never overwritten"):
            create_signing_key(path)
        (tmp_path / "aside").rename(occupied)
    assert load_signing_key(path).public == made.public
    assert "PRIVATE" not in repr(made)


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
def test_keys_of_ssh_keygen_are_the_same_keys(tmp_path):
    path = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, "-C", "rana@example.com"], check=True)
    told = subprocess.run(["ssh-keygen", "-l", "-f", path], check=True, capture_output=True, text=True).stdout
    key = load_signing_key(path)
    assert told.split()[1] == key.public.key_id
    line = path.with_name("id.pub").read_text()
    assert public_key(line) == public_key(f"rana@example.com {line}") == key.public
    ours = create_signing_key(tmp_path / "ours")
    told = subprocess.run(["ssh-keygen", "-l", "-f", tmp_path / "ours"], check=True, capture_output=True, text=True)
    assert told.stdout.split()[1] == ours.public.key_id


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
@pytest.mark.parametrize(("options", "said"), [(["-t", "ecdsa"], "ed25519"), (["-t", "ed25519"], "passphrase")])
def test_another_kind_of_key_and_a_locked_one_are_refused(tmp_path, options, said):
    passphrase = "" if said == "ed25519" else "open sesame"
    subprocess.run(["ssh-keygen", "-q", *options, "-N", passphrase, "-f", tmp_path / "id"], check=True)
    with pytest.raises(UsageError, match=said):
        load_signing_key(tmp_path / "id")


def test_a_key_that_others_can_use_is_refused(tmp_path):
    path = tmp_path / "rana"
    create_signing_key(path)
    path.chmod(0o640)
    with pytest.raises(UsageError, match="others than its owner"):
        load_signing_key(path)
    for content in (b"", b"Zebra", b"-----BEGIN OPENSSH PRIVATE KEY-----\nZebra\n-----END OPENSSH PRIVATE KEY-----\n"):
        path.chmod(0o600)
        path.write_bytes(content)
        with pytest.raises(UsageError, match="no OpenSSH private key") as raised:
            load_signing_key(path)
        assert "Zebra" not in str(raised.value)


@pytest.mark.parametrize(
    "line",
    ["", "ssh-rsa AAAA", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-ed25519 ?", "a cert-authority ssh-ed25519 AAAA"],
)
def test_a_line_that_is_no_key_is_told_without_quoting_it(line):
    with pytest.raises(ValueError, match="ssh-ed25519 key") as raised:
        public_key(line)
    assert "AAAA" not in str(raised.value)


def test_an_envelope_gives_its_payload_back_and_names_its_signer(key):
    envelope = opened(sealed(PAYLOAD, key))
    assert envelope.payload == PAYLOAD
    assert signers(envelope, [key.public]) == (key.public.key_id,)
    assert signers(opened(sealed(PAYLOAD, None)), [key.public]) == ()


def test_another_s_key_another_payload_and_another_type_do_not_hold(key, tmp_path):
    other = create_signing_key(tmp_path / "other")
    document = json.loads(sealed(PAYLOAD, key))
    assert signers(opened(sealed(PAYLOAD, key)), [other.public]) == ()
    stolen = {**document, "payload": base64.b64encode(PAYLOAD + b" ").decode()}
    assert signers(opened(spelled(stolen)), [key.public]) == ()
    document["signatures"][0]["keyid"] = other.public.key_id
    assert signers(opened(spelled(document)), [other.public, key.public]) == ()
    # The type is signed with the payload: bare bytes signed elsewhere do not pass for a statement.
    bare = {**json.loads(sealed(PAYLOAD, key))}
    bare["signatures"][0]["sig"] = base64.b64encode(key.key.sign(PAYLOAD)).decode()
    assert signers(opened(spelled(bare)), [key.public]) == ()


def test_the_signature_is_over_the_pre_authentication_encoding_of_the_dsse_specification(key):
    signature = opened(sealed(PAYLOAD, key)).signatures[key.public.key_id]
    kind = b"application/vnd.in-toto+json"
    key.public.key.verify(signature, b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(PAYLOAD), PAYLOAD))


def test_no_byte_of_an_envelope_is_free(key):
    content = sealed(PAYLOAD, key)
    for position in range(len(content)):
        changed = content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]
        try:
            envelope = opened(changed)
        except Damaged:
            continue
        assert signers(envelope, [key.public]) == (), position


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"payload": 1}', b"\xff", b"[" * 100_000])
def test_what_is_no_envelope_is_damaged(content):
    with pytest.raises(Damaged):
        opened(content)


def spelled(document) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()
