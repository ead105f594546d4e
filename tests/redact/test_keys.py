from __future__ import annotations

import os
import stat

import pytest

from extractor.errors import WorkspaceKeyError
from extractor.redact import create_key, load_key
from extractor.redact.keys import WorkspaceKey, keyed_digest

MATERIAL = bytes(range(40))


def written(tmp_path, content, mode=0o600):
    path = tmp_path / "team.key"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def test_a_new_key_is_read_back_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "folder" / "team.key"
    made = create_key(path)
    assert load_key(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(made.material) == 32


def test_two_new_keys_differ(tmp_path):
    assert create_key(tmp_path / "one") != create_key(tmp_path / "two")


def test_a_key_is_never_overwritten(tmp_path):
    path = written(tmp_path, MATERIAL)
    with pytest.raises(WorkspaceKeyError, match="exists already"):
        create_key(path)
    assert path.read_bytes() == MATERIAL


def test_a_key_cannot_be_made_where_a_file_is_in_the_way(tmp_path):
    path = written(tmp_path, MATERIAL)
    with pytest.raises(WorkspaceKeyError):
        create_key(path / "inner")


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o440])
def test_raw_bytes_are_a_key_for_owner_and_group(tmp_path, mode):
    assert load_key(written(tmp_path, MATERIAL, mode)).material == MATERIAL


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o666])
def test_a_key_that_everybody_can_read_is_refused(tmp_path, mode):
    with pytest.raises(WorkspaceKeyError, match="everybody"):
        load_key(written(tmp_path, MATERIAL, mode))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        bytes(range(31)),
        b"\x00" * 64,
        b"a" * 32,
        b"abab" * 16,
        b"extract-fixture-key-1:zz",
        b"extract-fixture-key-1:" + b"00" * 32,
        b"extract-fixture-key-1:" + b"0123456789abcdef",
        b"extract-fixture-key-1:\xff\xff",
    ],
)
def test_short_trivial_and_damaged_keys_are_refused_without_being_quoted(tmp_path, content):
    with pytest.raises(WorkspaceKeyError) as caught:
        load_key(written(tmp_path, content))
    assert caught.value.__cause__ is None
    assert len(content) < 4 or content.decode("latin-1")[-4:] not in str(caught.value)


def test_folders_and_absent_files_are_no_keys(tmp_path):
    with pytest.raises(WorkspaceKeyError):
        load_key(tmp_path)
    with pytest.raises(WorkspaceKeyError, match="no key file is there") as caught:
        load_key(tmp_path / "absent")
    assert "key new" in (caught.value.hint or "")


def test_a_pipe_is_no_key(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(WorkspaceKeyError, match="regular file"):
        load_key(path)


def test_purposes_and_keys_give_unrelated_bytes():
    key, other = WorkspaceKey(material=MATERIAL), WorkspaceKey(material=MATERIAL[::-1])
    derived = {key.derive("a"), key.derive("b"), other.derive("a"), key.derive("key-id")}
    assert len(derived) == 4
    assert all(len(raw) == 32 for raw in derived)


def test_derivation_follows_rfc_5869():
    """HKDF-SHA-256 computed step by step: extract with a zero salt, expand once."""
    import hashlib
    import hmac

    pseudorandom = hmac.new(b"\x00" * 32, MATERIAL, hashlib.sha256).digest()
    expected = hmac.new(pseudorandom, b"extract-fixture/1/purpose\x01", hashlib.sha256).digest()
    assert WorkspaceKey(material=MATERIAL).derive("purpose") == expected


def test_the_key_id_names_the_key_and_tells_nothing_of_it():
    key = WorkspaceKey(material=MATERIAL)
    assert key.key_id == WorkspaceKey(material=MATERIAL).key_id
    assert len(key.key_id) == 8
    assert key.key_id not in MATERIAL.hex()
    assert not key.derive("scope/x").hex().startswith(key.key_id)


def test_repr_hides_the_material():
    shown = repr(WorkspaceKey(material=MATERIAL))
    assert MATERIAL.hex()[:8] not in shown
    assert repr(MATERIAL)[2:10] not in shown


def test_parts_of_a_digest_cannot_be_shifted_into_each_other():
    key = b"k" * 32
    assert keyed_digest(key, "ab", "c") != keyed_digest(key, "a", "bc")
    assert keyed_digest(key, "a") != keyed_digest(key, "a", "")
    assert keyed_digest(key, "\ud800") != keyed_digest(key, "\ud801")
