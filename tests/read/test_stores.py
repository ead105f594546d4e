"""Exports in an object store (`s3://`), on a server of that kind which the test starts."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.read import read, survey

from .build import OTHER, TRACE, lines, request, span

SECRET = "stored-away-secret"


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Return the query that leads to a server with a bucket of exports."""
    from moto.server import ThreadedMotoServer  # heavy, and for these tests alone
    from pyarrow.fs import S3FileSystem

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    address = f"127.0.0.1:{server.get_host_and_port()[1]}"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patch.setenv(name, value)
        store = S3FileSystem(endpoint_override=address, scheme="http", region="us-east-1", allow_bucket_creation=True)
        store.create_dir("exports")
        rows = {
            "trace_id": [TRACE, OTHER],
            "span_id": [f"{5:016x}", f"{6:016x}"],
            "name": ["a", "b"],
            "start_time": ["2025-06-15T15:06:41Z"] * 2,
        }
        table = pa.BufferOutputStream()
        pq.write_table(pa.table(rows), table)
        for name, content in {
            "day/a.jsonl": lines([request(span(1), span(2, trace_id=OTHER))]),
            "day/b.jsonl.gz": gzip.compress(lines([request(span(3))])),
            "day/c.parquet": table.getvalue().to_pybytes(),
        }.items():
            with store.open_output_stream(f"exports/{name}", compression=None) as out:
                out.write(content)
        yield f"?scheme=http&endpoint_override={address}&region=us-east-1"
    server.stop()


def test_one_object_is_read(bucket: str) -> None:
    reading = read([f"s3://exports/day/a.jsonl{bucket}"], Wanted(trace_ids=(TRACE,)))
    assert len(reading.spans) == 1
    assert (reading.files[0].name, len(reading.files[0].sha256)) == ("a.jsonl", 64)


def test_all_below_a_prefix_is_read_compressed_and_tables_too(bucket: str) -> None:
    reading = read([f"s3://exports/day{bucket}"], Wanted(trace_ids=(TRACE,)))
    assert [file.container for file in reading.files] == ["otlp_json", "otlp_json+gzip", "span_json+parquet"]
    assert len(reading.spans) == 3
    assert [one.spans for one in survey([f"s3://exports/day{bucket}"])] == [3, 2]


@pytest.mark.parametrize("path", ["exports/nowhere", "no-such-bucket/a"])
def test_what_is_not_there_is_refused_without_its_uri(bucket: str, path: str) -> None:
    with pytest.raises(InputUnreadable) as caught:
        read([f"s3://{path}{bucket}"], Wanted(trace_ids=(TRACE,)))
    told = f"{caught.value.message} {caught.value.hint}"
    assert path not in told
    assert SECRET not in told


def test_a_store_that_nobody_serves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="source 1"):
        read([f"file://{tmp_path}/nothing"], Wanted(trace_ids=(TRACE,)))


def test_files_by_uri_are_read_as_well(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1))]))
    assert len(read([file.as_uri()], Wanted(trace_ids=(TRACE,))).spans) == 1
