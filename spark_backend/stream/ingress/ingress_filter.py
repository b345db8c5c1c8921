"""Ingress in bulk: the verdicts of `data.ingress.Ingress.judge` for the rows of a frame.

The rows that arrived before a row decide whether it is late, so the order of arrival matters.
Spark reads a micro-batch in splits, each from its first row to its last.
`spark_backend.stream.ingress.arrivals` defines the order in which the splits have arrived, and
which sources lack splits and are sorted.

**The usual case** costs one pass over the ordered columns alone.  It computes for each split the
place of its first row, the number of rows and of bad rows, the least and the greatest value of each
ordered column, and whether a value may be late within the split.  If there is no bad row, no value
may be late, and no split begins below the splits before it, then no row is late: the frame is
accepted as it is, and its rows are numbered.  A record in doubt counts as a bad row.  Spark makes
this pass by itself if there is at most one ordered column of a plain kind (`sorted_splits`), else
with Python workers (`splits`).

**Late rows and bad ones.**  For a relation with one ordered column, a second pass finds the numbers
of the late rows; each split starts with the bound after the splits before it.  A late row does not
advance the bound, because its value is below the bound.  This is not enough with several ordered
columns (a row that is late by one column would advance the bound of another), under WITHIN … ROWS
(several values define the bound, not only the last one), and for types that numpy lacks.  Then
`Ingress.judge` decides on the driver, from the ordered columns in order of arrival.

Spark removes the dropped rows by an anti-join with their numbers.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# Values from Arrow do not have Python types: `spark_backend.stream.ingress.splits` annotates them.

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import BIGINT, INTEGER
from grammar.codes import Code
from grammar.source import SqlError
from spark_backend.data.contents import ChecksOf
from spark_backend.data.ingress import (
    CHECK_FALSE,
    LATE,
    Ingress,
    Refusal,
    below_bound_in,
    nan_in,
    null_in,
)
from spark_backend.data.row_buffer import CHUNK, NUMBERED, RowBuffer
from spark_backend.made_once import col, cols
from spark_backend.relation import Relation, column_name
from spark_backend.runtime.arrow import ARRIVAL, collected, frame_of
from spark_backend.runtime.failures import failures
from spark_backend.runtime.session import tune_micro_batch
from spark_backend.stream.ingress.arrivals import ARRIVAL_KEY, DOUBT
from spark_backend.stream.ingress.sorted_splits import can_be_sorted, sorted_splits
from spark_backend.stream.ingress.splits import (
    FAULT,
    LATE_ROW,
    LATE_ROWS,
    SPLIT,
    SUMMED,
    Order,
    Split,
    find_late_rows,
    read_split,
    summarize_splits,
)
from spark_backend.stream.ingress.stream_bounds import (
    FLOATS,
    advance_bounds,
    are_all_accepted,
    bound_before,
    greatest_before_splits,
    least_time,
    orders_of,
    places_of,
    shift,
)

if TYPE_CHECKING:
    from algebra.expression import Value
    from spark_backend.types import Row

#: The number of dropped rows of an endpoint that are reported one by one; all are counted.
REPORTED: Final = 10

#: The schema of the rows of `find_late_rows`.
_LATE_ROW: Final = (BIGINT, INTEGER)
#: A number above all places of rows.
_NO_MORE: Final = 2**63
#: The fault of a row whose CHECK is false.  The next faults are those of the ordered columns: for
#: the i-th one, counted from 0, 2 + 2i for NULL, and 3 + 2i for NaN.
_CHECK: Final = 1
#: The fault of a record in doubt.
_NO_ROW: Final = -2
#: The column that is true if a CHECK of the row is false.
_BROKEN: Final = "broken"


@dataclass(frozen=True, slots=True)
class Filtered:
    """The accepted rows, in order of arrival, and the dropped rows, by place."""

    rows: RowBuffer
    refused: Sequence[Refusal]


def filter_rows(ingress: Ingress, arrived: RowBuffer, checks: ChecksOf) -> Filtered:
    """Advance the bounds of an ingress by the rows that have arrived; return the rows it accepts.

    Rows in memory are judged one by one, rows in a frame in bulk, with the same result.  The rows
    of a frame are numbered from the number of rows that arrived before.  The caller closes the
    store of the accepted rows when nothing reads it any more.
    """
    if arrived.framed:
        found = filter_in_bulk(ingress, arrived, checks)
        if found is not None:
            return found
        # A CHECK has raised an error: judging rows one by one finds the row.
    accepted, refused = ingress.judge(list(arrived.rows()), checks)
    return Filtered(RowBuffer.of(arrived.types, accepted), refused)


def filter_in_bulk(
    ingress: Ingress, arrived: RowBuffer, checks: ChecksOf, *, in_doubt: bool = False
) -> Filtered | None:
    """The result of `filter_rows` for rows in a frame, computed by Spark.

    None if a CHECK has raised an error, or if ``in_doubt`` and `DOUBT` is true for a record; then
    no bound has advanced.
    """
    tune_micro_batch(checks.session)
    try:
        with failures():
            return _Bulk(ingress, arrived, checks, in_doubt=in_doubt).filter_rows()
    except SqlError:
        if not checks.relation.checks:
            raise
    return None


class _Bulk:
    """A frame of rows at the ingress of one stream; `filter_rows` is called once."""

    def __init__(
        self, ingress: Ingress, arrived: RowBuffer, checks: ChecksOf, *, in_doubt: bool
    ) -> None:
        self._ingress = ingress
        self._in_doubt = in_doubt
        self._types = arrived.types
        self._places = sorted(ingress.bounds)
        self._orders = orders_of(ingress)
        self._session = checks.session
        #: The rows, persisted, if they had to be sorted.
        self._cached: DataFrame | None = None
        #: Whether a task can have several splits, so that the workers read `ARRIVAL_KEY`.
        self._has_splits = False
        rows = self._number_rows(arrived)
        if ingress.constrained:
            rows = checks.judged(rows, _BROKEN)
        self._frame = rows.frame.withColumn(FAULT, self._fault())

    def filter_rows(self) -> Filtered | None:
        """The accepted and dropped rows; one pass in the usual case.

        None if a record is in doubt.
        """
        found: Filtered | None = None
        try:
            found = self._filter_rows()
            return found
        finally:
            if found is None and self._cached is not None:
                self._cached.unpersist()

    def _filter_rows(self) -> Filtered | None:
        """The result of `filter_rows`, which releases the persisted rows if this fails."""
        splits, orders = self._splits(), self._orders
        bad = any(each.faults for each in splits)
        if bad and self._in_doubt and not self._frame.filter(DOUBT).isEmpty():
            return None
        number = col(ARRIVAL) + shift(splits, self._ingress.arrived)
        total = sum(each.rows for each in splits)
        refused: list[Refusal] = []
        accepts_all = orders is not None and are_all_accepted(self._ingress, splits, orders)
        if orders is None or (len(orders) > 1 and not accepts_all):
            refused = self._judge_on_driver(number)
        else:
            if not accepts_all:
                refused = self._find_refused(splits, orders)
            advance_bounds(self._ingress, splits, orders)
            self._ingress.arrived += total
        rows = self._store(number, refused, total)
        rows.least = None if orders is None else least_time(self._ingress, splits)
        return Filtered(rows, refused)

    # --- queries --------------------------------------------------------------------------------

    def _number_rows(self, arrived: RowBuffer) -> Relation:
        """The rows, numbered by task; rows that arrive in another order are sorted and persisted.

        Sets ``_has_splits``.  If all rows are from one file, or are sorted, each task has one
        split, and the splits are in the order of the tasks.
        """
        rows = arrived.relation(self._session)
        if rows.order[0].column == ARRIVAL_KEY:
            self._has_splits = len(rows.frame.inputFiles()) != 1
            return rows
        frame = arrived.in_order(self._session, *([DOUBT] if self._in_doubt else ()))
        frame = frame.withColumn(ARRIVAL, F.monotonically_increasing_id()).persist()
        self._cached = frame
        return Relation(frame, rows.types, NUMBERED)

    def _fault(self) -> Column:
        """For each row the code of the first fault that `Ingress.judge` would find in it, or 0."""
        fault = F.lit(0)
        # Each WHEN is tested before the earlier ones, so the first fault is added last.
        for i, place in reversed(list(enumerate(self._places))):
            column = col(column_name(place))
            if self._types[place].kind in FLOATS:
                fault = F.when(F.isnan(column), _CHECK + 2 * i + 2).otherwise(fault)
            fault = F.when(column.isNull(), _CHECK + 2 * i + 1).otherwise(fault)
        if self._ingress.constrained:
            fault = F.when(col(_BROKEN), _CHECK).otherwise(fault)
        if self._in_doubt:
            fault = F.when(col(DOUBT), _NO_ROW).otherwise(fault)
        return fault.cast("int")

    def _checked_columns(self, *more: Column) -> DataFrame:
        """The columns that a pass over all rows reads.

        They are the split, if a task can have several; the ordered columns, or a constant if there
        are none; and ``more``.  The first ordered column is NULL in a bad row.
        """
        columns: list[Column] = [F.xxhash64(ARRIVAL_KEY).alias(SPLIT)] if self._has_splits else []
        values = [
            col(column_name(place)).cast(
                "double" if self._types[place].kind in FLOATS else "bigint"
            )
            for place in (self._places if self._orders is not None else ())
        ] or [F.lit(0).cast("bigint")]
        values[0] = F.when(col(FAULT) == 0, values[0])
        named = [each.alias(f"v{i}") for i, each in enumerate(values)]
        return self._frame.select(*columns, *named, *more)

    def _splits(self) -> list[Split]:
        """The splits, in the order in which they have arrived."""
        orders = self._orders or []
        if can_be_sorted(orders, [self._types[place].kind for place in self._places]):
            numbered = self._checked_columns(col(ARRIVAL))
            order = orders[0] if orders else None
            found = sorted_splits(numbered, order, has_split=self._has_splits)
        else:
            summarize = partial(summarize_splits, orders, self._has_splits)
            summed = self._checked_columns().mapInArrow(summarize, SUMMED).collect()
            found = [read_split(row[0]) for row in summed]
        arrival_key: dict[int, tuple[object, ...]] = {}
        if len({each.key for each in found}) > 1:
            # The key is read from the first row of each split, because grouping by it costs more.
            begins = self._frame.filter(col(ARRIVAL).isin([each.first for each in found]))
            arrival_key = {
                row[0]: tuple(row[1]) for row in begins.select(ARRIVAL, ARRIVAL_KEY).collect()
            }
        return sorted(found, key=lambda each: (arrival_key.get(each.first, ()), each.first))

    def _find_refused(self, splits: Sequence[Split], orders: Sequence[Order]) -> list[Refusal]:
        """The dropped rows, by place, if at most one column is ordered."""
        order = orders[0] if orders else None
        bound, strict = None, False
        if order is not None:
            bound, strict = bound_before(self._ingress, self._places[0], order)
        find = partial(
            find_late_rows, order, bound, strict, greatest_before_splits(splits), self._has_splits
        )
        rows = self._checked_columns(col(FAULT)).mapInArrow(find, LATE_ROWS)
        found = list(collected(rows, _LATE_ROW))
        firsts = sorted(
            (each.first, place) for each, place in places_of(splits, self._ingress.arrived)
        )
        # A row's place among all arrived rows follows from the first row of its split.
        refused: list[Refusal] = []
        for number, fault in found:
            assert isinstance(number, int), "a place"
            assert isinstance(fault, int), "a fault"
            first, place = firsts[bisect_right(firsts, (number, _NO_MORE)) - 1]
            refused.append(self._refusal(place + number - first, fault))
        return sorted(refused, key=lambda each: each.place)

    def _judge_on_driver(self, number: Column) -> list[Refusal]:
        """The dropped rows, by place, as `Ingress.judge` decides; the bounds advance.

        ``number`` is the place of a row among all arrived rows.
        """
        columns = [col(column_name(place)) for place in self._places]
        numbered = self._frame.select(FAULT, number.alias(ARRIVAL), *columns)
        rows = numbered.orderBy(ARRIVAL).drop(ARRIVAL)
        types = (INTEGER, *(self._types[place] for place in self._places))
        whole: list[Value] = [0] * len(self._types)  # columns that are not read are not NULL
        refused: list[Refusal] = []
        found = collected(rows, types)
        while chunk := list(islice(found, CHUNK)):
            judged: list[Row] = []
            for _, *values in chunk:
                for place, value in zip(self._places, values, strict=True):
                    whole[place] = value
                judged.append(tuple(whole))
            is_checked = [fault != _CHECK for fault, *_ in chunk]
            refused += self._ingress.judge(judged, partial(_known, is_checked))[1]
        return refused

    # --- verdicts -------------------------------------------------------------------------------

    def _refusal(self, place: int, fault: int) -> Refusal:
        """The refusal of the row at ``place`` for a fault, which is not 0 and not `_NO_ROW`."""
        if fault == LATE_ROW:
            return Refusal(place, LATE, below_bound_in(self._name(0)))
        if fault == _CHECK:
            return Refusal(place, Code.BAD_ROW, CHECK_FALSE)
        i, is_nan = divmod(fault - _CHECK - 1, 2)
        reason = nan_in(self._name(i)) if is_nan else null_in(self._name(i))
        return Refusal(place, Code.BAD_ROW, reason)

    def _name(self, i: int) -> str:
        """The name of the i-th ordered column."""
        return self._ingress.relation.columns[self._places[i]].name

    def _store(self, number: Column, refused: Sequence[Refusal], total: int) -> RowBuffer:
        """The accepted rows of a frame of ``total`` rows.

        ``number`` is the place of a row among all arrived rows.
        """
        columns = cols(column_name(i) for i in range(len(self._types)))
        rows = self._frame.select(*columns, number.alias(ARRIVAL))
        if refused:
            numbers = frame_of(self._session, (BIGINT,), [(each.place,) for each in refused])
            lost = F.broadcast(numbers.select(col(column_name(0)).alias(ARRIVAL)))
            rows = rows.join(lost, ARRIVAL, "left_anti").select(*columns, ARRIVAL)
        return RowBuffer.of_frame(
            rows,
            self._types,
            count=total - len(refused),
            numbers=self._ingress.arrived,
            cached=self._cached,
        )


def _known(is_checked: Sequence[bool], _: object) -> Sequence[bool]:
    """Whether each row passes the CHECKs, which Spark has computed before."""
    return is_checked
