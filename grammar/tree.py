"""The syntax tree: a text as written, before its names and types are resolved.

Every node has the ``span`` of its text, which does not count for equality: trees are equal if they
are written alike.  Names are folded by the parser (S-205): ``Identifier.name`` is the folded name,
``quoted`` says how it was written.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from grammar.source import Span

# --- names, types, intervals ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name; unquoted ones are folded to upper case, ``quoted`` ones are exact (S-205).

    Defines: S-205.a
    """

    name: str
    quoted: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A possibly qualified name, ``catalog.schema.object`` or ``alias.column``."""

    parts: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


class TimeUnit(StrEnum):
    """A unit of time, in EXTRACT, FLOOR, CEIL and interval qualifiers."""

    YEAR = "YEAR"
    QUARTER = "QUARTER"
    MONTH = "MONTH"
    WEEK = "WEEK"
    DAY = "DAY"
    HOUR = "HOUR"
    MINUTE = "MINUTE"
    SECOND = "SECOND"
    MILLISECOND = "MILLISECOND"
    # only in EXTRACT
    EPOCH = "EPOCH"
    DECADE = "DECADE"
    CENTURY = "CENTURY"
    MILLENNIUM = "MILLENNIUM"
    ISOYEAR = "ISOYEAR"
    DOW = "DOW"
    ISODOW = "ISODOW"
    DOY = "DOY"


@dataclass(frozen=True, slots=True)
class IntervalQualifier:
    """``DAY``, ``HOUR(3)``, ``DAY TO SECOND(3)``: the fields of an interval, greatest first."""

    start: TimeUnit
    end: TimeUnit | None
    precision: int | None
    fraction: int | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TypeName:
    """``DECIMAL(10, 2)``, ``VARCHAR``, ``TIMESTAMP(3)``, ``INTERVAL DAY TO SECOND``.

    ``name`` is the standard's spelling in upper case (``INT`` is INTEGER, ``DEC`` and ``NUMERIC``
    are DECIMAL, ``CHARACTER`` is CHAR, ``DOUBLE PRECISION`` and ``FLOAT`` are DOUBLE, …); an
    interval has a ``qualifier``.
    """

    name: str
    precision: int | None
    scale: int | None
    qualifier: IntervalQualifier | None
    span: Span = field(compare=False, repr=False)


# --- expressions ------------------------------------------------------------------------------


class LiteralKind(StrEnum):
    """The kinds of plain literal."""

    NUMBER = "NUMBER"  # text: digits as written, ``1``, ``0.25``, ``1E3`` (the last is DOUBLE)
    STRING = "STRING"  # text: the characters, quotes taken off, doubled quotes undone
    BINARY = "BINARY"  # text: hexadecimal digits of X'…'
    BOOLEAN = "BOOLEAN"  # text: TRUE, FALSE or UNKNOWN
    NULL = "NULL"  # text: NULL
    DATE = "DATE"  # text: what stands between the quotes, of this and the next two
    TIME = "TIME"
    TIMESTAMP = "TIMESTAMP"


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal other than an interval; binding checks that ``text`` is a value."""

    kind: LiteralKind
    text: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IntervalLiteral:
    """``INTERVAL -'1:30' HOUR TO MINUTE``; ``negative`` is the sign outside the quotes.

    ``INTERVAL 10 MINUTE`` and ``RANGE 10 MINUTE PRECEDING`` are parsed as if the digits were
    quoted.
    """

    text: str
    negative: bool
    qualifier: IntervalQualifier
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """The ``?`` at place ``index``, counted from 0 in the order of the statement's text."""

    index: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column by name, qualified or not."""

    name: Name
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Star:
    """``*`` or ``o.*`` in a select list."""

    qualifier: Name | None
    span: Span = field(compare=False, repr=False)


class UnaryOperator(StrEnum):
    """The prefix operators."""

    PLUS = "+"
    MINUS = "-"
    NOT = "NOT"


class BinaryOperator(StrEnum):
    """The infix operators."""

    OR = "OR"
    AND = "AND"
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    IS_DISTINCT_FROM = "IS DISTINCT FROM"
    IS_NOT_DISTINCT_FROM = "IS NOT DISTINCT FROM"
    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"
    MODULO = "%"
    CONCAT = "||"


@dataclass(frozen=True, slots=True)
class Unary:
    """``- x``, ``+ x``, ``NOT p``."""

    operator: UnaryOperator
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """``left operator right``; ``operator_span`` is the place of the operator itself."""

    operator: BinaryOperator
    left: "Expression"
    right: "Expression"
    operator_span: Span = field(compare=False, repr=False)
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """``x [NOT] BETWEEN [SYMMETRIC] low AND high``."""

    operand: "Expression"
    low: "Expression"
    high: "Expression"
    symmetric: bool
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """``x [NOT] LIKE pattern [ESCAPE e]``; ``similar``: SIMILAR TO."""

    operand: "Expression"
    pattern: "Expression"
    escape: "Expression | None"
    similar: bool
    negated: bool
    span: Span = field(compare=False, repr=False)


class Truth(StrEnum):
    """What IS tests for."""

    NULL = "NULL"
    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Is:
    """``x IS [NOT] NULL``, TRUE, FALSE or UNKNOWN."""

    operand: "Expression"
    truth: Truth
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InList:
    """``x [NOT] IN (a, b, …)``; ``x`` may be a row value."""

    operand: "Expression"
    items: tuple["Expression", ...]
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InQuery:
    """``x [NOT] IN (SELECT …)``."""

    operand: "Expression"
    query: "Query"
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS (SELECT …)``."""

    query: "Query"
    span: Span = field(compare=False, repr=False)


class Quantifier(StrEnum):
    """The quantifiers of comparisons; SOME is parsed as ANY."""

    ANY = "ANY"
    ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Quantified:
    """``x > ALL (SELECT …)``; ``operator`` is a comparison."""

    operator: BinaryOperator
    quantifier: Quantifier
    operand: "Expression"
    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ScalarQuery:
    """``(SELECT …)`` where a value is expected."""

    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Row:
    """``(a, b)`` or ``ROW(a, b)``: a value of two or more columns."""

    items: tuple["Expression", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class When:
    """One ``WHEN condition THEN result`` of a CASE."""

    condition: "Expression"
    result: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """Both forms of CASE; in one, each condition is compared with ``operand``, else None."""

    operand: "Expression | None"
    whens: tuple[When, ...]
    otherwise: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """``CAST(x AS type)``."""

    operand: "Expression"
    type: TypeName
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Extract:
    """``EXTRACT(unit FROM x)``."""

    unit: TimeUnit
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Round:
    """``FLOOR(x)`` or ``CEIL(x)``, with or without ``TO unit`` (CAL-188, CAL-189)."""

    up: bool
    operand: "Expression"
    unit: TimeUnit | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """``STEP(x BY i)``: the greatest multiple of ``i`` not above ``x`` (S-208)."""

    operand: "Expression"
    by: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimestampAdd:
    """``TIMESTAMPADD(unit, count, t)``; the unit ``SQL_TSI_DAY`` is parsed as ``DAY``."""

    unit: TimeUnit
    count: "Expression"
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TimestampDiff:
    """``TIMESTAMPDIFF(unit, start, end)``; units as of `TimestampAdd`."""

    unit: TimeUnit
    start: "Expression"
    end: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Substring:
    """``SUBSTRING(x FROM a [FOR n])``, also spelled ``SUBSTRING(x, a[, n])``."""

    operand: "Expression"
    start: "Expression"
    length: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Position:
    """``POSITION(x IN y)``."""

    needle: "Expression"
    haystack: "Expression"
    span: Span = field(compare=False, repr=False)


class TrimSide(StrEnum):
    """The sides of a text at which TRIM removes characters."""

    BOTH = "BOTH"
    LEADING = "LEADING"
    TRAILING = "TRAILING"


@dataclass(frozen=True, slots=True)
class Trim:
    """``TRIM([side] [c] FROM x)``; ``characters`` is None for blanks."""

    side: TrimSide
    characters: "Expression | None"
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Overlay:
    """``OVERLAY(x PLACING y FROM a [FOR n])``."""

    operand: "Expression"
    replacement: "Expression"
    start: "Expression"
    length: "Expression | None"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DatetimeMinus:
    """``(a - b) SECOND``: the distance as an interval of that qualifier (S-207)."""

    left: "Expression"
    right: "Expression"
    qualifier: IntervalQualifier
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CurrentTime:
    """``CURRENT_TIMESTAMP``, ``LOCALTIME(3)``, …: ``function`` is the word in upper case."""

    function: str
    precision: int | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Monotonic:
    """``MONOTONIC(e)``: the writer asserts that ``e`` ascends (S-407)."""

    operand: "Expression"
    span: Span = field(compare=False, repr=False)


class Nulls(StrEnum):
    """Null treatment of a window function."""

    RESPECT = "RESPECT"
    IGNORE = "IGNORE"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call by name: scalar function, aggregate, window function, TUMBLE, HOP and the like.

    ``star``: ``COUNT(*)``.  ``within_group`` is the order of LISTAGG, PERCENTILE_CONT and others,
    also if it is among the arguments: ``STRING_AGG(x, ',' ORDER BY y)``.  ``over`` is the window
    behind OVER, None without.  Binding decides which of these a function takes.
    """

    name: Name
    arguments: tuple["Expression", ...]
    star: bool
    distinct: bool
    within_group: tuple["SortItem", ...]
    filter: "Expression | None"
    nulls: Nulls | None
    over: "WindowSpec | None"
    span: Span = field(compare=False, repr=False)


Expression: TypeAlias = (
    Literal
    | IntervalLiteral
    | Parameter
    | ColumnRef
    | Star
    | Unary
    | Binary
    | Between
    | Like
    | Is
    | InList
    | InQuery
    | Exists
    | Quantified
    | ScalarQuery
    | Row
    | Case
    | Cast
    | Extract
    | Round
    | Step
    | TimestampAdd
    | TimestampDiff
    | Substring
    | Position
    | Trim
    | Overlay
    | DatetimeMinus
    | CurrentTime
    | Monotonic
    | FunctionCall
)

# --- windows and orders -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SortItem:
    """One item of ORDER BY; ``nulls_first`` None: not written; ``within``: of a t-sort (S-507)."""

    expression: Expression
    descending: bool
    nulls_first: bool | None
    within: Expression | None
    span: Span = field(compare=False, repr=False)


class FrameUnit(StrEnum):
    """The unit in which a frame counts."""

    ROWS = "ROWS"
    RANGE = "RANGE"
    GROUPS = "GROUPS"


class BoundKind(StrEnum):
    """The five kinds of ends of a frame."""

    UNBOUNDED_PRECEDING = "UNBOUNDED PRECEDING"
    PRECEDING = "PRECEDING"
    CURRENT_ROW = "CURRENT ROW"
    FOLLOWING = "FOLLOWING"
    UNBOUNDED_FOLLOWING = "UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class FrameBound:
    """One end of a frame; ``offset`` only with PRECEDING and FOLLOWING."""

    kind: BoundKind
    offset: Expression | None
    span: Span = field(compare=False, repr=False)


class Exclusion(StrEnum):
    """The rows that EXCLUDE takes out of a frame."""

    CURRENT_ROW = "CURRENT ROW"
    GROUP = "GROUP"
    TIES = "TIES"
    NO_OTHERS = "NO OTHERS"


@dataclass(frozen=True, slots=True)
class Frame:
    """``ROWS 2 PRECEDING``, ``RANGE BETWEEN … AND … EXCLUDE TIES``; None: not written."""

    unit: FrameUnit
    start: FrameBound
    end: FrameBound | None
    span: Span = field(compare=False, repr=False)
    exclude: Exclusion | None = None


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """A window; ``base`` is the named window that it refines or, in ``OVER w``, is.

    ``OVER w`` is parsed as ``OVER (w)``, and ``OVER w (RANGE …)`` as ``OVER (w RANGE …)`` (E-22);
    PARTITION BY and ORDER BY may be in either order (E-20).
    """

    base: Identifier | None
    partition: tuple[Expression, ...]
    order: tuple[SortItem, ...]
    frame: Frame | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """``w AS (…)`` of a WINDOW clause."""

    name: Identifier
    spec: WindowSpec
    span: Span = field(compare=False, repr=False)


# --- FROM -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Alias:
    """``AS t (a, b)``; ``columns`` is empty without a column list."""

    name: Identifier
    columns: tuple[Identifier, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table, stream or view by name.

    ``system_time`` is the instant of FOR SYSTEM_TIME AS OF, ``over`` its window in a join (S-509);
    None without.
    """

    name: Name
    system_time: Expression | None
    over: WindowSpec | None
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A sub-query in FROM."""

    query: "Query"
    over: WindowSpec | None
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TableFunction:
    """``TABLE(f(…))``: a function in FROM."""

    call: FunctionCall
    alias: Alias | None
    span: Span = field(compare=False, repr=False)


class JoinKind(StrEnum):
    """The kinds of join."""

    INNER = "INNER"
    LEFT = "LEFT"
    RIGHT = "RIGHT"
    FULL = "FULL"
    CROSS = "CROSS"


@dataclass(frozen=True, slots=True)
class Join:
    """``left JOIN right``: at most one of ``on``, ``using``, ``natural``; a comma is CROSS."""

    kind: JoinKind
    left: "FromItem"
    right: "FromItem"
    natural: bool
    on: Expression | None
    using: tuple[Identifier, ...]
    comma: bool
    span: Span = field(compare=False, repr=False)


FromItem: TypeAlias = TableRef | DerivedTable | TableFunction | Join

# --- queries ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SelectItem:
    """One item of a select list."""

    expression: Expression
    alias: Identifier | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroupExpression:
    """A plain group key, TUMBLE and HOP included; ``within``: a t-sorted key (S-507)."""

    expression: Expression
    within: Expression | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class GroupTuple:
    """``(a, b)`` or ``()`` as an element of GROUP BY: one set of several keys, or of none."""

    items: tuple[GroupExpression, ...]
    span: Span = field(compare=False, repr=False)


class GroupingKind(StrEnum):
    """The elements of GROUP BY that make several sets."""

    GROUPING_SETS = "GROUPING SETS"
    CUBE = "CUBE"
    ROLLUP = "ROLLUP"


@dataclass(frozen=True, slots=True)
class Grouping:
    """``GROUPING SETS (…)``, ``CUBE (…)``, ``ROLLUP (…)``."""

    kind: GroupingKind
    items: tuple["GroupItem", ...]
    span: Span = field(compare=False, repr=False)


GroupItem: TypeAlias = GroupExpression | GroupTuple | Grouping


@dataclass(frozen=True, slots=True)
class GroupBy:
    """The GROUP BY clause; its grouping sets are the product of its elements' sets."""

    items: tuple[GroupItem, ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; ``stream_span`` is the place of the word STREAM, None without it."""

    stream: bool
    distinct: bool
    items: tuple[SelectItem, ...]
    from_: FromItem | None
    where: Expression | None
    group_by: GroupBy | None
    having: Expression | None
    windows: tuple[NamedWindow, ...]
    stream_span: Span | None = field(compare=False, repr=False)
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Values:
    """``VALUES (1, 'a'), (2, 'b')``: rows of one or more columns each."""

    rows: tuple[tuple[Expression, ...], ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ExplicitTable:
    """``TABLE t``: all of its columns and rows."""

    name: Name
    span: Span = field(compare=False, repr=False)


class SetOperator(StrEnum):
    """UNION, INTERSECT, EXCEPT; MINUS is parsed as EXCEPT."""

    UNION = "UNION"
    INTERSECT = "INTERSECT"
    EXCEPT = "EXCEPT"


@dataclass(frozen=True, slots=True)
class SetOperation:
    """``left UNION [ALL] right``; INTERSECT binds tighter, and all are left-associative."""

    operator: SetOperator
    all: bool
    left: "QueryBody"
    right: "QueryBody"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class CommonTable:
    """``name (columns) AS (query)`` of WITH."""

    name: Identifier
    columns: tuple[Identifier, ...]
    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class With:
    """The WITH clause; ``recursive_span`` is the place of the word RECURSIVE, None without it."""

    recursive: bool
    tables: tuple[CommonTable, ...]
    span: Span = field(compare=False, repr=False)
    recursive_span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """LIMIT, OFFSET and FETCH FIRST in any spelling; ``limit`` None: all rows."""

    offset: Expression | None
    limit: Expression | None
    with_ties: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query: WITH, body, ORDER BY, LIMIT.  A query in brackets is a Query again."""

    with_: With | None
    body: "QueryBody"
    order_by: tuple[SortItem, ...]
    limit: Limit | None
    span: Span = field(compare=False, repr=False)


QueryBody: TypeAlias = Select | Values | ExplicitTable | SetOperation | Query
