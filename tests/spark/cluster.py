"""A standalone Spark cluster on loopback: a master and workers as processes of their own, torn down whatever happens."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

HOST = "127.0.0.1"
ROOT = Path(__file__).parent.parent.parent
_SETTINGS = """
spark.authenticate true
spark.authenticate.secret {secret}
spark.network.crypto.enabled true
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.driver.memory 512m
spark.driver.extraJavaOptions -Dlog4j2.configurationFile=file:{folder}/driver.properties
spark.shuffle.compress false
spark.broadcast.compress false
spark.ui.port 0
spark.ui.showConsoleProgress false
spark.executor.cores 1
spark.executor.memory 512m
spark.executorEnv.PYTHONPATH {root}
spark.speculation true
spark.speculation.interval 100ms
spark.speculation.multiplier 1.1
spark.speculation.quantile 0.5
"""
_LOGGING = """
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {folder}/driver.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""
WORKERS = 2
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_JOINED = re.compile(r"Registering worker ")
_PATIENCE = 60  # seconds


def java() -> str | None:
    """Return why no Spark can run here, None where one can."""
    found = os.environ.get("JAVA_HOME", "") and shutil.which("java", path=f"{os.environ['JAVA_HOME']}/bin")
    found = found or shutil.which("java")
    if found is None:
        return "Spark needs Java 17 or later: install a JRE (Debian: openjdk-17-jre-headless) or set JAVA_HOME"
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', told)
    if version is None or int(version[1]) < 17:
        return f"Spark 4 needs Java 17 or later; this is {version[1] if version else 'another program'}"
    return None


@dataclass(slots=True, kw_only=True)
class Cluster:
    """The processes, and the folder in which they write."""

    folder: Path
    url: str = ""
    master: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    started: int = 0

    def files(self) -> Iterator[Path]:
        """Yield all that master, workers, executors and driver have written: logs, spills, what they were sent."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                yield path

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start one more worker and wait until the master knows it."""
        self.started += 1
        place = self.folder / f"worker-{self.started}"
        worker = _start(
            "org.apache.spark.deploy.worker.Worker",
            ["--host", HOST, "--webui-port", "0", "--cores", "1", "--memory", "4g", "--work-dir", str(place), self.url],
            self.folder / f"worker-{self.started}.log",
        )
        self.workers.append(worker)
        _until(self.folder / "master.log", _JOINED, self.started)
        return worker

    def kill(self, worker: subprocess.Popen[bytes]) -> None:
        """End a worker as a machine's failure does: it and its executors at once, nothing said to anybody."""
        for process in _below(worker.pid):
            _end(process)
        worker.wait(10)
        self.workers.remove(worker)


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """Run a master and two workers of one core each, on free ports of loopback."""
    (folder / "conf").mkdir(parents=True)
    settings = folder / "conf" / "spark-defaults.conf"
    settings.touch(0o600)
    settings.write_text(_SETTINGS.format(secret=secrets.token_hex(32), folder=folder / "conf", root=ROOT))
    (folder / "conf" / "driver.properties").write_text(_LOGGING.format(folder=folder))
    made = Cluster(folder=folder)
    try:
        made.master = _start(
            "org.apache.spark.deploy.master.Master",
            ["--host", HOST, "--port", "0", "--webui-port", "0"],
            folder / "master.log",
        )
        made.url = _until(folder / "master.log", _MASTER, 1)
        for _ in range(WORKERS):
            made.start_worker()
        yield made
    finally:
        for process in (*made.workers, made.master):
            if process is not None:
                for each in _below(process.pid):
                    _end(each)
                process.wait(10)


def _start(name: str, arguments: list[str], log: Path) -> subprocess.Popen[bytes]:
    import pyspark  # an extra: the tests that start a cluster need it

    home = Path(pyspark.__file__).parent
    with log.open("wb") as file:
        return subprocess.Popen(
            [home / "bin" / "spark-class", name, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=_environment(home, log.parent),
            start_new_session=True,
        )


def _environment(home: Path, folder: Path) -> Mapping[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "COV"))},
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_NO_DAEMONIZE": "1",
    }


def _until(log: Path, wanted: re.Pattern[str], times: int) -> str:
    """Return what a log says once it has said it so often."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        text = log.read_text(errors="replace") if log.exists() else ""
        found = wanted.findall(text)
        if len(found) >= times:
            return str(found[-1])
        time.sleep(0.1)
    raise TimeoutError(f"{log.name} never said {wanted.pattern}")


def _below(pid: int) -> list[int]:
    """Return a process and all its descendants, whatever session they made for themselves."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        found.append(one)
        waiting.extend(children.get(one, ()))
    return found


def _end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
