"""Aggregate functions as columns of Spark, exact where Spark would round in between (S-203)."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final, Protocol

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateCall, AggregateFunction, Op, SortKey, WindowCall
from algebra.types import APPROXIMATE, BIGINT, INTERVAL, Kind, Type, decimal
from spark_backend.columns.arithmetic import decimal_arithmetic, mean
from spark_backend.columns.logic import all_of
from spark_backend.columns.text import of_bounded_length
from spark_backend.exact.exact_states import exact_state, exact_value, is_state
from spark_backend.exact.exact_statistics import PAIRED, STATISTICS, between
from spark_backend.exact.exact_sums import SUMS
from spark_backend.exact.partial_sums import Merge, Stages
from spark_backend.exact.wide_sums import needs_wide_sum, wide_total, wide_total_of
from spark_backend.types import interval_in_range, type_name


class Over(Protocol):
    """The place where an aggregate is evaluated: `in_group`, in a window, or in parts of a group.

    ``merge`` aggregates the results of the parts of a group; None if they cannot be merged.
    """

    def __call__(self, column: Column, merge: Merge | None = None) -> Column:
        """The value of the aggregate ``column`` in this place."""
        ...


#: The functions whose value for a group follows from their values for the parts of the group.
_MERGED: Final = SUMS | {
    AggregateFunction.COUNT,
    AggregateFunction.MIN,
    AggregateFunction.MAX,
    AggregateFunction.EVERY,
    AggregateFunction.SOME,
    AggregateFunction.LITERAL_AGG,
}


def in_group(column: Column, merge: Merge | None = None) -> Column:  # noqa: ARG001  as in `Over`
    """The aggregate of a group: the column itself."""
    return column


def is_rounded(call: AggregateCall | WindowCall) -> bool:
    """Whether Spark's own aggregate does not suffice.

    It rounds in between in a sum of DOUBLEs and in a statistic, and it has no states (`is_state`).
    """
    if call.function in STATISTICS or is_state(call.function, call.type):
        return True
    return call.function in SUMS and _is_approximate(call)


def is_merged(call: AggregateCall) -> bool:
    """Whether the aggregate of a group can be merged from those of its parts.

    Of the states (`is_state`), `Stages` merges only those of DOUBLEs.
    """
    if is_state(call.function, call.type) and not _is_approximate(call):
        return False
    return call.function in _MERGED and not call.distinct


def _is_approximate(call: AggregateCall | WindowCall) -> bool:
    """Whether the first argument is a REAL or DOUBLE."""
    return bool(call.arguments) and call.arguments[0].type.kind in APPROXIMATE


def aggregated(
    function: AggregateFunction,
    arguments: Sequence[Column],
    types: Sequence[Type],
    to: Type,
    *,
    distinct: bool,
    over: Over,
    stages: Stages | None = None,
    place: Column | None = None,
    order: Sequence[SortKey] = (),
) -> Column:
    """The aggregate of ``arguments``, which are NULL in rows that do not count.

    ``types`` are the types of the arguments, and ``to`` is that of the result.  COUNT(*) takes an
    argument that is not NULL in the rows that count.  ``over`` evaluates an aggregate in the group
    or window.  ``stages``: the two stages in which sums of DOUBLEs are computed; None: their values
    are gathered, as those of statistics always are.  ``place`` is the column that orders the texts
    of LISTAGG; other functions do not read it.  ``order`` has WITHIN GROUP's keys; a percentile has
    one key.
    """
    if is_state(function, to):
        if stages is not None:
            return stages.state_of(arguments[0], function)
        exact = [
            each.cast("double") if type.kind in APPROXIMATE else each
            for each, type in zip(arguments, types, strict=True)
        ]
        return exact_state(function, over(_rows(exact)))
    gather = F.collect_set if distinct else F.collect_list
    if function in STATISTICS or (function in SUMS and types[0].kind in APPROXIMATE):
        if stages is not None and function in SUMS and not distinct:
            return stages.sum_of(arguments[0], function)
        values = _rows(arguments) if function in PAIRED else gather(arguments[0])
        return exact_value(function, over(values))
    match function:
        case AggregateFunction.COUNT:
            if distinct:
                return over(F.count_distinct(*arguments))
            return over(F.count(_all_known(arguments)), _merged_count)
        case AggregateFunction.SUM:
            return _sum(arguments[0], types[0], to, distinct=distinct, over=over)
        case AggregateFunction.AVG:
            return _avg(arguments[0], types[0], to, distinct=distinct, over=over)
        case AggregateFunction.MIN:
            return over(F.min(arguments[0]), F.min)
        case AggregateFunction.MAX:
            return over(F.max(arguments[0]), F.max)
        case AggregateFunction.ANY_VALUE:
            return over(F.first(arguments[0], ignorenulls=True))
        case AggregateFunction.EVERY:
            return over(F.bool_and(arguments[0]), F.bool_and)
        case AggregateFunction.SOME:
            return over(F.bool_or(arguments[0]), F.bool_or)
        case AggregateFunction.MEDIAN:
            values = F.sort_array(over(gather(arguments[0])))
            return _interpolated_at(values, F.lit(Decimal("0.5")))
        case AggregateFunction.LISTAGG:
            assert place is not None, "LISTAGG has an order"
            return _listed(arguments[0], arguments[1], place, distinct=distinct, over=over)
        case AggregateFunction.PERCENTILE_CONT | AggregateFunction.PERCENTILE_DISC:
            return _percentile(function, arguments, order, over)
        case (
            AggregateFunction.STDDEV_POP
            | AggregateFunction.STDDEV_SAMP
            | AggregateFunction.VAR_POP
            | AggregateFunction.VAR_SAMP
            | AggregateFunction.COVAR_POP
            | AggregateFunction.COVAR_SAMP
            | AggregateFunction.CORR
        ):
            raise AssertionError("statistics are exact and rounded once")
        case AggregateFunction.LITERAL_AGG:
            raise AssertionError("a constant of the grouping set is not an aggregate of rows")


def _merged_count(counts: Column) -> Column:
    """The count of a group, merged from the counts of its parts; 0 without parts."""
    return F.coalesce(F.sum(counts), F.lit(0))


def _rows(arguments: Sequence[Column]) -> Column:
    """An array of the rows, as structs, that have no NULL."""
    known = all_of(each.isNotNull() for each in arguments)
    return F.collect_list(F.when(known, F.struct(*arguments)))


def _all_known(arguments: Sequence[Column]) -> Column:
    """A column that is NULL in the rows in which an argument is NULL."""
    if len(arguments) == 1:
        return arguments[0]
    return F.when(all_of(each.isNotNull() for each in arguments), F.lit(1))


def _sum(value: Column, of: Type, to: Type, *, distinct: bool, over: Over) -> Column:
    """SUM of exact numbers; only the result can overflow: the running sum has a wider type."""
    assert of.kind not in APPROXIMATE, "sums of DOUBLEs are exact and rounded once"
    added = F.sum_distinct if distinct else F.sum
    if needs_wide_sum(of):
        return _wide(value, of, to, distinct=distinct, over=over)
    if of.kind is Kind.DECIMAL:
        return over(added(value.cast(type_name(decimal(38, of.scale)))), F.sum)
    if of.kind is Kind.BIGINT or of.kind in INTERVAL:
        total = over(added(value.cast("decimal(38,0)")), F.sum).cast("bigint")
        return interval_in_range(total, to) if of.kind in INTERVAL else total
    return over(added(value.cast("bigint")), F.sum).cast(type_name(to))


def _avg(value: Column, of: Type, to: Type, *, distinct: bool, over: Over) -> Column:
    """AVG of exact numbers: sum / count, rounded once; NULL without rows."""
    if needs_wide_sum(of):
        return _wide(value, of, to, distinct=distinct, over=over, average=True)
    counted = over(F.count_distinct(value)) if distinct else over(F.count(value), _merged_count)
    if of.kind is Kind.DECIMAL:
        whole = decimal(38, of.scale)
        total = _sum(value, of, whole, distinct=distinct, over=over)
        count = F.when(counted > 0, counted)
        return decimal_arithmetic(Op.DIVIDE, total, count, (whole, BIGINT), to)
    # SUM's BIGINT could overflow where the average does not.
    total = over((F.sum_distinct if distinct else F.sum)(value.cast("decimal(38,0)")), F.sum)
    return mean(total, counted)


def _wide(
    value: Column, of: Type, to: Type, *, distinct: bool, over: Over, average: bool = False
) -> Column:
    """SUM or AVG of DECIMALs whose partial sums could overflow in Spark's own aggregate."""
    if distinct:
        return wide_total_of(over(F.collect_set(value)), of, to, average=average)
    count = over(F.count(value), _merged_count) if average else None
    return wide_total(value, of, to, lambda each: over(F.sum(each), F.sum), count)


def _listed(
    text: Column, separator: Column, place: Column, *, distinct: bool, over: Over
) -> Column:
    """The texts, in the order of ``place``, joined with the separator; NULL without texts."""
    item = F.when(text.isNotNull(), F.struct(place.alias("n"), text.alias("v")))
    texts = F.transform(F.sort_array(over(F.collect_list(item))), lambda each: each["v"])
    texts = F.array_distinct(texts) if distinct else texts
    separators = over(F.max(separator))  # it is the same in all rows
    listed = of_bounded_length(F.call_function("array_join", texts, separators))
    return F.when(F.size(texts) > 0, listed)


def _percentile(
    function: AggregateFunction, arguments: Sequence[Column], order: Sequence[SortKey], over: Over
) -> Column:
    """The value at a fraction of the order: interpolated, or the first that reaches the fraction.

    The first argument is the fraction, NULL in rows that do not count; the last the sort key.
    """
    fraction, value = over(F.max(arguments[0])), arguments[-1]
    (key,) = order
    values = F.sort_array(over(F.collect_list(value)), asc=not key.descending)
    # The fraction becomes the decimal number that it prints as: its product with the size is exact.
    fraction = fraction.cast("decimal(19,18)")
    if function is AggregateFunction.PERCENTILE_DISC:
        reached = F.greatest(F.ceil(fraction * F.size(values)), F.lit(1)).cast("int")
        return F.get(values, reached - 1)
    return _interpolated_at(values, fraction)


def _interpolated_at(values: Column, fraction: Column) -> Column:
    """The DOUBLE at a fraction (a DECIMAL, 0 to 1) of a sorted array, interpolated."""
    place = fraction * (F.size(values) - 1)
    low, high = F.floor(place).cast("int"), F.ceil(place).cast("int")
    return between(F.get(values, low), F.get(values, high), place - low)
