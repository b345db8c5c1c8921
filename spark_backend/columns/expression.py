"""Every expression of the algebra as a Spark column."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.types import (
    APPROXIMATE,
    DATE,
    DATETIME,
    INTEGER,
    INTERVAL,
    MILLIS_PER_DAY,
    TIME,
    Kind,
    Type,
)
from grammar.codes import Code
from spark_backend.columns.arithmetic import (
    arithmetic,
    floor_number,
    negative,
    real_function,
    shortened,
    sign,
)
from spark_backend.columns.casts import cast
from spark_backend.columns.datetimes import (
    difference,
    extracted,
    last_day,
    plus_interval,
    rounded,
    stepped,
)
from spark_backend.columns.in_python import has_python_part, needs_python
from spark_backend.columns.logic import all_of, any_of, truth
from spark_backend.columns.text import (
    capitalised,
    like,
    of_bounded_length,
    overlay,
    padded,
    position,
    replaced,
    similar,
    substring,
    trimmed,
)
from spark_backend.exact.exact_states import merged_states
from spark_backend.made_once import col
from spark_backend.runtime.failures import fails
from spark_backend.types import literal, null, type_name


@dataclass(frozen=True, slots=True)
class Names:
    """The meaning of the references in an expression.

    ``columns`` has the names of the row's columns, ``outer`` the names of the columns of outer
    references, by (level, index), and ``answers`` for each sub-query the column with its result.
    ``now`` is the session's clock, in milliseconds since 1970.  ``sets`` are the grouping sets;
    ``set_column`` is the name of the column with the place of the row's set among them.
    ``needed`` is true in the rows that need the expression's value; None: all rows need it.
    """

    columns: tuple[str, ...] = ()
    outer: Mapping[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])
    answers: Mapping[Expression, Column] = field(default_factory=dict[Expression, Column])
    now: int = 0
    sets: tuple[tuple[int, ...], ...] = ()
    set_column: str = ""
    needed: Column | None = None


def column_of(expression: Expression, names: Names) -> Column:
    """The expression as a Spark column, whose type is the `spark_type` of the expression's type."""
    match expression:
        case InputRef(index):
            return col(names.columns[index])
        case OuterRef(level, index):
            return col(names.outer[level, index])
        case Literal(value, type):
            return literal(value, type)
        case Parameter():
            raise AssertionError("parameters are bound before a plan is translated")
        case External():
            raise AssertionError("functions of Python are those of an embedded engine")
        case Cast(operand, type):
            (column,) = _where_needed(expression, [column_of(operand, names)], names)
            return cast(column, operand.type, type)
        case Case():
            return _case(expression, names)
        case Extract(unit, operand):
            return extracted(column_of(operand, names), operand.type, unit)
        case Round(up, operand, unit, type):
            return rounded(column_of(operand, names), type, unit, up)
        case Grouping(keys):
            return _of_set(names, [_grouping(keys, each) for each in names.sets])
        case GroupId():  # the number of equal grouping sets before the row's set
            sets = [set(each) for each in names.sets]
            return _of_set(names, [sets[:i].count(each) for i, each in enumerate(sets)])
        case ScalarQuery() | Exists() | InQuery() | Quantified():
            return names.answers[expression]
        case Call(op, operands, type):
            args = _where_needed(expression, _args(expression, names), names)
            return _call(op, operands, args, type, names)


# --- what a row needs -----------------------------------------------------------------------------


def _case(case: Case, names: Names) -> Column:
    """The result of the first condition that is true; without one, that of ELSE (S-202.r).

    If Python computes a part of the CASE, each branch is needed only in the rows that reach it.
    """
    kind, guarded = type_name(case.type), has_python_part(case)
    chosen: Column | None = None
    for condition, result in case.branches:
        test = column_of(condition, names)
        value = column_of(result, _narrowed(names, test) if guarded else names).cast(kind)
        chosen = F.when(test, value) if chosen is None else chosen.when(test, value)
        names = _narrowed(names, _tested(Op.IS_NOT_TRUE, test)) if guarded else names
    assert chosen is not None, "CASE has a condition"
    return chosen.otherwise(column_of(case.otherwise, names).cast(kind))


def _args(call: Call, names: Names) -> list[Column]:
    """The operands as columns.

    An operand of AND, OR, IN or COALESCE is needed only in the rows in which the operands before it
    do not decide the result (S-202.r, S-202.s).
    """
    args: list[Column] = []
    last_in_python = 0  # operands after it may be evaluated in all rows
    if call.op in _IN_TURN:
        in_python = (i for i, each in enumerate(call.operands) if has_python_part(each))
        last_in_python = max(in_python, default=0)
    for i, each in enumerate(call.operands):
        if 0 < i <= last_in_python:
            names = _narrowed(names, _IN_TURN[call.op](args, call.operands[0].type))
        args.append(column_of(each, names))
    return args


def _is_other(args: list[Column], type: Type) -> Column:
    """Whether the last operand of IN so far is not equal to the first; TRUE after the first."""
    if len(args) == 1:
        return truth(True)
    return _tested(Op.IS_NOT_TRUE, equal(args[0], args[-1], type))


#: The operators that evaluate only the operands that they need (S-202.r, S-202.s).  The function
#: takes the operands so far and the type of the first; it returns whether the next one is needed.
_IN_TURN: Final[Mapping[Op, Callable[[list[Column], Type], Column]]] = {
    Op.AND: lambda args, _: _tested(Op.IS_NOT_FALSE, args[-1]),
    Op.OR: lambda args, _: _tested(Op.IS_NOT_TRUE, args[-1]),
    Op.COALESCE: lambda args, _: args[-1].isNull(),
    Op.IN: _is_other,
}


def filtered_columns(
    expressions: Iterable[Expression], filter: Expression | None, names: Names
) -> list[Column]:
    """The arguments of a call: NULL in a row that does not pass its FILTER (S-202.r)."""
    if filter is None:
        return [column_of(each, names) for each in expressions]
    passes = column_of(filter, names)
    needed = _narrowed(names, passes)
    return [F.when(passes, column_of(each, needed)) for each in expressions]


def _narrowed(names: Names, condition: Column) -> Names:
    """``names`` for a part of the expression, needed only where ``condition`` is true, too."""
    whole = condition if names.needed is None else names.needed & condition
    return replace(names, needed=whole)


def _where_needed(expression: Expression, args: list[Column], names: Names) -> list[Column]:
    """``args``, but NULL in the rows that do not need the value of an operator in Python.

    Spark calls Python for these rows, too, and there the call must not fail: for a NULL operand it
    returns NULL.  Operands of other operators are not changed.
    """
    if names.needed is None or not needs_python(expression):
        return args
    return [F.when(names.needed, each) for each in args]


# --- operators ------------------------------------------------------------------------------------


def _call(
    op: Op, operands: tuple[Expression, ...], args: list[Column], type: Type, names: Names
) -> Column:
    """A function or operator, whose operands are the columns ``args``, as a value of ``type``."""
    types = [each.type for each in operands]
    match op:
        case Op.AND:
            return all_of(args)
        case Op.OR:
            return any_of(args)
        case Op.NOT:
            return ~args[0]
        case Op.IS_NULL:
            return args[0].isNull()
        case Op.IS_NOT_NULL:
            return args[0].isNotNull()
        case Op.IS_TRUE | Op.IS_NOT_FALSE | Op.IS_FALSE | Op.IS_NOT_TRUE:
            return _tested(op, args[0])
        case (
            Op.EQUAL
            | Op.NOT_EQUAL
            | Op.LESS
            | Op.LESS_OR_EQUAL
            | Op.GREATER
            | Op.GREATER_OR_EQUAL
            | Op.IS_DISTINCT_FROM
            | Op.IS_NOT_DISTINCT_FROM
        ):
            return comparison(op, args[0], args[1], types[0])
        case Op.IN:
            if types[0].kind in APPROXIMATE:
                return any_of(equal(args[0], each, types[0]) for each in args[1:])
            return args[0].isin(*args[1:])
        case Op.PLUS if type.kind is Kind.VARBINARY:
            return merged_states(args[0], args[1])
        case Op.PLUS | Op.MINUS | Op.TIMES | Op.DIVIDE | Op.MOD:
            return arithmetic(op, args[0], args[1], (types[0], types[1]), type)
        case Op.NEGATE:
            return negative(args[0], type)
        case Op.DATETIME_PLUS:
            return plus_interval(args[0], types[0].kind, args[1], types[1].kind, type)
        case Op.DATETIME_MINUS:
            return difference(args[0], args[1], types[0].kind, type)
        case Op.ABS:
            return F.abs(args[0]).cast(type_name(type))
        case Op.EXP | Op.LN | Op.LOG10 | Op.SQRT | Op.POWER:
            return real_function(op, args)
        case Op.SIGN:
            return sign(args[0], type)
        case Op.ROUND | Op.TRUNCATE:
            digits = operands[1] if len(operands) > 1 else Literal(0, INTEGER)
            known = digits.value if isinstance(digits, Literal) else None
            column = args[1] if len(args) > 1 else F.lit(0)
            return shortened(op, args[0], column, known, types[0], type)
        case Op.RAND:
            return F.rand()
        case Op.FLOOR | Op.CEIL:
            return floor_number(args[0], types[0], type, op is Op.CEIL)
        case Op.STEP:
            return _step(args[0], args[1], types, type)
        case Op.CONCAT:
            return F.concat(*args) if type.precision else of_bounded_length(F.concat(*args))
        case Op.SUBSTRING:
            return substring(args[0], args[1], args[2] if len(args) > 2 else None)
        case Op.POSITION:
            return position(args[0], args[1])
        case Op.TRIM_BOTH | Op.TRIM_LEADING | Op.TRIM_TRAILING:
            return trimmed(op, args[0], args[1])
        case Op.OVERLAY:
            return overlay(args[0], args[1], args[2], args[3] if len(args) > 3 else None)
        case Op.UPPER:
            return F.upper(args[0])
        case Op.LOWER:
            return F.lower(args[0])
        case Op.INITCAP:
            return capitalised(args[0])
        case Op.REPLACE:
            return replaced(args[0], args[1], args[2])
        case Op.LPAD | Op.RPAD:
            return padded(op, args[0], args[1], args[2])
        case Op.LAST_DAY:
            return last_day(args[0], types[0].kind)
        case Op.CHAR_LENGTH:
            return F.char_length(args[0])
        case Op.LIKE:
            return like(args[0], args[1], args[2] if len(args) > 2 else None, _texts(operands[1:]))
        case Op.SIMILAR:
            return similar(args[0], args[1], args[2] if len(args) > 2 else None)
        case Op.COALESCE:
            return F.coalesce(*(each.cast(type_name(type)) for each in args))
        case Op.GREATEST | Op.LEAST:
            known_all = all_of(each.isNotNull() for each in args)
            return F.when(known_all, (F.greatest if op is Op.GREATEST else F.least)(*args))
        case Op.CURRENT_TIMESTAMP:
            return _clock(names.now, type)
        case Op.MONOTONIC:
            return args[0]


def _grouping(keys: tuple[int, ...], grouping_set: tuple[int, ...]) -> int:
    """The value of GROUPING(keys) in the rows of a grouping set.

    It has a bit for each key, and the first key has the highest bit.  The bit is 1 if the set lacks
    the key.
    """
    number = 0
    for key in keys:
        number = 2 * number + (key not in grouping_set)
    return number


def _of_set(names: Names, values: list[int]) -> Column:
    """The value for the row's own grouping set; a constant if there is only one."""
    if len(values) == 1:
        return F.lit(values[0]).cast("bigint")
    return F.get(F.array(*(F.lit(each).cast("bigint") for each in values)), col(names.set_column))


def _tested(op: Op, truth_value: Column) -> Column:
    """``truth_value`` IS [NOT] TRUE or IS [NOT] FALSE, by ``op``; it is never NULL."""
    # UNKNOWN is first replaced by the truth value for which the test has the right result.
    if op in (Op.IS_TRUE, Op.IS_NOT_FALSE):
        return F.coalesce(truth_value, F.lit(op is Op.IS_NOT_FALSE))
    return ~F.coalesce(truth_value, F.lit(op is Op.IS_FALSE))


# --- comparisons ------------------------------------------------------------------------------


def equal(a: Column, b: Column, type: Type) -> Column:
    """``a = b``; NaN is not equal to any value, although for Spark it is equal to itself."""
    return (a == b) & ~F.isnan(a) if type.kind in APPROXIMATE else a == b


def comparison(op: Op, a: Column, b: Column, type: Type) -> Column:
    """A comparison of two values of one type; three-valued, except IS [NOT] DISTINCT FROM.

    For Spark NaN is the greatest number.  Here ``<``, ``<=``, ``>`` and ``>=`` are false for it.
    """
    exact = type.kind not in APPROXIMATE
    numbers = F.lit(True) if exact else ~F.isnan(a) & ~F.isnan(b)
    match op:
        case Op.EQUAL:
            return equal(a, b, type)
        case Op.NOT_EQUAL:
            return ~equal(a, b, type)
        case Op.LESS:
            return a < b if exact else (a < b) & numbers
        case Op.LESS_OR_EQUAL:
            return a <= b if exact else (a <= b) & numbers
        case Op.GREATER:
            return a > b if exact else (a > b) & numbers
        case Op.GREATER_OR_EQUAL:
            return a >= b if exact else (a >= b) & numbers
        case Op.IS_DISTINCT_FROM:
            return ~a.eqNullSafe(b)
        case Op.IS_NOT_DISTINCT_FROM:
            return a.eqNullSafe(b)
        case _:
            raise AssertionError(f"{op} is not a comparison")


# --- other functions --------------------------------------------------------------------------


def _step(value: Column, step: Column, types: list[Type], to: Type) -> Column:
    """STEP: the greatest multiple of ``step`` that is not above ``value``, as a value of ``to``.

    INVALID_ARGUMENT if ``step`` is not positive.  ``types`` are the types of the two operands.
    """
    refused = fails(Code.INVALID_ARGUMENT, "STEP by a number that is not positive", to)
    if types[0].kind in DATETIME:
        assert types[1].kind in INTERVAL, "a datetime steps by an interval"
        found = stepped(value, types[0], step, types[1].kind)
    else:
        low = value.cast("decimal(38,0)") - F.pmod(value, step).cast("decimal(38,0)")
        # A multiple below the least integer is out of range: the cast raises OVERFLOW.
        found = low.cast(type_name(to))
    unknown = value.isNull() | step.isNull()
    return F.when(unknown, null(to)).when(step <= 0, refused).otherwise(found)


def _texts(operands: tuple[Expression, ...]) -> tuple[str, ...] | None:
    """The texts of a pattern and its escape; None if one of them is not constant."""
    found: list[str] = []
    for each in operands:
        constant = each.operand if isinstance(each, Cast) else each
        if not isinstance(constant, Literal) or not isinstance(constant.value, str):
            return None
        found.append(constant.value)
    return tuple(found)


def _clock(now: int, type: Type) -> Column:
    """The session's clock as TIMESTAMP, DATE or TIME (S-106)."""
    match type.kind:
        case Kind.DATE:
            return literal(now // MILLIS_PER_DAY, DATE)
        case Kind.TIME:
            return literal(now % MILLIS_PER_DAY, TIME)
        case _:
            return literal(now, type)
