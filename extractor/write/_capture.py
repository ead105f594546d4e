"""capture.json: what depends on where and when a case was read. Restricted; never approved, never committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.config import RunConfig
from ..model.json import JsonValue, pretty
from ..model.reading import Reading
from ._notes import notes
from ._request import asked, marks


def render_capture(
    *,
    reading: Reading,
    trace_ids: Sequence[str],
    span_ids: Mapping[str, str],
    known: Sequence[JsonValue],
    config: RunConfig,
    extracted_at: str,
    host: str,
    expires_at: str,
) -> bytes:
    """Return the bytes of capture.json; ``span_ids`` maps original to synthetic ids and is written the other way.

    ``trace_ids`` stand in the order they were wanted; the first is ``trace_id``. ``known`` are keyed digests of the known
    values, by which text that people type later is searched; ``config`` is what was asked for, by which the case can be
    extracted again. Instants are RFC 3339.
    """
    document: dict[str, JsonValue] = {
        "trace_id": trace_ids[0],
        "traces": list(trace_ids),
        "spans": {synthetic: original for original, synthetic in span_ids.items()},
        "files": [
            {
                "name": file.name,
                "sha256": file.sha256,
                "container": file.container,
                "ranges": [[start, end] for start, end in file.ranges],
            }
            for file in reading.files
        ],
        "ledger": notes(reading.file_notes),
        "known": list(known),
        "request": asked(config),
        "marks": marks(config.marks),
        "extracted_at": extracted_at,
        "host": host,
        "expires_at": expires_at,
    }
    # A file's name is bytes to the system: what is no UTF-8 arrives as lone surrogates, which pretty escapes.
    return pretty(document).encode("utf-8")
