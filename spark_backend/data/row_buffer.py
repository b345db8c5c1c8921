"""Rows on their way to Spark: in memory, in Parquet files of their own, or in a frame."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.types import LongType, StructField, StructType

from algebra.expression import Value
from algebra.types import Type
from spark_backend.relation import Order, Relation, column_name
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
from spark_backend.types import null, row_values, spark_type

#: So many rows are held as Python values; then they become a file.
CHUNK: Final = 100_000
#: Rows of a frame that are likely to be so few are written by the driver, in one file: for Spark to
#: do so takes tasks, folders and names that cost more than the rows.
_FEW: Final = 100_000
#: Of more rows than this none are looked at by the driver, however few of them are likely left.
_MOST: Final = 2_000_000
#: The order of rows that are numbered in it.
NUMBERED: Final = (Order(ARRIVAL),)


@dataclass(slots=True)
class Store:
    """Rows of ``types`` in the order in which they were appended.

    ``count``: how many there are; ``counted`` False: so many, it is thought, since counting those
    of a frame could cost as much as the query.
    """

    types: tuple[Type, ...]
    count: int = 0
    counted: bool = True
    _tail: list[tuple[Value, ...]] = field(default_factory=list[tuple[Value, ...]])
    _directory: TemporaryDirectory[str] | None = None
    _files: list[Path] = field(default_factory=list[Path])
    _held: DataFrame | None = None
    #: What makes the frame, when it is first asked for.
    _make: Callable[[], "Store"] | None = None
    _order: tuple[Order, ...] = NUMBERED
    #: What puts the frame's rows in order at less cost than Spark's own sort; None: that sort.
    _sort: Callable[[DataFrame], DataFrame] | None = None
    #: What Spark holds of it in memory, until this store is closed.
    _cached: DataFrame | None = None
    #: The number of the next row behind those of the frame.
    _next: int = 0
    #: How many rows there are likely to be; None: nobody can say.
    _likely: int | None = None
    #: No row of the frame has a rowtime before this; None: it is not known.
    least: int | None = None

    @staticmethod
    def of(types: tuple[Type, ...], rows: Iterable[tuple[Value, ...]]) -> "Store":
        """A store in memory that holds these rows."""
        store = Store(types)
        for each in rows:
            store.append(each)
        return store

    @staticmethod
    def of_frame(
        frame: DataFrame,
        types: tuple[Type, ...],
        *,
        order: tuple[Order, ...] = NUMBERED,
        count: int | None = None,
        numbers: int = 0,
        sort: Callable[[DataFrame], DataFrame] | None = None,
        cached: DataFrame | None = None,
        least: int | None = None,
    ) -> "Store":
        """A store of the rows of a frame with columns ``c0``, ``c1``, … and those of ``order``.

        ``count`` None: nobody has counted; they pass for `MANY_ROWS`.  ``numbers``: of rows that
        are numbered in `ARRIVAL`, all are less than this.  ``sort``: a way to put a frame in order.
        ``cached``: a frame that Spark holds for it, given back when this store is closed.
        ``least``: no row has a rowtime before it.
        """
        rows = MANY_ROWS if count is None else count
        store = Store(types, rows, count is not None, _held=frame, _order=order, _next=numbers)
        store._sort, store._cached, store.least = sort, cached, least
        return store

    @staticmethod
    def later(types: tuple[Type, ...], make: Callable[[], "Store"]) -> "Store":
        """The rows of a frame that ``make`` makes, when they are first asked for."""
        return Store(types, MANY_ROWS, counted=False, _make=make)

    @staticmethod
    def load(
        session: SparkSession, path: str, types: tuple[Type, ...], count: int, numbers: int
    ) -> "Store":
        """The store that `save` has written; its rows stay where they are."""
        fields = [StructField(column_name(i), spark_type(t)) for i, t in enumerate(types)]
        schema = StructType([*fields, StructField(ARRIVAL, LongType())])
        frame = session.read.schema(schema).parquet(path)
        return Store.of_frame(frame, types, count=count, numbers=numbers)

    def append(self, row: tuple[Value, ...]) -> None:
        """Put a row behind the others."""
        self._tail.append(row)
        self.count += 1
        if len(self._tail) == CHUNK:
            self._spill()

    def adopt(self, frame: DataFrame, columns: Sequence[Column], arrival: Column) -> None:
        """Let the rows of a frame be those of this empty store; they stay where they are.

        ``columns``: the values inside, one for each type; ``arrival`` orders the rows.  They count
        as `MANY_ROWS`, since counting them could cost as much as the query.
        """
        assert not self.count, "a store has rows of its own, or those of a frame"
        named = [each.alias(column_name(i)) for i, each in enumerate(columns)]
        self._held = frame.select(*named, arrival.cast("bigint").alias(ARRIVAL))
        self._next = 2**63 - 1  # nothing comes behind: the frame is all there is
        self.count, self.counted = MANY_ROWS, False

    @property
    def framed(self) -> bool:
        """Whether rows are in a frame: they had better not pass through Python."""
        return self._held is not None or self._make is not None

    @property
    def _frame(self) -> DataFrame | None:
        """The frame, if the rows are in one."""
        if self._make is not None:
            made, self._make = self._make(), None
            self._held, self._order, self._sort = made._held, made._order, made._sort
        return self._held

    @property
    def numbers(self) -> int:
        """A number above those of all rows in `ARRIVAL`."""
        return self._first + len(self._tail)

    @property
    def _first(self) -> int:
        """The number of the first row in memory."""
        return self._next + len(self._files) * CHUNK

    def _ordered(self, frame: DataFrame) -> DataFrame:
        if self._sort is not None:
            return self._sort(frame).select(*self._columns)
        return frame.orderBy(*(each.key() for each in self._order)).select(*self._columns)

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """All rows, in order."""
        if self._frame is not None:
            yield from collected(self._ordered(self._frame), self.types)
        for each in self._files:
            yield from read(each, self.types)
        yield from self._tail

    def in_order(self, session: SparkSession) -> DataFrame:
        """The columns ``c0``, ``c1``, …, the rows in order."""
        return self._ordered(self.relation(session).frame)

    def first(self, most: int, session: SparkSession) -> list[tuple[Value, ...]]:
        """The first rows, in order, so many at most.

        Each task of Spark's sends the first of its own: of few rows this costs least.
        """
        rows = self.relation(session)
        ordered = rows.frame.orderBy(*(each.key() for each in rows.order))
        found = ordered.limit(most).select(*self._columns).collect()
        return [row_values(self.types, each) for each in found]

    def relation(self, session: SparkSession) -> Relation:
        """The rows as a relation, with their order."""
        parts = [] if self._frame is None else [self._frame]
        if self._files:
            parts.append(session.read.parquet(*(str(each) for each in self._files)))
        if self._tail or not parts:
            # What is sent to Spark by value is copied into every task: a short tail only.
            parts.append(frame_of(session, self.types, self._tail, self._first))
        whole, *others = parts
        for each in others:
            whole = whole.unionByName(each)
        return Relation(whole, self.types, self._order)

    # --- stores made of others: nothing is computed -------------------------------------------

    def in_memory(self) -> "Store":
        """The rows as Python values, numbered from 0."""
        return Store.of(self.types, self.rows())

    def behind(self, other: "Store", session: SparkSession) -> "Store":
        """The rows of ``other``, and behind them these."""
        frame, counted = self.relation(session).frame, self.counted
        if other.count:
            assert other.numbers <= self._next, "numbers tell what came first"
            frame, counted = other.relation(session).frame.unionByName(frame), False
        found = Store.of_frame(frame, self.types, numbers=self.numbers)
        found.count, found.counted = other.count + self.count, counted
        return found

    def only(self, places: frozenset[int]) -> "Store":
        """The rows of this frame, with NULL in all columns but those at these places."""
        assert self._frame is not None, "rows in memory have them at no cost"
        columns = [
            (F.col(column_name(i)) if i in places else null(type)).alias(column_name(i))
            for i, type in enumerate(self.types)
        ]
        order = [each.column for each in self._order]
        return replace(self, _held=self._frame.select(*columns, *order))

    def with_value(self, value: int, type: Type) -> "Store":
        """The rows of this frame, with one whole number more behind each."""
        assert self._frame is not None, "rows in memory are made with it"
        place = len(self.types)
        column = F.lit(value).cast(spark_type(type)).alias(column_name(place))
        frame = self._frame.select(*self._columns, column, *(e.column for e in self._order))
        return replace(self, types=(*self.types, type), _held=frame)

    def where(self, condition: Column, session: SparkSession) -> "Store":
        """The rows for which a condition on columns ``c0``, ``c1``, … is true."""
        return self._some(self.relation(session).frame.filter(condition))

    def at(self, places: DataFrame, session: SparkSession) -> "Store":
        """The rows whose numbers in `ARRIVAL` are those in ``c0`` of a frame."""
        kept = places.select(F.col(column_name(0)).alias(ARRIVAL))
        return self._some(self.relation(session).frame.join(kept, ARRIVAL, "left_semi"))

    def likely(self, rows: int | None) -> "Store":
        """These rows, of which nobody has counted how many they are: so many, it is thought."""
        return replace(self, _likely=rows)

    def _some(self, frame: DataFrame) -> "Store":
        """Some of the rows; it is not known how many."""
        found = Store.of_frame(frame, self.types, numbers=self.numbers)
        found.count = self.count
        return found

    # --- files --------------------------------------------------------------------------------

    def save(self, session: SparkSession, path: str) -> "Store":
        """Write the rows, as Parquet, to a place of any file system of Spark's; this store.

        What was in a frame is read from there from now on, and has been counted: the frame that it
        came from may go.  What is in memory stays there, too.
        """
        if self._frame is None and not self._files:
            _put(session, path, parquet_of(table_of(self.types, self._tail, self._next)))
            return self
        frame = self.relation(session).frame.select(*self._columns, ARRIVAL)
        if self._likely is not None and self._likely <= _FEW and self.count <= _MOST:
            table = table_from(frame)
            rows = table.num_rows
            _put(session, path, parquet_of(table))
        else:
            counting = Observation()
            frame = frame.observe(counting, F.count(F.lit(1)).alias("rows"))
            frame.write.mode("overwrite").parquet(path)
            rows = int(counting.get["rows"])
        if self._frame is not None:
            numbers = self.numbers
            self.close()
            saved = Store.load(session, path, self.types, rows, numbers)
            self._held, self._next, self._tail = saved._held, numbers, []
            self.count, self.counted = saved.count, True
        return self

    def close(self) -> None:
        """Remove the files, and what is held in Spark's memory."""
        if self._cached is not None:
            self._cached.unpersist()
            self._cached = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None
            self._files = []

    @property
    def _columns(self) -> list[str]:
        return [column_name(i) for i in range(len(self.types))]

    def _spill(self) -> None:
        if self._directory is None:
            self._directory = TemporaryDirectory(prefix="rowtime-")
        file = Path(self._directory.name) / f"{len(self._files):06}.parquet"
        write(file, self.types, self._tail, self._first)
        self._files.append(file)
        self._tail = []


def _put(session: SparkSession, path: str, data: bytes) -> None:
    """Let a folder have one file of rows, and nothing else."""
    files = FileSystem(session)
    files.delete(path)
    files.create(f"{path}/rows.parquet", data)
