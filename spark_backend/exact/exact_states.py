"""Exact accumulators, as VARBINARY, of aggregates that round: their *states* (S-203).

An exact sum of DOUBLEs may have 2,000 bits, and no type of SQL holds it.  So the value of a call of
SUM, AVG or a statistic with the type VARBINARY is its state: integers, encoded in bytes.  ``+`` of
two states is the state of the rows of both.  A cast of a state is the aggregate's value, which is
rounded only there.  Only plans that the engine makes contain these forms; a query cannot.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateFunction
from algebra.types import APPROXIMATE, INTERVAL, MAX_PRECISION, Kind, Type, decimal
from spark_backend.exact.exact_statistics import (
    PAIRED,
    ROOTS,
    SAMPLES,
    STATISTICS,
    correlation_from,
    spread,
)
from spark_backend.exact.exact_sums import SUMS, Number, in_parts, ratio
from spark_backend.exact.wide_sums import rounded
from spark_backend.types import interval_in_range, spark_type, type_name

_F = AggregateFunction

#: The type of a state.
STATE: Final = Type(Kind.VARBINARY)

#: The degree of each sum of a state: 1 for a sum of values, 2 for one of squares or products.  The
#: key is the number of sums: one (x); two for a variance (x, xx); five for pairs (x, y, xy, xx,
#: yy).
_DEGREES: Final = {1: (1,), 2: (1, 2), 5: (1, 1, 2, 2, 2)}


@dataclass(frozen=True, slots=True)
class State:
    """The ``sums`` of a ``function`` over ``count`` rows.

    The sums are whole numbers.  A sum of values counts units of 1 / ``parts``, and a sum of squares
    or products counts units of 1 / ``parts``**2.  ``special`` is the sum of the values that are NaN
    or infinite; 0 if there are no such values.
    """

    function: AggregateFunction
    count: int
    special: float
    parts: int
    sums: tuple[int, ...]

    def __add__(self, other: "State") -> "State":
        """The state of the rows of both."""
        parts = math.lcm(self.parts, other.parts)
        sums = (a + b for a, b in zip(self._sums_in(parts), other._sums_in(parts), strict=True))
        count, special = self.count + other.count, self.special + other.special
        return State(self.function, count, special, parts, tuple(sums))

    def _sums_in(self, parts: int) -> list[int]:
        """The sums in units for ``parts``, a multiple of the state's own ``parts``."""
        factor = parts // self.parts
        degrees = _DEGREES[len(self.sums)]
        return [each * factor**degree for each, degree in zip(self.sums, degrees, strict=True)]

    def encoded(self) -> bytes:
        """The state as bytes, which `decoded` reads.

        They are a text of words: function, special value, and, in hexadecimal, count, parts, sums.
        """
        parts, sums = self.parts, self.sums
        # A fraction with one sum is reduced.  Other states have two denominators: ``parts`` and its
        # square.
        if len(sums) == 1:
            common = math.gcd(parts, *sums)
            parts, sums = parts // common, (sums[0] // common,)
        numbers = " ".join(f"{each:x}" for each in (self.count, parts, *sums))
        return f"{self.function} {self.special!r} {numbers}".encode("ascii")

    @property
    def value(self) -> float | None:
        """The function's value, rounded once; by IEEE 754 if a value is NaN or infinite.

        None: there are too few rows.
        """
        correction = int(self.function in SAMPLES)  # Bessel's: a sample's divisor is one less
        if self.count <= correction:
            return None
        if self.special != 0.0:
            return self.special if self.function in SUMS else math.nan
        match self.sums:
            case (total,):
                return ratio(total, self.parts * (self.count if self.function is _F.AVG else 1))
            case (total, squares):
                root = self.function in ROOTS
                return spread(self.count, total, squares, self.parts, correction, root=root)
            case _:
                return self._value_of_pairs(correction)

    def _value_of_pairs(self, correction: int) -> float | None:
        """The covariance or the correlation; ``correction`` is 1 for a sample, else 0."""
        x, y, xy, xx, yy = self.sums
        # The covariance and the variances of a whole population, times (count * parts)^2.
        covariance = self.count * xy - x * y
        variance_of_x, variance_of_y = self.count * xx - x * x, self.count * yy - y * y
        if self.function is _F.CORR:
            return correlation_from(covariance, variance_of_x * variance_of_y)
        return ratio(covariance, self.count * (self.count - correction) * self.parts**2)


def is_state(function: object, type: Type) -> bool:
    """Whether a call of ``function`` with this type has its state as its value."""
    return type.kind is Kind.VARBINARY and (function in SUMS or function in STATISTICS)


def decoded(state: bytes) -> State:
    """The state that `State.encoded` has encoded."""
    function, special, *numbers = state.decode("ascii").split(" ")
    count, parts, *sums = (int(each, 16) for each in numbers)
    return State(_F(function), count, float(special), parts, tuple(sums))


def powers(function: AggregateFunction, columns: Sequence[Sequence[int]]) -> list[list[int]]:
    """The columns that a function's state sums: the values, and their squares and products."""
    if function in PAIRED:
        xs, ys = columns
        pairs = list(zip(xs, ys, strict=True))
        products = [[x * y for x, y in pairs], [x * x for x in xs], [y * y for y in ys]]
        return [list(xs), list(ys), *products]
    (xs,) = columns
    return [list(xs)] if function in SUMS else [list(xs), [x * x for x in xs]]


def in_common_parts(columns: Sequence[Sequence[Number]]) -> tuple[list[list[int]], int]:
    """Columns of finite numbers as whole multiples of 1 / ``parts``, and ``parts``."""
    if not columns[0]:
        return [[] for _ in columns], 1
    wholes, parts = in_parts([value for each in columns for value in each])
    size = len(columns[0])
    return [wholes[i * size : (i + 1) * size] for i in range(len(columns))], parts


def state_from_rows(rows: Sequence[Sequence[Number]], function: AggregateFunction) -> State:
    """The state of at least one row; each row has the arguments of the function."""
    finite = [row for row in rows if all(map(math.isfinite, row))]
    special = sum((float(v) for row in rows for v in row if not math.isfinite(v)), 0.0)
    width = len(rows[0])
    wholes, parts = in_common_parts([[row[i] for row in finite] for i in range(width)])
    sums = tuple(map(sum, powers(function, wholes)))
    return State(function, len(rows), special, parts, sums)


def state_of(rows: Sequence[Sequence[Number]] | None, function: AggregateFunction) -> bytes | None:
    """`state_from_rows`, encoded; None without rows."""
    return state_from_rows(rows, function).encoded() if rows else None


def value_of_all(
    values: Sequence[Number] | Sequence[Sequence[Number]] | None, function: AggregateFunction
) -> float | None:
    """The function's value over numbers, or over pairs if it has two arguments; None without any.

    >>> value_of_all([1e16, 1.0, -1e16], AggregateFunction.SUM)
    1.0
    >>> value_of_all([1e308, -1e308], AggregateFunction.STDDEV_POP)
    1e+308
    """
    rows = [each if isinstance(each, Sequence) else (each,) for each in values or ()]
    return state_from_rows(rows, function).value if rows else None


def merge_states(a: bytes | None, b: bytes | None) -> bytes | None:
    """The state of the rows of two states; None if either is None."""
    return None if a is None or b is None else (decoded(a) + decoded(b)).encoded()


def value_of(state: bytes | None) -> float | None:
    """The value of a state; None if the state is None, or has too few rows."""
    return None if state is None else decoded(state).value


def decimal_of(state: bytes | None, to: Type) -> Decimal | None:
    """The value of a state of exact numbers as a DECIMAL, rounded once, HALF_UP.

    The state belongs to SUM or AVG.  None if it is None.  Raises OVERFLOW outside the range of
    ``to``.
    """
    if state is None:
        return None
    known = decoded(state)
    (total,) = known.sums
    count = known.count if known.function is _F.AVG else 1
    return rounded(total, known.parts * count, to)


# --- columns of states, by the functions above ----------------------------------------------------


def exact_state(function: AggregateFunction, rows: Column) -> Column:
    """The state of an array column of rows, each a struct of the arguments."""
    return F.udf(partial(state_of, function=function), "binary", useArrow=False)(rows)


def exact_value(function: AggregateFunction, values: Column) -> Column:
    """The function's value over an array column of numbers, or of structs of two numbers.

    Spark adds from left to right, and rounds at each step.  Here the values of a group are
    gathered, added exactly in Python, and the result is rounded once.  For many rows see
    `spark_backend.exact.partial_sums`, which gathers no values.
    """
    return F.udf(partial(value_of_all, function=function), "double", useArrow=False)(values)


def merged_states(older: Column, newer: Column) -> Column:
    """The state of the rows of two states."""
    return F.udf(merge_states, "binary", useArrow=False)(older, newer)


def value_of_state(state: Column, to: Type) -> Column:
    """The value of a state as one of ``to``: a DOUBLE, or a sum or average of exact numbers."""
    if to.kind in APPROXIMATE:
        return F.udf(value_of, "double", useArrow=False)(state).cast(type_name(to))
    whole = to if to.kind is Kind.DECIMAL else decimal(MAX_PRECISION, 0)
    total = F.udf(partial(decimal_of, to=whole), spark_type(whole), useArrow=False)(state)
    return interval_in_range(total, to) if to.kind in INTERVAL else total.cast(type_name(to))
