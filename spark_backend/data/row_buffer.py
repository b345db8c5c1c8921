"""A spillable row buffer: rows in memory, in temporary Parquet files, or in a frame of Spark."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.types import LongType, StructField, StructType

from algebra.types import Type
from spark_backend.made_once import col, cols
from spark_backend.relation import Relation, SortColumn, column_name
from spark_backend.runtime.arrow import (
    ARRIVAL,
    collected,
    frame_of,
    parquet_of,
    read,
    table_from,
    table_of,
    write,
)
from spark_backend.runtime.filesystem import FileSystem
from spark_backend.runtime.session import MANY_ROWS
from spark_backend.types import Row, null, row_values, spark_type, type_name

#: The number of rows that are buffered as Python values before they are spilled to a file.
CHUNK: Final = 100_000
#: The estimated number of rows up to which a frame is collected and written by the driver, as one
#: file: a Spark job that writes needs tasks, folders and renames, which cost more than these rows.
_FEW: Final = 100_000
#: A buffer with more rows than this is never collected by the driver, whatever the estimate is.
_MOST: Final = 2_000_000
#: The order of rows that are numbered in `ARRIVAL`.
NUMBERED: Final = (SortColumn(ARRIVAL),)


@dataclass(slots=True)
class RowBuffer:
    """Rows of ``types``, in the order in which they were appended.

    ``count`` is the number of rows; an estimate if ``counted`` is False, because counting the rows
    of a frame could cost as much as the query.
    """

    types: tuple[Type, ...]
    count: int = 0
    counted: bool = True
    #: The last rows, in memory; `CHUNK` rows of them are spilled to a file.
    _tail: list[Row] = field(default_factory=list[Row])
    #: The rows in memory as a frame; None: rows were added since they were last read.
    _sent: DataFrame | None = None
    _directory: TemporaryDirectory[str] | None = None
    _files: list[Path] = field(default_factory=list[Path])
    #: The first rows, as a frame; None: there is no frame.
    _rows: DataFrame | None = None
    #: Makes the frame when it is first read; None: it is made, or there is none.
    _make: Callable[[], "RowBuffer"] | None = None
    _order: tuple[SortColumn, ...] = NUMBERED
    #: Sorts the frame's rows at less cost than Spark's own sort does; None: Spark sorts.
    _sort: Callable[[DataFrame], DataFrame] | None = None
    #: A frame that Spark caches for this buffer, until it is closed.
    _cached: DataFrame | None = None
    #: The number, in the column `ARRIVAL`, of the first row after those of the frame.
    _next: int = 0
    #: An estimate of the number of rows, better than ``count``; None: there is none.
    _estimate: int | None = None
    #: A lower bound of the rowtimes in the frame; None: none is known.
    least: int | None = None

    @staticmethod
    def of(types: tuple[Type, ...], rows: Iterable[Row]) -> "RowBuffer":
        """A buffer to which ``rows`` have been appended."""
        buffer = RowBuffer(types)
        for each in rows:
            buffer.append(each)
        return buffer

    @staticmethod
    def of_frame(
        frame: DataFrame,
        types: tuple[Type, ...],
        *,
        order: tuple[SortColumn, ...] = NUMBERED,
        count: int | None = None,
        numbers: int = 0,
        sort: Callable[[DataFrame], DataFrame] | None = None,
        cached: DataFrame | None = None,
    ) -> "RowBuffer":
        """A buffer of the rows of a frame with columns ``c0``, ``c1``, … and those of ``order``.

        ``count`` None: the rows are not counted; `MANY_ROWS` stands for their number.  ``numbers``
        is the number of the next row, greater than all numbers in `ARRIVAL`.  ``sort``: puts the
        frame in order; None: Spark sorts by ``order``.  ``cached``: a frame to unpersist when the
        buffer is closed.
        """
        rows = MANY_ROWS if count is None else count
        buffer = RowBuffer(types, rows, count is not None, _rows=frame, _order=order, _next=numbers)
        buffer._sort, buffer._cached = sort, cached
        return buffer

    @staticmethod
    def deferred(types: tuple[Type, ...], make: Callable[[], "RowBuffer"]) -> "RowBuffer":
        """A buffer of the frame that ``make`` returns when the rows are first read."""
        return RowBuffer(types, MANY_ROWS, counted=False, _make=make)

    @staticmethod
    def load(
        session: SparkSession, path: str, types: tuple[Type, ...], count: int, numbers: int
    ) -> "RowBuffer":
        """The buffer that `save` has written to ``path``; its rows are read from there.

        ``count`` is the number of its rows, and ``numbers`` the number of the next row.
        """
        fields = [StructField(column_name(i), spark_type(t)) for i, t in enumerate(types)]
        schema = StructType([*fields, StructField(ARRIVAL, LongType())])
        frame = session.read.schema(schema).parquet(path)
        return RowBuffer.of_frame(frame, types, count=count, numbers=numbers)

    def append(self, row: Row) -> None:
        """Append a row."""
        self._tail.append(row)
        self._sent = None
        self.count += 1
        if len(self._tail) == CHUNK:
            self._spill()

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows; each `CHUNK` of them is spilled."""
        while rows:
            part = rows[: CHUNK - len(self._tail)]
            self._tail += part
            self._sent = None
            self.count += len(part)
            if len(self._tail) == CHUNK:
                self._spill()
            rows = rows[len(part) :]

    def adopt(self, frame: DataFrame, columns: Sequence[Column], arrival: Column) -> None:
        """Let this empty buffer have the rows of ``frame``, which are read when they are needed.

        ``columns`` has one column for each type, with internal values; ``arrival`` is the order of
        the rows.  `MANY_ROWS` stands for their number, because counting them could cost as much as
        the query.
        """
        assert not self.count, "a buffer has rows of its own, or those of a frame"
        named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
        self._rows = frame.select(*named, arrival.cast("bigint").alias(ARRIVAL))
        self._next = 2**63 - 1  # no row follows the frame
        self.count, self.counted = MANY_ROWS, False

    @property
    def framed(self) -> bool:
        """Whether some rows are in a frame: then they do not pass through Python."""
        return self._rows is not None or self._make is not None

    @property
    def _frame(self) -> DataFrame | None:
        """The frame, which is made at the first call; None if no rows are in a frame."""
        if self._make is not None:
            made, self._make = self._make(), None
            self._rows, self._order, self._sort = made._rows, made._order, made._sort
        return self._rows

    @property
    def numbers(self) -> int:
        """The number in `ARRIVAL` that the next row will have: above those of all rows."""
        return self._tail_start + len(self._tail)

    @property
    def _tail_start(self) -> int:
        """The number in `ARRIVAL` of the first row in memory."""
        return self._next + len(self._files) * CHUNK

    def _ordered(self, frame: DataFrame, *more: str) -> DataFrame:
        """The columns ``c0``, ``c1``, … and ``more`` of ``frame``, its rows in order."""
        if self._sort is not None:
            return self._sort(frame).select(*cols((*self._columns, *more)))
        ordered = frame.orderBy(*(each.key() for each in self._order))
        return ordered.select(*cols((*self._columns, *more)))

    def rows(self) -> Iterator[Row]:
        """All rows, in order."""
        if self._frame is not None:
            yield from collected(self._ordered(self._frame), self.types)
        for each in self._files:
            yield from read(each, self.types)
        yield from self._tail

    def in_order(self, session: SparkSession, *more: str) -> DataFrame:
        """A frame of the columns ``c0``, ``c1``, …, and ``more`` of its own, its rows in order."""
        return self._ordered(self.relation(session).frame, *more)

    def first(self, most: int, session: SparkSession) -> list[Row]:
        """The first rows in order, at most ``most``.

        Each task of Spark sends its first rows, which is the cheapest way for few rows.
        """
        rows = self.relation(session)
        ordered = rows.frame.orderBy(*(each.key() for each in rows.order))
        found = ordered.limit(most).select(*cols(self._columns)).collect()
        return [row_values(self.types, each) for each in found]

    def relation(self, session: SparkSession) -> Relation:
        """The rows as a relation, with their order."""
        parts = [] if self._frame is None else [self._frame]
        if self._files:
            parts.append(session.read.parquet(*(str(each) for each in self._files)))
        if self._tail or not parts:
            # Rows that are sent to Spark by value are copied into every task, so only the short
            # tail is.
            if self._sent is None:
                sent = frame_of(session, self.types, self._tail, self._tail_start)
                # Few rows are in one partition, so that no operator needs a shuffle.
                self._sent = sent.coalesce(1) if len(self._tail) < MANY_ROWS else sent
            parts.append(self._sent)
        whole, *others = parts
        for each in others:
            whole = whole.unionByName(each)
        return Relation(whole, self.types, self._order)

    # --- buffers made of others, without a job of Spark ---------------------------------------

    def in_memory(self) -> "RowBuffer":
        """A buffer in memory of the same rows, numbered from 0."""
        return RowBuffer.of(self.types, self.rows())

    def following(self, other: "RowBuffer", session: SparkSession) -> "RowBuffer":
        """A buffer of the rows of ``other``, and after them the rows of this buffer."""
        frame, counted = self.relation(session).frame, self.counted
        if other.count:
            assert other.numbers <= self._next, "the numbers of ``other`` are smaller"
            frame, counted = other.relation(session).frame.unionByName(frame), False
        found = RowBuffer.of_frame(frame, self.types, numbers=self.numbers)
        found.count, found.counted = other.count + self.count, counted
        return found

    def only(self, places: frozenset[int]) -> "RowBuffer":
        """A buffer of the frame's rows, in which only the columns at ``places`` are computed.

        The other columns are NULL.
        """
        assert self._frame is not None, "rows in memory have all columns at no cost"
        columns = [
            (col(column_name(i)) if i in places else null(type)).alias(column_name(i))
            for i, type in enumerate(self.types)
        ]
        order = [each.column for each in self._order]
        return replace(self, _rows=self._frame.select(*columns, *cols(order)))

    def with_value(self, value: int, type: Type) -> "RowBuffer":
        """A buffer of the frame's rows with one more column, the constant ``value``."""
        assert self._frame is not None, "rows in memory are made with the value"
        place = len(self.types)
        column = F.lit(value).cast(type_name(type)).alias(column_name(place))
        frame = self._frame.select(
            *cols(self._columns), column, *cols(e.column for e in self._order)
        )
        return replace(self, types=(*self.types, type), _rows=frame)

    def where(self, condition: Column, session: SparkSession) -> "RowBuffer":
        """The rows for which ``condition``, over the columns ``c0``, ``c1``, …, is true."""
        return self.part(self.relation(session).frame.filter(condition))

    def at(self, places: DataFrame, session: SparkSession) -> "RowBuffer":
        """The rows whose numbers in `ARRIVAL` stand in the column ``c0`` of ``places``."""
        numbers = places.select(col(column_name(0)).alias(ARRIVAL))
        return self.part(self.relation(session).frame.join(numbers, ARRIVAL, "left_semi"))

    def with_estimate(self, rows: int | None) -> "RowBuffer":
        """This buffer with an estimate of its number of rows; None: there is none."""
        return replace(self, _estimate=rows)

    def part(self, frame: DataFrame) -> "RowBuffer":
        """A buffer of those rows of this buffer that ``frame`` has.

        Their number is not known, so ``count`` is that of this buffer, which is at least as great.
        """
        found = RowBuffer.of_frame(frame, self.types, numbers=self.numbers)
        found.count = self.count
        return found

    # --- files --------------------------------------------------------------------------------

    def save(self, session: SparkSession, path: str) -> "RowBuffer":
        """Write the rows as Parquet to ``path``, on any file system of Spark; return this buffer.

        The rows of a frame are counted then, and read from ``path`` from now on, so that what the
        frame was computed from may be deleted.  Rows in memory stay there, too.
        """
        if self._frame is None and not self._files:
            _write_folder(path, parquet_of(table_of(self.types, self._tail, self._next)))
            return self
        frame = self.relation(session).frame.select(*cols((*self._columns, ARRIVAL)))
        if self._estimate is not None and self._estimate <= _FEW and self.count <= _MOST:
            table = table_from(frame)
            rows = table.num_rows
            _write_folder(path, parquet_of(table))
        else:
            counting = Observation()
            frame = frame.observe(counting, F.count(F.lit(1)).alias("rows"))
            frame.write.mode("overwrite").parquet(path)
            rows = int(counting.get["rows"])
        if self._frame is not None:
            numbers = self.numbers
            self.close()
            saved = RowBuffer.load(session, path, self.types, rows, numbers)
            self._rows, self._next, self._tail, self._sent = saved._rows, numbers, [], None
            self.count, self.counted = saved.count, True
        return self

    def close(self) -> None:
        """Delete the files of spilled rows, and unpersist the cached frame."""
        if self._cached is not None:
            self._cached.unpersist()
            self._cached = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None
            self._files = []

    @property
    def _columns(self) -> list[str]:
        """The names ``c0``, ``c1``, … of the visible columns."""
        return [column_name(i) for i in range(len(self.types))]

    def _spill(self) -> None:
        """Write the rows in memory to a file, which the buffer owns."""
        if self._directory is None:
            self._directory = TemporaryDirectory(prefix="rowtime-")
        file = Path(self._directory.name) / f"{len(self._files):06}.parquet"
        write(file, self.types, self._tail, self._tail_start)
        self._files.append(file)
        self._tail = []


def _write_folder(path: str, data: bytes) -> None:
    """Replace ``path`` by a folder with one file, whose content is ``data``."""
    files = FileSystem()
    files.delete(path)
    files.create(f"{path}/rows.parquet", data)
