"""DuckDB's dialect with a text for all that rowtime means: where DuckDB differs, it is made equal.

The kit asks DuckDB by `DuckdbPrinter`, so that differences show; tests that compare values of
generated queries ask by this one, in which only faults do.  Each departure is in
docs/differences.md under its D-number.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Case,
    Expression,
    Extract,
    Literal,
    Op,
    Round,
    SortKey,
    WindowCall,
)
from algebra.functions.coerce import as_decimal
from algebra.plan import FrameBound, RangeOffset, WindowGroup
from algebra.types import (
    BIGINT,
    DATETIME,
    EXACT,
    INTEGERS,
    NUMERIC,
    UNIT_MILLIS,
    Kind,
    Type,
    decimal,
)
from engines.dialect.expressions import Scope
from engines.duckdb.printer import DuckdbPrinter
from grammar.tree import TimeUnit

#: The statements that are run once, before any query.
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

_Call = TypeVar("_Call", AggregateCall, WindowCall)

#: The types whose values DuckDB gives in other types than rowtime.
_IMPOSED: Final = NUMERIC | DATETIME


class ExactDuckdbPrinter(DuckdbPrinter):
    """The dialect of DuckDB with rowtime's types and values; it needs `MACROS`."""

    def as_type(self, text: str, type: Type) -> str:
        """``text`` as a value of a type in which DuckDB would not have given it (D-02)."""
        return f"CAST({text} AS {self.type_name(type)})" if type.kind in _IMPOSED else text

    def literal(self, literal: Literal) -> str:
        """An integer literal has a type (D-03)."""
        text = super().literal(literal)
        return self.as_type(text, literal.type) if literal.type.kind in NUMERIC else text

    def cast(self, text: str, source: Type, target: Type) -> str:
        """A DOUBLE is rounded HALF_UP (D-06)."""
        if source.kind is Kind.DOUBLE and target.kind in EXACT:
            return self.as_type(f"ROUND({text}, {target.scale})", target)
        return super().cast(text, source, target)

    def expression(self, node: Expression, scope: Scope) -> str:
        """CASE has its type."""
        text = super().expression(node, scope)
        return self.as_type(text, node.type) if isinstance(node, Case) else text

    def units_between(self, type: Type, operands: list[str]) -> str:
        """Whole units, cut toward zero; of SECOND the fraction is rounded (D-22)."""
        assert type.fields is not None, "an interval has fields"
        unit = type.fields[1]
        later, earlier = (f"CAST({each} AS TIMESTAMP)" for each in operands)
        if unit in (TimeUnit.MONTH, TimeUnit.YEAR):
            return f"DATE_SUB('{unit.lower()}', {earlier}, {later})"
        millis = f"(EPOCH_MS({later}) - EPOCH_MS({earlier}))"
        if unit is TimeUnit.SECOND:
            return f"half_up({millis}, 1000)"
        return f"({millis} // {UNIT_MILLIS[unit]})"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function, in its type."""
        types = [each.type for each in node.operands]
        match node.op, operands:
            case ((Op.PLUS | Op.MINUS | Op.TIMES), [a, b]):
                a, b = (self.operand(x, t, node.type) for x, t in zip((a, b), types, strict=True))
                return self.as_type(f"({a} {node.op} {b})", node.type)
            case Op.DIVIDE, [a, b]:
                return self.divide(a, b, types[0], types[1], node.type)
            case Op.DATETIME_PLUS, _:  # D-04, D-05
                return self.as_type(f"in_range({super().call(node, operands)})", node.type)
            case Op.SUBSTRING, [a, start, *length]:  # D-13
                first = f"GREATEST(1, {start})"
                size = "".join(f", GREATEST(0, {start} + {each} - {first})" for each in length)
                return f"SUBSTRING({a}, {first}{size})"
            case _:
                return self.as_type(super().call(node, operands), node.type)

    def operand(self, text: str, type: Type, result: Type) -> str:
        """An operand of arithmetic: of a DECIMAL result a DECIMAL, else of the result's type."""
        exact = result.kind is Kind.DECIMAL
        return self.as_type(text, as_decimal(type) if exact else result)

    def divide(self, a: str, b: str, left: Type, right: Type, type: Type) -> str:
        """A quotient: whole of integers (D-08), exact of DECIMALs (D-09)."""
        if type.kind is Kind.DOUBLE:
            return f"({self.as_type(a, type)} / {self.as_type(b, type)})"
        if type.kind in INTEGERS:
            return f"({self.as_type(a, type)} // {self.as_type(b, type)})"
        shift = 10 ** (type.scale - as_decimal(left).scale + as_decimal(right).scale)
        return self.scaled(f"half_up(unscaled({a}) * {shift}::HUGEINT, unscaled({b}))", type)

    def scaled(self, unscaled: str, type: Type) -> str:
        """A whole number of the last digit of a DECIMAL, as that DECIMAL."""
        return self.as_type(f"scaled({unscaled}, {type.scale})", type)

    def extract(self, node: Extract, operand: str) -> str:
        """Sunday is 1 (D-07)."""
        more = " + 1" if node.unit is TimeUnit.DOW else ""
        return f"({super().extract(node, operand)}{more})"

    def round(self, node: Round, operand: str) -> str:
        """A DATE stays one (D-05), and no time leaves the years 1 to 9999 (D-04)."""
        text = super().round(node, operand)
        return self.as_type(f"in_range({text})" if node.up else text, node.type)

    # --- aggregates and windows -----------------------------------------------------------------

    def measure(self, call: AggregateCall, keys: Sequence[str], scope: Scope) -> str:
        """An aggregate of rowtime's type (D-10), an AVG of DECIMALs exact (D-11)."""
        if averages_decimals(call):
            total = super().measure(total_of(call), keys, scope)
            count = super().measure(count_of(call), keys, scope)
            return self.average(total, count, call)
        return self.as_type(super().measure(call, keys, scope), call.type)

    def window_call(self, call: WindowCall, group: WindowGroup, scope: Scope) -> str:
        """The same with OVER."""
        if averages_decimals(call):
            total = super().window_call(total_of(call), group, scope)
            count = super().window_call(count_of(call), group, scope)
            return self.average(total, count, call)
        return self.as_type(super().window_call(call, group, scope), call.type)

    def average(self, total: str, count: str, call: AggregateCall | WindowCall) -> str:
        """The quotient of a sum of DECIMALs and a count."""
        shift = 10 ** (call.type.scale - call.arguments[0].type.scale)
        quotient = f"half_up(unscaled({total}) * {shift}::HUGEINT, CAST({count} AS HUGEINT))"
        return self.scaled(quotient, call.type)

    def window_keys(self, group: WindowGroup, scope: Scope) -> str:
        """A key of RANGE by a distance has room for the distance (D-12)."""
        if not any(isinstance(e, RangeOffset) for e in (group.frame.start, group.frame.end)):
            return super().window_keys(group, scope)
        return ", ".join(
            self.sort_key(key, self.with_room(self.expression(key.expression, scope), key))
            for key in group.order
        )

    def with_room(self, text: str, key: SortKey) -> str:
        """A sort key in a wider type."""
        type = key.expression.type
        return f"CAST({text} AS TIMESTAMP)" if type.kind is Kind.DATE else self.widened(text, type)

    def widened(self, text: str, type: Type) -> str:
        """An exact number in the widest type of its scale."""
        if type.kind in INTEGERS:
            return f"CAST({text} AS HUGEINT)"
        wide = type.kind is Kind.DECIMAL
        return f"CAST({text} AS DECIMAL(38, {type.scale}))" if wide else text

    def frame_bound(self, bound: FrameBound, outward: str) -> str:
        """How far an end of a frame is, as wide as the key."""
        match bound:
            case RangeOffset(distance, preceding) if distance.value != 0:
                text = self.widened(self.literal(distance), distance.type)
                return f"{text} {'PRECEDING' if preceding else 'FOLLOWING'}"
            case _:
                return super().frame_bound(bound, outward)


def averages_decimals(call: AggregateCall | WindowCall) -> bool:
    """Whether the call is an AVG of DECIMALs."""
    return call.function is AggregateFunction.AVG and call.type.kind is Kind.DECIMAL


def total_of(call: _Call) -> _Call:
    """The SUM of the values of an AVG of DECIMALs."""
    type = decimal(38, call.arguments[0].type.scale)
    return replace(call, function=AggregateFunction.SUM, type=type)


def count_of(call: _Call) -> _Call:
    """The COUNT of the values of an AVG."""
    return replace(call, function=AggregateFunction.COUNT, type=BIGINT)
