"""Generated expressions of a given type over the columns in reach."""

from collections.abc import Sequence
from typing import Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.differential.schema import Features, digits
from tests.differential.sqltypes import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTEGERS,
    MOST,
    NUMBERS,
    TIMES,
    TIMESTAMP,
    VARCHAR,
    Kind,
    SqlType,
    as_decimal,
    common,
    decimal,
    product,
    quotient,
    total,
)
from tests.differential.tree import Call, Case, Column, Expression, Interval, Literal, Op, Shift

_T = TypeVar("_T")

_HOUR: Final = 3_600_000
INTERVALS: Final = (
    Interval("1", "DAY", millis=24 * _HOUR),
    Interval("45", "DAY", millis=45 * 24 * _HOUR),
    Interval("1", "MONTH", months=1),
    Interval("13", "MONTH", months=13),
    Interval("1", "YEAR", months=12),
    Interval("1-1", "YEAR TO MONTH", months=13),
    Interval("90", "MINUTE", millis=90 * 60_000),
    Interval("1", "HOUR", millis=_HOUR),
    Interval("1 02:30", "DAY TO MINUTE", millis=26 * _HOUR + 30 * 60_000),
    Interval("0.250", "SECOND", millis=250),
)
COMPARISONS: Final = (
    Op.EQUAL,
    Op.NOT_EQUAL,
    Op.LESS,
    Op.LESS_OR_EQUAL,
    Op.GREATER,
    Op.GREATER_OR_EQUAL,
)
_PATTERNS: Final = ("a%", "_b", "%", "", "%b%", "a_b", "__", "%a")
_LITERAL_TEXTS: Final = ("a", "ab", "", "b", " ", "B", "%")
_LITERAL_DATES: Final = ("2015-02-15", "2016-02-29", "1969-12-31")
_LITERAL_TIMES: Final = ("2015-02-15 10:30:00", "1969-12-31 23:59:59.999", "2016-02-29 12:00:00")
#: Units for EXTRACT and FLOOR; the last ones are not in every engine.
_DATE_UNITS: Final[tuple[str, ...]] = ("YEAR", "MONTH", "DAY")
_TIME_UNITS: Final[tuple[str, ...]] = ("HOUR", "MINUTE", "SECOND")
_RICH_UNITS: Final[tuple[str, ...]] = ("QUARTER", "WEEK")
_RICH_FIELDS: Final[tuple[str, ...]] = ("QUARTER", "WEEK", "DOW", "ISODOW", "DOY", "ISOYEAR")


class Expressions:
    """Expressions over ``columns``; ``draw`` is hypothesis's."""

    def __init__(self, draw: DrawFn, columns: Sequence[Column], features: Features) -> None:
        self.draw = draw
        self.columns = tuple(columns)
        self.features = features

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return self.draw(st.sampled_from(choices))

    def chance(self, of: int) -> bool:
        """True one time in ``of``."""
        return self.draw(st.integers(0, of - 1)) == of - 1

    # --- leaves ---------------------------------------------------------------------------------

    def types(self) -> tuple[SqlType, ...]:
        """Types for a new expression: those of the columns, else any."""
        found = tuple(dict.fromkeys(each.type for each in self.columns))
        return found or (INTEGER, VARCHAR, BOOLEAN)

    def literal(self, type: SqlType) -> Literal:
        """A constant of the type, seldom NULL."""
        if self.chance(12):
            return Literal(None, type)
        match type.kind:
            case Kind.INTEGER:
                return Literal(str(self.draw(st.integers(-3, 9))), type)
            case Kind.BIGINT:
                return Literal(str(self.draw(st.integers(2**31 + 1, 2**31 + 9))), type)
            case Kind.DECIMAL:
                unscaled = self.draw(st.integers(-250, 250))
                return Literal(digits(unscaled, type.scale), type)
            case Kind.DOUBLE:
                return Literal(self.pick(("0.5E0", "-2E0", "0E0", "1.25E1")), type)
            case Kind.VARCHAR:
                return Literal(self.pick(_LITERAL_TEXTS), type)
            case Kind.BOOLEAN:
                return Literal(self.pick(("TRUE", "FALSE")), type)
            case Kind.DATE:
                return Literal(self.pick(_LITERAL_DATES), type)
            case Kind.TIMESTAMP:
                return Literal(self.pick(_LITERAL_TIMES), type)

    def leaf(self, type: SqlType) -> Expression:
        """A column of exactly the type if there is one, mostly; else a constant."""
        found = [each for each in self.columns if each.type == type]
        return self.pick(found) if found and not self.chance(5) else self.literal(type)

    def number_type(self) -> SqlType:
        """The type of some number, mostly of one there is."""
        found = [t for t in self.types() if t.kind in NUMBERS]
        return self.pick(found) if found else INTEGER

    def of(self, type: SqlType, depth: int) -> Expression:
        """An expression of exactly the type."""
        if depth == 0:
            return self.leaf(type)
        match type.kind:
            case Kind.BOOLEAN:
                return self.boolean(depth)
            case Kind.VARCHAR:
                return self.text(depth)
            case Kind.DATE | Kind.TIMESTAMP:
                return self.time(type, depth)
            case _:
                return self.fitted(self.number(depth), type)

    def any(self, depth: int) -> Expression:
        """An expression of any type; of numbers, of the type that comes of it."""
        type = self.pick(self.types())
        if type.kind in NUMBERS and depth:
            return self.number(depth)
        return self.of(type, depth)

    def fitted(self, expression: Expression, type: SqlType) -> Expression:
        """The number under a CAST, if its type is another."""
        if expression.type == type:
            return expression
        return Call(Op.CAST, (expression,), type)

    # --- numbers --------------------------------------------------------------------------------

    def number(self, depth: int) -> Expression:
        """A number of whatever type comes of it, within the digits that are covered."""
        found = self._number(depth)
        wide = found.type.kind is Kind.DECIMAL and found.type.precision > self.features.precision
        return self.leaf(self.number_type()) if wide else found

    def _number(self, depth: int) -> Expression:
        if depth == 0:
            return self.leaf(self.number_type())
        match self.draw(st.integers(0, 13)):
            case 0 | 1:
                return self.leaf(self.number_type())
            case 5 | 7 | 10 | 11 if self.features.as_written:
                return self.leaf(self.number_type())
            case 2 | 3 | 4:
                a, b = self.number(depth - 1), self.number(depth - 1)
                op = self.pick((Op.PLUS, Op.MINUS, Op.TIMES))
                type = product(a.type, b.type) if op is Op.TIMES else total(a.type, b.type)
                if op is Op.TIMES and a.type.scale + b.type.scale > MOST:
                    return a
                return Call(op, (a, b), type)
            case 5:
                return self._division(depth)
            case 6:
                a = self.number(depth - 1)
                return Call(self.pick((Op.NEGATE, Op.ABS)), (a,), a.type)
            case 7:
                return self._cast_number(depth)
            case 8:
                text = self.text(depth - 1)
                return Call(Op.CHAR_LENGTH, (text,), INTEGER)
            case 9:
                return Call(Op.POSITION, (self.text(0), self.text(depth - 1)), INTEGER)
            case 10:
                return self._field(depth)
            case 11:
                return self._distance(depth)
            case _:
                return self.chosen(self.number_type(), depth)

    def _division(self, depth: int) -> Expression:
        """A quotient or remainder; the divisor is seldom 0, where that is an error."""
        a, b = self.number(depth - 1), self.number(depth - 1)
        if a.type.kind in INTEGERS and b.type.kind in INTEGERS:
            divisor = self._not_zero(b)
            if self.chance(2):
                return Call(Op.MOD, (a, divisor), divisor.type)
            return Call(Op.DIVIDE, (a, divisor), common(a.type, b.type))
        if common(a.type, b.type).kind is Kind.DOUBLE:
            return Call(
                Op.DIVIDE, (a, b if self.features.special_floats else self._not_zero(b)), DOUBLE
            )
        x, y = as_decimal(a.type), as_decimal(b.type)
        type = quotient(a.type, b.type)
        # The whole numbers that the other engines divide are to have 37 digits at most.
        if max(x.precision + type.scale - x.scale + y.scale, y.precision) + 1 > min(
            MOST - 1, self.features.precision
        ):
            return self.leaf(self.number_type())
        return Call(Op.DIVIDE, (a, self._not_zero(b)), type)

    def _not_zero(self, divisor: Expression) -> Expression:
        zero = Literal("0", INTEGER)
        if divisor.type.kind is Kind.DOUBLE:
            zero = Literal("0E0", DOUBLE)
        elif self.features.failing and self.chance(8):
            return divisor
        return Call(Op.NULLIF, (divisor, zero), divisor.type)

    def _cast_number(self, depth: int) -> Expression:
        a = self.number(depth - 1)
        targets = [INTEGER, BIGINT, DOUBLE, decimal(9, 1), decimal(12, 4)]
        if a.type.kind is Kind.DOUBLE:
            targets = [INTEGER, BIGINT]
        return Call(Op.CAST, (a,), self.pick(targets))

    def _field(self, depth: int) -> Expression:
        type = self.time_type()
        units: list[str] = list(_DATE_UNITS + (_TIME_UNITS if type is TIMESTAMP else ()))
        if self.features.rich_times:
            units += _RICH_FIELDS
        return Call(Op.EXTRACT, (self.time(type, depth - 1),), BIGINT, self.pick(units))

    def _distance(self, depth: int) -> Expression:
        type = self.time_type()
        operands = (self.time(type, depth - 1), self.time(type, 0))
        units = ["DAY"] if type is DATE else ["DAY", "HOUR", "MINUTE", "SECOND"]
        if self.features.rich_times:
            units += ["MONTH", "YEAR"]
        return Call(Op.DISTANCE, operands, BIGINT, self.pick(units))

    # --- text -----------------------------------------------------------------------------------

    def text(self, depth: int) -> Expression:
        """A text."""
        if depth == 0:
            return self.leaf(VARCHAR)
        inner = self.text(depth - 1)
        match self.draw(st.integers(0, 7)):
            case 0:
                return inner
            case 4 if self.features.as_written:
                return inner
            case 1:
                return Call(Op.CONCAT, (inner, self.text(depth - 1)), VARCHAR)
            case 2:
                exact = [t for t in self.types() if t.kind in INTEGERS] or [INTEGER]
                if self.features.decimal_text:
                    exact += [t for t in self.types() if t.kind is Kind.DECIMAL]
                return Call(Op.CONCAT, (inner, self.leaf(self.pick(exact))), VARCHAR)
            case 3:
                return Call(self.pick((Op.UPPER, Op.LOWER, Op.TRIM)), (inner,), VARCHAR)
            case 4:
                start, length = self.draw(st.integers(-2, 4)), self.draw(st.integers(0, 4))
                option = self.pick((f"{start}", f"{start},{length}"))
                return Call(Op.SUBSTRING, (inner,), VARCHAR, option)
            case 5:
                castable = [t for t in self.types() if t.kind in INTEGERS | {Kind.DATE}]
                if self.features.decimal_text:
                    castable += [t for t in self.types() if t.kind is Kind.DECIMAL]
                return Call(Op.CAST, (self.leaf(self.pick(castable or [INTEGER])),), VARCHAR)
            case _:
                return self.chosen(VARCHAR, depth)

    # --- times ----------------------------------------------------------------------------------

    def time_type(self) -> SqlType:
        """DATE or TIMESTAMP, mostly one there is."""
        found = [t for t in self.types() if t.kind in TIMES]
        return self.pick(found) if found else self.pick((DATE, TIMESTAMP))

    def time(self, type: SqlType, depth: int) -> Expression:
        """A DATE or TIMESTAMP."""
        if depth == 0:
            return self.leaf(type)
        inner = self.time(type, depth - 1)
        match self.draw(st.integers(0, 5)):
            case 0 | 1:
                steps = [i for i in INTERVALS if type is TIMESTAMP or not i.finer_than_day]
                return Shift(inner, self.pick((1, -1)), self.pick(steps), type)
            case 2:
                units: list[str] = list(_DATE_UNITS + (_TIME_UNITS if type is TIMESTAMP else ()))
                if self.features.rich_times:
                    units += _RICH_UNITS
                return Call(self.pick((Op.FLOOR, Op.CEIL)), (inner,), type, self.pick(units))
            case 3:
                other = DATE if type is TIMESTAMP else TIMESTAMP
                return Call(Op.CAST, (self.time(other, depth - 1),), type)
            case 4:
                return inner
            case _:
                return self.chosen(type, depth)

    # --- choices --------------------------------------------------------------------------------

    def chosen(self, type: SqlType, depth: int) -> Expression:
        """CASE, COALESCE or NULLIF, of exactly the type."""
        a, b = self.of(type, depth - 1), self.of(type, depth - 1)
        match self.draw(st.integers(0, 3)):
            case 0:
                return Call(Op.COALESCE, (a, b), type)
            case 1:
                return Call(Op.NULLIF, (a, b), type)
            case 2:
                return Case(((self.boolean(depth - 1), a),), None, type)
            case _:
                branches = ((self.boolean(depth - 1), a), (self.boolean(0), self.leaf(type)))
                return Case(branches, b, type)

    # --- conditions -----------------------------------------------------------------------------

    def boolean(self, depth: int) -> Expression:
        """A condition."""
        if depth == 0:
            return self.leaf(BOOLEAN) if self.chance(3) else self.comparison(0)
        match self.draw(st.integers(0, 10)):
            case 0 | 1:
                return self.comparison(depth - 1)
            case 2 | 3:
                operands = (self.boolean(depth - 1), self.boolean(depth - 1))
                return Call(self.pick((Op.AND, Op.OR)), operands, BOOLEAN)
            case 4:
                return Call(Op.NOT, (self.boolean(depth - 1),), BOOLEAN)
            case 5:
                test = self.pick(("TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "NULL", "NOT NULL"))
                return Call(Op.IS, (self.boolean(depth - 1),), BOOLEAN, test)
            case 6:
                test = self.pick(("NULL", "NOT NULL"))
                return Call(Op.IS, (self.any(depth - 1),), BOOLEAN, test)
            case 7:
                type = self.pick(self.types())
                listed = tuple(self.leaf(type) for _ in range(self.draw(st.integers(1, 3))))
                op = self.pick((Op.IN, Op.NOT_IN))
                return Call(op, (self.of(type, depth - 1), *listed), BOOLEAN)
            case 8:
                type = self.pick(
                    [t for t in self.types() if t.kind is not Kind.BOOLEAN] or [INTEGER]
                )
                ends = (self.leaf(type), self.leaf(type))
                return Call(Op.BETWEEN, (self.of(type, depth - 1), *ends), BOOLEAN)
            case 9:
                pattern = Literal(self.pick(_PATTERNS), VARCHAR)
                return Call(Op.LIKE, (self.text(depth - 1), pattern), BOOLEAN)
            case _:
                return self.chosen(BOOLEAN, depth)

    def comparison(self, depth: int) -> Expression:
        """A comparison of values that are comparable, perhaps of two types."""
        op = self.pick((*COMPARISONS, Op.DISTINCT, Op.NOT_DISTINCT))
        type = self.pick(self.types())
        if type.kind in NUMBERS:
            return Call(op, (self.number(depth), self.number(depth)), BOOLEAN)
        other = self.time_type() if type.kind in TIMES else type
        return Call(op, (self.of(type, depth), self.of(other, depth)), BOOLEAN)
