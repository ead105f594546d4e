"""One cluster and one session for all tests here: a master, two workers and the driver are five JVMs to start."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark import making
from tests.spark.cluster import Cluster, cluster, java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster. CI must be able to run one; elsewhere these tests are skipped without Java or PySpark."""
    if not os.environ.get("CI"):
        pytest.importorskip("pyspark", reason="no PySpark here: make setup installs it")
        if (reason := java()) is not None:
            pytest.skip(reason)
    assert java() is None, java()
    folder = tmp_path_factory.mktemp("spark")
    (folder / "marks").mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(making.MARKS, str(folder / "marks"))
        with cluster(folder / "cluster") as made:
            yield made


@pytest.fixture(scope="session")
def running(started: Cluster) -> Iterator[SparkSession]:
    """A session on the cluster, made as the engine makes it; what the cluster's owner sets stands in its own file."""
    from extractor.bulk.spark.session import session

    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("SPARK_CONF_DIR", str(started.folder / "conf"))
        environment.setenv("SPARK_LOCAL_DIRS", str(started.folder / "local"))
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        spark = session(started.url)
        yield spark
        spark.stop()
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            gc.collect()  # PySpark leaves sockets to it


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("key") / "workspace.key"
    file.write_text("extract-fixture-key-1:" + bytes(range(7, 39)).hex() + "\n")
    file.chmod(0o600)
    return file
