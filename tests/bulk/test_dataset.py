"""Cases as rows of a data set: the very bytes, whole or not at all."""

from __future__ import annotations

import hashlib

import pyarrow.parquet as pq
import pytest

from extractor.bulk import dataset
from extractor.cli.app import run
from extractor.errors import UsageError
from extractor.model.layout import PROVED

EXPORT = "weather.otlp.jsonl"
FILES = {"fixture": "fixture.json", "provenance": "provenance.json", "readme": "README.md", "capture": "capture.json"}


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


def rows_of(lake):
    """Read a data set as a lake's own tools do; each file's digest is checked beside it."""
    rows = []
    for told in pq.read_table(lake).to_pylist():
        files = {}
        for column, name in FILES.items():
            if told[column] is not None:
                assert hashlib.sha256(told[column]).hexdigest() == told[f"{column}_sha256"]
                files[name] = told[column]
        rows.append(dataset.Row(case_id=told["case_id"], trace_ref=told["trace_ref"], files=files))
    return rows


def test_rows_hold_the_very_bytes_of_the_cases(made):
    rows = rows_of(made / "lake")
    assert [row.case_id for row in rows] == sorted(row.case_id for row in rows)
    assert {f"{row.case_id}/{name}": content for row in rows for name, content in row.files.items()} == proved(
        made / "cases"
    ), "no capture.json: a lake is no quarantine"


def test_the_same_rows_give_the_same_bytes_in_parts_of_bounded_size(made, tmp_path, monkeypatch):
    rows = rows_of(made / "lake")
    assert dataset.write(rows, tmp_path / "again") == len(rows)
    first = [file.read_bytes() for file in sorted((made / "lake").iterdir())]
    assert [file.read_bytes() for file in sorted((tmp_path / "again").iterdir())] == first
    monkeypatch.setattr(dataset, "_PART_ROWS", 1)
    dataset.write(rows, tmp_path / "parts")
    assert len(list((tmp_path / "parts").iterdir())) == len(rows) > 1
    assert rows_of(tmp_path / "parts") == rows


def everything(folder):
    return {file.name: (file.read_bytes(), file.stat().st_ino) for file in folder.iterdir()}


def test_the_same_data_set_again_is_left_and_another_one_is_refused(made, tmp_path):
    rows = rows_of(made / "lake")
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
    rows = rows_of(made / "lake")
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
    assert rows_of(lake) == rows
    assert {path.stat().st_mode & 0o777 for path in (lake, *lake.iterdir())} == {0o700, 0o600}


def test_rows_out_of_order_are_refused(made, tmp_path):
    rows = rows_of(made / "lake")
    for odd in (rows[::-1], [rows[0], rows[0]]):
        with pytest.raises(UsageError, match="each case once, sorted"):
            dataset.write(odd, tmp_path / "lake")
    assert list(tmp_path.iterdir()) == []


def test_no_case_is_a_data_set_without_rows(tmp_path):
    assert dataset.write([], tmp_path / "lake") == 0
    assert rows_of(tmp_path / "lake") == []
    assert pq.read_table(tmp_path / "lake").schema == dataset.schema()


def test_cases_that_left_and_links_are_passed_over(made, tmp_path):
    rows = rows_of(made / "lake")
    quarantine = made / "cases" / "quarantine"
    place = tmp_path / "quarantine"
    place.mkdir()
    (place / "linked").symlink_to(quarantine / rows[0].case_id)
    asked = [(rows[0].case_id, "gone"), ("linked", "linked")]
    assert list(dataset.standing(asked, place, capture=False)) == []
    (row,) = dataset.standing([(rows[0].case_id, rows[0].trace_ref)], quarantine, capture=True)
    assert {name: row.files[name] for name in PROVED} == rows[0].files
    assert b'"trace_id"' in row.files["capture.json"]
