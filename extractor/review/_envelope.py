"""DSSE envelopes around statements: made and opened strictly, signed and checked by securesystemslib."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model.json import JsonValue, MalformedJson, parse, pretty

if TYPE_CHECKING:
    from ._keys import PublicKey, SigningKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"


class Damaged(ValueError):
    """The bytes are no envelope that was written here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The payload of an envelope, and its signatures by key id."""

    payload: bytes = field(repr=False)
    signatures: Mapping[str, bytes]


def sealed(payload: bytes, key: SigningKey | None) -> bytes:
    """Return the envelope of a payload, signed by ``key``; without one it has no signature."""
    return _rendered(payload, {} if key is None else _signed(payload, key))


def opened(content: bytes) -> Envelope:
    """Return what an envelope holds; nothing of it is vouched for yet.

    Only the spelling that `sealed` gives is accepted, so that no byte of the file is free. Raises `Damaged`.
    """
    try:
        document = parse(content)
        envelope = Envelope(payload=_bytes(_member(document, "payload")), signatures=_signatures(document))
    except (MalformedJson, binascii.Error, ValueError):
        raise Damaged from None
    if _rendered(envelope.payload, envelope.signatures) != content:
        raise Damaged
    return envelope


def signers(envelope: Envelope, trusted: Sequence[PublicKey]) -> tuple[str, ...]:
    """Return the ids of the trusted keys whose signature of this payload holds."""
    candidates = [key for key in trusted if key.key_id in envelope.signatures]
    return tuple(key.key_id for key in candidates if _holds(envelope, key))


def _signed(payload: bytes, key: SigningKey) -> Mapping[str, bytes]:
    # Imported where a signature is made or checked: it looks for every cloud's signer on the way in.
    from securesystemslib.dsse import Envelope as Dsse
    from securesystemslib.signer import CryptoSigner, SSlibKey

    public = SSlibKey.from_crypto(key.public.key, keyid=key.public.key_id)
    signature = Dsse(payload, PAYLOAD_TYPE, {}).sign(CryptoSigner(key.key, public))
    return {signature.keyid: bytes.fromhex(signature.signature)}


def _holds(envelope: Envelope, key: PublicKey) -> bool:
    from securesystemslib.dsse import Envelope as Dsse
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import Signature, SSlibKey

    signature = Signature(key.key_id, envelope.signatures[key.key_id].hex())
    try:
        Dsse(envelope.payload, PAYLOAD_TYPE, {key.key_id: signature}).verify(
            [SSlibKey.from_crypto(key.key, keyid=key.key_id)], threshold=1
        )
    except VerificationError:
        return False
    return True


def _rendered(payload: bytes, signatures: Mapping[str, bytes]) -> bytes:
    document: dict[str, JsonValue] = {
        "payload": base64.b64encode(payload).decode("ascii"),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [
            {"keyid": key_id, "sig": base64.b64encode(signature).decode("ascii")}
            for key_id, signature in sorted(signatures.items())
        ],
    }
    return pretty(document).encode("utf-8")


def _signatures(document: JsonValue) -> dict[str, bytes]:
    entries = _member(document, "signatures")
    if not isinstance(entries, list):
        raise Damaged
    found: dict[str, bytes] = {}
    for entry in entries:
        key_id = _member(entry, "keyid")
        if not isinstance(key_id, str) or key_id in found:
            raise Damaged
        found[key_id] = _bytes(_member(entry, "sig"))
    return found


def _bytes(value: JsonValue) -> bytes:
    if not isinstance(value, str):
        raise Damaged
    return base64.b64decode(value.encode("ascii"), validate=True)


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
