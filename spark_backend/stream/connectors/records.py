"""Records as rows of a stream: Python reads few records, Spark many.

A record is *in doubt* if Spark cannot be certain of its values
(`spark_backend.stream.connectors.texts`).  Python reads each text in doubt, too.  So a record is
malformed on Spark if and only if it is malformed in the one-machine engine.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark.sql import Column as Spark
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.catalog import Column, Stream
from algebra.outside.foreign import Connection
from algebra.records.csv_fields import DEFAULT_TIMES, TimeForm
from algebra.records.json_lines import line_reader
from algebra.records.pipeline import MAX_REPORTED_ROWS, RunError
from algebra.wire import Wire, WireRow, reader
from grammar.codes import Code
from spark_backend.data.few_rows import FEW
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.relation import column_name
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.runtime.session import tune
from spark_backend.stream.connectors.texts import Reading, of_json, parsed_json
from spark_backend.stream.ingress.arrivals import ARRIVAL_KEY, DOUBT, rows_by_arrival
from spark_backend.stream.pipeline.endpoints import Arrived
from spark_backend.types import Row, row_values, spark_type

if TYPE_CHECKING:
    from algebra.expression import Value

#: The number of texts that are searched for the spelling of names.
_SAMPLE: Final = 100
#: Columns of a record: its text, and the reason why it is malformed.
_RAW, _FAULT = "raw", "fault"
#: The reason for a malformed record that Spark has read as values.
_NO_VALUE: Final = "a value is none of its column's"

#: A function that converts the fields of a record to a row of the protocol.  It raises `ValueError`
#: with the reason for a malformed record.
Decode = Callable[[Any], WireRow]  # Any: a value of `_RAW`, which is a line or a row of texts


@dataclass(frozen=True, slots=True)
class Values:
    """Records that Spark reads as values.

    ``readings`` has, for each column of the stream, its value as a column of ``frame``.
    ``arrival_key`` is the column that orders the records.  A record in doubt is malformed.
    ``reread``: reading the records again costs less than persisting them.  ``many``: it is known
    that there are more than `FEW` records.
    """

    frame: DataFrame
    readings: Sequence[Reading]
    arrival_key: Spark
    reread: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """Records that are texts.

    ``raw`` is the column of ``frame`` with the texts, and ``arrival_key`` the column that orders
    them.  ``decode`` converts one text to a row, in Python.  ``parsed`` lets Spark convert them: it
    takes a sample of the texts, and returns a frame with a reading for each column of the stream.
    A record in doubt must be read by ``decode``.
    """

    frame: DataFrame
    arrival_key: Spark
    raw: Spark
    decode: Decode
    parsed: Callable[[Sequence[Any]], tuple[DataFrame, Sequence[Reading]]]


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A malformed record: its place, the reason, and its text; None if it does not have a text."""

    place: str
    reason: str
    raw: object


@dataclass(frozen=True, slots=True)
class Records:
    """The rows of a micro-batch, in order of arrival, and its malformed records.

    ``faults`` counts the malformed records; ``bad`` has the first few of them, in order.
    ``decide``: as in `Arrived`.
    """

    rows: RowBuffer
    faults: int = 0
    bad: Sequence[BadRecord] = ()
    decide: Callable[[], "Records"] | None = None

    def arrived(
        self, reasons_of: Callable[[Sequence[BadRecord]], tuple[str, ...]], *, ended: bool = False
    ) -> Arrived:
        """The rows as `Arrived`.

        ``reasons_of`` returns the reasons for malformed records, or raises.
        """
        decide = self.decide
        return Arrived(
            self.rows,
            self.faults,
            reasons_of(self.bad),
            ended,
            None if decide is None else lambda: decide().arrived(reasons_of, ended=ended),
        )


class Reader:
    """Converts records to rows of a stream; `release` releases the persisted frames.

    One query counts the records, and collects them if they are few.
    """

    def __init__(self, stream: Stream) -> None:
        self._columns = stream.columns
        self._types = tuple(each.type for each in stream.columns)
        self._names = [column_name(i) for i in range(len(self._types))]
        self._persisted: list[DataFrame] = []

    def of_texts(self, texts: Texts, *, is_shuffled: bool = False) -> Records:
        """The rows of records that are texts."""
        first = _first_records(
            texts.frame.select(texts.arrival_key.alias(ARRIVAL_KEY), texts.raw.alias(_RAW))
        )
        if len(first) <= FEW:
            return self._few(
                first, lambda each: internal_values(self._columns, texts.decode(each[_RAW]))
            )
        frame, readings = texts.parsed([each[_RAW] for each in first[:_SAMPLE]])
        frame = self._hold(self._read(frame, readings, texts.arrival_key, texts.raw))
        return self._many(frame, partial(self._read_doubts, texts.decode), is_shuffled=is_shuffled)

    def of_values(self, values: Values, *, is_shuffled: bool = False) -> Records:
        """The rows of records that Spark reads as values."""
        no_text = F.lit(None).cast("string")
        frame = self._read(values.frame, values.readings, values.arrival_key, no_text)
        first = [] if values.many else _first_records(frame)
        if not values.many and len(first) <= FEW:
            return self._few(first, self._values_of)
        frame = frame if values.reread else self._hold(frame)
        return self._many(frame, _refuse_doubts, is_shuffled=is_shuffled)

    def release(self) -> None:
        """Release what was persisted for the micro-batch."""
        for each in self._persisted:
            each.unpersist()
        self._persisted.clear()

    def _hold(self, frame: DataFrame) -> DataFrame:
        """Persist a frame until `release`."""
        self._persisted.append(frame.persist())
        return self._persisted[-1]

    # --- few records, by Python -----------------------------------------------------------------

    def _few(self, first: list[Any], row: Callable[[Any], Row]) -> Records:
        """The records ``first``, which are all records, as `Records` in order of arrival.

        ``row`` returns the row of a record; it raises `ValueError` if the record is malformed.
        """
        rows: list[Row] = []
        bad: list[BadRecord] = []
        for each in sorted(first, key=lambda each: each[ARRIVAL_KEY]):  # ties keep their order
            try:
                rows.append(row(each))
            except ValueError as error:
                bad.append(BadRecord(each[ARRIVAL_KEY]["place"], str(error), each[_RAW]))
        return Records(RowBuffer.of(self._types, rows), len(bad), bad[:MAX_REPORTED_ROWS])

    def _values_of(self, record: Any) -> Row:
        """The values of a record; `ValueError` if it is in doubt."""
        if record[DOUBT]:
            raise ValueError(_NO_VALUE)
        return row_values(self._types, record[: len(self._types)])

    # --- many records, by Spark -----------------------------------------------------------------

    def _read(
        self, frame: DataFrame, readings: Sequence[Reading], arrival_key: Spark, raw: Spark
    ) -> DataFrame:
        """The values of all records, and their columns `ARRIVAL_KEY`, `DOUBT` and `_RAW`."""
        doubt = F.lit(False)
        for each in self._doubts(readings):
            doubt = doubt | each
        return frame.select(
            *(each.value.alias(name) for each, name in zip(readings, self._names, strict=True)),
            arrival_key.alias(ARRIVAL_KEY),
            doubt.alias(DOUBT),
            raw.alias(_RAW),
        )

    def _doubts(self, readings: Sequence[Reading]) -> Iterator[Spark]:
        """The conditions of which one is true if the record is in doubt.

        They are: the value of a column is in doubt, or a column that is NOT NULL has no value.
        """
        for each, type in zip(readings, self._types, strict=True):
            if not each.sure:
                yield each.doubt
            if not type.nullable:
                yield each.value.isNull()

    def _many(
        self, frame: DataFrame, with_faults: Callable[[DataFrame], DataFrame], *, is_shuffled: bool
    ) -> Records:
        """The records, of which those in doubt count as rows until `Records.decide` is called.

        ``with_faults`` returns the records with a column `_FAULT`, which is NULL unless a record is
        malformed.
        """

        def decide() -> Records:
            """The records, divided into rows and malformed records."""
            known = with_faults(frame)
            bad = known.filter(col(_FAULT).isNotNull())
            rows = self._buffer(known.filter(col(_FAULT).isNull()), is_shuffled=is_shuffled)
            faults = bad.count()
            bad = bad.select(
                ARRIVAL_KEY, _FAULT, _RAW, F.monotonically_increasing_id().alias(ARRIVAL)
            )
            first = (
                bad.orderBy(ARRIVAL_KEY, ARRIVAL).limit(MAX_REPORTED_ROWS).collect()
                if faults
                else ()
            )
            found = [
                BadRecord(each[ARRIVAL_KEY]["place"], each[_FAULT], each[_RAW]) for each in first
            ]
            return Records(rows, faults, found)

        rows = self._buffer(frame, is_shuffled=is_shuffled, doubt=col(DOUBT))
        return Records(rows, decide=decide)

    def _buffer(
        self, frame: DataFrame, *, is_shuffled: bool, doubt: Spark | None = None
    ) -> RowBuffer:
        """The records of a frame as a buffer of rows in order of arrival (`rows_by_arrival`)."""
        values = [col(name) for name in self._names]
        return rows_by_arrival(
            frame, values, self._types, col(ARRIVAL_KEY), is_shuffled=is_shuffled, doubt=doubt
        )

    def _read_doubts(self, decode: Decode, frame: DataFrame) -> DataFrame:
        """The records after Python has read those in doubt: each has values, or a `_FAULT`."""
        fields = [
            spark.StructField(name, spark_type(type))
            for name, type in zip(self._names, self._types, strict=True)
        ]
        result = spark.StructType([spark.StructField(_FAULT, spark.StringType()), *fields])
        columns = self._columns

        def fault_and_values(raw: Any) -> tuple[object, ...] | None:
            """The fault and the values of a record in doubt; None if it is not in doubt."""
            if raw is None:
                return None
            try:
                return (None, *internal_values(columns, decode(raw)))
            except ValueError as error:
                return (str(error), *(None for _ in columns))

        by_python = F.udf(fault_and_values, result, useArrow=False)
        frame = frame.withColumn("by_python", by_python(F.when(col(DOUBT), col(_RAW))))
        values = [
            F.when(col(DOUBT), col(f"by_python.{name}")).otherwise(col(name)).alias(name)
            for name in self._names
        ]
        fault = col(f"by_python.{_FAULT}").alias(_FAULT)
        return self._hold(frame.select(*values, ARRIVAL_KEY, _RAW, fault))


def _refuse_doubts(frame: DataFrame) -> DataFrame:
    """The records with the column `_FAULT`: each record in doubt is malformed."""
    return frame.withColumn(_FAULT, F.when(col(DOUBT), F.lit(_NO_VALUE)))


def _first_records(frame: DataFrame) -> list[Any]:
    """Collect the first records, at most `FEW` + 1, with the session set up for few rows.

    They are all records if there are at most `FEW`.
    """
    tune(frame.sparkSession, FEW)
    return frame.limit(FEW + 1).collect()


def internal_values(columns: Sequence[Column], wire: Sequence[Wire]) -> Row:
    """The internal values of a row of the protocol.

    `ValueError` names a column whose value does not have the column's type.
    """
    values: list[Value] = []
    for column, value in zip(columns, wire, strict=True):
        try:
            values.append(reader(column.type)(value))
        except ValueError as error:
            raise ValueError(f"{column.name}: {error}") from None
    return tuple(values)


def json_texts(
    frame: DataFrame,
    columns: Sequence[Column],
    arrival_key: Spark,
    line: Spark,
    times: TimeForm = DEFAULT_TIMES,
) -> Texts:
    """Lines of JSON as records, with a member for each column.

    ``line`` is the column of ``frame`` with the lines, and ``arrival_key`` the column that orders
    them.  ``times``: the form of the times.
    """

    def parsed(lines: Sequence[str]) -> tuple[DataFrame, Sequence[Reading]]:
        types, known = [each.type for each in columns], _spellings(lines, columns)
        readings: list[Reading] = []
        for column, names in zip(columns, known, strict=True):
            if column.path:  # Python reads the parts of a member
                no_value = F.lit(None).cast(spark_type(column.type))
                readings.append(Reading(no_value, F.lit(True)))
                continue
            members = [col("json").getField(name) for name in names]
            readings.append(of_json(members, column.type))
        return frame.withColumn("json", parsed_json(line, types, known)), readings

    return Texts(frame, arrival_key, line, line_reader(columns, times), parsed)


def _spellings(lines: Sequence[str], columns: Sequence[Column]) -> list[list[str]]:
    """The spellings of each column's name in these lines; the declared name if there are none."""
    found: dict[str, dict[str, None]] = {each.name: {} for each in columns}
    exact = {each.name.upper(): each.name for each in columns}
    for line in lines:
        for name in _members(line):
            if name.upper() in exact:
                found[exact[name.upper()]][name] = None
    return [list(names) or [name] for name, names in found.items()]


def _members(line: str) -> list[str]:
    """The names in a line with a JSON object; none if it is not a JSON object."""
    try:
        parsed: object = json.loads(line)
    except (ValueError, RecursionError):
        return []
    # cast: the names in a JSON object are texts
    return list(cast("Mapping[str, object]", parsed)) if isinstance(parsed, dict) else []


def fails(connection: Connection) -> bool:
    """Whether a malformed record ends the run: ``on_error`` is ``fail``, the default."""
    return dict(connection.settings).get("on_error", "fail") == "fail"


def bad_row(reason: str, where: str) -> RunError:
    """The error for a malformed record at a place."""
    hint = "correct the row, or leave such ones out with OPTIONS (on_error 'drop')"
    return RunError(f"{Code.BAD_ROW}: {reason}\n{where}\n  hint: {hint}")
