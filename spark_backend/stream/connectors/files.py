"""Files and folders as sources on Spark.

Structured Streaming reads only the names of the files: it divides them into micro-batches, and its
log records this.  The files are then read as in any query, each with its own header, in the order
of their names.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

from pyspark.errors import AnalysisException
from pyspark.sql import Column as Spark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.catalog import Column, Stream
from algebra.outside.file_names import (
    NATURAL_DIGITS,
)
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BadRow
from algebra.records.column_places import places_of
from algebra.records.csv_fields import QUOTED, Dialect, TimeForm, field_readers
from algebra.records.csv_files import header_name, record_reader
from algebra.records.formats import dialect_of, file_reader, require_json_for_paths, times_of
from algebra.records.malformed import malformed_error
from algebra.records.opening import FileError
from algebra.records.pipeline import MAX_REPORTED_ROWS, Pipeline
from algebra.types import Kind
from algebra.wire import WireRow
from grammar.codes import Code
from spark_backend.data.ingress import LATE, Refusal
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.runtime.failures import failures
from spark_backend.runtime.filesystem import FileSystem
from spark_backend.stream.connectors.listing import (
    Listing,
    escaped,
    file_name,
    listing_of,
    local_path,
)
from spark_backend.stream.connectors.parquet_frames import ParquetFrames
from spark_backend.stream.connectors.records import (
    BadRecord,
    Decode,
    Reader,
    Records,
    Texts,
    Values,
    bad_row,
    fails,
    internal_values,
    json_texts,
)
from spark_backend.stream.connectors.texts import EMPTY, Reading, of_text, of_value
from spark_backend.stream.ingress.arrivals import ARRIVAL_KEY
from spark_backend.stream.pipeline.endpoints import Arrived

#: Whether Spark reads old timestamps (INT96), or rejects them.
_OLD: Final = "spark.sql.parquet.int96AsTimestamp"
#: The bytes of Parquet from which a micro-batch counts as large.
_LARGE: Final = 1 << 20
#: The number of bytes of a file that are read to find its header.
_HEAD: Final = 1 << 16


def files_of(pipeline: Pipeline, stream: Stream, connection: Connection) -> "Files":
    """A file or folder as a source; the error BAD_OPTION at its path if it does not exist."""
    require_json_for_paths(connection, stream.columns)
    require_parquet_types(pipeline, stream, connection)
    return Files(pipeline, stream, connection, listing_of(pipeline, connection))


def require_parquet_types(pipeline: Pipeline, stream: Stream, connection: Connection) -> None:
    """Raise NOT_SUPPORTED for a column whose type Spark cannot read from Parquet."""
    for each in stream.columns if connection.format is Format.PARQUET else ():
        if each.type.kind is Kind.TIME:
            message = f"Spark has no {each.type} in Parquet, but column {each.name} is one"
            at, hint = connection.at("format"), "format csv or json, or --backend reference"
            raise pipeline.fault(Code.NOT_SUPPORTED, message, at, hint)


class Files:
    """A file, or a folder whose files are read by name within a micro-batch."""

    def __init__(
        self, pipeline: Pipeline, stream: Stream, connection: Connection, files: Listing
    ) -> None:
        self.stream = stream
        self._pipeline = pipeline
        self._connection = connection
        self._files = files
        self._reader = Reader(stream)
        self._parquet_frames = ParquetFrames()

    def frame(self, session: SparkSession) -> DataFrame:
        """A streaming frame of the names of the files, and their lengths."""
        return self._files.frame(session)

    def read_batch(self, batch: DataFrame) -> Arrived:
        """The rows of the files of a micro-batch."""
        self._files.take(batch)
        if not self._files.paths:
            return Arrived(RowBuffer(tuple(each.type for each in self.stream.columns)))
        try:
            found = self._read(batch.sparkSession)
        except FileError as error:
            raise self._files.unreadable(str(error)) from None
        return found.arrived(self._malformed, ended=not self._files.folder)

    def refused(self, refusal: Refusal, place: int) -> str:
        """The reason why a row is dropped, with its file and line if the file is local."""
        fault = self._located(refusal.reason, place)
        if refusal.code != LATE and fails(self._connection):
            if fault is None:
                raise bad_row(refusal.reason, self._files.path)
            raise malformed_error(fault, self._connection, self.stream.columns)
        return refusal.reason if fault is None else str(fault)

    def release(self) -> None:
        """Release what was persisted for the micro-batch."""
        self._reader.release()

    # --- reading --------------------------------------------------------------------------------

    def _read(self, session: SparkSession) -> Records:
        """The records of the files of the micro-batch, by the format."""
        names = [file_name(each) for each in self._files.paths]
        if len(names) == 1:
            place = _place_in_file(names[0])
        else:
            place = _place_in_files(natural=names != sorted(names))
        paths = [escaped(each) for each in self._files.paths]
        match self._connection.format:
            case Format.CSV:
                return self._reader.of_texts(self._csv(session, place))
            case Format.JSON:
                frame = session.read.text(paths).select("value", place.alias(ARRIVAL_KEY))
                line = F.ltrim("value", F.lit("\ufeff"))
                frame = frame.select(line.alias("value"), ARRIVAL_KEY).filter(
                    F.trim("value") != F.lit("")
                )
                times = times_of(self._connection)
                texts = json_texts(
                    frame, self.stream.columns, col(ARRIVAL_KEY), col("value"), times
                )
                return self._reader.of_texts(texts)
            case _:
                return self._reader.of_values(self._parquet(session, place))

    def _parquet(self, session: SparkSession, place: Spark) -> Values:
        """The records of Parquet files, which Spark reads as values; ``place`` orders them."""
        if times_of(self._connection).strict:
            self._require_no_old_times(session)
        found = self._parquet_frames.rows(session, self._files.paths)
        fields = found.columns.fields
        header = [each.name for each in fields]
        places = places_of(Path(local_path(self._files.paths[0])), header, self.stream.columns)
        times = times_of(self._connection)
        readings = [
            of_value(
                _named(fields[at].name),
                fields[at].dataType,
                each.type,
                times.of(each),
                nanos=found.nanos,
            )
            for at, each in zip(places, self.stream.columns, strict=True)
        ]
        many = self._files.bytes >= _LARGE
        return Values(found.frame, readings, place, reread=True, many=many)

    def _require_no_old_times(self, session: SparkSession) -> None:
        """Raise NOT_SUPPORTED if a file has old timestamps (INT96), whose nanoseconds Spark cuts.

        In strict times a part of a microsecond would be a bad row (S-613.c).
        """
        before = str(session.conf.get(_OLD))
        session.conf.set(_OLD, "false")
        try:  # the merged schema is that of all files
            paths = [escaped(each) for each in self._files.paths]
            session.read.option("mergeSchema", "true").parquet(*paths)
        except AnalysisException as error:
            if "INT96" not in str(error):
                return  # the caller reads the files next, and gets the same error
            message = "Spark reads old timestamps of Parquet (INT96) without their nanoseconds"
            at, hint = self._connection.at("strict_times"), "--backend reference"
            raise self._pipeline.fault(Code.NOT_SUPPORTED, message, at, hint) from None
        finally:
            session.conf.set(_OLD, before)

    def _csv(self, session: SparkSession, place: Spark) -> Texts:
        """The records of CSV files as texts, read together for files with equal headers."""
        columns, connection = self.stream.columns, self._connection
        dialect = dialect_of(connection)
        if dialect.null:
            self._require_unquoted(session, f"{dialect.quote}{dialect.null}{dialect.quote}")
        groups: dict[tuple[str, ...], list[str]] = {}
        for each in self._files.paths:
            groups.setdefault(self._header(each, dialect), []).append(each)
        whole: DataFrame | None = None
        for header, paths in groups.items():
            places = places_of(Path(local_path(paths[0])), header, columns)
            frame = _csv_frame(session, len(header), [escaped(each) for each in paths], dialect)
            texts = [col(f"f{at}").alias(f"t{i}") for i, at in enumerate(places)]
            broken = F.when(col("bad").isNotNull(), F.lit(len(header)))
            frame = frame.select(
                *texts, broken.alias("width"), col("bad"), place.alias(ARRIVAL_KEY)
            )
            whole = frame if whole is None else whole.union(frame)
        assert whole is not None, "there is a file"
        raw = F.struct(*(f"t{i}" for i in range(len(columns))), "width")
        parsed = partial(_csv_values, whole, columns, dialect)
        return Texts(
            whole,
            col(ARRIVAL_KEY),
            raw,
            _fields_reader(columns, dialect, times_of(connection)),
            parsed,
        )

    def _require_unquoted(self, session: SparkSession, quoted: str) -> None:
        """Raise NOT_SUPPORTED if a file has the text for NULL in quotes.

        In quotes it is a text (S-607.m), but Spark does not report whether a field was quoted.
        """
        lines = session.read.text([escaped(each) for each in self._files.paths])
        found = lines.filter(F.contains("value", F.lit(quoted))).select("_metadata.file_name")
        for each in found.limit(1).collect():
            message = f"{each[0]} has {quoted}, which Spark reads as NULL, and not as a text"
            at, hint = self._connection.at("null_text"), "--backend reference"
            raise self._pipeline.fault(Code.NOT_SUPPORTED, message, at, hint)

    def _header(self, path: str, dialect: Dialect) -> tuple[str, ...]:
        """The names of the columns of a file: its header, or the declared names if it has none."""
        if not dialect.header:
            return tuple(each.name for each in self.stream.columns)
        try:
            head = FileSystem().head(path, _HEAD).removeprefix("\ufeff")
        except OSError as error:
            raise FileError(f"{local_path(path)}: {error.strerror}") from None
        try:
            header = next(record_reader(io.StringIO(head, newline=""), dialect), None)
        except csv.Error as error:
            raise FileError(f"{local_path(path)}:1: not CSV: {error}") from None
        if header is None:
            raise FileError(
                f"{local_path(path)}: the file is empty; its first line names the columns"
            )
        return tuple(map(header_name, header))

    # --- malformed records ------------------------------------------------------------------------

    def _malformed(self, bad: Sequence[BadRecord]) -> tuple[str, ...]:
        """The first malformed records, by file and line; raises if ``on_error`` is ``fail``."""
        names = {file_name(each.place) for each in bad}
        reasons: list[str] = []
        for path in self._files.paths:
            if file_name(path) not in names or len(reasons) >= MAX_REPORTED_ROWS:
                continue
            faults = list(self._faults(path))
            if not faults:
                faults = [BadRow(Path(path), 0, "a record is not a row")]
            if fails(self._connection):
                raise malformed_error(faults[0], self._connection, self.stream.columns)
            reasons += map(str, faults)
        return tuple(reasons[:MAX_REPORTED_ROWS])

    def _faults(self, path: str) -> Iterator[BadRow]:
        """The malformed records of a local file, as the one-machine engine reads it."""
        for row in self._lines_or_faults(path):
            if isinstance(row, BadRow):
                yield row

    def _lines_or_faults(self, path: str) -> Iterator[BadRow | int]:
        """For each record of a local file, in order, its line, or its fault if it is malformed."""
        local = Path(local_path(path))
        if not local.is_file():
            return
        columns = self.stream.columns
        for batch in file_reader(self._connection, columns)(local):
            found: list[tuple[int, BadRow | int]] = []
            found += [(bad.line, bad) for bad in batch.bad]
            for line, row in zip(batch.lines, batch.rows, strict=True):
                try:
                    internal_values(columns, row)
                    found.append((line, line))
                except ValueError as error:
                    found.append((line, BadRow(local, line, str(error))))
            yield from (each for _, each in sorted(found, key=lambda pair: pair[0]))

    def _located(self, reason: str, place: int) -> BadRow | None:
        """The reason, with the file and line of a row.

        ``place`` is the place of the row among the rows of the micro-batch that are not malformed.
        None if the row is not in a local file.
        """
        with failures():
            for path in self._files.paths:
                for each in self._lines_or_faults(path):
                    if isinstance(each, BadRow):
                        continue
                    if not place:
                        return BadRow(Path(local_path(path)), each, reason)
                    place -= 1
        return None


@lru_cache(maxsize=2)
def _place_in_files(*, natural: bool) -> Spark:
    """The value of `ARRIVAL_KEY`: the name of the file, and the place in the file.

    ``natural``: the files are read in their natural order (``a2`` before ``a10``), because it
    differs from the order of their names as texts.
    """
    name = F.url_decode(F.replace("_metadata.file_name", F.lit("+"), F.lit("%2B")))
    place = F.concat_ws("/", _natural_order(name), name) if natural else name
    return _arrival_key(place, col("_metadata.file_block_start"))


def _place_in_file(name: str) -> Spark:
    """The value of `ARRIVAL_KEY` in the only file of a micro-batch, whose tasks are in its order.

    Spark would compute all of the file's metadata for each row, even if the query reads none.
    """
    return _arrival_key(F.lit(name), F.lit(0).cast("bigint"))


def _arrival_key(place: Spark, start: Spark) -> Spark:
    """`ARRIVAL_KEY` of a row in a file, without a time: the file, and the row's part of the file.

    ``place`` is a text by which the files are sorted; ``start`` is the first byte of the part.
    """
    at = F.lit(0).cast("bigint")
    return F.struct(at.alias("at"), place.alias("place"), start.alias("start"))


def _csv_frame(
    session: SparkSession, width: int, paths: Sequence[str], dialect: Dialect
) -> DataFrame:
    """The fields of CSV as texts; the column ``bad`` has a record with too many or few fields."""
    fields = [spark.StructField(f"f{i}", spark.StringType()) for i in range(width)]
    schema = spark.StructType([*fields, spark.StructField("bad", spark.StringType())])
    read = session.read.schema(schema).option("header", dialect.header)
    options = {
        "sep": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.quote,
        "emptyValue": EMPTY,
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": "bad",
        "multiLine": "true",
        "enforceSchema": "true",
        "unescapedQuoteHandling": "RAISE_ERROR",
        "ignoreLeadingWhiteSpace": "false",
        "ignoreTrailingWhiteSpace": "false",
        "maxCharsPerColumn": "-1",
    }
    return read.options(**options).csv(list(paths))


def _csv_values(
    frame: DataFrame, columns: Sequence[Column], dialect: Dialect, _: Sequence[Any]
) -> tuple[DataFrame, Sequence[Reading]]:
    """The records of `_csv_frame` as `Texts.parsed` returns them."""
    texts = [col(f"t{i}") for i in range(len(columns))]
    if dialect.null:
        texts = [F.when(each != F.lit(dialect.null), each) for each in texts]
    first, *others = [of_text(text, each.type) for text, each in zip(texts, columns, strict=True)]
    return frame, [Reading(first.value, first.doubt | col("bad").isNotNull()), *others]


def _fields_reader(columns: Sequence[Column], dialect: Dialect, times: TimeForm) -> Decode:
    """A function from the fields of a record to a row of the protocol.

    The function raises `ValueError` for a malformed record.
    """
    readers = field_readers(columns, dialect, times)
    width = len(columns)

    def read(raw: Any) -> WireRow:
        if raw["width"] is not None:
            raise ValueError(f"not as many fields as the header has: {raw['width']}")
        texts = [_field(raw[f"t{i}"]) for i in range(width)]
        if any("\N{REPLACEMENT CHARACTER}" in each for each in texts):
            raise ValueError("not UTF-8 text")
        return tuple(each(text) for each, text in zip(readers, texts, strict=True))

    return read


def _field(text: str | None) -> str:
    """A field in the form of `algebra.records.csv_fields`."""
    return QUOTED if text == EMPTY else text or ""


def _natural_order(name: Spark) -> Spark:
    """The first part of the key of `algebra.outside.file_names.natural_order`.

    In ``name``, each number is padded with zeros to a common length, so that texts sort as numbers.
    """
    # Each number gets more zeros than needed, after a NUL; then the excess zeros are removed.
    zeros = "0" * (NATURAL_DIGITS - 1)
    padded = F.regexp_replace(name, "0*([0-9]+)", f"\0{zeros}$1")
    return F.regexp_replace(padded, f"0*([0-9]{{{NATURAL_DIGITS}}})(?![0-9])", "$1")


def _named(name: str) -> Spark:
    """The column with this name, which can have dots and other special characters."""
    quoted = name.replace("`", "``")
    return col(f"`{quoted}`")
