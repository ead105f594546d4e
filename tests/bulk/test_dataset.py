"""Cases as rows: the same bytes there and back, and nothing that is not what it says."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from extractor.bulk import dataset
from extractor.cli.app import run
from extractor.errors import InputUnreadable, ProofFailed, UsageError
from extractor.model.layout import PROVED
from extractor.write import store

EXPORT = "weather.otlp.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The cases of a sample export, in a store and as a data set."""
    from pathlib import Path

    folder = tmp_path_factory.mktemp("made")
    key = folder / "key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    export = Path(__file__).parent.parent.parent / "sample_traces" / "exports" / EXPORT
    asked = ["bulk", str(export), "--where", "tool=get_weather", "--out", str(folder / "cases"), "--key-file", str(key)]
    assert run([*asked, "--dataset", str(folder / "lake"), "--quiet", "--workers", "1"]) == 0
    return folder


def proved(store_):
    return {
        f"{file.parent.name}/{file.name}": file.read_bytes()
        for file in (store_ / "quarantine").glob("2*/*")
        if file.name in PROVED
    }


def test_rows_hold_the_very_bytes_and_make_the_same_cases(made, tmp_path):
    rows = list(dataset.read(made / "lake"))
    assert [row.case_id for row in rows] == sorted(row.case_id for row in rows)
    for row in rows:
        store(dataset.fixture(row), row.files.get("capture.json"), tmp_path, replace=False)
    assert proved(tmp_path) == proved(made / "cases")
    assert "capture.json" not in rows[0].files, "a lake is no quarantine"


def test_the_same_rows_give_the_same_bytes_in_parts_of_bounded_size(made, tmp_path, monkeypatch):
    rows = list(dataset.read(made / "lake"))
    assert dataset.write(rows, tmp_path / "again") == len(rows)
    first = [file.read_bytes() for file in sorted((made / "lake").iterdir())]
    assert [file.read_bytes() for file in sorted((tmp_path / "again").iterdir())] == first
    monkeypatch.setattr(dataset, "_PART_ROWS", 1)
    dataset.write(rows, tmp_path / "parts")
    assert len(list((tmp_path / "parts").iterdir())) == len(rows) > 1
    assert list(dataset.read(tmp_path / "parts")) == rows
    with pytest.raises(UsageError, match="a data set already"):
        dataset.write(rows, tmp_path / "parts")


@pytest.mark.parametrize("fault", ["bytes", "id", "column", "torn", "none"])
def test_what_is_not_what_it_says_is_refused(made, tmp_path, fault):
    (part,) = (made / "lake").iterdir()
    table = pq.read_table(part)
    rows = table.to_pylist()
    place = tmp_path / "odd"
    place.mkdir()
    if fault == "bytes":
        rows[0]["fixture"] = rows[0]["fixture"].replace(b"0", b"1", 1)
    elif fault == "id":
        rows[0]["case_id"] = "../up"
    if fault == "torn":
        (place / "part.parquet").write_bytes(part.read_bytes()[:-9])
    elif fault != "none":
        written = pa.Table.from_pylist(rows, table.schema)
        pq.write_table(written.drop(["readme"]) if fault == "column" else written, place / "part.parquet")
    with pytest.raises(InputUnreadable) as refused:
        list(dataset.read(place))
    assert "up" not in refused.value.message.split()


def test_a_row_whose_sidecar_speaks_of_other_bytes_is_no_case(made):
    row = next(dataset.read(made / "lake"))
    document = json.loads(row.files["fixture.json"])
    document["input"] = {}
    other = dataset.Row(
        case_id=row.case_id, trace_ref=row.trace_ref, files={**row.files, "fixture.json": json.dumps(document).encode()}
    )
    with pytest.raises(ProofFailed, match="not the file that was proved"):
        dataset.fixture(other)
    with pytest.raises(ProofFailed, match="another case"):
        dataset.fixture(dataset.Row(case_id="other", trace_ref=row.trace_ref, files=row.files))
