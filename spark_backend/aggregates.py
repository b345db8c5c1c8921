"""Aggregates as Spark computes them (S-203)."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction, Op, SortKey
from algebra.types import APPROXIMATE, BIGINT, INTEGERS, INTERVAL, Kind, Type, decimal
from spark_backend.arithmetic import decimal_arithmetic
from spark_backend.exact_sums import exact_average, exact_sum
from spark_backend.logic import all_of
from spark_backend.types import spark_type

#: What makes an aggregate of Spark's a value: itself in a group, ``.over(…)`` in a window.
Over: TypeAlias = Callable[[Column], Column]


#: What is rounded once, of all its values.
_SUMS: Final = {AggregateFunction.SUM: exact_sum, AggregateFunction.AVG: exact_average}


def in_group(column: Column) -> Column:
    """An aggregate as it stands in a group."""
    return column


def aggregated(
    function: AggregateFunction,
    arguments: Sequence[Column],
    types: Sequence[Type],
    to: Type,
    *,
    distinct: bool,
    over: Over,
    exact: bool,
    place: Column | None = None,
    order: Sequence[SortKey] = (),
) -> Column:
    """The aggregate of columns in which the rows that do not count are NULL.

    A COUNT without arguments takes one that is not NULL in the rows that count.  ``exact``: sums
    and averages of REAL and DOUBLE are the correctly rounded ones (`spark_backend.exact_sums`);
    else Spark's own, whose last digits depend on the order in which it adds.  ``place``: what
    orders the texts of a LISTAGG; ``order``: WITHIN GROUP's, whose one key a percentile is of.
    """
    if exact and types and types[0].kind in APPROXIMATE and function in _SUMS:
        values = F.collect_set(arguments[0]) if distinct else F.collect_list(arguments[0])
        return _SUMS[function](over(values))
    match function:
        case AggregateFunction.COUNT:
            counted = F.count_distinct(*arguments) if distinct else F.count(_all_known(arguments))
            return over(counted)
        case AggregateFunction.SUM:
            return _sum(arguments[0], types[0], to, distinct=distinct, over=over)
        case AggregateFunction.AVG:
            return _avg(arguments[0], types[0], to, distinct=distinct, over=over)
        case AggregateFunction.MIN:
            return over(F.min(arguments[0]))
        case AggregateFunction.MAX:
            return over(F.max(arguments[0]))
        case AggregateFunction.ANY_VALUE:
            return over(F.first(arguments[0], ignorenulls=True))
        case AggregateFunction.EVERY:
            return over(F.bool_and(arguments[0]))
        case AggregateFunction.SOME:
            return over(F.bool_or(arguments[0]))
        case AggregateFunction.MEDIAN:
            if distinct:
                return _median(over(F.collect_set(arguments[0])))
            return over(F.median(arguments[0].cast("double")))
        case (
            AggregateFunction.STDDEV_POP
            | AggregateFunction.STDDEV_SAMP
            | AggregateFunction.VAR_POP
            | AggregateFunction.VAR_SAMP
        ):
            return _spread(function, arguments[0].cast("double"), distinct=distinct, over=over)
        case AggregateFunction.COVAR_POP:
            return over(F.covar_pop(*_doubles(arguments)))
        case AggregateFunction.COVAR_SAMP:
            return over(F.covar_samp(*_doubles(arguments)))
        case AggregateFunction.CORR:
            return over(F.corr(*_doubles(arguments)))
        case AggregateFunction.LISTAGG:
            assert place is not None, "texts are listed in an order"
            return _listed(arguments[0], arguments[1], place, distinct=distinct, over=over)
        case AggregateFunction.PERCENTILE_CONT | AggregateFunction.PERCENTILE_DISC:
            return _percentile(function, arguments, order, over)
        case AggregateFunction.LITERAL_AGG:
            raise AssertionError("a constant of the grouping set is no aggregate of rows")


def _all_known(arguments: Sequence[Column]) -> Column:
    """Something that is NULL where one of the arguments is."""
    if len(arguments) == 1:
        return arguments[0]
    return F.when(all_of(each.isNotNull() for each in arguments), F.lit(1))


def _sum(value: Column, of: Type, to: Type, *, distinct: bool, over: Over) -> Column:
    """SUM, in a type wide enough for every partial sum: only the result can overflow."""
    added = F.sum_distinct if distinct else F.sum
    if of.kind is Kind.DECIMAL:
        return over(added(value.cast(spark_type(decimal(38, of.scale)))))
    if of.kind is Kind.BIGINT or of.kind in INTERVAL:
        return over(added(value.cast("decimal(38,0)"))).cast("bigint")
    return over(added(value.cast("double" if of.kind not in INTEGERS else "bigint"))).cast(
        spark_type(to)
    )


def _avg(value: Column, of: Type, to: Type, *, distinct: bool, over: Over) -> Column:
    """AVG: the exact sum by the count, rounded once; NULL over nothing."""
    counted = over(F.count_distinct(value) if distinct else F.count(value))
    if of.kind is Kind.DECIMAL:
        whole = decimal(38, of.scale)
        total = _sum(value, of, whole, distinct=distinct, over=over)
        count = F.when(counted > 0, counted)
        return decimal_arithmetic(Op.DIVIDE, total, count, (whole, BIGINT), to)
    if of.kind is Kind.BIGINT:
        # Not by way of SUM's BIGINT, which could overflow where the average does not.
        total = over((F.sum_distinct if distinct else F.sum)(value.cast("decimal(38,0)")))
    else:
        total = _sum(value, of, Type(Kind.DOUBLE), distinct=distinct, over=over)
    return F.when(counted > 0, total.cast("double") / counted.cast("double"))


def _spread(function: AggregateFunction, value: Column, *, distinct: bool, over: Over) -> Column:
    if not distinct:
        return over(
            {
                AggregateFunction.STDDEV_POP: F.stddev_pop,
                AggregateFunction.STDDEV_SAMP: F.stddev_samp,
                AggregateFunction.VAR_POP: F.var_pop,
                AggregateFunction.VAR_SAMP: F.var_samp,
            }[function](value)
        )
    values = over(F.collect_set(value))
    size = F.size(values).cast("double")
    mean = F.aggregate(values, F.lit(0.0), lambda a, x: a + x) / size
    squares = F.aggregate(values, F.lit(0.0), lambda a, x: a + (x - mean) * (x - mean))
    sample = function in (AggregateFunction.STDDEV_SAMP, AggregateFunction.VAR_SAMP)
    divisor = size - F.lit(1.0) if sample else size
    variance = F.when(divisor > 0, squares / divisor)
    root = function in (AggregateFunction.STDDEV_POP, AggregateFunction.STDDEV_SAMP)
    return F.sqrt(variance) if root else variance


def _doubles(arguments: Sequence[Column]) -> list[Column]:
    return [each.cast("double") for each in arguments]


def _listed(
    text: Column, separator: Column, place: Column, *, distinct: bool, over: Over
) -> Column:
    """The texts in order, the separator between them; NULL where there is none."""
    item = F.when(text.isNotNull(), F.struct(place.alias("n"), text.alias("v")))
    texts = F.transform(F.sort_array(over(F.collect_list(item))), lambda each: each["v"])
    texts = F.array_distinct(texts) if distinct else texts
    between = over(F.max(separator))
    return F.when(F.size(texts) > 0, F.call_function("array_join", texts, between))


def _percentile(
    function: AggregateFunction, arguments: Sequence[Column], order: Sequence[SortKey], over: Over
) -> Column:
    """The value at a fraction of the order: interpolated, or the first that reaches it.

    The last argument is the sort key's value; the fraction is NULL in the rows that do not count.
    """
    fraction, value = over(F.max(arguments[0])), arguments[-1]
    (key,) = order
    values = F.sort_array(over(F.collect_list(value)), asc=not key.descending)
    size = F.size(values)
    if function is AggregateFunction.PERCENTILE_DISC:
        reached = F.greatest(F.ceil(fraction * size), F.lit(1)).cast("int")
        return F.get(values, reached - 1)
    at = fraction.cast("double") * (size - 1)
    low, high = F.floor(at).cast("int"), F.ceil(at).cast("int")
    below, above = (F.get(values, each).cast("double") for each in (low, high))
    return below + (above - below) * (at - low)


def _median(values: Column) -> Column:
    """The median of an array without NULLs; NULL of an empty one."""
    ordered = F.sort_array(F.transform(values, lambda x: x.cast("double")))
    size = F.size(ordered)
    low = F.element_at(ordered, ((size + 1) / 2).cast("int"))
    high = F.element_at(ordered, (size / 2).cast("int") + 1)
    return F.when(size > 0, (low + high) / 2)
