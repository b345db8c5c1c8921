"""ClickHouse's dialect."""

from collections.abc import Mapping
from typing import ClassVar, Final

from algebra.catalog import Column
from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    Extract,
    Literal,
    Op,
    Round,
    WindowCall,
    WindowFunction,
)
from algebra.functions.datetimes import format_date, format_timestamp
from algebra.plan import Sort
from algebra.types import INTEGERS, INTERVAL, Kind, Type
from engines.dialect.asof import AsofPrinter
from engines.dialect.expressions import Scope
from engines.dialect.spelling import BY_NUMBER, OPERATORS, Functions
from engines.dialect.statements import StatementPrinter
from engines.dialect.unsupported import UnsupportedError
from grammar.tree import TimeUnit

TYPES: Final[Mapping[Kind, str]] = {
    Kind.BOOLEAN: "Bool",
    Kind.TINYINT: "Int8",
    Kind.SMALLINT: "Int16",
    Kind.INTEGER: "Int32",
    Kind.BIGINT: "Int64",
    Kind.DECIMAL: "Decimal({precision}, {scale})",
    Kind.REAL: "Float32",
    Kind.DOUBLE: "Float64",
    Kind.CHAR: "String",
    Kind.VARCHAR: "String",
    Kind.VARBINARY: "String",
    Kind.DATE: "Date32",
    Kind.TIMESTAMP: "DateTime64(3, 'UTC')",
}

#: Milliseconds of a day.
DAY: Final = 86_400_000


def interval(kind: Kind, length: int) -> tuple[str, int]:
    """The function that makes an interval of a number, and its number for this length."""
    if kind is Kind.MONTHS:
        return "toIntervalMonth", length
    if length % DAY == 0:
        return "toIntervalDay", length // DAY
    if length % 1000 == 0:
        return "toIntervalSecond", length // 1000
    return "toIntervalMillisecond", length


def multiple(unit: Expression, number: str) -> str:
    """A multiple of a constant interval: ClickHouse multiplies its number, not the interval."""
    match unit:
        case Literal(int(length), type):
            function, units = interval(type.kind, length)
            return f"{function}({units} * {number})"
        case _:
            raise UnsupportedError("an interval cannot be multiplied")


class ChdbPrinter(AsofPrinter, StatementPrinter):
    """The dialect of ClickHouse; each type may hold NULL."""

    types = TYPES
    operators: ClassVar[Mapping[Op, str]] = {
        **OPERATORS,
        Op.MOD: "({0} % {1})",
        Op.CHAR_LENGTH: "lengthUTF8({0})",
        Op.POSITION: "positionUTF8({1}, {0})",
        Op.UPPER: "upperUTF8({0})",
        Op.LOWER: "lowerUTF8({0})",
        Op.INITCAP: "initcapUTF8({0})",
        Op.LPAD: "leftPadUTF8({0}, {1}, {2})",
        Op.RPAD: "rightPadUTF8({0}, {1}, {2})",
        Op.LAST_DAY: "toLastDayOfMonth({0})",
        Op.IS_TRUE: "(isNotNull({0}) AND {0})",
        Op.IS_FALSE: "(isNotNull({0}) AND NOT {0})",
        Op.IS_NOT_TRUE: "(isNull({0}) OR NOT {0})",
        Op.IS_NOT_FALSE: "(isNull({0}) OR {0})",
    }
    by_number: ClassVar[Mapping[tuple[Op, int], str]] = {
        **BY_NUMBER,
        (Op.SUBSTRING, 2): "substringUTF8({0}, {1})",
        (Op.SUBSTRING, 3): "substringUTF8({0}, {1}, {2})",
        (Op.OVERLAY, 3): "overlayUTF8({0}, {1}, {2})",
        (Op.OVERLAY, 4): "overlayUTF8({0}, {1}, {2}, {3})",
    }
    functions: ClassVar[Functions] = {
        AggregateFunction.EVERY: "MIN",
        AggregateFunction.SOME: "MAX",
        AggregateFunction.MEDIAN: "median",
        WindowFunction.PERCENT_RANK: "percent_rank",
        WindowFunction.CUME_DIST: "cume_dist",
    }

    def type_name(self, type: Type) -> str:
        """The type, with NULL."""
        name = self.types.get(type.kind)
        if name is None:
            raise UnsupportedError(f"no type {type}")
        return f"Nullable({name.format(precision=type.precision, scale=type.scale)})"

    def shown(self, item: str, type: Type) -> str:
        """Binary values as digits, because JSON has no binary values."""
        return f"hex({item})" if type.kind is Kind.VARBINARY else ""

    def column(self, column: Column) -> str:
        """A column, which may hold NULL: its type says so."""
        return f"{self.identifier(column.name)} {self.type_name(column.type)}"

    def function(self, call: AggregateCall | WindowCall, arguments: list[str]) -> str:
        """A call; the number of NTILE has no sign, and a value of a frame may be NULL."""
        match call.function:
            case WindowFunction.NTILE:
                return f"ntile(toUInt64({arguments[0]}))"
            case WindowFunction.FIRST_VALUE | WindowFunction.LAST_VALUE:
                assert isinstance(call, WindowCall), "a function of a frame has one"
                nulls = "" if call.ignore_nulls else " RESPECT NULLS"
                return super().function(call, arguments) + nulls
            case _:
                return super().function(call, arguments)

    def literal(self, literal: Literal) -> str:
        """A constant of its type; in a text, a backslash is an escape."""
        match literal.type.kind, literal.value:
            case ((Kind.MONTHS | Kind.MILLIS), int(length)):
                function, units = interval(literal.type.kind, length)
                return f"{function}({units})"
            case Kind.DATE, int(days):
                return f"toDate32('{format_date(days)}')"
            case Kind.TIMESTAMP, int(millis):
                return f"toDateTime64('{format_timestamp(millis)}', 3, 'UTC')"
            case kind, int(number) if kind in INTEGERS:
                return f"{TYPES[kind].replace('Int', 'toInt')}({number})"
            case Kind.DECIMAL, _ if literal.value is not None:
                digits = super().literal(literal).strip("()")
                return f"CAST('{digits}' AS {self.type_name(literal.type)})"
            case _:
                return super().literal(literal).replace("\\", "\\\\")

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function; integers have a division of their own."""
        match node.op, operands:
            case Op.DIVIDE, [a, b] if node.type.kind in INTEGERS:
                return f"intDiv({a}, {b})"
            case Op.DATETIME_PLUS, [a, b] if node.type.kind is Kind.TIMESTAMP:
                return f"(CAST({a} AS {self.type_name(node.type)}) + {b})"
            case Op.TIMES, [_, number] if node.type.kind in INTERVAL:
                return multiple(node.operands[0], number)
            case Op.DATETIME_MINUS, _:
                raise UnsupportedError("the distance of two times is a number")
            case _:
                return super().call(node, operands)

    def extract(self, node: Extract, operand: str) -> str:
        """A field; of DOW from Sunday, which is 1, and of MILLISECOND with the seconds."""
        match node.unit:
            case TimeUnit.DOW:
                return f"toDayOfWeek({operand}, 3)"
            case TimeUnit.MILLISECOND:
                return f"(toSecond({operand}) * 1000 + toMillisecond({operand}))"
            case _:
                return super().extract(node, operand)

    def round(self, node: Round, operand: str) -> str:
        """FLOOR is dateTrunc; CEIL is the next unit, unless the value is whole."""
        type = self.type_name(node.type)
        floor = f"CAST(dateTrunc('{node.unit.lower()}', {operand}) AS {type})"
        if not node.up:
            return floor
        step = f"toInterval{node.unit.title()}(1)"
        return f"(CASE WHEN {floor} = {operand} THEN {operand} ELSE {floor} + {step} END)"

    def limit(self, node: Sort, scope: Scope) -> str:
        """LIMIT and OFFSET."""
        if node.with_ties:
            raise UnsupportedError("no WITH TIES")
        limit = "" if node.limit is None else f" LIMIT {self.expression(node.limit, scope)}"
        offset = "" if node.offset is None else f" OFFSET {self.expression(node.offset, scope)}"
        return limit + offset
