"""Rows on their way to Spark: a few in memory, many in Parquet files of their own directory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pyspark.sql import SparkSession

from algebra.expression import Value
from algebra.types import Type
from spark_backend.arrow import ARRIVAL, frame_of, read, write
from spark_backend.relation import Order, Relation

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

    def append(self, row: tuple[Value, ...]) -> None:
        """Put a row behind the others."""
        self._tail.append(row)
        self.count += 1
        if len(self._tail) == CHUNK:
            self._spill()

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """All rows, in order."""
        for each in self._files:
            yield from read(each, self.types)
        yield from self._tail

    def relation(self, session: SparkSession) -> Relation:
        """The rows as a relation, in order of arrival."""
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
