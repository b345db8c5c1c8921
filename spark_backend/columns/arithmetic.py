"""Arithmetic as columns: exact for exact numbers, by IEEE 754 for approximate ones (S-202)."""

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from math import isfinite
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses
from pyspark.sql.types import DecimalType

from algebra.expression import Op
from algebra.functions.coerce import as_decimal
from algebra.functions.datetimes import MAX_MILLIS
from algebra.types import (
    APPROXIMATE,
    BIGINT,
    DOUBLE,
    INTEGERS,
    INTERVAL,
    MAX_PRECISION,
    Kind,
    Type,
    decimal,
)
from grammar.codes import Code
from spark_backend.columns.datetimes import long, quotient
from spark_backend.runtime.failures import fails, failure_text
from spark_backend.types import interval_in_range, spark_type, type_name

#: Every DOUBLE from this number on is whole; a BIGINT up to this number is exact as a DOUBLE.
_WHOLE_DOUBLES: Final = 2.0**53
#: The bits of a quotient before it is rounded to the 53 bits of a DOUBLE.
_QUOTIENT_BITS: Final = 60


def arithmetic(op: Op, a: Column, b: Column, types: tuple[Type, Type], to: Type) -> Column:
    """``a op b`` as a value of ``to``; ``types`` are the types of ``a`` and ``b``.

    Both are numbers or both are intervals, or ``a`` is an interval and ``b`` a number.  Raises
    OVERFLOW outside the range of ``to``; DIVISION_BY_ZERO for exact numbers only.
    """
    if types[0].kind in INTERVAL:
        result = _interval_arithmetic(op, a, b, types)
        return interval_in_range(result, to) if to.kind in INTERVAL else result
    if to.kind is Kind.DECIMAL or Kind.DECIMAL in (types[0].kind, types[1].kind):
        return decimal_arithmetic(op, a, b, types, to)
    if to.kind in APPROXIMATE:
        return _float_arithmetic(op, a, b, to)
    return _integer_arithmetic(op, a, b, types, to)


def _integer_arithmetic(op: Op, a: Column, b: Column, types: tuple[Type, Type], to: Type) -> Column:
    """Arithmetic of integers, in ``to``; MOD in the wider type of its operands, then cast."""
    wide = to if op is not Op.MOD else _wider(*types)
    x, y = a.cast(type_name(wide)), b.cast(type_name(wide))
    match op:
        case Op.PLUS:
            return x + y
        case Op.MINUS:
            return x - y
        case Op.TIMES:
            return x * y
        case Op.DIVIDE:
            # As BIGINT, because the least TINYINT / -1 must overflow only when it becomes a TINYINT
            # again.
            return quotient(a, b).cast(type_name(to))
        case _:
            return (x % y).cast(type_name(to))


def _wider(a: Type, b: Type) -> Type:
    """The integer type with the greater range."""
    order = (Kind.TINYINT, Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT)
    return max(a, b, key=lambda each: order.index(each.kind))


def _float_arithmetic(op: Op, a: Column, b: Column, to: Type) -> Column:
    """Arithmetic of REALs and DOUBLEs by IEEE 754; it raises no error."""
    match op:
        case Op.PLUS:
            return a + b
        case Op.MINUS:
            return a - b
        case Op.TIMES:
            return a * b
        case _:
            return _float_quotient(a, b).cast(type_name(to))


def _float_quotient(a: Column, b: Column) -> Column:
    """``a / b`` by IEEE 754: x / 0 is infinite, 0 / 0 is NaN; Spark would raise an error."""
    # Only the text of -0.0 shows its sign; for `=` and `<` it equals 0.0.
    minus_zero = b.cast("string").startswith("-")
    infinite = F.when((a > 0) != minus_zero, F.lit(float("inf"))).otherwise(F.lit(float("-inf")))
    undefined = (a == 0) | F.isnan(a)
    by_zero = F.when(undefined, F.lit(float("nan"))).otherwise(infinite)
    return F.when(a.isNull() | b.isNull(), F.lit(None)).when(b == 0, by_zero).otherwise(a / b)


def _interval_arithmetic(op: Op, a: Column, b: Column, types: tuple[Type, Type]) -> Column:
    """Arithmetic of intervals: whole milliseconds or months, truncated toward zero.

    The quotient of two intervals is a DOUBLE.  The range is not checked here.
    """
    match op:
        case Op.PLUS:
            return a + b
        case Op.MINUS:
            return a - b
        case Op.DIVIDE if types[1].kind in INTERVAL:
            zero = fails(Code.DIVISION_BY_ZERO, "division by zero", DOUBLE)
            return F.when(b == 0, zero).otherwise(quotient_of_wholes(a, b))
        case _ if types[1].kind in INTEGERS:
            return a * long(b) if op is Op.TIMES else quotient(a, b)
        case _ if types[1].kind in APPROXIMATE:
            exact = F.udf(_interval_operation(op), "bigint", useArrow=False)
            return exact(a, b.cast("double"))
        case _:
            whole = a.cast("decimal(19,0)")
            if _spark_multiplies(op, types[1]):
                return (whole * b).cast("bigint")
            return wide_decimal(op, whole, b, decimal(19, 0), ROUND_DOWN).cast("bigint")


# --- DECIMAL ----------------------------------------------------------------------------------


def decimal_arithmetic(op: Op, a: Column, b: Column, types: tuple[Type, Type], to: Type) -> Column:
    """``a op b`` exactly, rounded once, HALF_UP, to the scale of ``to``.

    Spark's own operators are used if their result is right for all values of these types: they are
    exact up to 39 digits, and choose the scale themselves.  In all other cases Python computes it.
    """
    left, right = as_decimal(types[0]), as_decimal(types[1])
    x, y = a.cast(type_name(left)), b.cast(type_name(right))
    if not _spark_computes(op, left, right, to):
        return wide_decimal(op, x, y, to)
    match op:
        case Op.PLUS:
            result = x + y
        case Op.MINUS:
            result = x - y
        case Op.TIMES:
            result = x * y
        case Op.DIVIDE:
            result = x / y
        case _:
            result = x % y
    return result.cast(type_name(to))


def is_in_python(op: Op, types: tuple[Type, Type], to: Type) -> bool:
    """Whether `arithmetic` lets Python compute the result."""
    if types[0].kind in INTERVAL:
        if types[1].kind in APPROXIMATE:
            return True
        return types[1].kind is Kind.DECIMAL and not _spark_multiplies(op, types[1])
    if Kind.DECIMAL not in (types[0].kind, types[1].kind, to.kind):
        return False
    return not _spark_computes(op, as_decimal(types[0]), as_decimal(types[1]), to)


def _spark_multiplies(op: Op, number: Type) -> bool:
    """Whether ``op`` is a product of an interval and a DECIMAL, and Spark's product is exact.

    Spark's product has the digits of both operands and one more, up to 38.  An interval has 19.
    """
    return op is Op.TIMES and number.precision < MAX_PRECISION - 19


def _spark_computes(op: Op, a: Type, b: Type, to: Type) -> bool:
    """Whether Spark's own result is right for all DECIMALs of these types."""
    match op:
        case Op.PLUS | Op.MINUS:
            return True
        case Op.TIMES:
            return a.scale + b.scale <= MAX_PRECISION
        case Op.DIVIDE:
            return _spark_divides(a, b, to)
        case _:
            return a.precision - a.scale + b.scale <= MAX_PRECISION


def _spark_divides(a: Type, b: Type, to: Type) -> bool:
    """Whether Spark's quotient has the scale of ``to`` and equals the quotient rounded once.

    Spark computes 39 places, and then rounds to ``scale`` places.  A tie is a number halfway
    between two results.  Rounding twice is wrong only for a quotient that is not a tie, but less
    than 10^-39 away from one.  No quotient is so near if ``scale`` plus the digits of the divisor
    are at most 38.
    """
    # Spark's own rule gives a quotient these digits before and after the point.
    whole, scale = a.precision - a.scale + b.scale, max(6, a.scale + b.precision + 1)
    return (
        whole + scale <= MAX_PRECISION
        and scale == to.scale
        and to.kind is Kind.DECIMAL
        and scale + b.precision <= MAX_PRECISION
    )


def quotient_of_wholes(a: Column, b: Column) -> Column:
    """``a / b`` of BIGINTs as a DOUBLE, rounded once; ``b`` is not 0."""
    near = a.cast("double") / b.cast("double")
    small = (F.abs(a) <= int(_WHOLE_DOUBLES)) & (F.abs(b) <= int(_WHOLE_DOUBLES))
    return F.when(small, near).otherwise(mean(a.cast("decimal(38,0)"), b))


def mean(total: Column, count: Column) -> Column:
    """``total / count`` of integers as a DOUBLE, rounded once; NULL if ``total`` is NULL.

    ``total`` is a DECIMAL(38, 0); ``count`` is 0 only if ``total`` is NULL.  Up to 2^53 both are
    DOUBLEs, and so one division of DOUBLEs rounds once.  A quotient of a greater number is computed
    as an integer of 60 bits, which is made odd if it is not exact.  So the integer is on the same
    side of each number halfway between two DOUBLEs as the quotient itself.
    """

    def divided(row: Column) -> Column:
        """The quotient of the fields ``total`` and ``count`` of a struct."""
        size, divisor = F.abs(row["total"]), F.abs(row["count"].cast("decimal(19,0)"))
        near = row["total"].cast("double") / row["count"].cast("double")
        bits = F.ceil(F.log2(F.abs(near)))
        # The quotient times 2^shift has 60 bits.  The factor is applied in two parts, because
        # 2^shift itself may exceed a BIGINT.
        shift = F.greatest(_QUOTIENT_BITS - bits, F.lit(0)).cast("int")
        half = F.shiftright(shift, 1)
        scaled = size * _power_of_two(half) * _power_of_two(shift - half)
        rest = scaled % divisor
        whole = (scaled - rest) / divisor
        odd = whole.cast("bigint").bitwiseOR(F.lit(1)).cast("double")
        rounded = F.when(rest == 0, whole.cast("double")).otherwise(odd)
        exact = F.signum(near) * rounded / F.pow(F.lit(2.0), shift)
        small = (size <= int(_WHOLE_DOUBLES)) & (divisor <= int(_WHOLE_DOUBLES))
        return F.when(small | (size == 0), near).otherwise(exact)

    # Spark computes a window function as often as an expression mentions it.  Here both are
    # mentioned once, in an array of one element that `divided` reads.
    once = F.array(F.struct(total.alias("total"), count.alias("count")))
    return F.transform(once, divided)[0]


def _power_of_two(exponent: Column) -> Column:
    """2 to an INTEGER from 0 to 62, exactly; a cast of a DOUBLE to DECIMAL would round it."""
    return F.call_function("shiftleft", F.lit(1).cast("bigint"), exponent).cast("decimal(19,0)")


def _interval_operation(op: Op) -> Callable[[int | None, float | None], int | None]:
    """A function in Python: an interval times a DOUBLE, or, if ``op`` is DIVIDE, divided by it.

    The exact result is truncated toward zero (S-207.d).  For a NaN or an infinite number, it raises
    OVERFLOW.
    """
    overflow = failure_text(Code.OVERFLOW, "an interval is out of range")
    zero = failure_text(Code.DIVISION_BY_ZERO, "division by zero")
    divides = op is Op.DIVIDE

    def operation(interval: int | None, number: float | None) -> int | None:
        if interval is None or number is None:
            return None
        if not isfinite(number):
            raise ArithmeticError(overflow)
        if divides and number == 0:
            raise ArithmeticError(zero)
        factor = Fraction(number)
        found = int(interval / factor if divides else interval * factor)
        if abs(found) > MAX_MILLIS:
            raise ArithmeticError(overflow)
        return found

    return operation


def wide_decimal(op: Op, a: Column, b: Column, to: Type, rounding: str = ROUND_HALF_UP) -> Column:
    """``a op b`` of DECIMALs, computed in Python, for results that need more than 38 digits.

    It is rounded once, by ``rounding``, to the scale of ``to``.  If ``to`` is an integer type, the
    result is computed with scale 0, then cast.
    """
    scale = to.scale if to.kind is Kind.DECIMAL else 0
    precision = to.precision if to.kind is Kind.DECIMAL else MAX_PRECISION
    function = _decimal_operation(str(op), precision, scale, rounding)
    exact = F.udf(function, DecimalType(precision, scale), useArrow=False)
    return exact(a, b).cast(type_name(to))


def _decimal_operation(
    symbol: str, precision: int, scale: int, rounding: str
) -> Callable[[Decimal | None, Decimal | None], Decimal | None]:
    """A function in Python: the operator ``symbol``, with the result as DECIMAL(precision, scale).

    It is exact up to its last step, which rounds to ``scale``.
    """
    overflow = failure_text(Code.OVERFLOW, f"a result is out of DECIMAL({precision}, {scale})")
    zero = failure_text(Code.DIVISION_BY_ZERO, "division by zero")

    def operation(a: Decimal | None, b: Decimal | None) -> Decimal | None:
        if a is None or b is None:
            return None
        if symbol in ("/", "MOD") and b == 0:
            raise ArithmeticError(zero)
        # The context truncates at 200 digits, far more than a result halfway between two DECIMALs
        # has.  So only the last step rounds.
        context = Context(prec=200, rounding=ROUND_DOWN)
        try:
            if symbol == "*":
                result = context.multiply(a, b)
            elif symbol == "/":
                result = context.divide(a, b)
            else:
                result = context.remainder(a, b)
            result = result.quantize(Decimal(1).scaleb(-scale), rounding, context)
        except InvalidOperation:
            raise ArithmeticError(overflow) from None
        if result.adjusted() >= precision - scale and result != 0:
            raise ArithmeticError(overflow)
        return result

    return operation


# --- functions --------------------------------------------------------------------------------


def negative(value: Column, type: Type) -> Column:
    """``-value`` as a value of ``type``."""
    return (-value).cast(type_name(type))


def floor_number(value: Column, of: Type, to: Type, up: bool) -> Column:
    """FLOOR, or CEIL if ``up``, of a number of type ``of``, as a value of ``to``."""
    rounded = F.ceil if up else F.floor
    if of.kind in INTEGERS:
        return value.cast(type_name(to))
    if of.kind in APPROXIMATE:
        # Beyond 2^53 every DOUBLE is whole already; NaN and infinity stay as they are.
        large = F.isnan(value) | (F.abs(value) >= F.lit(_WHOLE_DOUBLES))
        return F.when(large, value).otherwise(rounded(value).cast("double")).cast(type_name(to))
    if of.scale == 0:
        return value.cast(type_name(to))
    # Spark's result has one more digit, because 9.9 becomes 10.
    return rounded(value).cast(type_name(to))


def sign(value: Column, type: Type) -> Column:
    """The SIGN of a number: -1, 0 or 1, as a value of ``type``; NaN for NaN, NULL for NULL."""
    one = F.lit(1).cast(type_name(type))
    signed = F.when(value > 0, one).when(value < 0, -one)
    if type.kind in APPROXIMATE:
        signed = F.when(F.isnan(value), value).otherwise(signed)
    return F.when(value == 0, F.lit(0).cast(type_name(type))).otherwise(signed)


def shortened(op: Op, value: Column, digits: Column, known: object, of: Type, to: Type) -> Column:
    """``value`` by ROUND (HALF_UP) or TRUNCATE, with ``digits`` digits after the point.

    A negative number of digits counts places before the point.  ``known``: this number, if it is
    constant; else None.  ``of`` is the type of ``value``, and ``to`` that of the result.  A REAL or
    DOUBLE counts as the decimal number that it prints as.
    """
    if of.kind is Kind.REAL:
        value = value.cast("string").cast("double")
    if op is Op.ROUND and isinstance(known, int):
        return F.round(value, known).cast(type_name(to))
    rounding = ROUND_HALF_UP if op is Op.ROUND else ROUND_DOWN
    if of.kind in APPROXIMATE:
        exact = F.udf(_float_rounding(rounding), "double", useArrow=False)
        return exact(value.cast("double"), digits).cast(type_name(to))
    whole = as_decimal(of)
    wide = decimal(MAX_PRECISION, whole.scale)
    exact = F.udf(_decimal_rounding(rounding, whole.scale), spark_type(wide), useArrow=False)
    return exact(value.cast(type_name(wide)), digits).cast(type_name(to))


def _decimal_rounding(
    rounding: str, scale: int
) -> Callable[[Decimal | None, int | None], Decimal | None]:
    """A function in Python that rounds a DECIMAL with ``scale`` to a number of digits."""

    def operation(value: Decimal | None, digits: int | None) -> Decimal | None:
        if value is None or digits is None:
            return None
        # More places than the scale change nothing; from 39 before the point on, the result is 0.
        places = max(-MAX_PRECISION - 1, min(digits, scale))
        context = Context(prec=2 * MAX_PRECISION + 4)
        return value.quantize(Decimal(1).scaleb(-places), rounding, context)

    return operation


def _float_rounding(rounding: str) -> Callable[[float | None, int | None], float | None]:
    """A function in Python that rounds a DOUBLE to a number of digits; it does not change NaN."""

    def operation(value: float | None, digits: int | None) -> float | None:
        if value is None or digits is None:
            return None
        if not isfinite(value):
            return value
        places = max(-400, min(digits, 400))  # no DOUBLE prints digits farther off
        context = Context(prec=1200)
        return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), rounding, context))

    return operation


def float_to_integer(value: Column) -> Column:
    """The nearest BIGINT, ties away from zero (S-202); OVERFLOW beyond BIGINT, and for NaN."""
    # Spark's cast of 2^63 gives 2^63 - 1, and fails only beyond.
    refused = fails(Code.OVERFLOW, "a result is out of BIGINT", BIGINT)
    whole = F.when(F.abs(value) < F.lit(_WHOLE_DOUBLES), _half_up(value)).otherwise(value)
    return F.when(value == F.lit(2.0**63), refused).otherwise(whole.cast("bigint"))


def _half_up(value: Column) -> Column:
    """The nearest whole DOUBLE, ties away from zero.

    It is not computed by adding 0.5, because the sum could be rounded up to the next whole number.
    """
    whole = F.floor(F.abs(value)).cast("double")
    up = F.abs(value) - whole >= F.lit(0.5)
    size = F.when(up, whole + F.lit(1.0)).otherwise(whole)
    return F.when(value < 0, -size).otherwise(size)


def real_function(op: Op, operands: list[Column]) -> Column:
    """EXP, LN, LOG10, SQRT or POWER of DOUBLEs; INVALID_ARGUMENT outside the function's domain."""
    x = operands[0]
    match op:
        case Op.EXP:
            return F.exp(x)
        case Op.LN | Op.LOG10:
            message = f"{op} of a number that is not positive"
            refused = fails(Code.INVALID_ARGUMENT, message, DOUBLE)
            return F.when(x <= 0, refused).otherwise(F.ln(x) if op is Op.LN else F.log10(x))
        case Op.SQRT:
            refused = fails(Code.INVALID_ARGUMENT, "SQRT of a negative number", DOUBLE)
            return F.when(x < 0, refused).otherwise(F.sqrt(x))
        case _:
            y = operands[1]
            message = "POWER of 0 by a negative number, or of a negative one by a fraction"
            refused = fails(Code.INVALID_ARGUMENT, message, DOUBLE)
            undefined = ((x < 0) & (y != F.rint(y))) | ((x == 0) & (y < 0))
            return F.when(undefined, refused).otherwise(F.pow(x, y))
