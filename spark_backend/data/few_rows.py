"""Rows of Spark DataFrames that are brought into memory if they are few."""

from dataclasses import dataclass
from typing import Final

from pyspark.sql import SparkSession

from spark_backend.data.row_buffer import RowBuffer

#: The number of rows up to which rows are few: Python computes them as fast as Spark.
FEW: Final = 5_000


def in_memory_if_few(rows: RowBuffer, session: SparkSession) -> RowBuffer | None:
    """A buffer in memory of the same ``rows``, which are a DataFrame; None if more than `FEW`.

    It takes one query of Spark.
    """
    found = rows.first(FEW + 1, session)
    return RowBuffer.of(rows.types, found) if len(found) <= FEW else None


@dataclass(slots=True)
class FewRows:
    """Brings the rows of DataFrames into memory, as long as they are few.

    Each reader of a DataFrame computes its rows again, but rows in memory are computed once.  If a
    DataFrame has more rows than `FEW`, the query that has found this was in vain.  So after n such
    DataFrames in turn, the next 2^n - 1 DataFrames are not tried.
    """

    #: The number of DataFrames in turn that had more than `FEW` rows.
    _many: int = 0
    #: The number of DataFrames that are still to be skipped.
    _to_skip: int = 0

    def collected(self, rows: RowBuffer, session: SparkSession) -> RowBuffer:
        """A buffer in memory of the same ``rows`` if they are few; else ``rows`` unchanged.

        Rows in memory, and the rows of a DataFrame that is skipped, are returned unchanged, too.
        """
        if not rows.framed:
            return rows
        if self._to_skip:
            self._to_skip -= 1
            return rows
        found = in_memory_if_few(rows, session)
        if found is not None:
            self._many = 0
            return found
        self._many += 1
        self._to_skip = 2**self._many - 1
        return rows
