"""Bound expressions: names are resolved to columns, types are known, casts are explicit.

``location`` is the place of an expression in the query's text.  Errors that its evaluation raises
point there.  It is None for an expression that is not in the text.  Equal expressions can have
different locations.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from algebra.types import BIGINT, BOOLEAN, Type
from grammar.source import Location
from grammar.tree import TimeUnit

if TYPE_CHECKING:
    from algebra.catalog import ExternalFunction
    from algebra.plan import Plan

#: The internal representation of a SQL value; `Kind` lists the Python type of each kind.
Value: TypeAlias = bool | int | Decimal | float | str | bytes | None


class Op(StrEnum):
    """The scalar operators and functions; the comments describe their operands."""

    # logic: three-valued, AND and OR of two or more operands
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    IS_NULL = "IS NULL"
    IS_NOT_NULL = "IS NOT NULL"
    IS_TRUE = "IS TRUE"
    IS_NOT_TRUE = "IS NOT TRUE"
    IS_FALSE = "IS FALSE"
    IS_NOT_FALSE = "IS NOT FALSE"
    # comparison: both operands of one comparable type (binding casts them)
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    IS_DISTINCT_FROM = "IS DISTINCT FROM"
    IS_NOT_DISTINCT_FROM = "IS NOT DISTINCT FROM"
    IN = "IN"  # whether the first operand equals one of the others; three-valued
    # arithmetic: numbers, or intervals of one family; TIMES and DIVIDE also interval by number
    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"  # interval / interval is DOUBLE (S-207)
    MOD = "MOD"
    NEGATE = "NEGATE"  # number or interval
    DATETIME_PLUS = "DATETIME_PLUS"  # DATE, TIME or TIMESTAMP, then an interval (S-207)
    DATETIME_MINUS = "DATETIME_MINUS"  # (a - b) unit, both datetimes: an interval (S-207)
    ABS = "ABS"
    EXP = "EXP"
    LN = "LN"
    SQRT = "SQRT"
    POWER = "POWER"
    LOG10 = "LOG10"
    SIGN = "SIGN"  # a number: -1, 0 or 1 of its own type
    ROUND = "ROUND"  # number[, digits]: HALF_UP; the digits may be negative (S-202)
    TRUNCATE = "TRUNCATE"  # number[, digits]: toward zero
    RAND = "RAND"  # in [0, 1); refused in streams
    FLOOR = "FLOOR"  # a number; of a datetime see Round
    CEIL = "CEIL"
    STEP = "STEP"  # STEP(x BY i): datetime by interval, integer by integer (S-208)
    # text
    CONCAT = "||"  # both VARCHAR (S-204)
    SUBSTRING = "SUBSTRING"  # text, start[, length]: positions count from 1
    POSITION = "POSITION"  # searched text, text: from 1; 0 if absent; 1 for an empty searched text
    TRIM_BOTH = "TRIM BOTH"  # characters, text
    TRIM_LEADING = "TRIM LEADING"
    TRIM_TRAILING = "TRIM TRAILING"
    OVERLAY = "OVERLAY"  # text, replacement, start[, length]
    UPPER = "UPPER"
    LOWER = "LOWER"
    INITCAP = "INITCAP"
    CHAR_LENGTH = "CHAR_LENGTH"
    REPLACE = "REPLACE"  # text, searched text, replacement
    LPAD = "LPAD"  # text, length, characters: a longer text is cut on the right
    RPAD = "RPAD"
    LIKE = "LIKE"  # text, pattern[, escape]
    SIMILAR = "SIMILAR TO"
    # dates
    LAST_DAY = "LAST_DAY"  # DATE or TIMESTAMP: the DATE of its month's last day
    # choice; operands of one comparable type
    COALESCE = "COALESCE"
    GREATEST = "GREATEST"  # NULL if any operand is
    LEAST = "LEAST"
    # the session's clock (S-106): a TIMESTAMP, DATE or TIME, which is the type of the call
    CURRENT_TIMESTAMP = "CURRENT_TIMESTAMP"
    # the user declares that the operand ascends; the value is that of the operand (S-407)
    MONOTONIC = "MONOTONIC"


#: The operators whose result may differ from NULL although an operand is NULL.
NULL_TOLERANT: Final = frozenset({
    Op.AND, Op.OR, Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE,
    Op.IS_NOT_FALSE, Op.IS_DISTINCT_FROM, Op.IS_NOT_DISTINCT_FROM, Op.IN, Op.COALESCE,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class InputRef:
    """Column ``index`` of the input row; in a join, the left columns come first."""

    index: int
    type: Type


@dataclass(frozen=True, slots=True)
class OuterRef:
    """Column ``index`` of the row of an enclosing query, ``level`` queries out (1: the next)."""

    level: int
    index: int
    type: Type


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant in its internal representation (`algebra.types.Kind`)."""

    value: Value
    type: Type


@dataclass(frozen=True, slots=True)
class Parameter:
    """The dynamic parameter ``?`` number ``index``, counted from 0."""

    index: int
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """``op`` applied to its operands."""

    op: Op
    operands: tuple["Expression", ...]
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class External:
    """A function of the host language, called with the operands' values; NULL if one is NULL."""

    function: "ExternalFunction"
    operands: tuple["Expression", ...]
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """The operand converted to ``type`` (S-202, S-204); unchanged if only ``nullable`` differs."""

    operand: "Expression"
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """The result of the first branch whose condition is true, else ``otherwise``.

    Branches that are not chosen are not evaluated: ``CASE WHEN x <> 0 THEN 1 / x END`` is safe.
    """

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Extract:
    """A field of a datetime or interval, as BIGINT."""

    unit: TimeUnit
    operand: "Expression"
    type: Type = BIGINT
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Round:
    """FLOOR or CEIL (``up``) of a datetime to a unit (S-208)."""

    up: bool
    operand: "Expression"
    unit: TimeUnit
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Grouping:
    """GROUPING(k1, k2, …): a number with a bit for each key; the bit of k1 is the highest.

    A bit is 1 if the grouping set lacks the key.  ``keys`` are places in the Aggregate's ``keys``.
    It occurs only in an Aggregate's measures (CAL-081), where it is a constant for each grouping
    set.
    """

    keys: tuple[int, ...]
    type: Type = BIGINT


@dataclass(frozen=True, slots=True)
class GroupId:
    """GROUP_ID(): the number of equal grouping sets before this one.

    It occurs only in an Aggregate's measures, as `Grouping` does.
    """

    type: Type = BIGINT


@dataclass(frozen=True, slots=True)
class ScalarQuery:
    """The value in the only row of ``plan``.

    NULL if it has no row, and the error SCALAR_SUBQUERY_ROWS if it has several.
    """

    plan: "Plan"
    type: Type
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether ``plan`` has a row."""

    plan: "Plan"
    type: Type = BOOLEAN


@dataclass(frozen=True, slots=True)
class InQuery:
    """Whether the row value ``operands`` is among the rows of ``plan``; three-valued."""

    operands: tuple["Expression", ...]
    plan: "Plan"
    type: Type = BOOLEAN
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Quantified:
    """``operand op ALL (plan)`` if ``every``, else ANY; ``op`` is a comparison; three-valued."""

    op: Op
    every: bool
    operand: "Expression"
    plan: "Plan"
    type: Type = BOOLEAN
    location: Location | None = field(default=None, compare=False, repr=False)


#: The expressions with a plan inside.
Subquery: TypeAlias = ScalarQuery | Exists | InQuery | Quantified

Expression: TypeAlias = (
    InputRef
    | OuterRef
    | Literal
    | Parameter
    | Call
    | External
    | Cast
    | Case
    | Extract
    | Round
    | Grouping
    | GroupId
    | ScalarQuery
    | Exists
    | InQuery
    | Quantified
)


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order; the binder chooses ``nulls_first`` if the query does not (S-206)."""

    expression: Expression
    descending: bool
    nulls_first: bool


class AggregateFunction(StrEnum):
    """The aggregate functions (S-203); each may also be called with OVER."""

    COUNT = "COUNT"  # without arguments, of all rows; else of rows in which no argument is NULL
    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"
    ANY_VALUE = "ANY_VALUE"
    EVERY = "EVERY"
    SOME = "SOME"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    MEDIAN = "MEDIAN"  # PERCENTILE_CONT(0.5)
    COVAR_POP = "COVAR_POP"  # of two numbers; pairs with a NULL are skipped
    COVAR_SAMP = "COVAR_SAMP"  # as COVAR_POP
    CORR = "CORR"  # as COVAR_POP
    LISTAGG = "LISTAGG"  # text, separator; ordered by ``order``, else in the rows' order
    PERCENTILE_CONT = "PERCENTILE_CONT"  # a constant fraction; of ``order``'s one key
    PERCENTILE_DISC = "PERCENTILE_DISC"
    LITERAL_AGG = "LITERAL_AGG"  # a Grouping or GroupId: its constant, which no row changes


class WindowFunction(StrEnum):
    """The functions that can only be called with OVER."""

    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    PERCENT_RANK = "PERCENT_RANK"
    CUME_DIST = "CUME_DIST"
    NTILE = "NTILE"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    NTH_VALUE = "NTH_VALUE"
    LAG = "LAG"  # value[, offset[, default]]
    LEAD = "LEAD"


#: The window functions whose value depends only on the rows of their frame.  The others ignore the
#: frame.
FRAMED: Final = frozenset(
    {WindowFunction.FIRST_VALUE, WindowFunction.LAST_VALUE, WindowFunction.NTH_VALUE}
)
#: The window functions whose value depends on rows after the current row, which may arrive later.
LOOKAHEAD: Final = frozenset({
    WindowFunction.LEAD, WindowFunction.NTILE, WindowFunction.PERCENT_RANK,
    WindowFunction.CUME_DIST,
})  # fmt: skip
#: Holistic aggregates: they need all values of their argument, not a fixed-size accumulator.
#: Defines: S-408.i, S-408.m
HOLISTIC: Final = frozenset({
    AggregateFunction.MEDIAN, AggregateFunction.LISTAGG, AggregateFunction.PERCENTILE_CONT,
    AggregateFunction.PERCENTILE_DISC,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """One aggregate of an Aggregate node.

    It aggregates the rows for which ``filter`` is true; None: all rows.  ``order`` is the order of
    WITHIN GROUP; () if the call has none.
    """

    function: AggregateFunction
    arguments: tuple[Expression, ...]
    type: Type
    distinct: bool = False
    filter: Expression | None = None
    order: tuple[SortKey, ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class WindowCall:
    """One call with OVER of a Window node; ``filter`` is as in `AggregateCall`."""

    function: AggregateFunction | WindowFunction
    arguments: tuple[Expression, ...]
    type: Type
    distinct: bool = False
    filter: Expression | None = None
    ignore_nulls: bool = False
    location: Location | None = field(default=None, compare=False, repr=False)

    @property
    def is_framed(self) -> bool:
        """Whether the value depends only on the rows of the frame; other calls ignore the frame."""
        return isinstance(self.function, AggregateFunction) or self.function in FRAMED
