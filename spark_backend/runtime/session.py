"""The one Spark session of this process, set up for exact answers and low latency."""

import logging
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

from spark_backend.runtime.class_archive import options_of_start
from spark_backend.runtime.java import java_home

#: The settings on which exact results depend: with other settings, results could differ.
EXACT: Final = {
    "spark.sql.ansi.enabled": "true",  # overflow, bad casts and division by zero are errors
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",  # no digit is dropped in silence
    "spark.sql.caseSensitive": "true",
    "spark.sql.crossJoin.enabled": "true",
    # An inferred filter would evaluate a condition on rows that have no partner (S-202.r).
    "spark.sql.constraintPropagation.enabled": "false",
}
#: PySpark would record for each operation on a column where in the Python text it stands, at the
#: cost of several calls of the JVM.
_QUIET: Final = {"spark.python.sql.dataFrameDebugging.enabled": "false"}
#: The number of tasks that read rows sent by the driver.
_TASKS: Final = "spark.sql.leafNodeDefaultParallelism"
#: For up to thousands of rows: measured 0.07 s for a query that takes 0.17 s with Spark's defaults.
SMALL: Final = {
    _TASKS: "1",  # a second task for each query takes a sixth of the processor time
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",  # compiling costs more than it saves
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
#: For more rows: Spark chooses.
LARGE: Final = {
    "spark.sql.shuffle.partitions": "16",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}
#: For micro-batches of many rows: their queries are alike, and are planned once, not again after
#: each stage, which would cost as much as a stage.
STREAMING: Final = {
    **LARGE,
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # The partitions of a union's inputs stay partitions of their own.
    "spark.sql.unionOutputPartitioning": "false",
}
#: The number of input rows from which on `LARGE` is faster.
MANY_ROWS: Final = 50_000

#: The setting that has the options of the driver's Java.
_JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
#: A JVM for thousands of small queries, none of which runs long: its code is compiled once, with
#: few optimizations, and one thread collects the memory.  Measured over the kit's cases: 41 seconds
#: of processor time, and 76 with Java's defaults.  Compiled code has 240 MB, as by default.  With
#: few optimizations Java would choose 48 MB, which are full after some minutes; from then on code
#: would be evicted and compiled again.
#:
#: Each sort and each hash table begins with a page of memory.  Spark chooses pages of 32 MB for a
#: heap of 2 GB: a few small queries fill it, and it is collected again and again.  With 4 MB a join
#: under a window takes 0.28 seconds of processor time instead of 0.37.
SMALL_JVM: Final = {
    _JAVA_OPTIONS: ("-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"),
    "spark.buffer.pageSize": "4m",
}

#: The settings of every new session.
_START: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # With no page to show them on, plans are described to listeners in Spark's shortest form.
    "spark.sql.ui.explainMode": "simple",
    "spark.driver.memory": "2g",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
#: On one machine the driver listens to this machine only; the executors of a cluster must reach it.
_LOCAL: Final = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
#: A line of a Java stack trace: ``at org.apache.spark.SparkContext.assertNotStopped(…)``.
_FRAME: Final = re.compile(r"\s*(at )?[\w.$/<>]+\([^()]*\)$")


class SparkStartError(RuntimeError):
    """Spark could not be started; the text has the last output of its JVM."""


def spark_session(
    master: str | None = None, conf: Mapping[str, str] = MappingProxyType({})
) -> SparkSession:
    """The active session if there is one, else a new one; by default local, of two threads.

    ``master`` and ``conf`` are used for a new session only.  `EXACT` is set either way.  Raises
    `NoJavaError`, `SparkStartError`.
    """
    session = SparkSession.getActiveSession() or _start(master, conf)
    # Spark would log every failed query with its Java trace; the user gets a `SqlError` instead.
    logging.getLogger("DataFrameQueryContextLogger").disabled = True
    logging.getLogger("SQLQueryContextLogger").disabled = True
    for key, value in EXACT.items():
        session.conf.set(key, value)
    return session


def tune(session: SparkSession, rows: int) -> None:
    """Set the session up for a query over this many input rows."""
    chosen = {**LARGE, _TASKS: _cores(session)} if rows >= MANY_ROWS else SMALL
    for key, value in chosen.items():
        session.conf.set(key, value)


def tune_micro_batch(session: SparkSession) -> None:
    """Set the session up for a micro-batch of many rows: a partition for each core.

    Settings that the user has made, by ``--conf`` or for a whole cluster, have precedence.
    """
    cores = _cores(session)
    fitting = {**STREAMING, _TASKS: cores, "spark.sql.shuffle.partitions": cores}
    for key, value in {**fitting, **_chosen(session.sparkContext)}.items():
        session.conf.set(key, value)


def _cores(session: SparkSession) -> str:
    """The number of tasks that run at the same time."""
    return str(max(1, session.sparkContext.defaultParallelism))


@lru_cache(maxsize=1)
def _chosen(context: SparkContext) -> Mapping[str, str]:
    """Those settings of `tune_micro_batch` that the user has made, with the user's values."""
    conf = context.getConf()
    found = {key: conf.get(key) for key in (*STREAMING, _TASKS, "spark.sql.shuffle.partitions")}
    return {key: value for key, value in found.items() if value is not None}


def _start(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    """Start Java and a session of Spark, with ``conf``, `EXACT` and the settings of this module."""
    home = java_home()
    if home is not None:
        os.environ["JAVA_HOME"] = str(home)
    # The workers that run Python functions must be of this Python.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    known = master or conf.get("spark.master") or os.environ.get("ROWTIME_SPARK_MASTER")
    url = known or "local[2]"
    local = _LOCAL if url.startswith("local") else {}
    if local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(url).appName("rowtime")
    options = options_of_start(home, conf.get(_JAVA_OPTIONS, ""))
    java = {_JAVA_OPTIONS: options} if options else {}
    for key, value in {**_START, **local, **_QUIET, **conf, **java, **EXACT}.items():
        builder = builder.config(key, value)
    session = _create_quietly(builder)
    session.sparkContext.setLogLevel("OFF")
    return session


def _create_quietly(builder: SparkSession.Builder) -> SparkSession:
    """Create the session; the JVM's standard error goes to a temporary file, not to the terminal.

    The file is read only if Spark does not start: then `SparkStartError` has its text.  As long as
    the JVM runs, it writes into this file, even after the session has been created.
    """
    with tempfile.TemporaryFile() as log:
        sys.stderr.flush()
        ours = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            return builder.getOrCreate()
        except Exception as error:
            log.seek(0)
            output = _without_traces(log.read().decode(errors="replace"))[-2000:]
            reason = _without_traces(str(error))
            raise SparkStartError(f"Spark does not start: {reason}\n{output}") from error
        finally:
            os.dup2(ours, 2)
            os.close(ours)


def _without_traces(text: str) -> str:
    """Java's message, without the lines that name its methods."""
    lines = (line for line in text.splitlines() if line and not _FRAME.match(line))
    return "\n".join(lines)
