"""A fixture across processes: where it was proved it is sealed, and only under its seal it is a fixture again elsewhere."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping

from ..errors import ProofFailed
from ..model.case import Fixture, Proofs


def sealed(fixture: Fixture, key: bytes, *, trace_ref: str) -> str:
    """Return the seal of a fixture under a key that whoever proves and whoever stores share: 64 hex digits.

    It speaks of every byte that was proved, of the case's state, and of the trace that the case is of.
    """
    return _seal(
        fixture.files,
        key,
        case_id=fixture.case_id,
        trace_ref=trace_ref,
        incomplete=fixture.incomplete,
        replayable=fixture.replayable,
    )


def reopened(  # the parts of a fixture, and what vouches for them
    files: Mapping[str, bytes],
    seal: str | None,
    key: bytes,
    *,
    case_id: str,
    trace_ref: str,
    incomplete: bool,
    replayable: bool,
) -> Fixture:
    """Return a fixture that was proved in another process, which has the key, as its seal shows.

    Its proofs are those that the sidecar tells; none is repeated, since the originals are not here. Raises `ProofFailed` where any
    byte, or what is said of it, is not what was proved there.
    """
    fitting = _seal(files, key, case_id=case_id, trace_ref=trace_ref, incomplete=incomplete, replayable=replayable)
    if seal is None or not hmac.compare_digest(fitting, seal):
        raise ProofFailed([f"{case_id} is not the case that was proved"])
    proofs = Proofs(
        known_values=0, leaks=0, residual=(), classes=0, occurrences=0, preserved=0, digests=_digests(files)
    )
    return Fixture(case_id=case_id, files=dict(files), proofs=proofs, incomplete=incomplete, replayable=replayable)


def _seal(files: Mapping[str, bytes], key: bytes, **said: str | bool) -> str:
    text = json.dumps({**said, "files": _digests(files)}, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key, text.encode(), hashlib.sha256).hex()


def _digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
