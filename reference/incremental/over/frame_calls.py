"""The choice of the class that computes a call of OVER (S-203, S-505).

A *column* is an object that computes one call for the rows of one partition.  The cost of a row
does not grow with its frame for COUNT, SUM, AVG, MIN, MAX, EVERY, SOME, ANY_VALUE, the variances,
COVAR and CORR, the first, last and n-th value, LAG and LEAD, ranks and NTILE, also with DISTINCT.
For MEDIAN a sorted list of the frame is kept.  LISTAGG and the percentiles visit the whole frame,
and so do DISTINCT and MEDIAN if EXCLUDE splits the frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.expression import AggregateFunction, SortKey, Value, WindowCall, WindowFunction
from reference.environment import Environment
from reference.incremental.over import frame_aggregates as sliding
from reference.incremental.over import frame_statistics as statistics
from reference.incremental.over import frame_values as values
from reference.incremental.over.frame_aggregates import P, Total
from reference.incremental.over.frame_median import Median, median
from reference.incremental.over.frame_neighbours import neighbour_column
from reference.incremental.over.frame_partition import FramePart, Partition
from reference.incremental.over.frame_places import place_column
from reference.incremental.over.frame_reading import arguments_read, constant, value_read
from reference.incremental.over.frame_span import NewColumn, NewPart, accumulated
from reference.incremental.over.frame_values import FirstValues, LastValue
from reference.relation import Row
from reference.relational.aggregates import Aggregation, aggregation
from reference.scalar.expression import meaning_of
from reference.scalar.sums import new_sum

#: The aggregates that DISTINCT does not change.
_UNCHANGED: Final = frozenset({
    AggregateFunction.MIN, AggregateFunction.MAX, AggregateFunction.ANY_VALUE,
    AggregateFunction.EVERY, AggregateFunction.SOME,
})  # fmt: skip


def column_of(call: WindowCall, grows: Sequence[bool], env: Environment) -> NewColumn:
    """The function that makes the column of ``call`` for a partition.

    ``grows`` has for each part of its frames whether the part only grows.
    """
    match call.function:
        case AggregateFunction():
            return _aggregate(call, grows, env)
        case WindowFunction.FIRST_VALUE:
            read = value_read(call, env)
            return accumulated(FirstValues, values.first, read, grows, lambda: FirstValues(1))
        case WindowFunction.LAST_VALUE:
            return accumulated(LastValue, values.last, value_read(call, env), grows)
        case WindowFunction.NTH_VALUE:
            total = values.nth(meaning_of(call.arguments[1], env), call.function)
            most = constant(call.arguments[1])
            return accumulated(
                FirstValues, total, value_read(call, env), grows, lambda: FirstValues(most)
            )
        case WindowFunction.LAG | WindowFunction.LEAD:
            return neighbour_column(call, env)
        case _:
            return place_column(call, env)


def _aggregate(call: WindowCall, grows: Sequence[bool], env: Environment) -> NewColumn:
    """The function that makes an aggregate's column for a partition."""
    function, read = call.function, arguments_read(call, env)
    assert isinstance(function, AggregateFunction), function
    distinct = call.distinct and function not in _UNCHANGED

    def of(fresh: NewPart[P], total: Total[P], growing: NewPart[P] | None = None) -> NewColumn:
        """The function that makes a column: ``fresh`` makes its parts, ``total`` its value.

        ``growing``, if it is not None, makes the parts that only grow.
        """
        if not distinct:
            return accumulated(fresh, total, read, grows, growing)
        # Distinct arguments are removed in another order than they were added; no aggregate here
        # depends on the order.
        return accumulated(
            lambda: sliding.Distinct(fresh()), sliding.distinct(fresh, total), read, grows
        )

    match function:
        case AggregateFunction.COUNT:
            return of(sliding.Counted, sliding.counted)
        case AggregateFunction.SUM | AggregateFunction.AVG:
            new = new_sum(call.arguments[0].type, call.type)
            total = sliding.summed(function is AggregateFunction.AVG)
            return of(lambda: sliding.Summed(new()), total)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            sign = 1 if function is AggregateFunction.MIN else -1
            return of(
                lambda: sliding.Extreme(sign, grows=False),
                sliding.extreme(sign),
                lambda: sliding.Extreme(sign, grows=True),
            )
        case AggregateFunction.ANY_VALUE:
            return of(FirstValues, values.first, lambda: FirstValues(1))
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            every = function is AggregateFunction.EVERY
            truth = sliding.every_true if every else sliding.some_true
            return of(sliding.Truths, truth)
        case (
            AggregateFunction.VAR_POP
            | AggregateFunction.VAR_SAMP
            | AggregateFunction.STDDEV_POP
            | AggregateFunction.STDDEV_SAMP
            | AggregateFunction.COVAR_POP
            | AggregateFunction.COVAR_SAMP
        ):
            return of(statistics.FrameMoments, statistics.spread(function))
        case AggregateFunction.CORR:
            return of(statistics.FrameMoments, statistics.correlated)
        case AggregateFunction.MEDIAN:
            ascending = SortKey(call.arguments[0], descending=False, nulls_first=False)
            return of(lambda: Median(ascending), median(call.type))
        case (
            AggregateFunction.LISTAGG
            | AggregateFunction.PERCENTILE_CONT
            | AggregateFunction.PERCENTILE_DISC
            | AggregateFunction.LITERAL_AGG
        ):
            over = aggregation(call, env)
            return lambda: Whole(over)


@dataclass(frozen=True, slots=True)
class Whole:
    """The column of an aggregate that is computed from all rows of each frame."""

    over: Aggregation

    def value(self, partition: Partition, _at: int, parts: list[FramePart]) -> Value:
        """The aggregate over the rows of ``parts``."""
        members = partition.members
        return self.over(
            [members[place].pending.row for low, high in parts for place in range(low, high)]
        )

    def needs(self, _partition: Partition) -> int:
        """The place 0, because frames may need all rows."""
        return 0

    def retained(self) -> list[Row]:
        """No values besides the rows of the partition."""
        return []
