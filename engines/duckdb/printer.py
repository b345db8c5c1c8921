"""DuckDB's dialect."""

from collections.abc import Mapping
from typing import ClassVar, Final

from algebra.expression import AggregateFunction, Call, Literal, Op, Round
from algebra.plan import Sort
from algebra.types import INTEGERS, Kind, Type
from engines.dialect.expressions import Scope
from engines.dialect.spelling import BY_NUMBER, OPERATORS, Functions
from engines.dialect.spelling import TYPES as STANDARD
from engines.dialect.statements import StatementPrinter
from engines.dialect.unsupported import UnsupportedError

TYPES: Final[Mapping[Kind, str]] = {
    **STANDARD,
    Kind.TIMESTAMP: "TIMESTAMP_MS",
    Kind.VARBINARY: "BLOB",
    Kind.MONTHS: "INTERVAL",
    Kind.MILLIS: "INTERVAL",
}


class DuckdbPrinter(StatementPrinter):
    """The dialect of DuckDB 2.0."""

    types = TYPES
    operators: ClassVar[Mapping[Op, str]] = {
        **OPERATORS,
        Op.MOD: "({0} % {1})",
        Op.TRIM_BOTH: "TRIM({1}, {0})",
        Op.TRIM_LEADING: "LTRIM({1}, {0})",
        Op.TRIM_TRAILING: "RTRIM({1}, {0})",
        Op.CHAR_LENGTH: "LENGTH({0})",
        Op.TRUNCATE: "TRUNC({all})",
        Op.RAND: "RANDOM()",
    }
    by_number: ClassVar[Mapping[tuple[Op, int], str]] = {
        **BY_NUMBER,
        (Op.SUBSTRING, 2): "SUBSTRING({0}, {1})",
        (Op.SUBSTRING, 3): "SUBSTRING({0}, {1}, {2})",
    }
    functions: ClassVar[Functions] = {
        AggregateFunction.EVERY: "BOOL_AND",
        AggregateFunction.SOME: "BOOL_OR",
    }

    def type_name(self, type: Type) -> str:
        """An interval has no fields; a text has no length."""
        return self.types[type.kind] if type.fields else super().type_name(type)

    def literal(self, literal: Literal) -> str:
        """A constant; of an interval by its number of months or milliseconds."""
        match literal.type.kind, literal.value:
            case Kind.MONTHS, int(months):
                return f"TO_MONTHS({months})"
            case Kind.MILLIS, int(millis):
                return f"TO_MILLISECONDS({millis})"
            case _:
                return super().literal(literal)

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function; integers have a division of their own."""
        match node.op, operands:
            case Op.DIVIDE, [a, b] if node.type.kind in INTEGERS:
                return f"({a} // {b})"
            case Op.DATETIME_MINUS, [a, b]:
                if node.type.kind is Kind.MONTHS:
                    return f"TO_MONTHS(DATE_SUB('month', {b}, {a}))"
                return f"({a} - {b})"
            case _:
                return super().call(node, operands)

    def round(self, node: Round, operand: str) -> str:
        """FLOOR to a unit is date_trunc; CEIL has no form."""
        if node.up:
            raise UnsupportedError("no CEIL to a unit")
        return f"DATE_TRUNC('{node.unit}', {operand})"

    def limit(self, node: Sort, scope: Scope) -> str:
        """LIMIT and OFFSET."""
        if node.with_ties:
            raise UnsupportedError("no WITH TIES")
        limit = "" if node.limit is None else f" LIMIT {self.expression(node.limit, scope)}"
        offset = "" if node.offset is None else f" OFFSET {self.expression(node.offset, scope)}"
        return limit + offset
