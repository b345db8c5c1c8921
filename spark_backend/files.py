"""Small files on any file system of Spark's, without a query: by Hadoop's own interface."""

from typing import Any

from pyspark.sql import SparkSession


def replace_directory(session: SparkSession, directory: str, name: str, data: bytes) -> None:
    """Let a directory hold one file of these bytes, and nothing else."""
    of_session: Any = session  # Spark's way into Java is not typed
    jvm: Any = of_session._jvm
    path = jvm.org.apache.hadoop.fs.Path(directory)
    files = path.getFileSystem(of_session._jsc.hadoopConfiguration())
    files.delete(path, True)
    out = files.create(jvm.org.apache.hadoop.fs.Path(path, name), True)
    try:
        out.write(data)
    finally:
        out.close()
