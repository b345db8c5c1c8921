"""A scope of one row of columns, and bound expressions as short text."""

from dataclasses import dataclass, field

from algebra.binding.expression.bind_expression import bind_expression
from algebra.catalog import Catalog, Profile
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
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
)
from algebra.functions.literals import literal_text
from algebra.plan import Plan, Values
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Field,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar import tree
from grammar.codes import Code
from grammar.parse import parse_expression
from grammar.source import SqlError
from grammar.tree import TimeUnit

#: Lower case: NOT NULL.  The names are those of `shown`.
COLUMNS = (
    Field("B", BOOLEAN),
    Field("S", SMALLINT),
    Field("I", INTEGER.as_nullable(False)),
    Field("J", INTEGER),
    Field("L", BIGINT),
    Field("D", decimal(5, 2)),
    Field("R", REAL),
    Field("F", DOUBLE),
    Field("C", Type(Kind.CHAR, precision=5)),
    Field("V", Type(Kind.VARCHAR, precision=8)),
    Field("W", VARCHAR.as_nullable(False)),
    Field("X", Type(Kind.VARBINARY)),
    Field("DT", DATE),
    Field("TM", TIME),
    Field("TS", TIMESTAMP.as_nullable(False)),
    Field("U", TIMESTAMP),
    Field("MO", interval(TimeUnit.YEAR, TimeUnit.MONTH)),
    Field("H", interval(TimeUnit.HOUR)),
    Field("M", interval(TimeUnit.MINUTE)),
)

#: What every sub-query in these tests is, by the number of items in its select list.
SUBQUERIES = {
    1: Values((), (Field("A", BIGINT),)),
    2: Values((), (Field("A", BIGINT), Field("B", DATE))),
}


@dataclass
class ColumnsScope:
    """The columns `COLUMNS`; a sub-query is the one of `SUBQUERIES` of its width."""

    sql: str
    catalog: Catalog = field(default_factory=Catalog)
    profile: Profile = Profile.CALCITE
    streaming: bool = False

    def column(self, name: tree.Name) -> Expression:
        """The column of that name."""
        for index, each in enumerate(COLUMNS):
            if each.name == name.parts[-1].name:
                return InputRef(index, each.type)
        raise SqlError(Code.UNKNOWN_COLUMN, "no such column", self.sql, name.span)

    def subquery(self, query: tree.Query) -> Plan:
        """A plan of as many columns as the query has items."""
        assert isinstance(query.body, tree.Select)
        return SUBQUERIES[len(query.body.items)]

    def special(self, node: tree.Expression) -> Expression | None:
        """No special columns."""


def bind(sql: str, catalog: Catalog | None = None) -> Expression:
    """The text as a bound expression."""
    return bind_expression(parse_expression(sql), ColumnsScope(sql, catalog or Catalog()))


def typed(sql: str) -> str:
    """The type of the text's expression, followed by NOT NULL if it is never NULL."""
    type = bind(sql).type
    return str(type) if type.nullable else f"{type} NOT NULL"


def bound(sql: str) -> str:
    """The text, bound, as `shown`."""
    return shown(bind(sql))


def shown(e: Expression) -> str:
    """An expression as nested calls of operators; a Cast is ``operand:type``."""
    match e:
        case InputRef(index):
            return COLUMNS[index].name
        case OuterRef(level, index):
            return f"outer {level}.{index}"
        case Literal():
            return literal_text(e)
        case Parameter(index):
            return f"?{index}:{e.type}"
        case Call(op, operands):
            return f"{op}({', '.join(shown(each) for each in operands)})"
        case External(function, operands):
            return f"{'.'.join(function.name)}({', '.join(shown(each) for each in operands)})"
        case Cast(operand, type):
            return f"{shown(operand)}:{type}"
        case Case(branches, otherwise):
            whens = "".join(f"{shown(c)} -> {shown(r)}; " for c, r in branches)
            return f"CASE({whens}{shown(otherwise)})"
        case Extract(unit, operand):
            return f"EXTRACT {unit}({shown(operand)})"
        case Round(up, operand, unit):
            return f"{'CEIL' if up else 'FLOOR'} {unit}({shown(operand)})"
        case Grouping() | GroupId() | ScalarQuery() | Exists():
            return e.__class__.__name__
        case InQuery(operands):
            return f"({', '.join(shown(each) for each in operands)}) IN QUERY"
        case Quantified(op, every, operand):
            return f"{shown(operand)} {op} {'ALL' if every else 'ANY'} QUERY"


def refused(sql: str, catalog: Catalog | None = None) -> SqlError:
    """The error that binding the text raises."""
    try:
        found = bind(sql, catalog)
    except SqlError as error:
        return error
    raise AssertionError(f"{sql} was accepted as {shown(found)}")


def refusal(sql: str) -> tuple[Code, str, str]:
    """Code, text at fault and hint of the error that binding the text raises."""
    error = refused(sql)
    return error.code, error.sql[error.at.start : error.at.end], error.hint
