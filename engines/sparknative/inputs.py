"""Streams as folders of Parquet files, and the rows of a watermark without rows: heartbeats."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from algebra.catalog import Stream, row_type_of
from algebra.functions.datetimes import parse_timestamp
from algebra.types import BIGINT, BOOLEAN, MAX_TIMESTAMP, Field, RowType
from engines.sparknative.printer import SparkPrinter
from engines.sparknative.streams import HEARTBEAT, OFFSET, event_time_column, slack
from engines.sparknative.types import write
from tck.protocol import Wire, WireRow

#: True of rows only.  A heartbeat is dropped after ``withWatermark``, which it has advanced; were
#: the condition deterministic, Spark would move it, and any condition of the query with it, to
#: before ``withWatermark``, and the dropped rows would advance nothing.
_ROWS_ONLY: Final = f"NOT {HEARTBEAT} OR rand() + 1 < 0"


@dataclass(slots=True)
class StreamInput:
    """One stream that a query reads: the folder that it is fed from, and the rows not yet there.

    ``late_at_watermark``: the watermark stays one millisecond below the greatest rowtime, unless
    the stream's rows never repeat one.  ``beats``: a heartbeat is among the pending rows.
    ``_files`` were written, and ``_rows`` have arrived.
    """

    stream: Stream
    folder: Path
    late_at_watermark: bool
    pending: list[tuple[Wire, ...]] = field(default_factory=list[tuple[Wire, ...]])
    beats: bool = False
    _files: int = 0
    _rows: int = 0

    def frame(self, session: SparkSession) -> DataFrame:
        """The stream as Spark's users read one: with its watermark, if it has an event time."""
        self.folder.mkdir()
        printer = SparkPrinter()
        schema = ", ".join(
            f"{printer.identifier(each.name)} {printer.type_name(each.type)}"
            for each in self._fields()
        )
        found = session.readStream.schema(schema).parquet(str(self.folder))
        place = event_time_column(self.stream)
        if place is not None:
            name = self.stream.columns[place].name
            found = found.withWatermark(name, f"{self._delay(place)} milliseconds")
        return found.where(_ROWS_ONLY)

    def add(self, row: WireRow) -> None:
        """A row that arrives."""
        self.pending.append((*row, self._rows, False))
        self._rows += 1

    def beat(self, at: str, *, strict: bool = False) -> None:
        """A heartbeat that takes the stream's watermark to the bound ``at``."""
        self._beat(parse_timestamp(at) + strict)

    def end(self) -> None:
        """A heartbeat that takes the watermark beyond all times."""
        self._beat(MAX_TIMESTAMP)

    def flush(self) -> bool:
        """Write the pending rows as one file; whether there were any."""
        if not self.pending:
            return False
        names = [each.name for each in self._fields()]
        hidden = self.folder.parent / f"{self.folder.name}.writing"
        write(hidden, names, self._fields(), self.pending)
        hidden.rename(self.folder / f"{self._files:06}.parquet")
        self._files, self.beats = self._files + 1, False
        self.pending.clear()
        return True

    def _beat(self, bound: int) -> None:
        place = event_time_column(self.stream)
        if place is None:
            return
        row: list[Wire] = [None] * len(self.stream.columns)
        row[place] = (bound + slack(self.stream.columns[place])) * 1000  # microseconds
        self.pending.append((*row, None, True))
        self.beats = True

    def _delay(self, place: int) -> int:
        column = self.stream.columns[place]
        assert column.ordering is not None, "it is the column by which the stream is ordered"
        behind = self.late_at_watermark and not column.ordering.strict
        return slack(column) + behind

    def _fields(self) -> RowType:
        more = (Field(OFFSET, BIGINT), Field(HEARTBEAT, BOOLEAN))
        return (*row_type_of(self.stream), *more)
