"""Accumulators of window calls: columns that replace evicted rows, and how they are combined.

Evicted rows are those before a time, the *horizon*.  If the frames of a call start with their
partition, the call has an accumulator: a few columns that are computed over the evicted rows.
These columns are combined with the same columns over the rows from the horizon on.  All columns are
exact, and the value is rounded once (S-203).  A call that needs all of its rows has no accumulator,
for example MEDIAN.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.build import greater, is_null
from algebra.expression import (
    AggregateFunction,
    Call,
    Case,
    Cast,
    Expression,
    Literal,
    Op,
    WindowCall,
    WindowFunction,
)
from algebra.types import (
    APPROXIMATE,
    BIGINT,
    DOUBLE,
    INTEGERS,
    MAX_PRECISION,
    Kind,
    Type,
    decimal,
)
from spark_backend.exact.exact_states import STATE
from spark_backend.exact.exact_statistics import STATISTICS
from spark_backend.exact.wide_sums import needs_wide_sum

Columns: TypeAlias = Sequence[Expression]

_COUNT: Final = BIGINT.as_nullable(False)
_ZERO: Final = Literal(0, _COUNT)


@dataclass(frozen=True, slots=True)
class Accumulator:
    """An accumulator: its columns are the values of ``calls`` over some rows of a partition.

    ``combine`` returns the columns over all rows, given those over older rows and those over newer
    rows; columns are NULL if there are no rows.  ``value`` returns the value of the original call,
    given the columns over all rows of its frame.
    """

    calls: tuple[WindowCall, ...]
    combine: Callable[[Columns, Columns], Columns]
    value: Callable[[Columns], Expression]


def accumulator(call: WindowCall) -> Accumulator | None:
    """The accumulator of a call whose frames start with their partition; None if it has none."""
    match call.function:
        case AggregateFunction.COUNT if not call.distinct:
            return _of_one(call, _plus)
        case AggregateFunction.SUM if not call.distinct:
            return _sum(call)
        case AggregateFunction.AVG if not call.distinct:
            return _average(call)
        case function if function in STATISTICS and not call.distinct:
            return _state(call)
        case AggregateFunction.MIN | AggregateFunction.EVERY:
            return _of_one(call, _known_of(Op.LEAST))
        case AggregateFunction.MAX | AggregateFunction.SOME:
            return _of_one(call, _known_of(Op.GREATEST))
        case AggregateFunction.ANY_VALUE:
            return _of_one(call, _first_known)
        case WindowFunction.FIRST_VALUE | WindowFunction.LAST_VALUE:
            return _end_of_frame(call)
        case WindowFunction.ROW_NUMBER | WindowFunction.DENSE_RANK:
            return _of_one(call, _plus)
        case WindowFunction.RANK:
            # No row before the horizon is a peer of a later row, so all of them count in its rank.
            number = replace(call, function=WindowFunction.ROW_NUMBER)
            return Accumulator((call, number), _after_earlier_rows, _first)
        case _:
            return None


# --- one column -----------------------------------------------------------------------------------

#: A function that combines a column over older rows with the same column over newer rows.
_Combine: TypeAlias = Callable[[Expression, Expression], Expression]


def _first(columns: Columns) -> Expression:
    """The first column, if it is itself the value of the call."""
    return columns[0]


def _of_one(
    call: WindowCall, combine: _Combine, value: Callable[[Columns], Expression] = _first
) -> Accumulator:
    """The accumulator whose only column is the value of ``call``."""
    return Accumulator((call,), lambda older, newer: (combine(older[0], newer[0]),), value)


def _known_of(op: Op) -> _Combine:
    """A function that applies ``op`` to two values; if one is NULL, it returns the other one."""

    def known(older: Expression, newer: Expression) -> Expression:
        both = Call(op, (older, newer), older.type.as_nullable())
        return Case(((is_null(older), newer), (is_null(newer), older)), both, both.type)

    return known


# --- sums -----------------------------------------------------------------------------------------

_SUM: Final = _known_of(Op.PLUS)


def _sum(call: WindowCall) -> Accumulator:
    """SUM in a type that cannot overflow, so that only the value of the call can overflow."""
    return _of_one(_exact_sum(call), _SUM, lambda columns: _of_type(columns[0], call.type))


def _state(call: WindowCall) -> Accumulator:
    """The exact state of a statistic, which is rounded when the value is computed."""
    state = replace(call, type=STATE)
    return _of_one(state, _SUM, lambda columns: Cast(columns[0], call.type))


def _average(call: WindowCall) -> Accumulator:
    """The sum divided by the count, rounded once; NULL over no values."""
    type = call.arguments[0].type
    # A sum above 2^53 may not fit in a DOUBLE, so a quotient of DOUBLEs would be rounded twice.
    # The sum of INTEGERs is so great only from four million rows on, and is not made exact.
    if type.kind in APPROXIMATE or type.kind is Kind.BIGINT or needs_wide_sum(type):
        return _state(call)
    total_call = _exact_sum(call)
    count_call = replace(call, function=AggregateFunction.COUNT, type=_COUNT)

    def combined(older: Columns, newer: Columns) -> Columns:
        return (_SUM(older[0], newer[0]), _plus(older[1], newer[1]))

    def value(columns: Columns) -> Expression:
        total, count = columns
        if call.type.kind is not Kind.DECIMAL:
            total, count = Cast(total, DOUBLE), Cast(count, DOUBLE.as_nullable(False))
        quotient = Call(Op.DIVIDE, (total, count), call.type)
        return Case(((is_null(columns[0]), Literal(None, call.type)),), quotient, call.type)

    return Accumulator((total_call, count_call), combined, value)


def _exact_sum(call: WindowCall) -> WindowCall:
    """SUM of the same values in a type that neither overflows nor rounds for any number of rows."""
    (argument,) = call.arguments
    match argument.type.kind:
        case Kind.BIGINT:
            wide: Expression = Cast(argument, decimal(19, 0).as_nullable(argument.type.nullable))
            type = decimal(MAX_PRECISION, 0)
        case kind if kind in INTEGERS:
            wide, type = argument, BIGINT
        case Kind.DECIMAL if not needs_wide_sum(argument.type):
            wide, type = argument, decimal(MAX_PRECISION, argument.type.scale)
        case _:
            wide, type = argument, STATE
    return replace(call, function=AggregateFunction.SUM, arguments=(wide,), type=type)


# --- values of the first and the last row ---------------------------------------------------------


def _end_of_frame(call: WindowCall) -> Accumulator:
    """The value of the first or last row; with the number of rows, if the value may be NULL."""
    first = call.function is WindowFunction.FIRST_VALUE
    if call.ignore_nulls:
        return _of_one(call, _first_known if first else _last_known)
    rows = replace(
        call, function=AggregateFunction.COUNT, arguments=(), ignore_nulls=False, type=_COUNT
    )

    def combined(older: Columns, newer: Columns) -> Columns:
        chosen, other = (older, newer) if first else (newer, older)
        has_rows = greater(_known_count(chosen[1]), _ZERO)
        value = Case(((has_rows, chosen[0]),), other[0], call.type.as_nullable())
        return (value, _plus(older[1], newer[1]))

    return Accumulator((call, rows), combined, _first)


# --- columns --------------------------------------------------------------------------------------


def _after_earlier_rows(older: Columns, newer: Columns) -> Columns:
    """The columns of RANK: the rank and ROW_NUMBER, each increased by the number of older rows."""
    return (_plus(older[1], newer[0]), _plus(older[1], newer[1]))


def _known_count(count: Expression) -> Expression:
    """A count; 0 instead of NULL, which means that there are no rows."""
    return Call(Op.COALESCE, (count, _ZERO), _COUNT)


def _plus(older: Expression, newer: Expression) -> Expression:
    """The sum of two counts; NULL counts as 0."""
    return Call(Op.PLUS, (_known_count(older), _known_count(newer)), _COUNT)


def _first_known(older: Expression, newer: Expression) -> Expression:
    """``older``, or ``newer`` if it is NULL."""
    return Call(Op.COALESCE, (older, newer), older.type.as_nullable())


def _last_known(older: Expression, newer: Expression) -> Expression:
    """``newer``, or ``older`` if it is NULL."""
    return _first_known(newer, older)


def _of_type(value: Expression, type: Type) -> Expression:
    """``value``, cast to ``type`` if it has another type; whether it can be NULL does not count."""
    same = replace(value.type, nullable=type.nullable) == type
    return value if same else Cast(value, type)
