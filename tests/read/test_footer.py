"""What a Parquet footer declares, as another reader of the same file has it."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.read.footer import groups


def written() -> tuple[bytes, pq.FileMetaData]:
    table = pa.table(
        {
            "trace_id": [f"{number:032x}" for number in range(100)],
            "count": list(range(100)),
            "tags": [["a", "b"]] * 100,
            "attributes": [{"http": {"route": "/x"}}] * 100,
        }
    ).replace_schema_metadata({"k": "v" * 300})
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=40, compression="zstd")
    return out.getvalue(), pq.ParquetFile(out).metadata


def footer_of(data: bytes) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    return data[-8 - length : -8]


def test_groups_and_columns_as_pyarrow_reads_them() -> None:
    data, metadata = written()
    found = groups(footer_of(data))
    assert [group.rows for group in found] == [40, 40, 20]
    for index, group in enumerate(found):
        expected = metadata.row_group(index)
        for number, chunk in enumerate(group.chunks):
            column = expected.column(number)
            assert chunk.path == column.path_in_schema
            assert (chunk.values, chunk.plain_bytes) == (column.num_values, column.total_uncompressed_size)
            assert chunk.end - chunk.start == column.total_compressed_size
            assert chunk.start == min(column.dictionary_page_offset or chunk.end, column.data_page_offset)
    first = found[1].chunks[0]
    assert (first.least, first.greatest) == (f"{40:032x}".encode(), f"{79:032x}".encode())


def test_a_footer_cut_short_is_refused() -> None:
    footer = footer_of(written()[0])
    for length in range(0, len(footer) - 1, 7):
        with pytest.raises(ValueError, match=r"^$"):
            groups(footer[:length])


@pytest.mark.parametrize(
    "footer",
    [
        b"\x19\xfc\xff\xff\xff\xff\x0f",  # a list of four thousand million structs
        b"\x1c" * 200,  # structs inside structs
        b"\x18\xff\xff\xff\xff\x0f",  # a text longer than the file
        b"\x16" + b"\xff" * 20,  # a number without an end
        b"\x1e\x00",  # a type that is none
    ],
)
def test_hostile_footers_are_refused(footer: bytes) -> None:
    with pytest.raises(ValueError, match=r"^$"):
        groups(footer)


@given(st.binary(max_size=200))
def test_any_bytes_end_in_groups_or_a_refusal(footer: bytes) -> None:
    try:
        found = groups(footer)
    except ValueError:
        return
    assert isinstance(found, tuple)
