"""Whatever the bytes are, reading ends with a reading or with an error of ours."""

from __future__ import annotations

import gzip
import io
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.errors import ExtractFixtureError
from extractor.model.config import Wanted
from extractor.read import Limits, read, survey

from .build import TRACE, every_container

SEEDS = every_container()
SMALL = Limits(chunk_bytes=256, record_bytes=1 << 16, document_bytes=1 << 18, output_bytes=1 << 20)


def _survives(data: bytes) -> None:
    with suppress(ExtractFixtureError):
        read(["-"], Wanted(trace_ids=(TRACE,)), stdin=io.BytesIO(data), limits=SMALL)
    with suppress(ExtractFixtureError):
        survey(["-"], stdin=io.BytesIO(data), limits=SMALL)


@settings(max_examples=300)
@given(data=st.data())
def test_mutated_exports_are_survived(data: st.DataObject) -> None:
    content = bytearray(SEEDS[data.draw(st.sampled_from(sorted(SEEDS)))])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(content) - 1, 0)))
        end = at + data.draw(st.integers(0, 40))
        content[at:end] = data.draw(st.binary(max_size=40))
    _survives(bytes(content))


@settings(max_examples=200)
@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"\n", b"\x0a", b"{", b"[", b"\x00\x00\x00\x20\x0a", b"\x28\xb5\x2f\xfd"]),
)
def test_any_bytes_are_survived(content: bytes, start: bytes) -> None:
    _survives(start + content)
    _survives(gzip.compress(start + content))


@pytest.mark.parametrize(
    "text",
    [
        b'"' + b'\\"' * 200_000,
        b"{\n" + b'"\\"' * 100_000,
        b"{\n" * 100_000,
        b"[" * 200_000,
        b"{" + b'"' * 200_001,
        b"[{\n" + b"}{" * 20_000,
        b"\n" * 200_000,
    ],
)
def test_brackets_and_quotes_without_end_take_no_time(text: bytes) -> None:
    _survives(text + TRACE.encode())
