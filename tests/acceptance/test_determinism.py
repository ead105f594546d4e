"""Same spans, same key, same rules: the same bytes, whatever brought the spans."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractor.model.layout import PROVED

from .samples import INCIDENTS, extracted, lines_of, options_of, requests_of


def test_two_runs(name, files):
    assert dict(extracted(name).fixture.files) == files


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_the_order_of_lines(name, files, tmp_path, seed):
    lines = lines_of(name)
    random.Random(seed).shuffle(lines)
    shuffled = tmp_path / "shuffled.jsonl"
    shuffled.write_bytes(b"".join(lines))
    assert dict(extracted(name, shuffled).fixture.files) == files


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_the_number_of_files(name, files, tmp_path, seed):
    deal = random.Random(seed)
    parts = [tmp_path / f"part-{number}.jsonl" for number in range(5)]
    for part in parts:
        part.write_bytes(b"")
    for number, line in enumerate(lines_of(name)):
        with (parts[number] if number < len(parts) else deal.choice(parts)).open("ab") as part:
            part.write(line)
    deal.shuffle(parts)
    assert dict(extracted(name, *parts).fixture.files) == files


def test_the_same_spans_twice(name, files, tmp_path):
    (tmp_path / "twice.jsonl").write_bytes(b"".join(lines_of(name) * 2))
    assert dict(extracted(name, tmp_path / "twice.jsonl").fixture.files) == files


@pytest.mark.parametrize("container", ["json", "gzip", "zstd", "protobuf", "length-prefixed protobuf"])
def test_the_container(name, files, tmp_path, container):
    text, messages = b"".join(lines_of(name)), [one.SerializeToString() for one in requests_of(name)]
    content = {
        "json": text,
        "gzip": gzip.compress(text),
        "zstd": zstandard.compress(text),
        "protobuf": b"".join(messages),
        "length-prefixed protobuf": b"".join(len(one).to_bytes(4, "big") + one for one in messages),
    }[container]
    (tmp_path / "export").write_bytes(content)
    assert dict(extracted(name, tmp_path / "export").fixture.files) == files


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_seed_of_hashes(case_of, key_file, tmp_path, seed):
    """A process per seed makes all four, as a user would, and writes the bytes that this process proved."""
    program = "import json, sys\nfrom extractor.cli.app import run\nsys.exit(max(map(run, json.loads(sys.argv[1]))))"
    common = ["--key-file", str(key_file), "--out", str(tmp_path), "--quiet"]
    subprocess.run(
        [sys.executable, "-c", program, _json([[*options_of(name), *common] for name in INCIDENTS])],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=Path(__file__).parent.parent.parent,
        check=True,
    )
    for name in INCIDENTS:
        fixture = case_of(name).fixture
        folder = tmp_path / "quarantine" / fixture.case_id
        assert {file: (folder / file).read_bytes() for file in PROVED} == dict(fixture.files)


def _json(arguments: list[list[str]]) -> str:
    import json

    return json.dumps(arguments)
