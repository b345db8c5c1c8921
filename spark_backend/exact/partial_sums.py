"""Exact sums of DOUBLEs over many rows, in two stages, rounded only once (S-203).

A DOUBLE is a whole multiple of a unit that depends only on the size of the DOUBLE, its *scale*;
there are 133 scales.  The multiple is split into three integers of at most 27 bits, so that their
sums fit in a BIGINT.  Spark adds the integers for each group and scale.  These sums are exact, and
few rows are left to shuffle.  Python adds the few sums of each group.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction
from spark_backend.exact.exact_states import State
from spark_backend.made_once import col

#: How many powers of 2 share a scale.
_BITS: Final = 16
#: The least and greatest scale: of the DOUBLE 2^-1074, and of 2^1024, to which log2 may round up.
_LEAST: Final = -68
_MOST: Final = 64
#: A value of scale s, times 2^(-16 s), is a whole multiple of 2^-53, and less than 2^17.
_DIGITS: Final = 53
#: The number of bits after the point that the second integer has; the third one has the others.
_MIDDLE: Final = 27
#: The scales of NaN and of the infinities.
_NAN: Final = 1001
_INFINITY: Final = 1002
_NEGATIVE_INFINITY: Final = 1003

_SPECIAL: Final = {_NAN: math.nan, _INFINITY: math.inf, _NEGATIVE_INFINITY: -math.inf}

#: A scale, the number of values, and the sums of their three whole numbers.
Partial: TypeAlias = tuple[int, int, int, int, int]
#: A function from a column with the aggregates of a group's parts to the aggregate of the group.
Merge: TypeAlias = Callable[[Column], Column]


@dataclass(slots=True)
class Stages:
    """The two stages of an aggregation: first the parts of each group, then the groups.

    ``fresh`` returns a new name of a column, which begins with the given letter.  ``columns``:
    columns that the first stage needs, to be added step by step.  ``keys``: those of them that
    divide a group into parts.  ``partials``: the aggregates of a part.
    """

    fresh: Callable[[str], str]
    columns: list[dict[str, Column]] = field(default_factory=list[dict[str, Column]])
    keys: list[str] = field(default_factory=list[str])
    partials: dict[str, Column] = field(default_factory=dict[str, Column])

    def over(self, column: Column, merge: Merge | None = None) -> Column:
        """The aggregate of the group, merged from those of its parts; an `aggregates.Over`."""
        assert merge is not None, "only mergeable aggregates are computed in stages"
        return merge(col(self._add_partial(column)))

    def sum_of(self, value: Column, function: AggregateFunction) -> Column:
        """The sum or average of a column of DOUBLEs."""
        merge_partials = partial(value_of_parts, function=function)
        return F.udf(merge_partials, "double", useArrow=False)(self._parts_of(value))

    def state_of(self, value: Column, function: AggregateFunction) -> Column:
        """The state of the sum or average of DOUBLEs (`spark_backend.exact.exact_states`)."""
        merge_partials = partial(state_of_parts, function=function)
        return F.udf(merge_partials, "binary", useArrow=False)(self._parts_of(value))

    def _parts_of(self, value: Column) -> Column:
        """The `Partial`s of a column of DOUBLEs, gathered for each group.

        ``scaled`` is a value in the unit of its scale.  It is split into three whole numbers:
        ``upper`` before the point, ``middle`` (the first 27 bits after it) and ``last`` (the other
        26 bits).
        """
        scale, scaled, upper, rest, middle = (self.fresh("t") for _ in range(5))
        value = value.cast("double")
        self.columns += [
            {scale: scale_of(value)},
            {scaled: scaled_by(value, col(scale))},
            {upper: F.floor(scaled), rest: col(scaled) - F.floor(scaled)},
            {middle: F.floor(col(rest) * F.lit(2.0**_MIDDLE))},
        ]
        rest_of_middle = col(rest) * F.lit(2.0**_MIDDLE) - col(middle)
        last = (rest_of_middle * F.lit(2.0 ** (_DIGITS - _MIDDLE))).cast("bigint")
        self.keys.append(scale)
        sums = [F.count(value), F.sum(upper), F.sum(middle), F.sum(last)]
        names = [self._add_partial(each) for each in sums]
        part = F.struct(scale, *names)
        return F.collect_list(F.when(col(scale).isNotNull(), part))

    def parts(self, rows: DataFrame, groups: Sequence[str]) -> DataFrame:
        """The first stage: a row for each part of each group, with its aggregates."""
        for step in self.columns:
            rows = rows.withColumns(step)
        values = [column.alias(name) for name, column in self.partials.items()]
        return rows.groupBy(*groups, *self.keys).agg(*values)

    def _add_partial(self, column: Column) -> str:
        """Add an aggregate that is computed for each part; return its name."""
        name = self.fresh("t")
        self.partials[name] = column
        return name


def scale_of(value: Column) -> Column:
    """The scale of a DOUBLE: n if its size is from 2^(16 n) to 2^(16 (n + 1)); NULL for NULL."""
    near = F.floor(F.log2(F.abs(value)) / F.lit(float(_BITS))).cast("int")
    return (
        F.when(F.isnan(value), F.lit(_NAN))
        .when(value == F.lit(math.inf), F.lit(_INFINITY))
        .when(value == F.lit(-math.inf), F.lit(_NEGATIVE_INFINITY))
        .when(value == F.lit(0.0), F.lit(0))
        .otherwise(near)
    )


def scaled_by(value: Column, scale: Column) -> Column:
    """The value times 2^(-16 scale), exactly; 0 for NaN and the infinities."""
    # The value is multiplied twice by the root of the factor, because 2^1088 is not a DOUBLE.
    roots = F.array(*(F.lit(2.0 ** (-_BITS // 2 * each)) for each in range(_LEAST, _MOST + 1)))
    root = F.get(roots, scale - F.lit(_LEAST))
    return F.when(scale <= F.lit(_MOST), value * root * root).otherwise(
        F.when(scale.isNotNull(), F.lit(0.0))
    )


def value_of_parts(parts: Sequence[Partial], function: AggregateFunction) -> float | None:
    """The sum or average of the values in these parts; None without parts."""
    return merge_partials(parts, function).value if parts else None


def state_of_parts(parts: Sequence[Partial], function: AggregateFunction) -> bytes | None:
    """The state of the sum or average of the values in these parts; None without parts."""
    return merge_partials(parts, function).encoded() if parts else None


def merge_partials(parts: Sequence[Partial], function: AggregateFunction) -> State:
    """The state of the sum or average of all values in these parts."""
    scales = {scale for scale, *_ in parts}
    special = sum((value for scale, value in _SPECIAL.items() if scale in scales), 0.0)
    # All scales are added in the unit of the least scale.
    whole = sum(
        ((upper << _DIGITS) + (middle << _DIGITS - _MIDDLE) + last) << _BITS * (scale - _LEAST)
        for scale, _, upper, middle, last in parts
        if scale not in _SPECIAL
    )
    count = sum(count for _, count, *_ in parts)
    units_in_one = 1 << _DIGITS - _BITS * _LEAST  # 2^(53 + 16 * 68)
    return State(function, count, special, units_in_one, (whole,))
