"""Generated expressions of every type and operator, as the binder makes them."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from typing import Final, TypeVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from algebra.binding.expression.bind_datetime import bind_clock, bind_extract, bind_round, bind_step
from algebra.binding.expression.bind_text import (
    bind_concat,
    bind_overlay,
    bind_position,
    bind_substring,
    bind_trim,
)
from algebra.build import not_
from algebra.expression import Call, Case, Expression, InputRef, Literal, Op
from algebra.functions.arithmetic import bind_arithmetic, bind_distance, bind_minus
from algebra.functions.casts import castable
from algebra.functions.coerce import Operand, bind_cast, require_boolean, unify, unify_compared
from algebra.functions.comparison import compare, conjunction, disjunction, in_list
from algebra.functions.datetimes import fields_between, unit_size
from algebra.functions.scalar_functions import FUNCTIONS, bind_scalar
from algebra.functions.timestamp_arithmetic import bind_timestamp_add, bind_timestamp_diff
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar import tree
from grammar.source import Span, SqlError
from grammar.tree import BinaryOperator
from grammar.tree import TimeUnit as Unit
from tests.algebra.ordered_rows import MILLIS, MONTHS, NUMBERS, TEXTS, pool

_T = TypeVar("_T")
#: These expressions have no place in a text.
AT: Final = Span(0, 0)

#: What an expression is to be.
FAMILIES: Final = ("number", "text", "date", "time", "timestamp", "months", "millis", "boolean")

#: The types of columns, and of what is cast, by family.
TYPES: Final = {
    "number": NUMBERS,
    "text": TEXTS,
    "date": (DATE,),
    "time": (TIME,),
    "timestamp": (TIMESTAMP,),
    "months": MONTHS,
    "millis": MILLIS,
    "boolean": (BOOLEAN,),
}
#: Other targets of casts.
_TARGETS: Final = (
    SMALLINT, INTEGER, BIGINT, decimal(3, 1), decimal(12, 3), decimal(15, 2), decimal(30, 6), REAL,
    DOUBLE, VARCHAR, Type(Kind.VARCHAR, precision=2), Type(Kind.CHAR, precision=2),
    Type(Kind.CHAR, precision=5), DATE, TIME, TIMESTAMP, *MONTHS, *MILLIS,
)  # fmt: skip
_NUMBERS: Final = (
    Literal(0, INTEGER), Literal(1, INTEGER), Literal(2, INTEGER), Literal(-1, INTEGER),
    Literal(-3, INTEGER), Literal(7, INTEGER), Literal(10, INTEGER), Literal(100, INTEGER),
    Literal(3_000_000_000, BIGINT), Literal(Decimal("0.5"), decimal(2, 1)),
    Literal(Decimal("1.5"), decimal(2, 1)), Literal(Decimal("-2.0"), decimal(2, 1)),
    Literal(Decimal("0.001"), decimal(4, 3)), Literal(0.5, DOUBLE), Literal(-2.0, DOUBLE),
    Literal(1e300, DOUBLE), Literal(0.0, DOUBLE), Literal(3.7, DOUBLE),
)  # fmt: skip
_FUNCTIONS: Final = {
    "number": ("ABS", "SIGN", "ROUND", "TRUNCATE", "EXP", "LN", "LOG10", "SQRT", "POWER"),
    "text": ("UPPER", "LOWER", "INITCAP", "LPAD", "RPAD", "REPLACE"),
}


@cache
def whole(low: int, high: int) -> SearchStrategy[int]:
    """Whole numbers from ``low`` to ``high``; cached, because making a strategy is slow."""
    return st.integers(low, high)


COIN: Final = st.booleans()


class Expressions:
    """Draws expressions; ``types`` gains a column whenever one draws a new column."""

    def __init__(self, draw: DrawFn) -> None:
        self.draw = draw
        self.types: list[Type] = []
        self.family = ""

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of the choices."""
        return choices[self.draw(whole(0, len(choices) - 1))]

    def _bound(self, family: str, depth: int) -> Operand:
        return Operand(self.of(family, depth), AT, "")

    # --- leaves ---------------------------------------------------------------------------------

    def _leaf(self, family: str) -> Expression:
        return self._column(family) if self.draw(whole(0, 9)) < 8 else self._constant(family)

    def _column(self, family: str) -> Expression:
        kinds = {each.kind for each in TYPES[family]}
        known = [i for i, each in enumerate(self.types) if each.kind in kinds]
        if known and (len(self.types) > 3 or self.draw(COIN)):
            index = self.pick(known)
        else:
            index = len(self.types)
            nullable = self.draw(whole(0, 4)) == 0
            self.types.append(self.pick(TYPES[family]).as_nullable(nullable))
        return InputRef(index, self.types[index])

    def _constant(self, family: str) -> Expression:
        if self.draw(whole(0, 29)) == 0:
            return Literal(None, self.pick(TYPES[family]))
        if family == "number":
            literal = self.pick(_NUMBERS)
            return Literal(literal.value, literal.type.as_nullable(False))
        type_ = self.pick(TYPES[family])
        type_ = VARCHAR if family == "text" else type_
        value = self.pick(pool(type_))
        if type_.fields is not None:
            assert isinstance(value, int)
            unit = unit_size(type_.fields[1])
            value = value // unit * unit
        return Literal(value, type_.as_nullable(False))

    # --- operators ------------------------------------------------------------------------------

    def of(self, family: str, depth: int) -> Expression:
        """An expression of the family, nested no deeper than ``depth``."""
        if depth == 0:
            return self._leaf(family)
        makers: dict[str, tuple[Callable[[int], Expression], ...]] = {
            "number": (*(self._arithmetic for _ in range(8)), self._negation, self._floor,
                       self._function, self._function, self._field, self._difference, self._count,
                       self._step, self._ratio, self._calendar, self._remainder_taken),
            "text": (self._substring, self._substring, self._concat, self._concat,
                     self._text_function),
            "date": (self._shifted, self._shifted, self._rounded, self._last_day, self._stepped),
            "time": (self._shifted, self._rounded, self._stepped),
            "timestamp": (self._shifted, self._shifted, self._shifted, self._rounded, self._added,
                          self._stepped, self._clock),
            "months": (self._sum_of_intervals, self._scaled, self._distance, self._negation),
            "millis": (self._sum_of_intervals, self._scaled, self._distance, self._negation),
            "boolean": (self._comparison, self._comparison, self._comparison, self._logic,
                        self._test),
        }  # fmt: skip
        self.family = family
        common = (self._choice, self._choice, self._extreme, self._cast, self._promised)
        kind = self.draw(whole(0, 9))
        if kind == 0:
            return self._leaf(family)
        maker = self.pick(common if kind < 3 else makers[family])
        try:
            made = self._made(maker, family, depth - 1)
        except SqlError:
            assume(False)
            raise
        return made

    def _made(self, maker: Callable[[int], Expression], family: str, depth: int) -> Expression:
        self.family = family
        return maker(depth)

    def _two(self, family: str, depth: int) -> tuple[Operand, Operand]:
        """Two operands, of which usually one is constant."""
        which = self.draw(whole(0, 4))
        constant = Operand(self._constant(family), AT, "") if which > 1 else None
        if constant is not None and which in (2, 3):
            return self._bound(family, depth), constant
        if constant is not None:
            return constant, self._bound(family, depth)
        return self._bound(family, depth), self._bound(family, depth)

    def _arithmetic(self, depth: int) -> Expression:
        op = self.pick((BinaryOperator.PLUS, BinaryOperator.PLUS, BinaryOperator.MINUS,
                        BinaryOperator.TIMES, BinaryOperator.TIMES, BinaryOperator.DIVIDE,
                        BinaryOperator.MODULO))  # fmt: skip
        a, b = self._two("number", depth)
        if op is BinaryOperator.MODULO:
            a, b = (
                each if each.kind not in (Kind.REAL, Kind.DOUBLE)
                else Operand(bind_cast(each, INTEGER, AT), AT, "")
                for each in (a, b)
            )  # fmt: skip
        return bind_arithmetic(op, a, b, AT)

    def _negation(self, depth: int) -> Expression:
        return bind_minus(self._bound(self.family, depth))

    def _remainder_taken(self, depth: int) -> Expression:
        """``a - MOD(a, c)``."""
        type = self.pick((INTEGER, decimal(9, 2)))
        a = Operand(bind_cast(self._bound("number", depth), type, AT), AT, "")
        c = Operand(Literal(self.pick((2, 3, -5, 100)), INTEGER.as_nullable(False)), AT, "")
        rest = Operand(bind_arithmetic(BinaryOperator.MODULO, a, c, AT), AT, "")
        return bind_arithmetic(BinaryOperator.MINUS, a, rest, AT)

    def _floor(self, depth: int) -> Expression:
        return bind_round(self.draw(COIN), self._bound("number", depth), None, AT)

    def _function(self, depth: int) -> Expression:
        name = self.pick(_FUNCTIONS["number"])
        arguments = [self._bound("number", depth)]
        if name in ("ROUND", "TRUNCATE") and self.draw(COIN):
            digits = Literal(self.pick((-2, -1, 0, 1, 2, 9)), INTEGER.as_nullable(False))
            arguments.append(Operand(digits, AT, ""))
        if name == "POWER":
            arguments.append(Operand(self._constant("number"), AT, ""))
        return bind_scalar(FUNCTIONS[name], arguments)

    def _text_function(self, depth: int) -> Expression:
        name = self.pick((*_FUNCTIONS["text"], "TRIM", "OVERLAY"))
        text, number = self._bound("text", depth), Operand(Literal(3, INTEGER), AT, "")
        if name == "TRIM":
            return bind_trim(self.pick(tuple(tree.TrimSide)), None, text)
        if name == "OVERLAY":
            return bind_overlay(text, Operand(self._constant("text"), AT, ""), number, None)
        arguments = [text]
        if name in ("LPAD", "RPAD"):
            arguments.append(number)
        if name == "REPLACE":
            arguments += [Operand(self._constant("text"), AT, "") for _ in range(2)]
        return bind_scalar(FUNCTIONS[name], arguments)

    def _field(self, depth: int) -> Expression:
        moment = self._bound(self.pick(("date", "time", "timestamp", "months", "millis")), depth)
        return bind_extract(self._unit_of(moment.type), moment, AT)

    def _unit_of(self, type_: Type) -> Unit:
        """A unit that EXTRACT accepts for the type."""
        day: tuple[Unit, ...] = tuple(each for each in Unit if each not in _OF_TIME)
        match type_.kind:
            case Kind.DATE:
                return self.pick(day)
            case Kind.TIME:
                return self.pick(_OF_TIME)
            case Kind.TIMESTAMP:
                return self.pick(tuple(Unit))
            case _:
                assert type_.fields is not None
                units = list(fields_between(type_.fields))
                if units[0] in _FIXED:
                    units.append(Unit.EPOCH)
                if Unit.SECOND in units:
                    units.append(Unit.MILLISECOND)
                return self.pick(units)

    def _calendar(self, depth: int) -> Expression:
        """``EXTRACT(a FROM x) * n + EXTRACT(b FROM x)``, over the same or different ``x``."""
        family = self.pick(("date", "time", "timestamp"))
        moment = self._bound(family, depth)
        made: Operand | None = None
        for _ in range(self.draw(whole(2, 3))):
            unit = self.pick(_CHAIN) if family == "timestamp" else self._unit_of(moment.type)
            field = Operand(bind_extract(unit, moment, AT), AT, "")
            weight = Literal(self.pick((1, 1, 12, 100, 366, 10_000)), INTEGER.as_nullable(False))
            term = Operand(
                bind_arithmetic(BinaryOperator.TIMES, field, Operand(weight, AT, ""), AT), AT, ""
            )
            made = (
                term
                if made is None
                else Operand(bind_arithmetic(BinaryOperator.PLUS, made, term, AT), AT, "")
            )
        assert made is not None
        return made.expression

    def _step(self, depth: int) -> Expression:
        number = Operand(bind_cast(self._bound("number", depth), INTEGER, AT), AT, "")
        size = Literal(self.pick((1, 2, 5, 10)), INTEGER.as_nullable(False))
        return bind_step(number, Operand(size, AT, ""), AT)

    def _ratio(self, depth: int) -> Expression:
        family = self.pick(("months", "millis"))
        return bind_arithmetic(BinaryOperator.DIVIDE, *self._two(family, depth), AT)

    def _count(self, depth: int) -> Expression:
        text = self._bound("text", depth)
        if self.draw(COIN):
            return bind_position(Operand(self._constant("text"), AT, ""), text)
        return bind_scalar(FUNCTIONS["CHAR_LENGTH"], [text])

    def _difference(self, depth: int) -> Expression:
        family = self.pick(("date", "time", "timestamp", "timestamp"))
        units = _COUNTED if family != "time" else (Unit.HOUR, Unit.MINUTE, Unit.SECOND)
        return bind_timestamp_diff(self.pick(units), *self._two(family, depth), AT)

    def _distance(self, depth: int) -> Expression:
        own, months = self.family, self.family == "months"
        family = self.pick(("date", "timestamp") if months else ("date", "time", "timestamp"))
        return bind_distance(*self._two(family, depth), self.pick(TYPES[own]), AT)

    def _sum_of_intervals(self, depth: int) -> Expression:
        op = self.pick((BinaryOperator.PLUS, BinaryOperator.MINUS))
        return bind_arithmetic(op, *self._two(self.family, depth), AT)

    def _scaled(self, depth: int) -> Expression:
        family = self.family
        op = self.pick((BinaryOperator.TIMES, BinaryOperator.DIVIDE))
        which = self.draw(whole(0, 2))
        number = (
            Operand(self._constant("number"), AT, "") if which else self._bound("number", depth)
        )
        length = self._bound(family, depth) if which else Operand(self._constant(family), AT, "")
        return bind_arithmetic(op, length, number, AT)

    def _shifted(self, depth: int) -> Expression:
        family = self.family
        unit = "millis" if family == "time" else self.pick(("millis", "millis", "months"))
        moment, by = self._bound(family, depth), self._bound(unit, depth)
        which = self.draw(whole(0, 3))
        if which == 0:
            moment = Operand(self._constant(family), AT, "")
        elif which != 1:
            by = Operand(self._constant(unit), AT, "")
        op = self.pick((BinaryOperator.PLUS, BinaryOperator.MINUS))
        moved = bind_arithmetic(op, moment, by, AT)
        return (
            moved if moved.type.kind is moment.kind else bind_cast(Operand(moved, AT, ""), DATE, AT)
        )

    def _added(self, depth: int) -> Expression:
        """TIMESTAMPADD, sometimes of a number that is not constant."""
        number = Operand(bind_cast(self._bound("number", 0), INTEGER, AT), AT, "")
        moment = Operand(self._constant("timestamp"), AT, "")
        if self.draw(COIN):
            number = Operand(Literal(self.pick((-1, 1, 13)), INTEGER.as_nullable(False)), AT, "")
            moment = self._bound("timestamp", depth)
        return bind_timestamp_add(self.pick(_COUNTED), number, moment, AT)

    def _rounded(self, depth: int) -> Expression:
        units = {"date": _DAYS, "time": _OF_TIME, "timestamp": (*_DAYS, *_OF_TIME)}[self.family]
        moment = self._bound(self.family, depth)
        return bind_round(self.draw(COIN), moment, self.pick(units), AT)

    def _stepped(self, depth: int) -> Expression:
        family = self.family
        months = family != "time" and self.draw(whole(0, 3)) == 0
        sizes = {"date": (1, 7), "time": (1, 1000, 3_600_000), "timestamp": (1, 300_000)}[family]
        day = 86_400_000 if family == "date" else 1
        unit = interval(Unit.MONTH if months else Unit.DAY if family == "date" else Unit.SECOND)
        size = self.pick((1, 5)) if months else self.pick(sizes) * day
        by = Operand(Literal(size, unit.as_nullable(False)), AT, "")
        return bind_step(self._bound(family, depth), by, AT)

    def _last_day(self, depth: int) -> Expression:
        return bind_scalar(
            FUNCTIONS["LAST_DAY"], [self._bound(self.pick(("date", "timestamp")), depth)]
        )

    def _clock(self, _: int) -> Expression:
        return bind_clock(tree.CurrentTime("CURRENT_TIMESTAMP", None, AT), "")

    def _substring(self, depth: int) -> Expression:
        text = self._bound("text", depth)
        start = Operand(Literal(self.pick((-1, 0, 1, 1, 2)), INTEGER.as_nullable(False)), AT, "")
        length = self.pick(("none", "constant", "varying"))
        if length == "none":
            return bind_substring(text, start, None)
        number: Expression = Literal(self.pick((0, 1, 2, 3)), INTEGER.as_nullable(False))
        if length == "varying":
            number = bind_cast(self._bound("number", 0), INTEGER, AT)
        return bind_substring(text, start, Operand(number, AT, ""))

    def _concat(self, depth: int) -> Expression:
        a, b = self._two("text", depth)
        if self.draw(whole(0, 3)) == 0:
            a = Operand(bind_cast(self._bound("date", 0), VARCHAR, AT), AT, "")
        if self.draw(whole(0, 5)) == 0:
            b = self._bound("number", 0)
            b = b if b.kind not in (Kind.REAL, Kind.DOUBLE) else a
        return bind_concat(a, b, AT)

    # --- of all families ------------------------------------------------------------------------

    def _choice(self, depth: int) -> Expression:
        """CASE, NULLIF, COALESCE."""
        family = self.family
        which = self.pick(("case", "case", "case", "nullif", "coalesce"))
        if which == "case":
            condition = self.of("boolean", depth)
            operands = [self._bound(family, depth), self._bound(family, depth)]
            for i in range(2):
                if self.draw(whole(0, 2)) == 0:
                    operands[i] = Operand(self._constant(family), AT, "")
            type_, (then, otherwise) = unify(operands, "results")
            return Case(((require_boolean(Operand(condition, AT, "")), then),), otherwise, type_)
        a, b = self._two(family, depth)
        if which == "nullif":
            equal = compare(Op.EQUAL, (a,), (b,), AT)
            type_ = a.type.as_nullable()
            return Case(((equal, Literal(None, type_)),), a.expression, type_)
        type_, both = unify((a, b), "arguments")
        nullable = all(each.type.nullable for each in both)
        return Call(Op.COALESCE, both, type_.as_nullable(nullable))

    def _extreme(self, depth: int) -> Expression:
        type_, operands = unify_compared(self._two(self.family, depth))
        return Call(self.pick((Op.GREATEST, Op.LEAST)), operands, type_)

    def _promised(self, depth: int) -> Expression:
        operand = self.of(self.family, depth)
        return Call(Op.MONOTONIC, (operand,), operand.type)

    def _cast(self, depth: int) -> Expression:
        """A cast into the family from a type of any family."""
        kinds = {each.kind for each in TYPES[self.family]}
        targets = [each for each in (*_TARGETS, BOOLEAN) if each.kind in kinds]
        target = self.pick(targets)
        sources = [
            family
            for family in FAMILIES
            if any(castable(each, target) for each in TYPES[family])
            and (family != "text" or self.family == "text")
        ]
        operand = self._bound(self.pick(sources), depth)
        assume(castable(operand.type, target))
        return bind_cast(operand, target, AT)

    def _comparison(self, depth: int) -> Expression:
        family = self.pick(FAMILIES[:-1])
        op = self.pick((Op.LESS, Op.LESS_OR_EQUAL, Op.GREATER, Op.GREATER_OR_EQUAL, Op.EQUAL,
                        Op.NOT_EQUAL, Op.IS_DISTINCT_FROM, Op.IN))  # fmt: skip
        a, b = self._two(family, depth)
        if op is Op.IN:
            return in_list((a,), [(b,), (Operand(self._constant(family), AT, ""),)], [AT, AT])
        return compare(op, (a,), (b,), AT)

    def _logic(self, depth: int) -> Expression:
        p, q = self.of("boolean", depth), self.of("boolean", depth)
        match self.pick(("and", "or", "not")):
            case "and":
                return conjunction([p, q])
            case "or":
                return disjunction([p, q])
            case _:
                return not_(p)

    def _test(self, depth: int) -> Expression:
        ops = (Op.IS_NULL, Op.IS_NOT_NULL, Op.IS_TRUE, Op.IS_NOT_TRUE, Op.IS_FALSE, Op.IS_NOT_FALSE)
        op = self.pick(ops)
        family = self.pick(FAMILIES) if op in ops[:2] else "boolean"
        return Call(op, (self.of(family, depth),), BOOLEAN.as_nullable(False))


_OF_TIME: Final = (Unit.HOUR, Unit.MINUTE, Unit.SECOND, Unit.MILLISECOND)
_FIXED: Final = (Unit.DAY, Unit.HOUR, Unit.MINUTE, Unit.SECOND)
_DAYS: Final = (Unit.YEAR, Unit.QUARTER, Unit.MONTH, Unit.WEEK, Unit.DAY)
_CHAIN: Final = (
    Unit.YEAR, Unit.YEAR, Unit.MONTH, Unit.MONTH, Unit.DAY, Unit.QUARTER, Unit.DOY, Unit.ISOYEAR,
    Unit.WEEK, Unit.ISODOW, Unit.HOUR,
)  # fmt: skip
_COUNTED: Final = (
    Unit.YEAR, Unit.QUARTER, Unit.MONTH, Unit.WEEK, Unit.DAY, Unit.HOUR, Unit.MINUTE, Unit.SECOND,
)  # fmt: skip


@st.composite
def expressions(draw: DrawFn) -> tuple[Expression, tuple[Type, ...]]:
    """An expression, and the types of the columns that it uses, at least one."""
    drawn = Expressions(draw)
    depth = drawn.pick((1, 1, 2, 2, 3, 3))
    expression = drawn.of(drawn.pick(("number", "number", *FAMILIES)), depth)
    assume(drawn.types)
    return expression, tuple(drawn.types)
