"""DuckDB's dialect; each departure from rowtime's is in docs/differences.md under its D-number."""

from typing import Final

from tests.differential.printer import Printer
from tests.differential.sqltypes import DOUBLE, EXACT, NUMBERS, Kind, SqlType, as_decimal, common
from tests.differential.tree import (
    Aggregate,
    Call,
    Interval,
    Op,
    Over,
    SortKey,
)

#: What is run once, before any query.
MACROS: Final = """
CREATE MACRO half_up(n, d) AS
  CASE WHEN (n < 0) = (d < 0) THEN 1 ELSE -1 END * ((2 * abs(n) + abs(d)) // (2 * abs(d)));
CREATE MACRO unscaled(x) AS CAST(replace(CAST(x AS VARCHAR), '.', '') AS HUGEINT);
CREATE MACRO padded(q, s) AS lpad(CAST(abs(q) AS VARCHAR), greatest(s + 1,
  CAST(length(CAST(abs(q) AS VARCHAR)) AS INTEGER)), '0');
CREATE MACRO scaled(q, s) AS CASE WHEN q < 0 THEN '-' ELSE '' END
  || left(padded(q, s), length(padded(q, s)) - s) || '.' || right(padded(q, s), s);
CREATE MACRO in_range(x) AS
  CASE WHEN x NOT BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999'
  THEN error('OVERFLOW') ELSE x END;
"""

_COMPARED: Final = frozenset({
    Op.EQUAL, Op.NOT_EQUAL, Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL,
    Op.DISTINCT, Op.NOT_DISTINCT,
})  # fmt: skip


class DuckDBPrinter(Printer):
    """The dialect of DuckDB."""

    def direction(self, key: SortKey) -> str:
        """Where NULLs go is always said (D-01)."""
        nulls = "FIRST" if key.nulls_come_first else "LAST"
        return f" {'DESC' if key.descending else 'ASC'} NULLS {nulls}"

    def cast(self, text: str, type: SqlType) -> str:
        """The types of rowtime's arithmetic are imposed (D-02)."""
        return f"CAST({text} AS {type})"

    def constant(self, text: str, type: SqlType) -> str:
        """An integer literal has a type (D-03)."""
        written = super().constant(text, type)
        return self.cast(text, type) if type.kind in NUMBERS else written

    def shift(self, operand: str, sign: int, interval: Interval, type: SqlType) -> str:
        """A time that leaves the years 1 to 9999 is an error (D-04); DATE stays DATE (D-05)."""
        moved = f"in_range({operand} {'+' if sign > 0 else '-'} {self.interval(interval)})"
        return self.cast(moved, type)

    def interval(self, interval: Interval) -> str:
        """An interval by its months and milliseconds."""
        if interval.months:
            return f"to_months({interval.months})"
        return f"to_milliseconds({interval.millis})"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        types = [each.type for each in node.operands]
        match node.op, operands:
            case ((Op.PLUS | Op.MINUS | Op.TIMES), [a, b]):
                a, b = (self.operand(x, t, node.type) for x, t in zip((a, b), types, strict=True))
                return self.cast(f"({a} {node.op} {b})", node.type)
            case Op.DIVIDE, [a, b]:
                return self.divide(a, b, types[0], types[1], node.type)
            case Op.MOD, [a, b]:
                return self.cast(f"({a} % {b})", node.type)
            case op, [a, b] if op in _COMPARED:
                return (
                    f"({self.aligned(a, types[0], types[1])} {op} "
                    f"{self.aligned(b, types[1], types[0])})"
                )
            case Op.CONCAT, [a, b]:
                return f"(CAST({a} AS VARCHAR) || CAST({b} AS VARCHAR))"
            case Op.CHAR_LENGTH, [a]:
                return f"CAST(length({a}) AS INTEGER)"
            case Op.POSITION, [a, b]:
                return f"CAST(strpos({b}, {a}) AS INTEGER)"
            case Op.SUBSTRING, [a]:
                return f"substring({a}, {', '.join(map(str, within_text(node.option)))})"
            case Op.CAST, [a] if types[0] == DOUBLE and node.type.kind in EXACT:
                return self.cast(f"round({a}, {node.type.scale})", node.type)  # D-06
            case Op.EXTRACT, [a]:
                more = " + 1" if node.option == "DOW" else ""  # D-07
                return f"(EXTRACT({node.option} FROM {a}){more})"
            case ((Op.FLOOR | Op.CEIL), [a]):
                floor = f"date_trunc('{node.option}', {a})"
                if node.op is Op.FLOOR:
                    return self.cast(floor, node.type)
                return self.cast(
                    f"CASE WHEN {floor} = {a} THEN {a}"
                    f" ELSE in_range({floor} + INTERVAL 1 {node.option}) END",
                    node.type,
                )
            case Op.DISTANCE, [a, b]:
                return distance(a, b, types, node.option)
            case ((Op.COALESCE | Op.NULLIF | Op.ABS | Op.NEGATE), _):
                return self.cast(super().call(node, operands), node.type)
            case _:
                return super().call(node, operands)

    def operand(self, text: str, type: SqlType, result: SqlType) -> str:
        """An operand of arithmetic: of a DECIMAL result it is one too, of DOUBLE a DOUBLE."""
        match result.kind:
            case Kind.DECIMAL:
                return self.cast(text, as_decimal(type))
            case Kind.DOUBLE:
                return self.cast(text, DOUBLE)
            case _:
                return self.cast(text, result)

    def aligned(self, text: str, type: SqlType, other: SqlType) -> str:
        """A compared value as one of the common type."""
        return text if type == other else self.cast(text, common(type, other))

    def divide(self, a: str, b: str, left: SqlType, right: SqlType, type: SqlType) -> str:
        """A quotient: whole of integers (D-08), exact of DECIMALs (D-09)."""
        if type.kind is Kind.DOUBLE:
            return f"({self.cast(a, DOUBLE)} / {self.cast(b, DOUBLE)})"
        if type.kind is not Kind.DECIMAL:
            return f"({self.cast(a, type)} // {self.cast(b, type)})"
        x, y = as_decimal(left), as_decimal(right)
        shift = type.scale - x.scale + y.scale
        return self.scaled(f"half_up(unscaled({a}) * {10**shift}::HUGEINT, unscaled({b}))", type)

    def scaled(self, unscaled: str, type: SqlType) -> str:
        """A whole number of the last digit of a DECIMAL, as that DECIMAL."""
        return self.cast(f"scaled({unscaled}, {type.scale})", type)

    def aggregate(self, node: Aggregate, over: str = "") -> str:
        """An aggregate: SUM and AVG of rowtime's types (D-10, D-11)."""
        argument = node.argument
        function = {"EVERY": "bool_and", "SOME": "bool_or"}.get(node.function, node.function)
        if function == "AVG" and argument is not None and argument.type.kind is Kind.DECIMAL:
            total = super().aggregate(renamed(node, "SUM"), over)
            count = super().aggregate(renamed(node, "COUNT"), over)
            shift = 10 ** (node.type.scale - argument.type.scale)
            return self.scaled(
                f"half_up(unscaled({total}) * {shift}::HUGEINT, CAST({count} AS HUGEINT))",
                node.type,
            )
        return self.cast(super().aggregate(renamed(node, function), over), node.type)

    def over(self, node: Over) -> str:
        """A call over a window."""
        return self.cast(super().over(node), node.type)

    def order_key(self, key: SortKey, ranged: bool) -> str:
        """A key of RANGE by a distance has room for the distance (D-12)."""
        text = self.expression(key.expression)
        if not ranged:
            return text
        match key.expression.type:
            case SqlType(Kind.INTEGER | Kind.BIGINT):
                return f"CAST({text} AS HUGEINT)"
            case SqlType(Kind.DECIMAL, scale=scale):
                return f"CAST({text} AS DECIMAL(38, {scale}))"
            case SqlType(Kind.DATE):
                return f"CAST({text} AS TIMESTAMP)"
            case _:
                return text

    def distance(self, distance: int | str | Interval, key: SortKey | None) -> str:
        """How far an end of a frame is, of the key's type."""
        if isinstance(distance, Interval) or key is None:
            return super().distance(distance, key)
        match key.expression.type:
            case SqlType(Kind.INTEGER | Kind.BIGINT) if not isinstance(distance, str):
                return f"CAST({distance} AS HUGEINT)"
            case SqlType(Kind.DECIMAL, scale=scale):
                return f"CAST({distance} AS DECIMAL(38, {scale}))"
            case SqlType(Kind.DOUBLE):
                return f"CAST({distance} AS DOUBLE)"
            case _:
                return str(distance)


def renamed(node: Aggregate, function: str) -> Aggregate:
    """The aggregate under another name."""
    return Aggregate(function, node.argument, node.type, node.distinct, node.filter)


def within_text(option: str) -> tuple[int, ...]:
    """Start, from 1, and length of SUBSTRING's ``start,length``, which may begin before (D-13)."""
    start, _, length = option.partition(",")
    first = max(1, int(start))
    return (first, max(0, int(start) + int(length) - first)) if length else (first,)


#: Milliseconds of the units that a distance is counted in.
UNITS: Final = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}


def distance(a: str, b: str, types: list[SqlType], unit: str) -> str:
    """``CAST((a - b) unit AS BIGINT)``: cut toward zero, but SECOND has its fraction rounded."""
    del types
    if unit in ("MONTH", "YEAR"):
        return f"date_sub('{unit}', CAST({b} AS TIMESTAMP), CAST({a} AS TIMESTAMP))"
    millis = f"(epoch_ms(CAST({a} AS TIMESTAMP)) - epoch_ms(CAST({b} AS TIMESTAMP)))"
    if unit == "SECOND":
        return f"CAST(half_up({millis}, 1000) AS BIGINT)"
    return f"({millis} // {UNITS[unit]})"
