"""Keys that people sign with: ed25519 in OpenSSH's formats, whether made here or by ssh-keygen."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
    load_ssh_public_key,
)

from ..errors import UsageError

_TYPE = "ssh-ed25519"
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """A key that a person is known by. ``key_id`` is its fingerprint as ``ssh-keygen -l`` prints it."""

    key_id: str
    key: Ed25519PublicKey = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """A person's private key, in memory only."""

    key: Ed25519PrivateKey = field(repr=False, compare=False)

    @property
    def public(self) -> PublicKey:
        """The key that others trust."""
        return _known_by(self.key.public_key())

    @property
    def public_line(self) -> str:
        """The public key as one line of an OpenSSH file."""
        return self.public.key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")


def create_signing_key(path: Path) -> SigningKey:
    """Write a new key to ``path`` (0600) and its public half to ``path.pub`` (0644); neither may exist.

    Raises `UsageError`.
    """
    public = path.with_name(f"{path.name}.pub")
    if os.path.lexists(public):
        raise UsageError("the public key file exists already; a key is never overwritten")
    made = SigningKey(key=Ed25519PrivateKey.generate())
    private = made.key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(path, private, 0o600)
        _write(public, f"{made.public_line}\n".encode("ascii"), 0o644)
    except FileExistsError:
        raise UsageError("the key file exists already; a key is never overwritten") from None
    except OSError:
        raise UsageError("the key file cannot be created") from None
    return made


def load_signing_key(path: Path) -> SigningKey:
    """Return the ed25519 key of an OpenSSH private key file.

    Raises `UsageError` for a file that others can read, another kind of key, or one that is locked by a passphrase.
    """
    hint = "make one with: extract-fixture key new --signing --out FILE"
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise UsageError("the signing key is not a regular file")
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UsageError("the signing key can be used by others than its owner", hint="chmod 600 the key file")
        with path.open("rb") as stream:
            content = stream.read(_MAX_BYTES)
    except OSError:
        raise UsageError("the signing key cannot be read", hint=hint) from None
    try:
        key = load_ssh_private_key(content, password=None)
    except TypeError:
        raise UsageError("the signing key is locked by a passphrase, which is not asked for here", hint=hint) from None
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError("the signing key is no OpenSSH private key", hint=hint) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError("the signing key is not of type ed25519", hint=hint)
    return SigningKey(key=key)


def public_key(line: str) -> PublicKey:
    """Return the key of a line of an OpenSSH public key file or of an allowed_signers file without options.

    Raises `ValueError` whose message says what is wrong and quotes nothing.
    """
    words = line.split()
    if _TYPE not in words[:2]:
        raise ValueError("is no ssh-ed25519 key, or carries options, which are not honoured here")
    blob = words[words.index(_TYPE) + 1 :][:1]
    try:
        key = load_ssh_public_key(" ".join([_TYPE, *blob]).encode("ascii"))
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("is a damaged ssh-ed25519 key")  # noqa: TRY004 # another type of key in the line is its fault
    return _known_by(key)


def _known_by(key: Ed25519PublicKey) -> PublicKey:
    blob = base64.b64decode(key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).split()[1])
    fingerprint = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii").rstrip("=")
    return PublicKey(key_id=f"SHA256:{fingerprint}", key=key)


def _write(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)
