"""The canonical bytes of fixture.json, and the name of a case."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..errors import UsageError
from ..model.case import Document
from ..model.json import pretty

_DIGEST = re.compile(r"[0-9a-f]{8}")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_LONGEST = 36


def render_fixture(document: Document) -> bytes:
    """Return the document's one spelling: given member order, UTF-8, two spaces, LF, final newline."""
    return pretty(document).encode("utf-8")


def case_id(*, frozen_at: str, tool: str | None, error_class: str | None, trace_digest: str) -> str:
    """Return ``2026-03-02-refund-create-timeout-0a1b2c3d``: UTC date, tool, error class, digest; nothing else.

    ``frozen_at`` is the boundary's offset-aware instant, ``trace_digest`` eight hex digits of a keyed digest of the
    trace ids; tool and error class are already redacted. Raises `UsageError` for an instant or digest of another form.
    """
    if not _DIGEST.fullmatch(trace_digest):
        raise UsageError("the digest of the trace ids must be eight lower-case hex digits")
    return f"{_utc_date(frozen_at)}-{_slug(tool, 'no-tool')}-{_slug(error_class, 'no-error')}-{trace_digest}"


def _utc_date(instant: str) -> str:
    try:
        moment = datetime.fromisoformat(instant)
        if moment.tzinfo is None:
            raise UsageError("frozen_at must carry an offset from UTC")
        return moment.astimezone(UTC).strftime("%Y-%m-%d").rjust(10, "0")
    except (ValueError, OverflowError):
        raise UsageError("frozen_at must be an ISO 8601 instant") from None


def _slug(text: str | None, absent: str) -> str:
    words = _OTHER.sub("-", _WORD_START.sub("-", text or "").lower()).strip("-")
    return words[:_LONGEST].rstrip("-") or absent
