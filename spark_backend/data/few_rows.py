"""Rows of frames that are brought into memory if they are few."""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import SparkSession

from spark_backend.data.row_buffer import RowBuffer

#: The number of rows up to which rows are few: Python computes them as fast as Spark.
FEW: Final = 5_000


def in_memory_if_few(rows: RowBuffer, session: SparkSession) -> RowBuffer | None:
    """The rows of a frame, in order, in memory; None if there are more than `FEW`.  One query."""
    found = rows.first(FEW + 1, session)
    return RowBuffer.of(rows.types, found) if len(found) <= FEW else None


@dataclass(slots=True)
class FewRows:
    """Brings the rows of frames into memory, as long as they are few.

    Each reader of a frame computes its rows again, but rows in memory are computed once.  Rows that
    turn out to be many are computed in vain, so after n such frames in turn, the next 2^n - 1
    frames are not tried.
    """

    _many: int = 0
    _skipped: int = 0

    def collected(self, rows: RowBuffer, session: SparkSession) -> RowBuffer:
        """The rows, in memory if they are few; rows that are in memory already are returned."""
        if not rows.framed:
            return rows
        if self._skipped:
            self._skipped -= 1
            return rows
        found = in_memory_if_few(rows, session)
        if found is not None:
            self._many = 0
            return found
        self._many += 1
        self._skipped = 2**self._many - 1
        return rows
