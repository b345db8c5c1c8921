"""The rows of Parquet files as frames; the columns are found without a job of Spark, if possible.

Spark finds the columns of Parquet files by a job that reads the footer of the first file, by path.
The driver reads the footer of a local file itself, which takes less than a millisecond.  If the
footer equals that of an earlier micro-batch, the columns are equal, too, and no job is needed.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# Arrow does not have type annotations.

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]  # it has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it has no types
from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from algebra.records.opening import FileError
from spark_backend.runtime.filesystem import HERE, plain
from spark_backend.stream.connectors.listing import escaped

#: Whether Spark reads timestamps in nanoseconds as integers, or rejects them.
_NANOS: Final = "spark.sql.legacy.parquet.nanosAsLong"
#: The entry of a footer that has the columns of a file that Spark has written.
_OF_SPARK: Final = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True)
class ParquetRows:
    """The rows of some files, and the columns of the files.

    ``nanos``: whether timestamps in nanoseconds are integers.
    """

    frame: DataFrame
    columns: StructType
    nanos: bool


@dataclass(frozen=True, slots=True)
class _Footer:
    """The parts of a footer from which Spark finds the columns of a file."""

    schema: Any  # a ParquetSchema, which has physical types, too
    of_spark: bytes | None


@dataclass(slots=True)
class ParquetFrames:
    """Makes the frames of the micro-batches of one source."""

    #: The footer and the columns of the micro-batch for which Spark last found them.
    _known: tuple[_Footer, StructType] | None = None

    def rows(self, session: SparkSession, paths: Sequence[str]) -> ParquetRows:
        """The rows of the files, as a frame, with their columns."""
        footer = _footer(min(paths))
        names = [escaped(each) for each in paths]
        if footer is not None and self._known is not None and footer == self._known[0]:
            columns = self._known[1]
            return ParquetRows(session.read.schema(columns).parquet(*names), columns, nanos=False)
        try:
            frame, nanos = _read_frame(session, names)
        except (PySparkException, Py4JError):
            _require_footers(paths)
            raise
        columns = frame.schema
        self._known = None if footer is None or nanos else (footer, columns)
        return ParquetRows(frame, columns, nanos)


def _footer(path: str) -> _Footer | None:
    """The footer of a local file; None if the file is elsewhere, or Arrow cannot read it."""
    if not path.startswith(HERE):
        return None
    try:
        found = pq.read_metadata(Path(plain(path)))
    except (OSError, pa.ArrowException):
        return None
    return _Footer(found.schema, (found.metadata or {}).get(_OF_SPARK))


def _require_footers(paths: Sequence[str]) -> None:
    """Raise `FileError` for a local file that is not a Parquet file; Spark does not name it."""
    for path in paths:
        if not path.startswith(HERE):
            continue
        try:
            pq.read_metadata(Path(plain(path)))
        except (OSError, pa.ArrowException) as error:
            raise FileError(f"{plain(path)}: {error}") from None


def _read_frame(session: SparkSession, paths: Sequence[str]) -> tuple[DataFrame, bool]:
    """The rows of files whose columns Spark finds, and whether they have nanoseconds as integers.

    Spark does not have timestamps in nanoseconds.  It rejects them unless an option (`_NANOS`)
    requests integers.  If a file needs the option, it remains set in the session.
    """
    if session.conf.get(_NANOS) != "true":
        try:
            return session.read.parquet(*paths), False
        except AnalysisException as error:
            if "NANOS" not in str(error):
                raise
        session.conf.set(_NANOS, "true")
    return session.read.parquet(*paths), True
