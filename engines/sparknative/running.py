"""A running streaming query: one micro-batch for the arrived rows, and one for the watermark."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, TypeAlias

from py4j.protocol import (  # type: ignore[import-untyped]  # it has no types
    Py4JError,  # pyright: ignore[reportUnknownVariableType]  the same
)
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from engines.sparknative.types import collected
from tck.protocol import WireRow

#: Spark's output modes: rows that never change; rows that have changed; the whole result.
Mode: TypeAlias = Literal["append", "update", "complete"]

#: The errors of Spark; rows that are transferred as Arrow tables fail with an error of Py4J.
SPARK_ERRORS: Final[tuple[type[Exception], ...]] = (PySparkException, Py4JError)
_CONDITION: Final = re.compile(r"\[([A-Z_]+)(?:\.[A-Z_]+)?\]")


class RunningQuery:
    """A query that has been started in a ``mode``; its rows are collected micro-batch by batch.

    ``order``: the keys of ORDER BY, by which each micro-batch is sorted; None: it has none.
    Raises one of `SPARK_ERRORS` if Spark refuses the query.
    """

    def __init__(
        self, frame: DataFrame, checkpoint: Path, order: str | None, mode: Mode = "append"
    ) -> None:
        self._rows: list[WireRow] = []
        self._order, self._mode = order, mode
        writer = frame.writeStream.outputMode(mode).foreachBatch(self._take)
        self._query = writer.option("checkpointLocation", str(checkpoint)).start()

    def run(self) -> tuple[WireRow, ...]:
        """The rows of the micro-batches for all that has arrived, that without data included.

        In complete mode they are the whole result after the last of these.  Raises one of
        `SPARK_ERRORS` if one fails.
        """
        self._query.processAllAvailable()
        rows, self._rows = tuple(self._rows), []
        return rows

    def stop(self) -> None:
        """End the query."""
        with suppress(*SPARK_ERRORS):  # if it has failed, `run` has said so
            self._query.stop()

    def _take(self, batch: DataFrame, _: int) -> None:
        if self._order is not None:
            keys = self._order
            batch = batch.sparkSession.sql(f"SELECT * FROM {{rows}} ORDER BY {keys}", rows=batch)
        if self._mode == "complete":
            self._rows = []
        self._rows += collected(batch)


def condition_of(error: Exception) -> str:
    """The name of the error condition that Spark gives as the cause, the last one in its text."""
    found = _CONDITION.findall(str(error))
    named = error.getCondition() if isinstance(error, PySparkException) else None
    return found[-1] if found else (named or type(error).__name__)
