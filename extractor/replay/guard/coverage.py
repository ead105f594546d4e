"""What a guard covers and what it does not, in the words of its report."""

from __future__ import annotations

import sys
from typing import Final

from .allow import Allow

_COVERS: Final = (
    "connections, listening and datagrams of Python's sockets, in every thread, pool and event loop",
    "what is sent over connections older than the session",
    "host names",
    "programs started by subprocess, os and multiprocessing",
    "os._exit, os.abort and signals that end this process",
    "network and process functions looked up through ctypes",
)
_NOT_COVERED: Final = (
    "native code with sockets of its own, unless one is still open when the session ends",
    "functions that ctypes or cffi resolved before the session, and whatever cffi resolves",
    "os.write, os.sendfile and io_uring on a descriptor older than the session",
    "processes older than the session, and other interpreters in this process",
    "files and devices",
)
# Modules that reach the network without Python's sockets.
_NATIVE: Final = frozenset(
    {
        "grpc._cython.cygrpc",
        "uvloop.loop",
        "rloop",
        "psycopg2._psycopg",
        "psycopg_c",
        "psycopg_binary",
        "pycurl",
        "curl_cffi._wrapper",
        "primp",
        "primp.primp",
        "rnet",
        "zmq.backend.cython._zmq",
        "confluent_kafka.cimpl",
        "MySQLdb._mysql",
        "_mysql_connector",
        "pymssql._mssql",
        "oracledb.thick_impl",
        "pyodbc",
        "pyarrow._flight",
        "pyarrow._s3fs",
        "pyarrow._gcsfs",
        "pyarrow._azurefs",
        "adbc_driver_manager._lib",
        "duckdb",
        "_duckdb",
        "polars.polars",
        "polars._plr",
        "deltalake._internal",
        "lance.lance",
        "_pycares",
        "pycares",
        "cassandra.io.libevwrapper",
        "pulsar",
        "_pulsar",
        "temporalio.bridge.temporal_sdk_bridge",
        "hf_xet",
        "hf_xet.hf_xet",
        "gevent.resolver.cares",
        "pynng._nng",
        "couchbase.pycbc_core",
        "aerospike",
        "ibm_db",
        "pymqi.pymqe",
        "kuzu._kuzu",
        "_cffi_backend",
    }
)


def covers(*, forked: bool, clock: bool) -> tuple[str, ...]:
    """Return what is blocked, or noticed, with these settings."""
    found = list(_COVERS)
    if forked:
        found.append("forked children, whose faults are the session's")
    if clock:
        found.append("clocks and unseeded draws that Python code under test asks for (noticed, not blocked)")
    return tuple(found)


def not_covered(allow: Allow) -> tuple[str, ...]:
    """Return what is not, native modules that are loaded and allowed exceptions by name."""
    found = list(_NOT_COVERED)
    found += [f"{module}: native code, loaded" for module in sorted(_NATIVE & sys.modules.keys())]
    found += [f"{host}: allowed" for host in allow.hosts]
    found += [f"{program.rpartition('/')[2]}: allowed, with all that it does" for program in allow.programs]
    return tuple(found)
