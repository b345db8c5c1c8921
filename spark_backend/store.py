"""Rows on their way to Spark: in memory, in Parquet files of their own, or in a user's frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import Value
from algebra.types import Type
from spark_backend.arrow import ARRIVAL, collected, frame_of, read, write
from spark_backend.relation import Order, Relation, column_name
from spark_backend.session import MANY_ROWS

#: So many rows are held as Python values; then they become a file.
CHUNK: Final = 100_000


@dataclass(slots=True)
class Store:
    """Rows of ``types`` in the order in which they were appended, numbered from 0."""

    types: tuple[Type, ...]
    count: int = 0
    _tail: list[tuple[Value, ...]] = field(default_factory=list[tuple[Value, ...]])
    _directory: TemporaryDirectory[str] | None = None
    _files: list[Path] = field(default_factory=list[Path])
    _adopted: DataFrame | None = None

    def append(self, row: tuple[Value, ...]) -> None:
        """Put a row behind the others."""
        assert self._adopted is None, "rows of a frame are all there are"
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
        self._adopted = frame.select(*named, arrival.cast("bigint").alias(ARRIVAL))
        self.count = MANY_ROWS

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """All rows, in order."""
        if self._adopted is not None:
            ordered = self._adopted.orderBy(F.col(ARRIVAL)).drop(ARRIVAL)
            yield from collected(ordered, self.types)
        for each in self._files:
            yield from read(each, self.types)
        yield from self._tail

    def relation(self, session: SparkSession) -> Relation:
        """The rows as a relation, in order of arrival."""
        if self._adopted is not None:
            return Relation(self._adopted, self.types, (Order(ARRIVAL),))
        # What is sent to Spark by value is copied into every task: a short tail only.
        frame = frame_of(session, self.types, self._tail, self.count - len(self._tail))
        if self._files:
            stored = session.read.parquet(*(str(each) for each in self._files))
            frame = stored.unionByName(frame)
        return Relation(frame, self.types, (Order(ARRIVAL),))

    def close(self) -> None:
        """Remove the files."""
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    def _spill(self) -> None:
        if self._directory is None:
            self._directory = TemporaryDirectory(prefix="rowtime-")
        file = Path(self._directory.name) / f"{len(self._files):06}.parquet"
        write(file, self.types, self._tail, self.count - len(self._tail))
        self._files.append(file)
        self._tail = []
