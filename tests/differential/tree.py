"""A query as a small neutral tree, which each dialect prints in its own words."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal as OneOf
from typing import TypeAlias

from tests.differential.sqltypes import SqlType


class Op(StrEnum):
    """An operator or function of a row's values; what is not said by name is in `Call.option`."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"
    MOD = "MOD"
    NEGATE = "NEGATE"
    ABS = "ABS"
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    AND = "AND"
    OR = "OR"
    NOT = "NOT"
    IS = "IS"  # option: NULL, NOT NULL, TRUE, NOT TRUE, …
    DISTINCT = "IS DISTINCT FROM"
    NOT_DISTINCT = "IS NOT DISTINCT FROM"
    IN = "IN"
    NOT_IN = "NOT IN"
    BETWEEN = "BETWEEN"
    LIKE = "LIKE"  # option: the pattern's escape, or nothing
    CONCAT = "||"
    UPPER = "UPPER"
    LOWER = "LOWER"
    TRIM = "TRIM"
    CHAR_LENGTH = "CHAR_LENGTH"
    POSITION = "POSITION"
    SUBSTRING = "SUBSTRING"  # option: "start" or "start,length"
    COALESCE = "COALESCE"
    NULLIF = "NULLIF"
    CAST = "CAST"
    EXTRACT = "EXTRACT"  # option: the unit
    FLOOR = "FLOOR"  # option: the unit
    CEIL = "CEIL"  # option: the unit
    DISTANCE = "DISTANCE"  # option: the unit; ``CAST((a - b) unit AS BIGINT)``


@dataclass(frozen=True, slots=True)
class Interval:
    """A literal: its text and qualifier as written, and what it is in months and milliseconds."""

    text: str
    qualifier: str
    months: int = 0
    millis: int = 0

    @property
    def finer_than_day(self) -> bool:
        """Whether its fields go below a day."""
        return not self.qualifier.endswith(("YEAR", "MONTH", "DAY"))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the FROM item ``alias``; "" after USING, where it is that of both sides."""

    alias: str
    name: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; its ``text`` is the digits, characters or fields without quotes, None: NULL."""

    text: str | None
    type: SqlType


@dataclass(frozen=True, slots=True)
class Call:
    """``op`` of its operands."""

    op: Op
    operands: tuple["Expression", ...]
    type: SqlType
    option: str = ""


@dataclass(frozen=True, slots=True)
class Shift:
    """A DATE or TIMESTAMP plus (``sign`` 1) or minus (-1) an interval literal."""

    operand: "Expression"
    sign: int
    interval: Interval
    type: SqlType


@dataclass(frozen=True, slots=True)
class Case:
    """CASE with conditions; without an ELSE: NULL."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression | None"
    type: SqlType


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT, SUM, AVG, MIN, MAX, EVERY or SOME; no argument: COUNT(*)."""

    function: str
    argument: "Expression | None"
    type: SqlType
    distinct: bool = False
    filter: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class SortKey:
    """An order; ``nulls_first`` None: the dialect of rowtime says nothing, so the default."""

    expression: "Expression"
    descending: bool = False
    nulls_first: bool | None = None

    @property
    def nulls_come_first(self) -> bool:
        """Where NULLs go: the default is last ascending, first descending (S-206)."""
        return self.descending if self.nulls_first is None else self.nulls_first


@dataclass(frozen=True, slots=True)
class End:
    """An end of a frame: ``distance`` None at UNBOUNDED, 0 rows and 0 in RANGE is CURRENT ROW."""

    distance: "int | str | Interval | None"
    preceding: bool = True


@dataclass(frozen=True, slots=True)
class Frame:
    """ROWS, RANGE or GROUPS, from one end to the other, both included; ``exclude``: what is not."""

    unit: OneOf["ROWS", "RANGE", "GROUPS"]
    start: End
    end: End
    exclude: str | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """A window function, or an aggregate over a window."""

    function: str
    arguments: tuple["Expression", ...]
    type: SqlType
    partition: tuple["Expression", ...] = ()
    order: tuple[SortKey, ...] = ()
    frame: Frame | None = None
    filter: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A sub-query of one column, and of one row at most."""

    query: "Query"
    type: SqlType


@dataclass(frozen=True, slots=True)
class InQuery:
    """``operand [NOT] IN (query)``."""

    operand: "Expression"
    query: "Query"
    negated: bool
    type: SqlType


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS (query)``."""

    query: "Query"
    type: SqlType


Expression: TypeAlias = (
    Column | Literal | Call | Shift | Case | Aggregate | Over | Scalar | InQuery | Exists
)

# --- queries ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the schema under an alias."""

    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class Derived:
    """A query in FROM."""

    query: "Query"
    alias: str


@dataclass(frozen=True, slots=True)
class Join:
    """``kind`` is INNER, LEFT, RIGHT, FULL or CROSS; it has an ON, or USING, or is CROSS."""

    kind: str
    left: "Source"
    right: "Source"
    on: Expression | None = None
    using: tuple[str, ...] = ()


Source: TypeAlias = Table | Derived | Join


@dataclass(frozen=True, slots=True)
class Select:
    """One SELECT; its columns are named C0, C1, ….

    ``grouping`` is "" (plain keys), GROUPING SETS, ROLLUP or CUBE; ``sets`` are places among the
    keys, of GROUPING SETS only.
    """

    items: tuple[Expression, ...]
    source: Source
    where: Expression | None = None
    distinct: bool = False
    keys: tuple[Expression, ...] = ()
    grouping: str = ""
    sets: tuple[tuple[int, ...], ...] = ()
    having: Expression | None = None


@dataclass(frozen=True, slots=True)
class Combined:
    """UNION, INTERSECT or EXCEPT of two queries of the same types."""

    operator: str
    all: bool
    left: "Query"
    right: "Query"


@dataclass(frozen=True, slots=True)
class Ordered:
    """A query ordered by all its columns, in the order of ``places``, then cut."""

    query: "Query"
    places: tuple[int, ...]
    keys: tuple[SortKey, ...] = field(default=())
    limit: int | None = None
    offset: int | None = None


Query: TypeAlias = Select | Combined | Ordered


def types_of(query: Query) -> tuple[SqlType, ...]:
    """The types of a query's columns."""
    match query:
        case Select(items):
            return tuple(each.type for each in items)
        case Combined(left=left):
            return types_of(left)
        case Ordered(inner):
            return types_of(inner)
