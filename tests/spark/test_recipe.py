"""The page about Spark says what the command and spark-submit understand."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from extractor.bulk.choosing import rule
from extractor.cli.bulk import command
from tests.spark import export
from tests.spark.cluster import ROOT, java

PAGE = (ROOT / "docs" / "spark.md").read_text("utf-8")
BLOCKS = [block.replace("\\\n", " ") for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)]


def lines(beginning):
    return [shlex.split(line) for block in BLOCKS for line in block.splitlines() if beginning in line]


def test_every_command_of_the_page_is_understood(tmp_path, monkeypatch):
    (direct,) = lines("extract-fixture bulk ")
    (submitted,) = lines("spark-submit")
    for asked in (direct[2:], submitted[submitted.index("bulk") + 1 :]):
        context = command.make_context("bulk", asked)
        assert context.params["engine"] == "spark"
        assert context.params["key_file"] == Path("/secrets/workspace.key")
        assert [rule(text) for text in context.params["rules_"]]


@pytest.mark.nlp
@pytest.mark.xdist_group("spark")
def test_the_recipe_for_spark_submit_makes_cases(tmp_path, key_file):
    """On one machine, since the cluster of these tests has no core to spare; with what else the page submits."""
    pyspark = pytest.importorskip("pyspark", reason="no PySpark here: make setup installs it")
    assert java() is None or not os.environ.get("CI"), java()
    if (reason := java()) is not None:
        pytest.skip(reason)
    (program,) = re.findall(r"cat > run\.py <<'PYTHON'\n(.*?)PYTHON\n", PAGE, flags=re.DOTALL)
    (tmp_path / "run.py").write_text(program)
    (submitted,) = lines("spark-submit")
    conf = [word for word in submitted if re.match(r"spark\.[\w.]+=", word)]
    assert conf
    files = export.write(tmp_path / "spans")
    wanted = tmp_path / "wanted.txt"
    wanted.write_text(export.Incident(1).trace_id + "\n")
    done = subprocess.run(
        [
            Path(pyspark.__file__).parent / "bin" / "spark-submit",
            *(
                "--master",
                "local[1]",
                "--conf",
                "spark.driver.bindAddress=127.0.0.1",
                "--conf",
                "spark.ui.enabled=false",
            ),
            *(word for one in conf for word in ("--conf", one)),
            *("run.py", "bulk", *files, "--flagged", str(wanted), "--engine", "spark", "--partitions", "1"),
            *("--out", "fixtures", "--key-file", str(key_file), "--json"),
        ],
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))},
            "PYTHONPATH": str(ROOT),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr[-2_000:]  # some records of the export cannot be read
    report = json.loads(done.stdout)
    assert report["outcomes"] == {"written": 1}
    assert (report["run"]["engine"], report["run"]["number"]) == ("spark", 1)
    assert len(list((tmp_path / "fixtures" / "quarantine").glob("2*/fixture.json"))) == 1
    assert not any(word in done.stderr for word in export.Incident(1).canaries)
