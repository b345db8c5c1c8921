"""The rows that an engine retains, by stream: few rows in memory, frames in Spark."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import QualifiedName
from algebra.expression import Value
from algebra.types import Type
from spark_backend.data.row_buffer import RowBuffer
from spark_backend.made_once import col
from spark_backend.relation import column_name
from spark_backend.runtime.failures import failures
from spark_backend.stream.compaction.compactor import Compactor
from spark_backend.types import Row
from spark_backend.workarounds.non_inlined_literals import non_inlined


@dataclass(slots=True)
class RowStores:
    """The rows of the input streams (``streams``), and of the tables of compaction (``compactor``).

    ``types`` has the column types of each stream's rows.  A file with at most ``in_memory`` rows is
    read into memory when more rows arrive in memory.
    """

    session: SparkSession
    types: Mapping[QualifiedName, tuple[Type, ...]]
    compactor: Compactor
    in_memory: int
    streams: dict[QualifiedName, RowBuffer] = field(default_factory=dict[QualifiedName, RowBuffer])
    #: The number of rows of each stream after the last micro-batch.  It is also the estimate of the
    #: number after an eviction, because remaining rows are not counted before they are written.
    _last_count: dict[QualifiedName, int] = field(default_factory=dict[QualifiedName, int])
    _directory: TemporaryDirectory[str] | None = None

    @property
    def count(self) -> int:
        """The number of input rows; rows of a stream that is read twice count once."""
        return sum(each.count for each in self.streams.values())

    @property
    def framed(self) -> bool:
        """Whether some rows are frames in Spark."""
        stores = (*self.streams.values(), *self.compactor.tables.values())
        return any(each.framed for each in stores)

    def of(self, name: QualifiedName) -> RowBuffer:
        """The rows of a stream; empty if none has arrived."""
        if name not in self.streams:
            self.streams[name] = RowBuffer(self.types[name])
        return self.streams[name]

    def add(self, name: QualifiedName, new: RowBuffer) -> None:
        """Append the rows of a frame to those of a stream."""
        self.streams[name] = new.following(self.of(name), self.session)

    def append(self, name: QualifiedName, rows: Iterable[Row]) -> None:
        """Append rows in memory to those of a stream."""
        store = self.of(name)
        if store.framed and store.counted and store.count <= self.in_memory:
            before = store.rows() if store.count else ()
            store = self.streams[name] = RowBuffer.of(store.types, before)
        for each in rows:
            store.append(each)

    def settle(self, batch: int) -> None:
        """Write the frames of the micro-batch ``batch``, unless they have been written.

        Files have one of two names in turn, because the new file is computed from the last one.
        """
        for name, store in self.streams.items():
            self._write(store, "-".join((*name, str(batch % 2))))
            self._last_count[name] = store.count
        for name, store in self.compactor.tables.items():
            self._write(store, "-".join((*name, str(self.compactor.turns % 2))))

    def read_small_tables(self) -> None:
        """Read small tables of state compaction into memory, if no stream's rows are in a frame."""
        if not any(each.framed for each in self.streams.values()):
            tables = self.compactor.tables
            for name, store in tables.items():
                if store.framed and store.counted and store.count <= self.in_memory:
                    tables[name] = store.in_memory()

    def evict_before(self, name: QualifiedName, place: int, since: int) -> None:
        """Evict the rows of a stream whose time, at ``place``, is before ``since``."""
        store = self.streams[name]
        if store.framed:
            time = col(column_name(place))
            later = store.where(time >= non_inlined(since, time), self.session)
            self.streams[name] = later.with_estimate(self._last_count.get(name))
        else:
            self.retain(name, (_at_least(row[place], since) for row in store.rows()))

    def replace(self, name: QualifiedName, frame: DataFrame) -> None:
        """Retain only the rows of ``frame``, which are some of the retained rows of a stream."""
        some = self.streams[name].part(frame)
        self.streams[name] = some.with_estimate(self._last_count.get(name))

    def retain_places(self, name: QualifiedName, places: DataFrame) -> None:
        """Retain only the rows of a stream whose numbers in `ARRIVAL` are in ``places``."""
        some = self.streams[name].at(places, self.session)
        self.streams[name] = some.with_estimate(self._last_count.get(name))

    def retain(self, name: QualifiedName, which: Iterable[bool]) -> None:
        """Retain the rows of a stream for which ``which`` is true; it has a value for each row."""
        old = self.streams[name]
        new = RowBuffer(old.types)
        for row, is_retained in zip(old.rows(), which, strict=True):
            if is_retained:
                new.append(row)
        old.close()
        self.streams[name] = new

    def clear(self) -> None:
        """Evict all rows."""
        for each in self.streams.values():
            each.close()
        self.streams.clear()
        self.compactor.clear()
        self._last_count.clear()

    def close(self) -> None:
        """Evict all rows, and remove the files."""
        self.clear()
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    def _write(self, store: RowBuffer, place: str) -> None:
        """Write the rows of a frame to a file with the name ``place``, unless they are written."""
        if store.framed and not store.counted:
            if self._directory is None:
                self._directory = TemporaryDirectory(prefix="rowtime-")
            with failures():
                store.save(self.session, f"{self._directory.name}/{place}")


def _at_least(value: Value, least: int) -> bool:
    """Whether a time is at or after ``least``; false for NULL."""
    return isinstance(value, int) and value >= least
