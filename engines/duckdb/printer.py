"""DuckDB's dialect."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Final

from algebra.constraints.months import start_of_month
from algebra.expression import (
    AggregateFunction,
    Call,
    Cast,
    Expression,
    Literal,
    Op,
    Round,
)
from algebra.functions.datetimes import format_timestamp
from algebra.plan import Hop, Sort
from algebra.types import INTEGERS, MILLIS_PER_DAY, NUMERIC, Kind, Type
from engines.dialect.asof import AsofPrinter
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.sessions import SessionPrinter
from engines.dialect.spelling import BY_NUMBER, OPERATORS, Functions
from engines.dialect.spelling import TYPES as STANDARD
from engines.dialect.statements import StatementPrinter
from engines.dialect.unsupported import UnsupportedError
from grammar.tree import TimeUnit

TYPES: Final[Mapping[Kind, str]] = {
    **STANDARD,
    Kind.TIMESTAMP: "TIMESTAMP",
    Kind.VARBINARY: "BLOB",
    Kind.MONTHS: "INTERVAL",
    Kind.MILLIS: "INTERVAL",
}


class DuckdbPrinter(AsofPrinter, SessionPrinter, StatementPrinter):
    """The dialect of DuckDB."""

    types = TYPES
    upsert = "INSERT OR REPLACE INTO"
    nulls_inside = True
    order_inside = True
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
        """An interval has no fields."""
        return self.types[type.kind] if type.fields else super().type_name(type)

    def shown(self, item: str, type: Type) -> str:
        """An interval as its number of months or milliseconds: Python has none of months."""
        match type.kind:
            case Kind.MONTHS:
                return f"(12 * EXTRACT(YEAR FROM {item}) + EXTRACT(MONTH FROM {item}))"
            case Kind.MILLIS:
                return f"CAST(ROUND(EPOCH({item}) * 1000) AS BIGINT)"
            case _:
                return ""

    def literal(self, literal: Literal) -> str:
        """A constant; of an interval by its number of months or milliseconds."""
        match literal.type.kind, literal.value:
            case Kind.MONTHS, int(months):
                return f"TO_MONTHS({months})"
            case Kind.MILLIS, int(millis):
                return f"TO_MILLISECONDS({millis})"
            case _:
                return super().literal(literal)

    def expression(self, node: Expression, scope: Scope) -> str:
        """The number of units between two times is a number here, not an interval."""
        match node:
            case Cast(Call(Op.DATETIME_MINUS) as distance) if node.type.kind in NUMERIC:
                operands = [self.expression(each, scope) for each in distance.operands]
                return f"CAST({self.units_between(distance.type, operands)} AS {node.type})"
            case _:
                return super().expression(node, scope)

    def units_between(self, type: Type, operands: list[str]) -> str:
        """How many whole units of the interval's last field are between two times."""
        assert type.fields is not None, "an interval has fields"
        later, earlier = operands
        return f"DATE_SUB('{type.fields[1].lower()}', {earlier}, {later})"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function; integers have a division of their own."""
        match node.op, operands:
            case Op.DIVIDE, [a, b] if node.type.kind in INTEGERS:
                return f"({a} // {b})"
            case Op.DATETIME_MINUS, _:
                assert node.type.fields is not None, "an interval has fields"
                if node.type.fields[1] is TimeUnit.SECOND:
                    later, earlier = operands
                    return f"TO_MILLISECONDS(DATE_SUB('millisecond', {earlier}, {later}))"
                unit = node.type.fields[1]
                return f"TO_{unit}S({self.units_between(node.type, operands)})"
            case _:
                return super().call(node, operands)

    def round(self, node: Round, operand: str) -> str:
        """FLOOR is DATE_TRUNC; CEIL is the next unit, unless the value is whole."""
        floor = f"DATE_TRUNC('{node.unit.lower()}', {operand})"
        if not node.up:
            return floor
        step = "TO_MONTHS(3)" if node.unit is TimeUnit.QUARTER else f"TO_{node.unit}S(1)"
        return f"(CASE WHEN {floor} = {operand} THEN {operand} ELSE {floor} + {step} END)"

    def hop(self, node: Hop, outer: Scope) -> Block:
        """Each row with the ends of its windows: those after its time, up to a window's length.

        The ends of cumulative windows reach to the first multiple of that length.
        """
        below = self.until(self.block(node.input, outer), Stage.FROM)
        time = self.expression(node.time, (below.items, *outer))
        emit, retain = self.literal(node.emit), self.literal(node.retain)
        months = node.emit.type.kind is Kind.MONTHS
        first = start_of_month(node.align) * MILLIS_PER_DAY if months else node.align
        origin = f"TIMESTAMP '{format_timestamp(first)}'"
        bucket = f"TIME_BUCKET({emit}, {time}, {origin})"
        start = f"TIME_BUCKET({retain}, {time}, {origin})"
        last = f"{start if node.cumulative else time} + {retain}"
        ends = f"UNNEST(GENERATE_SERIES({bucket} + {emit}, {last}, {emit}))"
        names = distinct_names((*below.names, "WINDOW_START", "WINDOW_END"))
        inner = replace(
            below,
            items=(*below.items, start, ends),
            names=(*below.names, *names[-2:]),
            stage=Stage.SELECTED,
        )
        windows = self.around(inner)
        *items, begun, end = windows.items
        shown = begun if node.cumulative else f"({end} - {retain})"
        return replace(windows, items=(*items, shown, end), names=names)

    def limit(self, node: Sort, scope: Scope) -> str:
        """LIMIT and OFFSET."""
        if node.with_ties:
            raise UnsupportedError("no WITH TIES")
        limit = "" if node.limit is None else f" LIMIT {self.expression(node.limit, scope)}"
        offset = "" if node.offset is None else f" OFFSET {self.expression(node.offset, scope)}"
        return limit + offset
