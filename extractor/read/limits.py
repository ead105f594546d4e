"""The bounds that reading keeps, whatever a source claims about itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds, in bytes unless said otherwise; the defaults are far above honest exports and far below harm.

    ``ratio`` is decompressed over compressed size and counts only beyond ``ratio_from`` bytes of output: a small file
    of repetitive spans may well shrink a thousandfold. ``document_bytes`` bounds one JSON document over many lines,
    ``record_bytes`` one line or one length-prefixed message, ``memory_bytes`` a source that can be read only once, or not
    in order. ``footer_bytes``, ``columns`` and ``column_values`` (in one row group) bound what Parquet may declare.
    """

    chunk_bytes: int = 2 << 20
    head_bytes: int = 64 << 10
    record_bytes: int = 256 << 20
    document_bytes: int = 1 << 30
    memory_bytes: int = 2 << 30
    output_bytes: int = 64 << 30
    ratio: int = 500
    ratio_from: int = 64 << 20
    window_bytes: int = 128 << 20
    footer_bytes: int = 16 << 20
    columns: int = 10_000
    column_values: int = 64 << 20
    places: int = 20
