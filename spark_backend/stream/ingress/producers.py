"""The producers of a named stream, whose rows are merged by rowtime (S-603).

A row *flows* from its producer into the stream when its turn has come.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import VARCHAR, Type
from spark_backend.data.few_rows import FEW
from spark_backend.data.row_buffer import NUMBERED, RowBuffer
from spark_backend.made_once import col
from spark_backend.relation import column_name
from spark_backend.runtime.arrow import ARRIVAL
from spark_backend.types import Row

#: The bound of a producer that has not set a bound.
NOTHING: float = -math.inf
#: The bound of a producer that has ended.
ENDED: float = math.inf


@dataclass(slots=True)
class Producers:
    """The rows that producers send to a stream, merged by rowtime.

    A row flows into the stream when no other open producer can send an earlier row. ``time`` is the
    place of the stream's rowtime, or None: then every row flows immediately. ``bounds`` has the
    bound of each open producer. ``pending`` has the rows that do not flow yet, by rowtime, ties in
    the order of sending, with the name of the producer as the last value. ``expects_producers``: a
    producer has opened after the start, so more may open until the end.
    """

    names: Iterable[str]
    types: tuple[Type, ...]
    time: int | None
    bounds: dict[str, float] = field(default_factory=dict[str, float])
    pending: RowBuffer = field(init=False)
    expects_producers: bool = False
    #: The closed producers that have pending rows.
    _closed: set[str] = field(default_factory=set[str])
    #: The rows that have been sent since the last `flow`, with their producers.
    _sent: list[tuple[str, RowBuffer]] = field(default_factory=list[tuple[str, RowBuffer]])
    #: The persisted frame of the last merge, in which the pending rows are.
    _merged: DataFrame | None = None

    def __post_init__(self) -> None:
        """Give every producer that is known from the start an unknown bound."""
        self.bounds = dict.fromkeys(self.names, NOTHING)
        self.pending = RowBuffer(self.types_pending)

    @property
    def types_pending(self) -> tuple[Type, ...]:
        """The types of pending rows."""
        return (*self.types, VARCHAR)

    def send(self, producer: str, rows: RowBuffer, bound: float) -> None:
        """Take rows of a producer, and the bound of its later rows; a lower bound is ignored."""
        self._sent.append((producer, rows))
        self.bounds[producer] = max(bound, self.bounds.get(producer, NOTHING))

    def open(self, producer: str, bound: float) -> None:
        """Open a producer that will send no row below a bound; its name must be new."""
        self.bounds[producer] = bound
        self.expects_producers = True

    def close(self, producer: str) -> None:
        """Close a producer: other rows do not wait for it, and its pending rows flow in turn."""
        del self.bounds[producer]
        self._closed.add(producer)

    def end(self, own: str) -> None:
        """End the session's ``own`` input, and close all producers that have opened."""
        self.bounds[own] = ENDED
        self.expects_producers = False

    def flow(self, session: SparkSession) -> RowBuffer:
        """The rows that flow now, by rowtime, ties in the order of sending.

        The rows of a single producer flow in the order of their frame.
        """
        sent, self._sent = self._sent, []
        if self.pending.framed and self.pending.counted and self.pending.count <= FEW:
            self.pending = self.pending.in_memory()
        framed = self.pending.framed or any(rows.framed for _, rows in sent)
        if not framed:
            return self._flow_of_few(sent)
        # One frame of the only open producer, without pending rows, need not be merged.
        alone = {producer for producer, _ in sent} == set(self.bounds)
        if alone and len(sent) == 1 and not self.pending.count:
            return sent[0][1]
        return self._flow_of_many(sent, session)

    @property
    def bound(self) -> float:
        """The bound of all open producers; `ENDED` if all have ended.

        `NOTHING` without an open producer, or if all have ended and others may still open.
        """
        bound = min(self.bounds.values(), default=NOTHING)
        return NOTHING if bound == ENDED and self.expects_producers else bound

    def _limit(self, producer: str) -> float:
        """The least bound of the other open producers; `ENDED` if there are none.

        The rows of ``producer`` up to this time flow, also those at it.
        """
        others = (bound for name, bound in self.bounds.items() if name != producer)
        return min(others, default=ENDED)

    # --- few rows, as Python values ---------------------------------------------------------------

    def _flow_of_few(self, sent: list[tuple[str, RowBuffer]]) -> RowBuffer:
        """`flow` for rows in memory; ``sent`` has the rows since the last call."""
        rows = list(self.pending.rows())
        rows += [(*row, producer) for producer, store in sent for row in store.rows()]
        rows.sort(key=self._time_of)
        limits = {name: self._limit(name) for name in (*self.bounds, *self._closed)}
        free: list[Row] = []
        pending: list[Row] = []
        for row in rows:
            flows = self._time_of(row) <= limits[str(row[-1])]
            (free if flows else pending).append(row)
        self.pending = RowBuffer.of(self.types_pending, pending)
        self._closed.intersection_update(str(row[-1]) for row in pending)
        return RowBuffer.of(self.types, (row[:-1] for row in free))

    def _time_of(self, row: Row) -> float:
        """The rowtime of a row; for NULL the least time, so that the row flows first."""
        value = None if self.time is None else row[self.time]
        return float(value) if isinstance(value, int) else NOTHING

    # --- many rows, in frames ---------------------------------------------------------------------

    def _flow_of_many(self, sent: list[tuple[str, RowBuffer]], session: SparkSession) -> RowBuffer:
        """`flow`, computed by Spark; ``sent`` has the rows since the last call."""
        # The columns of the producer, and of the place of its rows in the order of sending.
        who, turn = column_name(len(self.types)), "turn"
        parts = [_numbered(self.pending, session).withColumn(turn, F.lit(0))]
        for number, (producer, store) in enumerate(sent, 1):
            own = _numbered(store, session).withColumn(who, F.lit(producer))
            parts.append(own.withColumn(turn, F.lit(number)))
        whole = reduce(DataFrame.unionByName, parts)
        time = F.lit(None) if self.time is None else col(column_name(self.time))
        before = F.lit(-(2**63)).cast("bigint")  # in place of NULL: such a row flows at once
        whole = whole.withColumn("time", F.coalesce(time.cast("bigint"), before))
        is_pending = F.lit(False)
        for name in (*self.bounds, *self._closed):
            limit = self._limit(name)
            if limit < ENDED:
                waits = F.lit(True) if limit == NOTHING else col("time") > F.lit(int(limit))
                is_pending = is_pending | (
                    (col(who) == F.lit(name)) & waits & (col("time") != before)
                )
        if self._merged is not None:
            self._merged.unpersist()
        self._merged = whole.orderBy("time", turn, ARRIVAL).drop(ARRIVAL)
        self._merged = self._merged.withColumn(ARRIVAL, F.monotonically_increasing_id()).persist()
        columns = [column_name(i) for i in range(len(self.types))]
        free, pending = self._merged.filter(~is_pending), self._merged.filter(is_pending)
        rows = pending.select(*columns, who, ARRIVAL)
        self.pending = RowBuffer.of_frame(rows, self.types_pending)
        return RowBuffer.of_frame(free.select(*columns, ARRIVAL), self.types)


def _numbered(store: RowBuffer, session: SparkSession) -> DataFrame:
    """The rows of a store as a frame, with their order in `ARRIVAL`."""
    rows = store.relation(session)
    if rows.order == NUMBERED:
        return rows.frame
    ordered = rows.frame.orderBy(*(each.key() for each in rows.order)).select(*rows.columns)
    return ordered.withColumn(ARRIVAL, F.monotonically_increasing_id())
