"""Sums and averages of DECIMALs that may need more than 38 digits on the way (S-203).

Spark's sum of DECIMALs has 38 digits, and fails at the first partial sum that has more, though the
total, or the average, would have fewer.  So a value is cut into two halves of 19 digits.  Spark
adds up each half separately.  Python joins the two sums, once for each group or frame.
"""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import partial
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.types import MAX_PRECISION, Kind, Type, decimal
from grammar.codes import Code
from spark_backend.runtime.failures import failure_text
from spark_backend.types import spark_type, type_name

#: How many digits a sum needs for the number of rows.
_ROWS: Final = 10
#: The digits of each half of a value.
_HALF: Final = MAX_PRECISION // 2
#: Enough digits for every sum here.
_EXACT: Final = Context(prec=4 * MAX_PRECISION)

#: A function that sums up a column, over a group, over a frame, or over the parts of a group.
SumOf = Callable[[Column], Column]


def needs_wide_sum(type: Type) -> bool:
    """Whether a sum of values of this type may need more than 38 digits on the way."""
    return type.kind is Kind.DECIMAL and type.precision > MAX_PRECISION - _ROWS


def wide_total(value: Column, of: Type, to: Type, sum_of: SumOf, count: Column | None) -> Column:
    """The sum of DECIMALs as one of ``to``, or its quotient by ``count``, rounded HALF_UP.

    NULL without values; OVERFLOW if the result is outside the range of ``to``.
    """
    upper, lower = _halves(value, of)
    joined = F.udf(partial(_joined, scale=of.scale, to=to), spark_type(to), useArrow=False)
    return joined(sum_of(upper), sum_of(lower), F.lit(1) if count is None else count)


def wide_total_of(values: Column, of: Type, to: Type, *, average: bool) -> Column:
    """The sum of an array of DECIMALs, or their ``average``, as `wide_total` would return it."""
    total = partial(_of_all, scale=of.scale, to=to, average=average)
    return F.udf(total, spark_type(to), useArrow=False)(values)


def _halves(value: Column, of: Type) -> tuple[Column, Column]:
    """The upper and the lower 19 digits of a value of 38 digits, as two DECIMALs.

    The upper half is a multiple of 10^(19 - scale).  If this is greater than 1, the half is divided
    by it.  So each half has at most 19 digits, and its sum has room for 19 more.
    """
    type = type_name(decimal(MAX_PRECISION, of.scale))
    whole = value.cast(type)
    lower = whole % F.lit(Decimal(1).scaleb(_HALF - of.scale))
    upper = whole - lower
    if of.scale < _HALF:
        upper = upper * F.lit(Decimal(1).scaleb(of.scale - _HALF))
    return upper.cast(type_name(decimal(MAX_PRECISION, _upper_scale(of.scale)))), lower.cast(type)


def _upper_scale(scale: int) -> int:
    """The scale of the upper half of a DECIMAL."""
    return max(scale - _HALF, 0)


def _joined(
    upper: Decimal | None, lower: Decimal | None, count: int, *, scale: int, to: Type
) -> Decimal | None:
    """The sums of both halves as one number, divided by ``count``; None without values."""
    if upper is None or lower is None:
        return None
    units = _units(upper, _upper_scale(scale)) * 10**_HALF + _units(lower, scale)
    return rounded(units, count * 10**scale, to)


def _of_all(
    values: Sequence[Decimal] | None, *, scale: int, to: Type, average: bool
) -> Decimal | None:
    """The sum or the average of all values; None without values."""
    if not values:
        return None
    units = sum(_units(each, scale) for each in values)
    return rounded(units, (len(values) if average else 1) * 10**scale, to)


def _units(value: Decimal, scale: int) -> int:
    """A DECIMAL as a whole number of units of its last digit."""
    return int(value.scaleb(scale, _EXACT))


def rounded(number: int, divisor: int, to: Type) -> Decimal:
    """``number / divisor`` as a DECIMAL, rounded once, HALF_UP.  Raises OVERFLOW.

    >>> rounded(-5, 4, decimal(3, 1))
    Decimal('-1.3')
    """
    whole = number * 10**to.scale
    size = (2 * abs(whole) + divisor) // (2 * divisor)
    if size >= 10**to.precision:
        message = failure_text(Code.OVERFLOW, "a sum is outside the range of its type")
        raise ArithmeticError(message)
    return Decimal(-size if whole < 0 else size).scaleb(-to.scale, _EXACT)
