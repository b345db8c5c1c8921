"""SQLite's dialect; each departure from rowtime's is in docs/differences.md under its D-number."""

from collections.abc import Callable
from typing import Final

from tests.differential.duckdb_printer import UNITS, renamed, within_text
from tests.differential.printer import Printer
from tests.differential.sqltypes import (
    DATE,
    DOUBLE,
    INTEGERS,
    Kind,
    SqlType,
    as_decimal,
    common,
)
from tests.differential.tree import (
    Aggregate,
    Call,
    Interval,
    Op,
    Query,
    SortKey,
)

_STORED: Final = {
    Kind.INTEGER: "INTEGER",
    Kind.BIGINT: "INTEGER",
    Kind.DECIMAL: "INTEGER",
    Kind.BOOLEAN: "INTEGER",
    Kind.DOUBLE: "REAL",
    Kind.VARCHAR: "TEXT",
    Kind.DATE: "TEXT",
    Kind.TIMESTAMP: "TEXT",
}
#: What strftime keeps of a time under FLOOR, by unit.
_FLOORS: Final = {
    "YEAR": "%Y-01-01 00:00:00.000",
    "MONTH": "%Y-%m-01 00:00:00.000",
    "DAY": "%Y-%m-%d 00:00:00.000",
    "HOUR": "%Y-%m-%d %H:00:00.000",
    "MINUTE": "%Y-%m-%d %H:%M:00.000",
    "SECOND": "%Y-%m-%d %H:%M:%S.000",
}
_FIELDS: Final = {
    "YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H", "MINUTE": "%M", "SECOND": "%S",
}  # fmt: skip
_COMPARED: Final = frozenset({
    Op.EQUAL, Op.NOT_EQUAL, Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL,
    Op.DISTINCT, Op.NOT_DISTINCT,
})  # fmt: skip
_RENAMED: Final = {Op.DISTINCT: "IS NOT", Op.NOT_DISTINCT: "IS"}

_Stored = int | float | str | None


def fit(value: _Stored, bits: int) -> _Stored:
    """The whole number if its magnitude is right; SQLite itself knows no range (D-21)."""
    if value is None:
        return None
    limit = 2 ** (bits - 1)
    if not isinstance(value, int) or not (-limit <= value < limit):
        raise ValueError(value)
    return value


def fit_digits(value: _Stored, digits: int) -> _Stored:
    """The last digits of a DECIMAL if they are so many."""
    if value is None:
        return None
    if not isinstance(value, int) or abs(value) >= 10**digits:
        raise ValueError(value)
    return value


def whole(value: float | None) -> int | None:
    """A float without fraction as an integer."""
    if value is None:
        return None
    if abs(value) >= 2**63:
        raise ValueError(value)
    return int(value)


def fit_time(operand: str | None, moved: str | None) -> str | None:
    """The time that an operation made; SQLite gives NULL behind the year 9999 (D-04)."""
    if operand is not None and (moved is None or not "0001" <= moved[:4] <= "9999"):
        raise ValueError(operand)
    return moved


def not_zero(value: _Stored) -> _Stored:
    """The divisor; SQLite gives NULL for a quotient by zero (D-08)."""
    if value == 0:
        raise ValueError(value)
    return value


#: Functions by which SQLite says what it would pass over; name, number of arguments, function.
FUNCTIONS: Final[tuple[tuple[str, int, Callable[..., _Stored]], ...]] = (
    ("fit", 2, fit),
    ("fit_digits", 2, fit_digits),
    ("whole", 1, whole),
    ("fit_time", 2, fit_time),
    ("not_zero", 1, not_zero),
)


class SQLitePrinter(Printer):
    """The dialect of SQLite."""

    def column_type(self, type: SqlType) -> str:
        """The storage class."""
        return _STORED[type.kind]

    def branch(self, query: Query) -> str:
        """A branch of a set operation stands in no brackets (D-22)."""
        return f"SELECT * FROM ({self.query(query)})"

    def body(self, query: Query) -> str:
        """What ORDER BY stands behind."""
        return f"SELECT * FROM ({self.query(query)})"

    def direction(self, key: SortKey) -> str:
        """Where NULLs go is always said (D-01)."""
        nulls = "FIRST" if key.nulls_come_first else "LAST"
        return f" {'DESC' if key.descending else 'ASC'} NULLS {nulls}"

    def null(self, type: SqlType) -> str:
        """NULL has no type."""
        del type
        return "NULL"

    def constant(self, text: str, type: SqlType) -> str:
        """A literal; of a DECIMAL in its last digits, a time as text (D-20)."""
        match type.kind:
            case Kind.DECIMAL:
                return f"({text.replace('.', '')})"
            case Kind.DATE:
                return f"'{text}'"
            case Kind.TIMESTAMP:
                return f"'{text}'" if "." in text else f"'{text}.000'"
            case _:
                return super().constant(text, type)

    def ranged(self, text: str, type: SqlType) -> str:
        """The value within the range of its type (D-21)."""
        match type.kind:
            case Kind.INTEGER:
                return f"fit({text}, 32)"
            case Kind.BIGINT:
                return f"fit({text}, 64)"
            case Kind.DECIMAL if type.precision <= 18:
                return f"fit_digits({text}, {type.precision})"
            case _:
                return text

    def converted(self, text: str, source: SqlType, target: SqlType) -> str:
        """A value of one type as one of another."""
        if source == target:
            return text
        match source.kind, target.kind:
            case Kind.DATE, Kind.TIMESTAMP:
                return f"({text} || ' 00:00:00.000')"
            case Kind.TIMESTAMP, Kind.DATE:
                return f"substr({text}, 1, 10)"
            case _, Kind.VARCHAR:
                return f"CAST({text} AS TEXT)"
            case Kind.DOUBLE, _:
                return self.ranged(f"whole(round({text} * {10**target.scale}.0))", target)
            case _, Kind.DOUBLE:
                return f"(CAST({text} AS REAL) / {10**source.scale}.0)"
            case _:
                return self.ranged(rescaled(text, source.scale, target.scale), target)

    def shift(self, operand: str, sign: int, interval: Interval, type: SqlType) -> str:
        """Months end at the last day, where SQLite goes into the next month (D-23)."""
        if interval.months:
            months = sign * interval.months
            day = f"(CAST(strftime('%d', {operand}) AS INTEGER) - 1)"
            moved = (
                f"min(date({operand}, 'start of month', '{months:+} months',"
                f" '+' || {day} || ' days'),"
                f" date({operand}, 'start of month', '{months + 1:+} months', '-1 day'))"
            )
            if type != DATE:
                moved = f"({moved} || substr({operand}, 11))"
        else:
            seconds = f"'{sign * interval.millis / 1000:+.3f} seconds'"
            form = "%Y-%m-%d" if type == DATE else "%Y-%m-%d %H:%M:%f"
            moved = f"strftime('{form}', {operand}, {seconds})"
        return f"fit_time({operand}, {moved})"

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        types = [each.type for each in node.operands]
        match node.op, operands:
            case ((Op.PLUS | Op.MINUS), [a, b]):
                a, b = (self.operand(x, t, node.type) for x, t in zip((a, b), types, strict=True))
                return self.ranged(f"({a} {node.op} {b})", node.type)
            case Op.TIMES, [a, b]:
                if node.type == DOUBLE:
                    a, b = (
                        self.converted(x, t, DOUBLE) for x, t in zip((a, b), types, strict=True)
                    )
                return self.ranged(f"({a} * {b})", node.type)
            case Op.DIVIDE, [a, b]:
                return self.divide(a, b, types[0], types[1], node.type)
            case Op.MOD, [a, b]:
                return self.ranged(f"({a} % not_zero({b}))", node.type)
            case ((Op.NEGATE | Op.ABS), _):
                return self.ranged(super().call(node, operands), node.type)
            case op, [a, b] if op in _COMPARED:
                return (
                    f"({self.aligned(a, types[0], types[1])} {_RENAMED.get(op, op)} "
                    f"{self.aligned(b, types[1], types[0])})"
                )
            case Op.CONCAT, [a, b]:
                return f"({a} || {b})"
            case Op.CHAR_LENGTH, [a]:
                return f"length({a})"
            case Op.POSITION, [a, b]:
                return f"instr({b}, {a})"
            case Op.SUBSTRING, [a]:
                return f"substr({a}, {', '.join(map(str, within_text(node.option)))})"
            case Op.CAST, [a]:
                return self.converted(a, types[0], node.type)
            case Op.EXTRACT, [a]:
                return f"CAST(strftime('{_FIELDS[node.option]}', {a}) AS INTEGER)"
            case Op.FLOOR, [a]:
                return self.floor(a, node.option, node.type)
            case Op.CEIL, [a]:
                floor = self.floor(a, node.option, node.type)
                form = "%Y-%m-%d" if node.type == DATE else "%Y-%m-%d %H:%M:%f"
                above = f"strftime('{form}', {floor}, '+1 {node.option.lower()}')"
                return f"CASE WHEN {floor} = {a} THEN {a} ELSE fit_time({a}, {above}) END"
            case Op.DISTANCE, [a, b]:
                difference = f"({millis(a)} - {millis(b)})"
                if node.option == "SECOND":
                    return half_up(difference, "1000")
                return f"({difference} / {UNITS[node.option]})"
            case _:
                return super().call(node, operands)

    def operand(self, text: str, type: SqlType, result: SqlType) -> str:
        """An operand of a sum: of the result's scale."""
        if result.kind is Kind.DECIMAL:
            return rescaled(text, as_decimal(type).scale, result.scale)
        return self.converted(text, type, result) if result == DOUBLE else text

    def aligned(self, text: str, type: SqlType, other: SqlType) -> str:
        """A compared value as one of the common type."""
        if type == other:
            return text
        target = common(type, other)
        if target.kind is Kind.DECIMAL:
            return rescaled(text, type.scale, target.scale)
        return text if target.kind in INTEGERS else self.converted(text, type, target)

    def divide(self, a: str, b: str, left: SqlType, right: SqlType, type: SqlType) -> str:
        """A quotient."""
        if type.kind is Kind.DOUBLE:
            return f"({self.converted(a, left, DOUBLE)} / {self.converted(b, right, DOUBLE)})"
        if type.kind is not Kind.DECIMAL:
            return self.ranged(f"({a} / not_zero({b}))", type)
        shift = type.scale - left.scale + right.scale
        return self.ranged(half_up(f"({a} * {10**shift})", f"not_zero({b})"), type)

    def floor(self, text: str, unit: str, type: SqlType) -> str:
        """FLOOR to a unit."""
        form = _FLOORS[unit]
        return f"strftime('{form.partition(' ')[0] if type == DATE else form}', {text})"

    def aggregate(self, node: Aggregate, over: str = "") -> str:
        """An aggregate."""
        argument = node.argument
        function = {"EVERY": "MIN", "SOME": "MAX"}.get(node.function, node.function)
        text = super().aggregate(renamed(node, function), over)
        if function == "SUM":
            return self.ranged(text, node.type)
        if function != "AVG" or argument is None or argument.type == DOUBLE:
            return text
        total = super().aggregate(renamed(node, "SUM"), over)
        count = super().aggregate(renamed(node, "COUNT"), over)
        if argument.type.kind in INTEGERS:
            return f"(CAST({total} AS REAL) / {count})"
        shift = 10 ** (node.type.scale - argument.type.scale)
        return f"CASE WHEN {count} > 0 THEN {half_up(f'({total} * {shift})', count)} END"

    def distance(self, distance: int | str | Interval, key: SortKey | None) -> str:
        """How far an end of a frame is, in the last digits of a DECIMAL."""
        if key is not None and key.expression.type.kind is Kind.DECIMAL:
            whole, _, fraction = str(distance).partition(".")
            scale = key.expression.type.scale
            return str(int(whole) * 10**scale + int((fraction or "0").ljust(scale, "0")[:scale]))
        return super().distance(distance, key)


def rescaled(text: str, source: int, target: int) -> str:
    """The last digits of one scale as those of another, HALF_UP."""
    if target >= source:
        return text if target == source else f"({text} * {10 ** (target - source)})"
    return half_up(text, str(10 ** (source - target)))


def half_up(n: str, d: str) -> str:
    """The whole number nearest to n / d, away from zero in the middle."""
    return (
        f"(CASE WHEN ({n} < 0) = ({d} < 0) THEN 1 ELSE -1 END"
        f" * ((2 * abs({n}) + abs({d})) / (2 * abs({d}))))"
    )


def millis(text: str) -> str:
    """The milliseconds of a time since 1970."""
    return (
        f"(CAST(strftime('%s', {text}) AS INTEGER) * 1000 + CAST(substr({text}, 21, 3) AS INTEGER))"
    )
