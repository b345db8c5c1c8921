"""SQLite's dialect."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from algebra.expression import AggregateFunction, Call, Extract, Literal, Op, Round
from algebra.functions.datetimes import format_date, format_time, format_timestamp
from algebra.plan import Aggregate, Sort
from algebra.types import INTERVAL, Kind, Type
from engines.dialect.expressions import Scope
from engines.dialect.spelling import BY_NUMBER, OPERATORS, Functions
from engines.dialect.statements import StatementPrinter
from engines.dialect.unsupported import UnsupportedError
from grammar.tree import TimeUnit

#: The storage classes; a type of times is text.
TYPES: Final[Mapping[Kind, str]] = {
    Kind.BOOLEAN: "INTEGER",
    Kind.TINYINT: "INTEGER",
    Kind.SMALLINT: "INTEGER",
    Kind.INTEGER: "INTEGER",
    Kind.BIGINT: "INTEGER",
    Kind.DECIMAL: "NUMERIC",
    Kind.REAL: "REAL",
    Kind.DOUBLE: "REAL",
    Kind.CHAR: "TEXT",
    Kind.VARCHAR: "TEXT",
    Kind.VARBINARY: "BLOB",
    Kind.DATE: "TEXT",
    Kind.TIME: "TEXT",
    Kind.TIMESTAMP: "TEXT",
}
#: What strftime writes of a time under EXTRACT and FLOOR, by unit.
FIELDS: Final[Mapping[TimeUnit, str]] = {
    TimeUnit.YEAR: "%Y",
    TimeUnit.MONTH: "%m",
    TimeUnit.DAY: "%d",
    TimeUnit.HOUR: "%H",
    TimeUnit.MINUTE: "%M",
    TimeUnit.SECOND: "%S",
    TimeUnit.DOY: "%j",
    TimeUnit.EPOCH: "%s",
}
FLOORS: Final[Mapping[TimeUnit, str]] = {
    TimeUnit.YEAR: "%Y-01-01 00:00:00",
    TimeUnit.MONTH: "%Y-%m-01 00:00:00",
    TimeUnit.DAY: "%Y-%m-%d 00:00:00",
    TimeUnit.HOUR: "%Y-%m-%d %H:00:00",
    TimeUnit.MINUTE: "%Y-%m-%d %H:%M:00",
    TimeUnit.SECOND: "%Y-%m-%d %H:%M:%S",
}


class SqlitePrinter(StatementPrinter):
    """The dialect of SQLite 3.40."""

    types = TYPES
    column_lists = False
    operators: ClassVar[Mapping[Op, str]] = {
        **OPERATORS,
        Op.IS_DISTINCT_FROM: "({0} IS NOT {1})",
        Op.IS_NOT_DISTINCT_FROM: "({0} IS {1})",
        Op.MOD: "({0} % {1})",
        Op.POSITION: "INSTR({1}, {0})",
        Op.CHAR_LENGTH: "LENGTH({0})",
        Op.TRIM_BOTH: "TRIM({1}, {0})",
        Op.TRIM_LEADING: "LTRIM({1}, {0})",
        Op.TRIM_TRAILING: "RTRIM({1}, {0})",
        Op.GREATEST: "MAX({all})",
        Op.LEAST: "MIN({all})",
        Op.TRUNCATE: "TRUNC({all})",
    }
    by_number: ClassVar[Mapping[tuple[Op, int], str]] = {
        **BY_NUMBER,
        (Op.SUBSTRING, 2): "SUBSTR({0}, {1})",
        (Op.SUBSTRING, 3): "SUBSTR({0}, {1}, {2})",
    }
    functions: ClassVar[Functions] = {
        AggregateFunction.EVERY: "MIN",
        AggregateFunction.SOME: "MAX",
        AggregateFunction.LISTAGG: "GROUP_CONCAT",
        AggregateFunction.ANY_VALUE: "MIN",
    }

    def null(self, type: Type) -> str:
        """NULL has no type."""
        return "NULL"

    def literal(self, literal: Literal) -> str:
        """A constant; one of a time is its text."""
        match literal.type.kind, literal.value:
            case Kind.DATE, int(days):
                return f"'{format_date(days)}'"
            case Kind.TIME, int(millis):
                return f"'{format_time(millis)}'"
            case Kind.TIMESTAMP, int(millis):
                return f"'{format_timestamp(millis)}'"
            case kind, int() if kind in INTERVAL:
                raise UnsupportedError("no type INTERVAL")
            case _:
                return super().literal(literal)

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        if node.op in (Op.DATETIME_PLUS, Op.DATETIME_MINUS):
            raise UnsupportedError("no type INTERVAL")
        return super().call(node, operands)

    def extract(self, node: Extract, operand: str) -> str:
        """A field, by strftime where it has a form for it."""
        form = FIELDS.get(node.unit)
        if form is None:
            raise UnsupportedError(f"no EXTRACT of {node.unit}")
        return f"CAST(STRFTIME('{form}', {operand}) AS INTEGER)"

    def round(self, node: Round, operand: str) -> str:
        """FLOOR to a unit, by strftime; CEIL has no form."""
        form = FLOORS.get(node.unit)
        if form is None or node.up:
            raise UnsupportedError(f"no {'CEIL' if node.up else 'FLOOR'} to {node.unit}")
        text = form.partition(" ")[0] if node.type.kind is Kind.DATE else form
        return f"STRFTIME('{text}', {operand})"

    def grouping_sets(self, node: Aggregate, keys: Sequence[str]) -> str:
        """GROUP BY has one set."""
        raise UnsupportedError("no GROUPING SETS")

    def branch(self, text: str) -> str:
        """A branch of a set operation stands in no brackets."""
        return f"SELECT * FROM ({text})"

    def limit(self, node: Sort, scope: Scope) -> str:
        """LIMIT; an OFFSET needs one."""
        if node.with_ties:
            raise UnsupportedError("no WITH TIES")
        if node.limit is None and node.offset is None:
            return ""
        limit = "-1" if node.limit is None else self.expression(node.limit, scope)
        offset = "" if node.offset is None else f" OFFSET {self.expression(node.offset, scope)}"
        return f" LIMIT {limit}{offset}"
