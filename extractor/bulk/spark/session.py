"""A Spark session that keeps originals off disks and logs: encrypted spills and shuffles, no event log."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from extractor.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REQUIRED: Mapping[str, str] = {
    "spark.io.encryption.enabled": "true",
    "spark.eventLog.enabled": "false",
}
"""What no session may lack: shuffles hold originals, and an event log outlives the run."""
_DEFAULTS: Mapping[str, str] = {
    "spark.app.name": "extract-fixture bulk",
    "spark.io.encryption.keySizeBits": "256",
    "spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version": "1",  # version 2 lets two attempts of a task both write
    "spark.python.worker.reuse": "true",  # a worker loads the language model once
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
}
# Managers that give each application a secret of its own; a standalone cluster has one that its owner sets.
_SECRET_OF_ITS_OWN = ("yarn", "k8s://")
_RPC_ENCRYPTION = ("spark.authenticate", "spark.network.crypto.enabled")
_ENCRYPTED = (
    _RPC_ENCRYPTION,
    ("spark.authenticate", "spark.authenticate.enableSaslEncryption"),
    ("spark.ssl.rpc.enabled",),
)


def session(master: str | None = None, conf: Mapping[str, str] | None = None) -> SparkSession:
    """Return a session that `REQUIRED` holds for, the one of ``spark-submit`` where there is one.

    Raises `UsageError` without PySpark, and for a session that runs already and lacks what is required.
    """
    try:
        from pyspark import SparkConf, SparkContext  # heavy, and an extra
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError("the Spark engine needs PySpark", hint="pip install 'extract-fixture[spark]'") from None
    if SparkContext._active_spark_context is None:  # noqa: SLF001  # asking for a context would make one
        # Executors run the driver's interpreter unless the cluster says otherwise.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings = SparkConf()  # holds what spark-submit was given
        if master is not None:
            settings.setMaster(master)
        for name, value in (conf or {}).items():
            settings.set(name, value)
        for name, value in _DEFAULTS.items():
            settings.setIfMissing(name, value)
        if settings.get("spark.master", "").startswith(_SECRET_OF_ITS_OWN):
            for name in _RPC_ENCRYPTION:
                settings.setIfMissing(name, "true")
        for name, value in REQUIRED.items():
            settings.set(name, value)
        started = SparkSession.builder.config(conf=settings).getOrCreate()
    else:
        started = SparkSession.builder.getOrCreate()
    _hold(started)
    return started


def crosses_in_the_clear(running: SparkSession) -> bool:
    """Tell whether executors of several machines would send each other records, and the spills' key, unencrypted."""
    conf = running.sparkContext.getConf()
    if conf.get("spark.master", "").startswith("local"):
        return False
    return not any(all(conf.get(name, "false") == "true" for name in names) for names in _ENCRYPTED)


def _hold(running: SparkSession) -> None:
    conf = running.sparkContext.getConf()
    lacking = [f"{name}={value}" for name, value in REQUIRED.items() if conf.get(name, "false") != value]
    if lacking:
        raise UsageError(
            f"the Spark session that runs lacks {', '.join(lacking)}",
            hint="start it so, or let this command start it: these cannot be changed later",
        )
