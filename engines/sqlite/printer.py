"""SQLite's dialect."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from algebra.expression import AggregateFunction, Call, Expression, Extract, Literal, Op, Round
from algebra.functions.datetimes import format_date, format_time, format_timestamp
from algebra.plan import Aggregate, FrameBound, RangeOffset, Sort
from algebra.types import DATETIME, INTERVAL, Kind, Type
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
#: The form of STRFTIME for a time under EXTRACT, by unit.
FIELDS: Final[Mapping[TimeUnit, str]] = {
    TimeUnit.YEAR: "%Y",
    TimeUnit.MONTH: "%m",
    TimeUnit.DAY: "%d",
    TimeUnit.HOUR: "%H",
    TimeUnit.MINUTE: "%M",
    TimeUnit.SECOND: "%S",
    TimeUnit.DOW: "%w",
    TimeUnit.DOY: "%j",
    TimeUnit.EPOCH: "%s",
}
#: The forms of the types of times; a TIMESTAMP always has its milliseconds, so that texts compare.
FORMS: Final[Mapping[Kind, str]] = {
    Kind.DATE: "%Y-%m-%d",
    Kind.TIME: "%H:%M:%f",
    Kind.TIMESTAMP: "%Y-%m-%d %H:%M:%f",
}
#: The form of STRFTIME for a time under FLOOR, by unit.
FLOORS: Final[Mapping[TimeUnit, str]] = {
    TimeUnit.YEAR: "%Y-01-01 00:00:00.000",
    TimeUnit.MONTH: "%Y-%m-01 00:00:00.000",
    TimeUnit.DAY: "%Y-%m-%d 00:00:00.000",
    TimeUnit.HOUR: "%Y-%m-%d %H:00:00.000",
    TimeUnit.MINUTE: "%Y-%m-%d %H:%M:00.000",
    TimeUnit.SECOND: "%Y-%m-%d %H:%M:%S.000",
}


class SqlitePrinter(StatementPrinter):
    """The dialect of SQLite 3.40."""

    types = TYPES
    column_lists = False
    upsert = "INSERT OR REPLACE INTO"
    order_inside = True
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

    def type_name(self, type: Type) -> str:
        """The storage class of the values of a type."""
        if type.kind in INTERVAL:
            raise UnsupportedError("no type INTERVAL")
        return super().type_name(type)

    def null(self, type: Type) -> str:
        """NULL has no type."""
        return "NULL"

    def literal(self, literal: Literal) -> str:
        """A constant; one of a time is its text."""
        match literal.type.kind, literal.value:
            case Kind.DATE, int(days):
                return f"'{format_date(days)}'"
            case ((Kind.TIME | Kind.TIMESTAMP), int(millis)):
                time = literal.type.kind is Kind.TIME
                text = format_time(millis) if time else format_timestamp(millis)
                return f"'{with_millis(text)}'"
            case kind, _ if kind in INTERVAL:
                raise UnsupportedError("no type INTERVAL")
            case _:
                return super().literal(literal)

    def cast(self, text: str, source: Type, target: Type) -> str:
        """Times are converted by their texts, all other values by CAST."""
        form = FORMS.get(target.kind)
        if source.kind is target.kind and form is not None:
            return text
        if source.kind in DATETIME and form is not None:
            return f"STRFTIME('{form}', {text})"
        return super().cast(text, source, target)

    def expression(self, node: Expression, scope: Scope) -> str:
        """A time and an interval literal: the interval is a modifier of the time."""
        match node:
            case Call(Op.DATETIME_PLUS, (time, Literal(int(size), type))):
                operand = self.expression(time, scope)
                form = FORMS[node.type.kind]
                modifier = (
                    f"{size:+} months"
                    if type.kind is Kind.MONTHS
                    else f"{size / 1000:+.3f} seconds"
                )
                return f"STRFTIME('{form}', {operand}, '{modifier}')"
            case _:
                return super().expression(node, scope)

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        if node.op in (Op.DATETIME_PLUS, Op.DATETIME_MINUS):
            raise UnsupportedError("no type INTERVAL")
        return super().call(node, operands)

    def extract(self, node: Extract, operand: str) -> str:
        """A field, by STRFTIME where it has a form for it."""
        form = FIELDS.get(node.unit)
        if form is None:
            raise UnsupportedError(f"no EXTRACT of {node.unit}")
        return f"CAST(STRFTIME('{form}', {operand}) AS INTEGER)"

    def round(self, node: Round, operand: str) -> str:
        """FLOOR to a unit, by STRFTIME; CEIL is the next unit, unless the value is whole."""
        form = FLOORS.get(node.unit)
        if form is None:
            raise UnsupportedError(f"no FLOOR or CEIL to {node.unit}")
        day, _, time = form.partition(" ")
        kind = node.type.kind
        form = {Kind.DATE: day, Kind.TIME: time}.get(kind, form)
        floor = f"STRFTIME('{form}', {operand})"
        if not node.up:
            return floor
        above = f"STRFTIME('{FORMS[kind]}', {floor}, '+1 {node.unit.lower()}')"
        return f"(CASE WHEN {floor} = {operand} THEN {operand} ELSE {above} END)"

    def frame_bound(self, bound: FrameBound, outward: str) -> str:
        """RANGE goes by numbers, and times are texts."""
        match bound:
            case RangeOffset(Literal(type=type, value=int(size))) if type.kind in INTERVAL and size:
                raise UnsupportedError("no RANGE by an interval")
            case _:
                return super().frame_bound(bound, outward)

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


def with_millis(text: str) -> str:
    """A time or timestamp with the milliseconds that the wire leaves out where they are zero."""
    return text if "." in text else f"{text}.000"
