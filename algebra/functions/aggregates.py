"""The aggregate and window functions: the arguments they take and the types they return (S-203).

Their calls are bound, and docs/functions.md is generated, from the tables of this module.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from algebra.expression import AggregateFunction, Expression, WindowFunction
from algebra.functions.casts import castable, detour
from algebra.functions.coerce import common_type, convert
from algebra.functions.signature import TOO_LONG, Signature
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    INTEGERS,
    INTERVAL,
    MAX_PRECISION,
    NUMERIC,
    TEXT,
    VARCHAR,
    Kind,
    Type,
    decimal,
)
from grammar.codes import Code
from grammar.counts import counted


class ArgumentError(Exception):
    """The reason why a function does not take its arguments.

    It has no place in the text; the caller makes an `SqlError` of it, which has one.  ``place`` is
    the number of the argument at fault, from 0; None: the whole call is at fault.  ``code`` is
    TYPE_MISMATCH or WRONG_ARGUMENTS.  In ``hint``, ``{}`` stands for the text of the argument.
    """

    def __init__(self, code: Code, place: int | None, message: str, hint: str) -> None:
        super().__init__(code, place, message, hint)
        self.code = code
        self.place = place
        self.message = message
        self.hint = hint


# --- aggregates -------------------------------------------------------------------------------


class Within(Enum):
    """Whether an aggregate takes WITHIN GROUP (ORDER BY …)."""

    NEVER = "no"
    MAYBE = "is optional"
    ONE_KEY = "must have one key"


#: The least scale of an AVG of DECIMALs.
AVG_SCALE: Final = 6


def _sum(type: Type) -> Type:
    """The type of SUM: BIGINT, DECIMAL(38, s), DOUBLE, or the type of the intervals.

    Defines: S-203.a, S-203.b, S-203.d
    """
    if type.kind in INTEGERS:
        return BIGINT
    if type.kind is Kind.DECIMAL:
        return decimal(MAX_PRECISION, type.scale)
    return type if type.kind in INTERVAL else DOUBLE


def _avg(type: Type) -> Type:
    """The type of AVG: DECIMAL(38, max(s, 6)) of a DECIMAL(p, s), else DOUBLE.

    Defines: S-203.f
    """
    return (
        decimal(MAX_PRECISION, max(type.scale, AVG_SCALE)) if type.kind is Kind.DECIMAL else DOUBLE
    )


@dataclass(frozen=True, slots=True)
class _Result:
    """The result type in words, and as a function of the type of the aggregated value."""

    text: str
    of: Callable[[Type], Type]


_BIGINT: Final = _Result("BIGINT, never NULL", lambda _: BIGINT)
_SUMMED: Final = _Result(
    "BIGINT for integers, DECIMAL(38, s) for DECIMAL(p, s), DOUBLE for REAL and DOUBLE, the type of"
    " `x` for intervals",
    _sum,
)
_AVERAGE: Final = _Result("DOUBLE; but DECIMAL(38, max(s, 6)) if `x` is a DECIMAL(p, s)", _avg)
_ITSELF: Final = _Result("the type of `x`", lambda argument: argument)
_BOOLEAN: Final = _Result("BOOLEAN", lambda _: BOOLEAN)
_DOUBLE: Final = _Result("DOUBLE", lambda _: DOUBLE)
_VARCHAR: Final = _Result("VARCHAR", lambda _: VARCHAR)

_CONDITION: Final = frozenset({Kind.BOOLEAN})
_ANY: Final = frozenset(Kind) - {Kind.NULL}
#: The kinds that an argument may have, in words.
_TAKEN: Final[Mapping[frozenset[Kind], str]] = {
    _CONDITION: "a condition",
    _ANY: "any value",
    NUMERIC: "a number",
    NUMERIC | INTERVAL: "a number or an interval",
    TEXT: "a text",
}
#: For the kinds that an argument may have, the type to which a hint casts an argument of another
#: kind; for kinds that are not listed, this type is INTEGER.
_CASTS: Final[Mapping[frozenset[Kind], Type]] = {_CONDITION: BOOLEAN, TEXT: VARCHAR}


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate function: a row of `TABLE`.

    ``takes`` has the kinds that each argument may have; the arguments of a percentile are its
    fraction and its key.  The last ``optional`` arguments may be left out.  ``result`` is computed
    from the type of argument number ``value``.  ``distinct``: DISTINCT is allowed.
    ``null_of_one``: the result is NULL not only over no rows, but also over a single row.
    ``within``: whether it has WITHIN GROUP.  The list of functions in the documentation shows
    ``forms`` (calls), ``source`` (where the function is from) and ``errors`` (at run time; empty:
    none).
    """

    function: AggregateFunction
    takes: tuple[frozenset[Kind], ...]
    result: _Result
    forms: tuple[str, ...]
    source: str
    distinct: bool = True
    within: Within = Within.NEVER
    optional: int = 0
    value: int = 0
    null_of_one: bool = False
    errors: str = ""

    @property
    def signature(self) -> Signature:
        """The aggregate's row in docs/functions.md."""
        takes = (
            "; ".join(_TAKEN[each] for each in self.takes)
            or "`*`, or one or more values of any type"
        )
        more = [] if self.distinct else ["DISTINCT is not allowed"]
        more += [] if self.within is Within.NEVER else [f"WITHIN GROUP {self.within.value}"]
        nulls = "rows with a NULL argument are skipped.  The result is NULL if no row remains"
        if self.function is AggregateFunction.COUNT:
            nulls = "rows with a NULL argument are skipped.  The result is 0 if no row remains"
        if self.null_of_one:
            nulls += ", or if only one row remains"
        taken = ".  ".join(each for each in (takes, ", and ".join(more)) if each)
        return Signature(self.forms, taken, self.result.text, self.source, nulls, self.errors)


# Short names for the table below.
_A: Final = AggregateFunction
_10_9: Final = "S-203, SQL:2016 10.9"
_SUMS: Final = (NUMERIC | INTERVAL,)
_NUMBER: Final = (NUMERIC,)
_PAIR: Final = (NUMERIC, NUMERIC)


def _spread(function: AggregateFunction, *names: str) -> Aggregate:
    """A standard deviation or variance, which can also be called by ``names``."""
    forms = tuple(f"{each}(x)" for each in (function, *names))
    null_of_one = function in (_A.STDDEV_SAMP, _A.VAR_SAMP)
    return Aggregate(function, _NUMBER, _DOUBLE, forms, _10_9, null_of_one=null_of_one)


def _of_pairs(function: AggregateFunction) -> Aggregate:
    """A covariance or correlation of two numbers."""
    forms = (f"{function}(y, x)",)
    null_of_one = function is not _A.COVAR_POP
    return Aggregate(
        function, _PAIR, _DOUBLE, forms, _10_9, distinct=False, null_of_one=null_of_one
    )


def _percentile(
    function: AggregateFunction, keys: frozenset[Kind], result: _Result, source: str
) -> Aggregate:
    """A percentile, whose sort key may have the kinds ``keys``."""
    forms = (f"{function}(fraction) WITHIN GROUP (ORDER BY x)",)
    return Aggregate(
        function, (NUMERIC, keys), result, forms, source, distinct=False, within=Within.ONE_KEY,
        value=1,
    )  # fmt: skip


_LISTED: Final = (
    "LISTAGG(x) WITHIN GROUP (ORDER BY y)",
    "LISTAGG(x, separator)",
    "STRING_AGG(x, separator ORDER BY y)",
)

#: The aggregates that a query can call; LITERAL_AGG, which only plans have, is not among them.
#: Defines: S-203.g, S-203.p
TABLE: Final[tuple[Aggregate, ...]] = (
    Aggregate(_A.COUNT, (), _BIGINT, ("COUNT(*)", "COUNT(x)", "COUNT(x, y, …)"), _10_9),
    Aggregate(_A.SUM, _SUMS, _SUMMED, ("SUM(x)",), _10_9, errors="OVERFLOW"),
    Aggregate(_A.AVG, _NUMBER, _AVERAGE, ("AVG(x)",), _10_9),
    Aggregate(_A.MIN, (_ANY,), _ITSELF, ("MIN(x)",), _10_9),
    Aggregate(_A.MAX, (_ANY,), _ITSELF, ("MAX(x)",), _10_9),
    Aggregate(_A.ANY_VALUE, (_ANY,), _ITSELF, ("ANY_VALUE(x)",), "S-203, after Calcite"),
    Aggregate(_A.EVERY, (_CONDITION,), _BOOLEAN, ("EVERY(p)",), _10_9),
    Aggregate(_A.SOME, (_CONDITION,), _BOOLEAN, ("SOME(p)",), _10_9),
    _spread(_A.STDDEV_POP),
    _spread(_A.STDDEV_SAMP, "STDDEV"),
    _spread(_A.VAR_POP),
    _spread(_A.VAR_SAMP, "VARIANCE"),
    _of_pairs(_A.COVAR_POP),
    _of_pairs(_A.COVAR_SAMP),
    _of_pairs(_A.CORR),
    Aggregate(_A.MEDIAN, _NUMBER, _DOUBLE, ("MEDIAN(x)",), "S-203"),
    _percentile(_A.PERCENTILE_CONT, NUMERIC, _DOUBLE, _10_9),
    _percentile(_A.PERCENTILE_DISC, _ANY, _ITSELF, "S-203"),
    Aggregate(
        _A.LISTAGG,
        (TEXT, TEXT),
        _VARCHAR,
        _LISTED,
        _10_9,
        within=Within.MAYBE,
        optional=1,
        errors=TOO_LONG,
    ),
)
_BY_FUNCTION: Final = {each.function: each for each in TABLE}
#: The aggregates by each of their names.
AGGREGATES: Final[Mapping[str, Aggregate]] = {
    form.partition("(")[0]: each for each in TABLE for form in each.forms
}


def _suggested_argument(argument: Type, takes: frozenset[Kind]) -> str:
    """An expression over the argument that has one of the kinds ``takes``; empty: none is known.

    In the expression, ``{}`` stands for the text of the argument.
    """
    target = _CASTS.get(takes, INTEGER)
    if argument.kind is not Kind.NULL and not castable(argument, target):
        replacement = detour(argument, target, "{}")
        return replacement or ("{} IS NOT NULL" if takes == _CONDITION else "")
    return f"CAST({{}} AS {target})"


def aggregate_type(function: AggregateFunction, arguments: Sequence[Type]) -> Type:
    """The type of ``function(arguments)``; raises `ArgumentError` if it does not take them.

    ``COUNT(*)`` has no argument.  The arguments of a percentile are its fraction and the key of
    WITHIN GROUP.  COUNT is never NULL; all other aggregates are NULL over no values, so their types
    are nullable.  Only COUNT accepts a bare NULL.

    >>> str(aggregate_type(AggregateFunction.AVG, [decimal(5, 2)]))
    'DECIMAL(38, 6)'
    """
    if function is AggregateFunction.COUNT:
        return BIGINT.as_nullable(False)
    row = _BY_FUNCTION[function]
    _check_number(function, arguments, len(row.takes) - row.optional, len(row.takes))
    for place, (argument, takes) in enumerate(zip(arguments, row.takes, strict=False)):
        if argument.kind not in takes:
            raise _mismatch(
                function, place, argument, _suggested_argument(argument, takes) or row.forms[0]
            )
    return row.result.of(arguments[row.value]).as_nullable()


# --- window functions -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OverFunction:
    """One function that can only be called with OVER: a row of `WINDOW_TABLE`.

    It takes ``least`` to ``most`` arguments.  Argument number ``counter``, from 0, must be an
    integer: an offset or a number; None: there is no such argument.  ``by_place``: its value
    depends on the row's place in the partition, so a frame is not allowed.  ``ordered``: it needs
    an ORDER BY.  ``nulls``: it takes IGNORE NULLS (S-203).  The list of functions in the
    documentation shows ``forms`` (calls), ``takes`` and ``gives`` (types).
    """

    forms: tuple[str, ...]
    takes: str
    gives: str
    least: int = 0
    most: int = 0
    counter: int | None = None
    by_place: bool = True
    ordered: bool = True
    nulls: bool = False

    @property
    def low(self) -> int:
        """The least value of argument number ``counter``: 0 for LAG and LEAD, else 1."""
        return 0 if self._shifts else 1

    @property
    def _shifts(self) -> bool:
        """Whether this is LAG or LEAD, the only functions that take three arguments."""
        return self.most == 3

    @property
    def signature(self) -> Signature:
        """The function's row in docs/functions.md."""
        nulls = "never NULL" if self.counter is None else "NULL if `n` is NULL"
        if self.nulls:
            more = " and there is no default, if the offset is NULL" if self._shifts else ""
            more += ", if `n` is NULL" if self.most == 2 else ""  # NTH_VALUE(x, n)
            nulls = (
                f"NULL if the requested row does not exist{more}, or if `x` is NULL in the"
                " requested row.  IGNORE NULLS skips the rows in which `x` is NULL.  Without it, or"
                " with RESPECT NULLS, these rows are not skipped"
            )
        frame = "a frame is not allowed" if self.by_place else "a frame is allowed"
        order = "ORDER BY is required" if self.ordered else "ORDER BY is optional"
        taken = f"{self.takes}.  {order}, and {frame}"
        number = "an offset" if self._shifts else "an `n`"
        errors = "" if self.counter is None else f"INVALID_ARGUMENT for {number} below {self.low}"
        source = "S-203, S-505, SQL:2016 6.10"
        return Signature(self.forms, taken, self.gives, source, nulls, errors)


_NO_ARGUMENT: Final = "no argument"
_DOUBLE_SHARE: Final = "DOUBLE, from 0 to 1"


def _shifted(name: str) -> OverFunction:
    """LAG or LEAD: the value of a row that is ``offset`` rows away."""
    forms = (f"{name}(x)", f"{name}(x, offset)", f"{name}(x, offset, default)")
    takes = "any value; an integer (1 if it is omitted); a value that has a common type with `x`"
    gives = "the type of `x`; with a default, the common type of `x` and the default"
    return OverFunction(forms, takes, gives, least=1, most=3, counter=1, nulls=True)


_ANY_VALUE: Final = "any value"
#: The functions that can only be called with OVER.
#:
#: Defines: S-203.m
WINDOW_TABLE: Final[Mapping[WindowFunction, OverFunction]] = {
    WindowFunction.ROW_NUMBER: OverFunction(
        ("ROW_NUMBER()",), _NO_ARGUMENT, "BIGINT", ordered=False
    ),
    WindowFunction.RANK: OverFunction(("RANK()",), _NO_ARGUMENT, "BIGINT"),
    WindowFunction.DENSE_RANK: OverFunction(("DENSE_RANK()",), _NO_ARGUMENT, "BIGINT"),
    WindowFunction.PERCENT_RANK: OverFunction(("PERCENT_RANK()",), _NO_ARGUMENT, _DOUBLE_SHARE),
    WindowFunction.CUME_DIST: OverFunction(("CUME_DIST()",), _NO_ARGUMENT, _DOUBLE_SHARE),
    WindowFunction.NTILE: OverFunction(
        ("NTILE(n)",), "an integer", "INTEGER", least=1, most=1, counter=0
    ),
    WindowFunction.LAG: _shifted("LAG"),
    WindowFunction.LEAD: _shifted("LEAD"),
    WindowFunction.FIRST_VALUE: OverFunction(
        ("FIRST_VALUE(x)",), _ANY_VALUE, "the type of `x`",
        least=1, most=1, by_place=False, ordered=False, nulls=True,
    ),
    WindowFunction.LAST_VALUE: OverFunction(
        ("LAST_VALUE(x)",), _ANY_VALUE, "the type of `x`",
        least=1, most=1, by_place=False, ordered=False, nulls=True,
    ),
    WindowFunction.NTH_VALUE: OverFunction(
        ("NTH_VALUE(x, n)",), f"{_ANY_VALUE}; an integer", "the type of `x`",
        least=2, most=2, counter=1, by_place=False, ordered=False, nulls=True,
    ),
}  # fmt: skip


def window_type(function: WindowFunction, arguments: Sequence[Type]) -> Type:
    """The type of ``function(arguments) OVER …``; raises `ArgumentError` if it does not take them.

    - ROW_NUMBER, RANK and DENSE_RANK are BIGINT, PERCENT_RANK and CUME_DIST are DOUBLE.  They are
      never NULL.
    - NTILE is INTEGER; it is NULL where its argument is NULL.
    - The other functions have the type of their first argument; they are NULL where the requested
      row does not exist.
    - LAG and LEAD with a default have the common type of the first argument and the default
      (`window_arguments`); they are also NULL where the offset is NULL.
    """
    row = WINDOW_TABLE[function]
    _check_number(function, arguments, row.least, row.most)
    for place, argument in enumerate(arguments):
        if place == row.counter and argument.kind not in INTEGERS:
            raise _mismatch(function, place, argument, "CAST({} AS INTEGER)")
    match function:
        case WindowFunction.ROW_NUMBER | WindowFunction.RANK | WindowFunction.DENSE_RANK:
            return BIGINT.as_nullable(False)
        case WindowFunction.PERCENT_RANK | WindowFunction.CUME_DIST:
            return DOUBLE.as_nullable(False)
        case WindowFunction.NTILE:
            return INTEGER.as_nullable(arguments[0].nullable)
        case WindowFunction.FIRST_VALUE | WindowFunction.LAST_VALUE | WindowFunction.NTH_VALUE:
            return _value_type(function, arguments[0])
        case WindowFunction.LAG | WindowFunction.LEAD:
            value = _value_type(function, arguments[0])
            if len(arguments) < 3:
                return value
            common = common_type((arguments[0], arguments[2]))
            if common is None:
                raise _mismatch(function, 2, arguments[2], f"CAST({{}} AS {arguments[0]})")
            return common.as_nullable(common.nullable or arguments[1].nullable)


def window_arguments(
    function: WindowFunction, arguments: Sequence[Expression]
) -> tuple[Expression, ...]:
    """The arguments as a plan has them: LAG's and LEAD's value and default are cast to one type.

    Raises `ArgumentError` as `window_type` does.
    """
    type = window_type(function, [each.type for each in arguments])
    if len(arguments) < 3:
        return tuple(arguments)
    value, offset, default = arguments
    return (convert(value, type), offset, convert(default, type))


def _value_type(function: WindowFunction, value: Type) -> Type:
    """The type ``value`` of a function's first argument, nullable; a bare NULL is refused."""
    if value.kind is Kind.NULL:
        raise _mismatch(function, 0, value, "CAST({} AS INTEGER)")
    return value.as_nullable()


def _check_number(
    function: AggregateFunction | WindowFunction, arguments: Sequence[Type], least: int, most: int
) -> None:
    """Refuse fewer than ``least`` or more than ``most`` arguments: WRONG_ARGUMENTS."""
    if not least <= len(arguments) <= most:
        same = counted(most, "argument")
        expected = same if least == most else f"{least} to {same}"
        message = f"{function} takes {expected}, not {len(arguments)}"
        hint = f"write it as in {function}({', '.join('abc'[:least])})"
        raise ArgumentError(Code.WRONG_ARGUMENTS, None, message, hint)


def _mismatch(
    function: AggregateFunction | WindowFunction, place: int, argument: Type, hint: str
) -> ArgumentError:
    """The error for argument number ``place``, whose type ``argument`` is wrong."""
    message = f"{function} does not take {argument}"
    return ArgumentError(Code.TYPE_MISMATCH, place, message, hint)
