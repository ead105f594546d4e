"""The workspace key: made once, shared by a team, never shown; everything keyed derives from it (HKDF-SHA-256)."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import WorkspaceKeyError

KEY_BYTES = 32
_HEADER = "extract-fixture-key-1:"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceKey:
    """Key material of at least 32 bytes. ``repr`` hides it; only `key_id` may be written anywhere."""

    material: bytes = field(repr=False)

    @property
    def key_id(self) -> str:
        """Eight hex digits that name the key without telling it."""
        return self.derive("key-id", length=4).hex()

    def derive(self, purpose: str, *, length: int = 32) -> bytes:
        """Return key bytes for one purpose: HKDF (RFC 5869) with SHA-256, the purpose as info, no salt."""
        from cryptography.hazmat.primitives import hashes  # only runs that redact need it
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        info = b"extract-fixture/1/" + purpose.encode()
        return HKDF(algorithm=hashes.SHA256(), length=length, salt=None, info=info).derive(self.material)


def keyed_digest(key: bytes, *parts: str) -> bytes:
    """Return HMAC-SHA-256 (32 bytes) over length-prefixed parts, so that no two lists of parts collide."""
    message = b"".join(
        len(raw).to_bytes(8, "big") + raw for raw in (part.encode("utf-8", "surrogatepass") for part in parts)
    )
    return hmac.new(key, message, hashlib.sha256).digest()


def create_key(path: Path) -> WorkspaceKey:
    """Write a new random key, mode 0600, to a file that must not exist yet, and return it.

    Raises `WorkspaceKeyError` when the file exists or cannot be written.
    """
    material = secrets.token_bytes(KEY_BYTES)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise WorkspaceKeyError(
            "the key file exists already; a key is never overwritten",
            hint="--key-file FILE or EXTRACT_FIXTURE_KEY_FILE uses it; --out names another",
        ) from None
    except OSError:
        raise WorkspaceKeyError("the key file cannot be created") from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(_HEADER + material.hex() + "\n")
        file.flush()
        os.fsync(file.fileno())
    return WorkspaceKey(material=material)


def load_key(path: Path) -> WorkspaceKey:
    """Return the key of a file: one made by `create_key`, or at least 32 raw bytes as secret stores mount them.

    Raises `WorkspaceKeyError` when the file is absent, readable by everybody, too short or trivial.
    """
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading a pipe could wait for ever
            raise WorkspaceKeyError(
                "the key is not a regular file", hint="name the file itself, as in DIR/workspace.key"
            )
        if mode & stat.S_IROTH:
            raise WorkspaceKeyError("the key file is readable by everybody", hint="chmod o-rwx the key file")
        content = path.read_bytes()
    except FileNotFoundError:
        raise WorkspaceKeyError(
            "no key file is there", hint="make one with: extract-fixture key new --out FILE"
        ) from None
    except OSError:
        raise WorkspaceKeyError("the key file cannot be read", hint="look at its owner and mode: ls -l") from None
    return WorkspaceKey(material=_material(content))


def _material(content: bytes) -> bytes:
    prefix = _HEADER.encode()
    if content.startswith(prefix):
        try:
            content = bytes.fromhex(content.removeprefix(prefix).strip().decode("ascii"))
        except (ValueError, UnicodeDecodeError):
            raise WorkspaceKeyError("the key file is damaged") from None
    if len(content) < KEY_BYTES:
        raise WorkspaceKeyError(f"the key is shorter than {KEY_BYTES} bytes")
    if len(set(content)) < 8:  # a run of one byte, a keyboard pattern: nothing that a random source made
        raise WorkspaceKeyError("the key is trivial")
    return content
