"""SQLite's dialect with a text for all that rowtime means: where SQLite differs, it is made equal.

The kit asks SQLite by `SqlitePrinter`, so that differences show; tests that compare values of
generated queries ask by this one, in which only faults do.  DECIMALs are whole numbers of their
last digit.  Each departure is in docs/differences.md under its D-number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import ClassVar, Final

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Cast,
    Expression,
    Extract,
    Literal,
    Op,
    Round,
    WindowCall,
)
from algebra.plan import Frame, FrameBound, RangeOffset, WindowGroup
from algebra.types import APPROXIMATE, DOUBLE, INTEGERS, NUMERIC, UNIT_MILLIS, Kind, Type
from engines.dialect.expressions import Scope
from engines.sqlite.printer import FORMS, TYPES, SqlitePrinter
from grammar.tree import TimeUnit

#: The digits of a DECIMAL that SQLite's integers hold.
_DIGITS: Final = 18


class ExactSqlitePrinter(SqlitePrinter):
    """The dialect of SQLite with rowtime's values; it needs `engines.sqlite.checks`."""

    types: ClassVar[Mapping[Kind, str]] = {**TYPES, Kind.DECIMAL: "INTEGER"}

    def ranged(self, text: str, type: Type) -> str:
        """The value within the range of its type (D-32)."""
        match type.kind:
            case Kind.INTEGER:
                return f"fit({text}, 32)"
            case Kind.BIGINT:
                return f"fit({text}, 64)"
            case Kind.DECIMAL if type.precision <= _DIGITS:
                return f"fit_digits({text}, {type.precision})"
            case _:
                return text

    def null(self, type: Type) -> str:
        """NULL has no type."""
        return "NULL"

    def literal(self, literal: Literal) -> str:
        """A DECIMAL in its last digits (D-31)."""
        match literal.value:
            case Decimal() as value:
                return f"({int(value.scaleb(literal.type.scale))})"
            case _:
                return super().literal(literal)

    def cast(self, text: str, source: Type, target: Type) -> str:
        """A number converted within the range of its type, HALF_UP; the others as by SQLite."""
        if source.kind not in NUMERIC or target.kind not in NUMERIC:
            return super().cast(text, source, target)
        if source.as_nullable() == target.as_nullable():
            return text
        if target.kind in APPROXIMATE:
            exact = source.kind not in APPROXIMATE
            return f"(CAST({text} AS REAL) / {10**source.scale}.0)" if exact else text
        if source.kind in APPROXIMATE:
            return self.ranged(f"whole(ROUND({text} * {10**target.scale}.0))", target)
        return self.ranged(rescaled(text, source.scale, target.scale), target)

    def expression(self, node: Expression, scope: Scope) -> str:
        """Times are moved within the years 1 to 9999, and their distances are numbers."""
        match node:
            case Call(Op.DATETIME_PLUS, (time, Literal(int(size), unit))):
                return self.shifted(self.expression(time, scope), time.type, unit, size)
            case Cast(Call(Op.DATETIME_MINUS, (a, b), unit)) if node.type.kind in NUMERIC:
                assert unit.fields is not None, "an interval has fields"
                later, earlier = (self.moment(each, scope) for each in (a, b))
                difference = f"({later} - {earlier})"
                if unit.fields[1] is TimeUnit.SECOND:
                    return half_up(difference, "1000")
                return f"({difference} / {UNIT_MILLIS[unit.fields[1]]})"
            case _:
                return super().expression(node, scope)

    def moment(self, time: Expression, scope: Scope) -> str:
        """The milliseconds of a time since 1970; a DATE has those of its midnight."""
        text = self.expression(time, scope)
        millis = "0" if time.type.kind is Kind.DATE else f"CAST(SUBSTR({text}, 21, 3) AS INTEGER)"
        return f"(CAST(STRFTIME('%s', {text}) AS INTEGER) * 1000 + {millis})"

    def shifted(self, operand: str, type: Type, unit: Type, size: int) -> str:
        """Months end at the last day, where SQLite goes into the next month (D-34)."""
        if unit.kind is Kind.MONTHS:
            day = f"(CAST(STRFTIME('%d', {operand}) AS INTEGER) - 1)"
            moved = (
                f"MIN(DATE({operand}, 'start of month', '{size:+} months',"
                f" '+' || {day} || ' days'),"
                f" DATE({operand}, 'start of month', '{size + 1:+} months', '-1 day'))"
            )
            if type.kind is not Kind.DATE:
                moved = f"({moved} || SUBSTR({operand}, 11))"
        else:
            moved = f"STRFTIME('{FORMS[type.kind]}', {operand}, '{size / 1000:+.3f} seconds')"
        return f"fit_time({operand}, {moved})"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function, in the range of its type."""
        types = [each.type for each in node.operands]
        match node.op, operands:
            case ((Op.PLUS | Op.MINUS), [a, b]):
                a, b = (self.summand(x, t, node.type) for x, t in zip((a, b), types, strict=True))
                return self.ranged(f"({a} {node.op} {b})", node.type)
            case Op.TIMES, [a, b]:
                if node.type.kind in APPROXIMATE:
                    a, b = (self.cast(x, t, DOUBLE) for x, t in zip((a, b), types, strict=True))
                return self.ranged(f"({a} * {b})", node.type)
            case Op.DIVIDE, [a, b]:
                return self.divide(a, b, types[0], types[1], node.type)
            case Op.MOD, [a, b]:
                return self.ranged(f"({a} % not_zero({b}))", node.type)
            case ((Op.NEGATE | Op.ABS), _):
                return self.ranged(super().call(node, operands), node.type)
            case Op.SUBSTRING, [a, start, *length]:  # D-13
                first = f"MAX(1, {start})"
                size = "".join(f", MAX(0, {start} + {each} - {first})" for each in length)
                return f"SUBSTR({a}, {first}{size})"
            case _:
                return super().call(node, operands)

    def summand(self, text: str, type: Type, result: Type) -> str:
        """An operand of a sum: of the result's scale."""
        if result.kind is Kind.DECIMAL:
            return rescaled(text, type.scale, result.scale)
        return self.cast(text, type, result) if result.kind in APPROXIMATE else text

    def divide(self, a: str, b: str, left: Type, right: Type, type: Type) -> str:
        """A quotient (D-08)."""
        if type.kind in APPROXIMATE:
            return f"({self.cast(a, left, DOUBLE)} / {self.cast(b, right, DOUBLE)})"
        if type.kind in INTEGERS:
            return self.ranged(f"({a} / not_zero({b}))", type)
        shift = 10 ** (type.scale - left.scale + right.scale)
        return self.ranged(half_up(f"({a} * {shift})", f"not_zero({b})"), type)

    def extract(self, node: Extract, operand: str) -> str:
        """Sunday is 1 (D-07)."""
        more = " + 1" if node.unit is TimeUnit.DOW else ""
        return f"({super().extract(node, operand)}{more})"

    def round(self, node: Round, operand: str) -> str:
        """CEIL stays within the years 1 to 9999 (D-04)."""
        text = super().round(node, operand)
        return f"fit_time({operand}, {text})" if node.up else text

    # --- aggregates and windows -----------------------------------------------------------------

    def measure(self, call: AggregateCall, keys: Sequence[str], scope: Scope) -> str:
        """A SUM within the range of its type, an AVG as a quotient."""
        text = super().measure(call, keys, scope)
        if call.function is not AggregateFunction.AVG:
            return self.summed(text, call)
        total = super().measure(replace(call, function=AggregateFunction.SUM), keys, scope)
        count = super().measure(replace(call, function=AggregateFunction.COUNT), keys, scope)
        return self.average(text, total, count, call)

    def window_call(self, call: WindowCall, group: WindowGroup, scope: Scope) -> str:
        """The same with OVER; the distances of RANGE have the scale of the key."""
        scaled = replace(group, frame=self.scaled(group))
        text = super().window_call(call, scaled, scope)
        if call.function is not AggregateFunction.AVG:
            return self.summed(text, call)
        total = super().window_call(replace(call, function=AggregateFunction.SUM), scaled, scope)
        count = super().window_call(replace(call, function=AggregateFunction.COUNT), scaled, scope)
        return self.average(text, total, count, call)

    def summed(self, text: str, call: AggregateCall | WindowCall) -> str:
        """A SUM fails where it leaves its type."""
        return self.ranged(text, call.type) if call.function is AggregateFunction.SUM else text

    def average(self, text: str, total: str, count: str, call: AggregateCall | WindowCall) -> str:
        """``text`` of DOUBLEs; else the quotient, HALF_UP of DECIMALs (D-11)."""
        type = call.arguments[0].type
        if type.kind in APPROXIMATE:
            return text
        if type.kind in INTEGERS:
            return f"(CAST({total} AS REAL) / {count})"
        shift = 10 ** (call.type.scale - type.scale)
        return f"CASE WHEN {count} > 0 THEN {half_up(f'({total} * {shift})', count)} END"

    def scaled(self, group: WindowGroup) -> Frame:
        """The frame, whose distances are numbers of the key's type."""
        key = group.order[0].expression.type if group.order else DOUBLE

        def bound(each: FrameBound) -> FrameBound:
            match each:
                case RangeOffset(Literal(int() | Decimal() as size), preceding):
                    if key.kind is Kind.DECIMAL:
                        return RangeOffset(Literal(Decimal(size), key), preceding)
                    if key.kind in APPROXIMATE:
                        return RangeOffset(Literal(float(size), key), preceding)
                    return each
                case _:
                    return each

        return replace(group.frame, start=bound(group.frame.start), end=bound(group.frame.end))


def rescaled(text: str, source: int, target: int) -> str:
    """The last digits of one scale as those of another, HALF_UP."""
    if target >= source:
        return text if target == source else f"({text} * {10 ** (target - source)})"
    return half_up(text, str(10 ** (source - target)))


def half_up(n: str, d: str) -> str:
    """The whole number nearest to n / d, away from zero in the middle."""
    return (
        f"(CASE WHEN ({n} < 0) = ({d} < 0) THEN 1 ELSE -1 END"
        f" * ((2 * ABS({n}) + ABS({d})) / (2 * ABS({d}))))"
    )
