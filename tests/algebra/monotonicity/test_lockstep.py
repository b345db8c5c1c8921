"""Lock step: what each spelling of a condition bounds; nothing outside the bounds matches."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.binding.scope.join_base import project
from algebra.catalog import Column, Ordering, Stream
from algebra.constraints.distance import Distance
from algebra.expression import Call, Cast, Expression, InputRef, Literal, Op
from algebra.monotonicity.lockstep import LockStep, MissingInequality, lock_step_of, lockstep
from algebra.plan import Join, Reads, Scan, Side
from algebra.types import BOOLEAN, DATE, INTEGER, TIMESTAMP, Type, interval
from grammar.tree import JoinKind, TimeUnit
from tests.algebra.joined_columns import distance

HOUR = 3_600_000
HOURS = interval(TimeUnit.HOUR)
TIME = TIMESTAMP.as_nullable(False)
TRUE = Literal(True, BOOLEAN)


def stream(name: str) -> Scan:
    columns = (
        Column("ROWTIME", TIME, Ordering()),
        Column("ORDERID", INTEGER, Ordering(strict=True)),
        Column("UNITS", INTEGER),
    )
    return Scan(Stream((name,), columns), Reads.STREAM)


ORDERS, SHIPMENTS = stream("ORDERS"), stream("SHIPMENTS")
ORDERED, SHIPPED = InputRef(0, TIME), InputRef(3, TIME)
O_ID, S_ID = InputRef(1, INTEGER), InputRef(4, INTEGER)
O_UNITS, S_UNITS = InputRef(2, INTEGER), InputRef(5, INTEGER)


def call(op: Op, *operands: Expression, type_: Type = BOOLEAN) -> Call:
    return Call(op, operands, type_)


def both(*conditions: Expression) -> Call:
    return Call(Op.AND, conditions, BOOLEAN)


def hours(count: int) -> Literal:
    return Literal(count * HOUR, HOURS)


def later(time: Expression, shift: Expression) -> Call:
    return call(Op.DATETIME_PLUS, time, shift, type_=TIMESTAMP)


def apart(a: Expression, b: Expression, type_: Type = HOURS) -> Call:
    return call(Op.DATETIME_MINUS, a, b, type_=type_)


def join(on: Expression, kind: JoinKind = JoinKind.INNER) -> Join:
    return Join(ORDERS, SHIPMENTS, kind, on)


def minus(shift: Expression) -> Call:
    return call(Op.NEGATE, shift, type_=HOURS)


LE, LT, GE, GT, EQ = (
    Op.LESS_OR_EQUAL,
    Op.LESS,
    Op.GREATER_OR_EQUAL,
    Op.GREATER,
    Op.EQUAL,
)


def test_between_holds_two_rowtimes_in_lock_step() -> None:
    """CAL-157, CAL-161."""
    on = both(
        call(EQ, O_ID, S_ID),
        call(GE, SHIPPED, ORDERED),
        call(LE, SHIPPED, later(ORDERED, hours(1))),
    )
    assert lockstep(join(on)) == LockStep(0, 0, 0, HOUR)


def test_equal_order_ids_hold_a_join_whose_rowtimes_are_free() -> None:
    """S-510: with other monotonic columns."""
    assert lockstep(join(call(EQ, O_ID, S_ID))) == LockStep(1, 1, 0, 0)


def test_conditions_on_other_columns_give_no_lock_step() -> None:
    """CAL-162."""
    units = call(EQ, InputRef(2, INTEGER), InputRef(5, INTEGER))
    found = lockstep(join(units))
    assert isinstance(found, MissingInequality)
    assert found.reason == "no bound of SHIPMENTS.ROWTIME - ORDERS.ROWTIME"


@pytest.mark.parametrize(
    ("on", "missing"),
    [
        (call(GE, SHIPPED, ORDERED), "no upper bound of SHIPMENTS.ROWTIME - ORDERS.ROWTIME"),
        (call(LE, SHIPPED, ORDERED), "no lower bound of SHIPMENTS.ROWTIME - ORDERS.ROWTIME"),
    ],
)
def test_the_missing_end_is_named(on: Expression, missing: str) -> None:
    """CAL-163."""
    found = lockstep(join(on))
    assert isinstance(found, MissingInequality)
    assert found.reason == missing


@pytest.mark.parametrize(
    ("on", "hint"),
    [
        (call(GE, SHIPPED, ORDERED), "S <= O + INTERVAL '1' HOUR"),
        (call(GT, SHIPPED, later(ORDERED, hours(2))), "S <= O + INTERVAL '4' HOUR"),
        (call(LE, SHIPPED, ORDERED), "S >= O - INTERVAL '1' HOUR"),
        (call(LT, SHIPPED, later(ORDERED, minus(hours(2)))), "S >= O - INTERVAL '4' HOUR"),
        (call(EQ, S_UNITS, O_UNITS), "S BETWEEN O AND O + INTERVAL '1' HOUR"),
    ],
)
def test_the_hint_adds_the_end_that_is_missing(on: Expression, hint: str) -> None:
    """S-801: with it some pairs match."""
    names = {0: "O", 3: "S"}
    found = lockstep(join(on), naming=names.get)
    assert isinstance(found, MissingInequality)
    assert found.hint == f"add to the condition: {hint}"


def test_sides_without_order_are_named() -> None:
    unordered = Scan(Stream(("T",), (Column("X", INTEGER),)), Reads.STREAM)
    for sides, reason in (
        ((unordered, SHIPMENTS), "the left side has no monotonic column"),
        ((ORDERS, unordered), "the right side has no monotonic column"),
    ):
        found = lockstep(Join(*sides, JoinKind.INNER, TRUE))
        assert isinstance(found, MissingInequality)
        assert found.reason == reason


# --- the base side --------------------------------------------------------------------------------

LOCK = both(call(GE, SHIPPED, ORDERED), call(LE, SHIPPED, later(ORDERED, hours(1))))


@pytest.mark.parametrize(
    ("kind", "read", "base"),
    [
        (JoinKind.INNER, ORDERED, Side.LEFT),
        (JoinKind.INNER, SHIPPED, Side.RIGHT),
        (JoinKind.INNER, O_UNITS, Side.LEFT),
        (JoinKind.LEFT, SHIPPED, Side.LEFT),
        (JoinKind.RIGHT, ORDERED, Side.RIGHT),
        (JoinKind.FULL, ORDERED, None),
    ],
)
def test_the_base_is_the_side_that_is_read_or_preserved(
    kind: JoinKind, read: Expression, base: Side | None
) -> None:
    """S-510, E-30."""
    top = project(join(LOCK, kind), (read,), ("ROWTIME",))
    assert isinstance(top.input, Join)
    found = lock_step_of(top.input)
    assert (found.base, found.lower, found.upper) == (base, 0, HOUR)


def test_days_and_milliseconds_are_brought_to_one_unit() -> None:
    """A time matches a day if it is within a day of its midnight."""
    prices = Scan(
        Stream(("PRICES",), (Column("DAY", DATE.as_nullable(False), Ordering()),)), Reads.STREAM
    )
    same_day = call(EQ, Cast(ORDERED, DATE), InputRef(3, DATE))
    found = lock_step_of(Join(ORDERS, prices, JoinKind.INNER, same_day))
    assert found == LockStep(0, 0, 1 - 24 * HOUR, 0, right_unit=24 * HOUR)


def test_two_descending_columns_hold_a_join_in_lock_step() -> None:
    descending = (Column("K", INTEGER.as_nullable(False), Ordering(descending=True)),)
    sides = [Scan(Stream((name,), descending), Reads.STREAM) for name in "AB"]
    equal = call(EQ, InputRef(0, INTEGER), InputRef(1, INTEGER))
    found = lockstep(Join(sides[0], sides[1], JoinKind.INNER, equal))
    assert found == LockStep(0, 0, 0, 0, descending=True)


# --- whole numbers, all of them -------------------------------------------------------------------

A, B = InputRef(0, INTEGER), InputRef(1, INTEGER)
SMALL = range(-9, 10)


def integer(count: int) -> Literal:
    return Literal(count, INTEGER)


def evaluated(expression: Expression, a: int, b: int) -> int:
    match expression:
        case InputRef(index):
            return (a, b)[index]
        case Literal(int(constant)):
            return constant
        case Call(op, operands):
            x, *rest = (evaluated(each, a, b) for each in operands)
            return applied(op, x, rest[0] if rest else 0)
        case _:
            raise AssertionError(expression)


def applied(op: Op, x: int, y: int) -> int:
    match op:
        case Op.PLUS:
            return x + y
        case Op.MINUS:
            return x - y
        case Op.NEGATE:
            return -x
        case Op.TIMES:
            return x * y
        case Op.DIVIDE:
            return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        case Op.STEP:
            return x // y * y
        case Op.LESS:
            return x < y
        case Op.LESS_OR_EQUAL:
            return x <= y
        case Op.GREATER:
            return x > y
        case Op.GREATER_OR_EQUAL:
            return x >= y
        case Op.EQUAL:
            return x == y
        case Op.NOT_EQUAL:
            return x != y
        case Op.AND:
            return bool(x) and bool(y)
        case Op.OR:
            return bool(x) or bool(y)
        case _:
            raise AssertionError(op)


def binary(op: Op, a: Expression, b: Expression) -> Expression:
    return call(op, a, b, type_=INTEGER)


def bucket(op: Op, a: Expression, size: int) -> Expression:
    return call(op, a, integer(size), type_=INTEGER)


def negated(a: Expression) -> Expression:
    return call(Op.NEGATE, a, type_=INTEGER)


def terms(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    sums = st.sampled_from([Op.PLUS, Op.MINUS, Op.TIMES])
    buckets = st.sampled_from([Op.DIVIDE, Op.STEP])
    return st.one_of(
        st.builds(binary, sums, inner, inner),
        st.builds(bucket, buckets, inner, st.integers(1, 4)),
        st.builds(negated, inner),
    )


def connected(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.builds(connect, st.sampled_from([Op.AND, Op.OR]), inner, inner)


def connect(op: Op, a: Expression, b: Expression) -> Expression:
    return call(op, a, b)


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.sampled_from([A, B]), st.integers(-3, 3).map(integer)
)
TERMS = st.recursive(LEAVES, terms, max_leaves=4)
COMPARISONS = st.builds(connect, st.sampled_from([LE, LT, GE, GT, EQ, Op.NOT_EQUAL]), TERMS, TERMS)
CONNECTED = st.recursive(COMPARISONS, connected, max_leaves=4)


@given(st.lists(CONNECTED, min_size=1, max_size=3))
def test_no_pair_outside_the_interval_matches(conditions: list[Expression]) -> None:
    """S-510: the interval contains the distance of every pair that satisfies the conditions."""
    known = distance(conditions, (INTEGER,))
    for a, b in product(SMALL, SMALL):
        if all(evaluated(each, a, b) for each in conditions):
            assert known.lower is None or known.lower <= b - a
            assert known.upper is None or b - a <= known.upper


@given(st.sampled_from([LE, LT, GE, GT, EQ]), st.integers(-3, 3), st.integers(-5, 5), st.booleans())
def test_a_plain_inequality_is_bounded_exactly(op: Op, shift: int, by: int, swap: bool) -> None:
    """``b + shift op a + by``, with either side first, has the interval that a person derives."""
    left = call(Op.PLUS, B, integer(shift), type_=INTEGER)
    right = call(Op.PLUS, A, integer(by), type_=INTEGER)
    condition = call(op, right, left) if swap else call(op, left, right)
    known = distance((condition,), (INTEGER,))
    accepted = [b - a for a, b in product(SMALL, SMALL) if evaluated(condition, a, b)]
    low, high = min(accepted), max(accepted)
    widest = max(SMALL) - min(SMALL)
    assert known == Distance(
        None if low == -widest else low,
        None if high == widest else high,
    )


@given(
    st.sampled_from([LE, LT, GE, GT, EQ]),
    st.integers(-3, 3),
    st.integers(-4 * 60, 4 * 60),
    st.booleans(),
)
def test_a_counted_difference_is_bounded_as_it_is_truncated(
    op: Op, count: int, minutes: int, swap: bool
) -> None:
    """``(b - a) HOUR op n``: truncated toward zero (S-207)."""
    counted = (
        apart(InputRef(0, TIME), InputRef(1, TIME))
        if swap
        else apart(InputRef(1, TIME), InputRef(0, TIME))
    )
    known = distance((call(op, counted, hours(count)),), (TIME,))
    apart_by = minutes * 60_000
    span = -apart_by if swap else apart_by
    truncated = applied(Op.DIVIDE, span, HOUR)
    if applied(op, truncated, count):
        assert known.lower is None or known.lower <= apart_by
        assert known.upper is None or apart_by <= known.upper
