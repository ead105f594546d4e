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


def everything(folder):
    return {file.name: (file.read_bytes(), file.stat().st_ino) for file in folder.iterdir()}


def test_the_same_data_set_again_is_left_and_another_one_is_refused(made, tmp_path):
    rows = list(dataset.read(made / "lake"))
    lake = tmp_path / "lake"
    lake.mkdir()  # an empty folder is as good as none
    dataset.write(rows, lake)
    before = everything(lake)
    assert dataset.write(rows, lake) == len(rows)
    with pytest.raises(UsageError, match="a data set already"):
        dataset.write(rows[:1], lake)
    assert everything(lake) == before
    other = tmp_path / "notes"
    other.mkdir()
    (other / "notes.txt").write_text("somebody's own")
    with pytest.raises(UsageError, match="something else"):
        dataset.write(rows, other)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lake", "notes"]
    assert (other / "notes.txt").read_text() == "somebody's own"


def test_a_data_set_appears_whole_or_not_at_all(made, tmp_path, monkeypatch):
    rows = list(dataset.read(made / "lake"))
    lake = tmp_path / "lake"
    monkeypatch.setattr(dataset, "_PART_ROWS", 1)

    def interrupted():
        yield rows[0]
        yield rows[1]
        assert [path.name for path in tmp_path.iterdir()] == [".lake.unfinished"]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dataset.write(interrupted(), lake)
    assert list(tmp_path.iterdir()) == []
    # What a killed run left is in nobody's way.
    (tmp_path / ".lake.unfinished").mkdir()
    (tmp_path / ".lake.unfinished" / "part-00000.parquet").write_bytes(b"half")
    dataset.write(rows, lake)
    assert [path.name for path in tmp_path.iterdir()] == ["lake"]
    assert list(dataset.read(lake)) == rows
    assert {path.stat().st_mode & 0o777 for path in (lake, *lake.iterdir())} == {0o700, 0o600}


def test_rows_out_of_order_are_refused(made, tmp_path):
    rows = list(dataset.read(made / "lake"))
    for odd in (rows[::-1], [rows[0], rows[0]]):
        with pytest.raises(UsageError, match="each case once, sorted"):
            dataset.write(odd, tmp_path / "lake")
    assert list(tmp_path.iterdir()) == []


def test_no_case_is_a_data_set_without_rows(tmp_path):
    assert dataset.write([], tmp_path / "lake") == 0
    assert list(dataset.read(tmp_path / "lake")) == []
    assert pq.read_table(tmp_path / "lake").schema == dataset.schema()


def test_parts_that_a_cluster_wrote_are_read_beside_its_own_files(made, tmp_path):
    (part,) = (made / "lake").iterdir()
    lake = tmp_path / "lake"
    (lake / "_temporary").mkdir(parents=True)
    for name in ("_SUCCESS", ".part-00000-1a2b.snappy.parquet.crc", "_temporary/part-00001.parquet"):
        (lake / name).write_bytes(b"")
    (lake / "_metadata.parquet").write_bytes(b"no part")
    pq.write_table(pq.read_table(part), lake / "part-00000-1a2b.snappy.parquet", compression="snappy")
    assert list(dataset.read(lake)) == list(dataset.read(made / "lake"))


def test_a_part_that_expands_beyond_bounds_is_refused(tmp_path, made, monkeypatch):
    rows = pq.read_table(made / "lake").to_pylist()
    rows[0]["fixture"] = b"0" * (4 << 20)
    place = tmp_path / "odd"
    place.mkdir()
    pq.write_table(pa.Table.from_pylist(rows, dataset.schema()), place / "part.parquet", compression="zstd")
    assert (place / "part.parquet").stat().st_size < 1 << 20
    monkeypatch.setattr(dataset, "_GROUP_BYTES", 2 << 20)
    with pytest.raises(InputUnreadable, match="beyond the bounds"):
        list(dataset.read(place))


def test_cases_that_left_and_links_are_passed_over(made, tmp_path):
    rows = list(dataset.read(made / "lake"))
    quarantine = made / "cases" / "quarantine"
    place = tmp_path / "quarantine"
    place.mkdir()
    (place / "linked").symlink_to(quarantine / rows[0].case_id)
    asked = [(rows[0].case_id, "gone"), ("linked", "linked")]
    assert list(dataset.standing(asked, place, capture=False)) == []
    (row,) = dataset.standing([(rows[0].case_id, rows[0].trace_ref)], quarantine, capture=True)
    assert {name: row.files[name] for name in PROVED} == rows[0].files
    assert b'"trace_id"' in row.files["capture.json"]


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
    for name in ("fixture.json", "provenance.json"):
        broken = dataset.Row(case_id=row.case_id, trace_ref=row.trace_ref, files={**row.files, name: b'{"name": "Ines'})
        with pytest.raises(ProofFailed, match="no JSON") as refused:
            dataset.fixture(broken)
        assert "Ines" not in str(refused.value)
    with pytest.raises(ProofFailed, match="another case"):
        dataset.fixture(dataset.Row(case_id="other", trace_ref=row.trace_ref, files=row.files))
