"""Records as rows of a stream: parsed by Spark, and where Spark is not sure, by Python.

So a record is malformed exactly if it is for the one-machine engine
(`spark_backend.stream.connectors.texts`).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from pyspark.sql import Column as Spark
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql import types as spark

from algebra.catalog import Column, Stream
from algebra.foreign import Connection
from algebra.records.json_lines import line_reader
from algebra.records.pipeline import RunError
from algebra.wire import Wire, WireRow, reader
from grammar.codes import Code
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.relation import column_name
from spark_backend.stream.connectors.texts import Reading, of_json, parsed_json
from spark_backend.stream.ingress.arrivals import CAME, FEW, arrived
from spark_backend.types import Row, spark_type

if TYPE_CHECKING:
    from algebra.expression import Value

#: Lines that are looked at for the spelling of names.
_SAMPLE: Final = 100
#: Columns of a row as it was read: whether it is in doubt, its texts, and why it is no row.
DOUBT, RAW, FAULT = "doubt", "raw", "fault"

#: What makes a row of texts a row on the wire; `ValueError` says why it is none.
Decode = Callable[[Any], WireRow]  # Any: what a `RAW` holds, a line or a row of texts


@dataclass(frozen=True, slots=True)
class Read:
    """Records as they are read: a column of ``frame`` for each of the stream, and their order.

    ``came`` orders the records.  ``decode`` makes a row of ``raw``, the text of a record, where
    Spark is in doubt; None: a record in doubt is malformed.  ``reread``: to read the records again
    costs less than to persist them.
    """

    frame: DataFrame
    readings: Sequence[Reading]
    came: Spark
    raw: Spark | None = None
    decode: Decode | None = None
    reread: bool = False


class Reader:
    """Makes records rows of a stream; what it persists is released by `done`."""

    def __init__(self, stream: Stream) -> None:
        self._columns = stream.columns
        self._types = tuple(each.type for each in stream.columns)
        self._persisted: list[DataFrame] = []

    def rows(
        self, read: Read, *, dealt_out: bool = False
    ) -> tuple[RowBuffer, DataFrame | None, int]:
        """The rows in order of arrival, the malformed records (None: none), and their count."""
        names = [column_name(i) for i in range(len(self._types))]
        doubt = F.lit(False)
        for each in self._doubts(read):
            doubt = doubt | each
        raw = F.lit(None).cast("string") if read.raw is None else read.raw
        frame = read.frame.select(
            *(each.value.alias(n) for each, n in zip(read.readings, names, strict=True)),
            read.came.alias(CAME),
            doubt.alias(DOUBT),
            raw.alias(RAW),
        )
        if not read.reread:
            frame = self._hold(frame)
        count, doubtful = self._counted(frame, DOUBT)
        bad: DataFrame | None = None
        faults = 0
        if doubtful and read.decode is None:
            bad, faults = frame.filter(DOUBT), doubtful
            frame = frame.filter(~F.col(DOUBT))
        elif doubtful:
            frame = self._hold(self._decided(frame, read.decode))
            _, faults = self._counted(frame.withColumn(DOUBT, F.col(FAULT).isNotNull()), DOUBT)
            if faults:
                bad = frame.filter(F.col(FAULT).isNotNull())
                frame = frame.filter(F.col(FAULT).isNull())
        values, sound = [F.col(name) for name in names], count - faults
        store = arrived(frame, values, self._types, F.col(CAME), dealt_out=dealt_out, rows=sound)
        return store.in_memory() if sound <= FEW else store, bad, faults

    def _doubts(self, read: Read) -> Iterator[Spark]:
        """For each column that can be in doubt, whether it is: its value is not known for sure."""
        for each, type in zip(read.readings, self._types, strict=True):
            if not each.sure:
                yield each.doubt
            if not type.nullable:
                yield each.value.isNull()

    def done(self) -> None:
        """Release what was persisted for the micro-batch."""
        for each in self._persisted:
            each.unpersist()
        self._persisted.clear()

    def _hold(self, frame: DataFrame) -> DataFrame:
        self._persisted.append(frame.persist())
        return self._persisted[-1]

    def _counted(self, frame: DataFrame, flag: str) -> tuple[int, int]:
        found = frame.agg(F.count(F.lit(1)), F.count_if(F.col(flag))).collect()[0]
        return int(found[0]), int(found[1])

    def _decided(self, frame: DataFrame, decode: Decode | None) -> DataFrame:
        """The records; Python has decided those in doubt: a row, or the reason in `FAULT`."""
        assert decode is not None, "rows in doubt are decided, or faults"
        names = [column_name(i) for i in range(len(self._types))]
        fields = [
            spark.StructField(n, spark_type(t)) for n, t in zip(names, self._types, strict=True)
        ]
        result = spark.StructType([spark.StructField(FAULT, spark.StringType()), *fields])
        columns = self._columns

        def decided(raw: Any) -> tuple[object, ...] | None:
            if raw is None:
                return None
            try:
                return (None, *inside(columns, decode(raw)))
            except ValueError as error:
                return (str(error), *(None for _ in columns))

        found = F.udf(decided, result, useArrow=False)(F.when(F.col(DOUBT), F.col(RAW)))
        frame = frame.withColumn("decided", found)
        values = [
            F.when(F.col(DOUBT), F.col(f"decided.{n}")).otherwise(F.col(n)).alias(n) for n in names
        ]
        return frame.select(*values, CAME, RAW, F.col(f"decided.{FAULT}").alias(FAULT))


def inside(columns: Sequence[Column], wire: Sequence[Wire]) -> Row:
    """The internal values of a row on the wire; `ValueError` names the column that has none."""
    values: list[Value] = []
    for column, value in zip(columns, wire, strict=True):
        try:
            values.append(reader(column.type)(value))
        except ValueError as error:
            raise ValueError(f"{column.name}: {error}") from None
    return tuple(values)


def json_read(frame: DataFrame, columns: Sequence[Column], came: Spark, line: Spark) -> Read:
    """Lines of JSON as records, a member for each column."""
    types = [each.type for each in columns]
    known = _spellings(
        [str(row[0]) for row in frame.select(line).limit(_SAMPLE).collect()], columns
    )
    parsed = frame.withColumn("json", parsed_json(line, types, known))
    readings: list[Reading] = []
    for type, names in zip(types, known, strict=True):
        members = [F.col("json").getField(name) for name in names]
        readings.append(of_json(members, type))
    return Read(parsed, readings, came, line, line_reader(columns))


def _spellings(lines: Sequence[str], columns: Sequence[Column]) -> list[list[str]]:
    """The spellings of each column's name in these lines; its own if it is in none."""
    found: dict[str, dict[str, None]] = {each.name: {} for each in columns}
    exact = {each.name.upper(): each.name for each in columns}
    for line in lines:
        for name in _members(line):
            if name.upper() in exact:
                found[exact[name.upper()]][name] = None
    return [list(names) or [name] for name, names in found.items()]


def _members(line: str) -> list[str]:
    try:
        parsed: object = json.loads(line)
    except ValueError:
        return []
    return list(cast("Mapping[str, object]", parsed)) if isinstance(parsed, dict) else []  # of JSON


def fails(connection: Connection) -> bool:
    """Whether a malformed record ends the run: for a connector without ``on_error`` it does."""
    return dict(connection.settings).get("on_error", "fail") == "fail"


def bad_row(reason: str, where: str) -> RunError:
    """The error for a malformed record at a place."""
    hint = "correct the row, or leave such ones out with OPTIONS (on_error 'drop')"
    return RunError(f"{Code.BAD_ROW}: {reason}\n{where}\n  hint: {hint}")
