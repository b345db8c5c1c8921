"""Lock step: what each spelling of a condition bounds, and that nothing outside it matches."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Column, Ordering, Stream
from algebra.distance import Distance, distance
from algebra.expression import Call, Cast, Expression, InputRef, Literal, Op, Round
from algebra.lockstep import LockStep, MissingInequality, lockstep
from algebra.plan import Join, Reads, Scan
from algebra.types import BOOLEAN, DATE, INTEGER, TIMESTAMP, Type, interval
from grammar.tree import JoinKind, TimeUnit

HOUR = 3_600_000
HOURS, MONTHS = interval(TimeUnit.HOUR), interval(TimeUnit.MONTH)
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


def floor(time: Expression, unit: TimeUnit = TimeUnit.HOUR, up: bool = False) -> Round:
    return Round(up, time, unit, TIMESTAMP)


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

#: A condition on ROWTIMEs, and the least and greatest ``s - o`` in milliseconds.
CONDITIONS: list[tuple[str, Expression, int | None, int | None]] = [
    (
        "s BETWEEN o AND o + 1h",
        both(call(GE, SHIPPED, ORDERED), call(LE, SHIPPED, later(ORDERED, hours(1)))),
        0,
        HOUR,
    ),
    (
        "o <= s AND o + 1h > s",
        both(call(LE, ORDERED, SHIPPED), call(GT, later(ORDERED, hours(1)), SHIPPED)),
        0,
        HOUR - 1,
    ),
    (
        "s > o AND s - 1h < o",
        both(call(GT, SHIPPED, ORDERED), call(LT, later(SHIPPED, minus(hours(1))), ORDERED)),
        1,
        HOUR - 1,
    ),
    ("s = o", call(EQ, SHIPPED, ORDERED), 0, 0),
    ("o = s + 1h", call(EQ, ORDERED, later(SHIPPED, hours(1))), -HOUR, -HOUR),
    ("s >= o", call(GE, SHIPPED, ORDERED), 0, None),
    ("s <= o + 1h", call(LE, SHIPPED, later(ORDERED, hours(1))), None, HOUR),
    ("(s - o) HOUR <= 1", call(LE, apart(SHIPPED, ORDERED), hours(1)), None, 2 * HOUR - 1),
    ("(s - o) HOUR < 1", call(LT, apart(SHIPPED, ORDERED), hours(1)), None, HOUR - 1),
    ("(s - o) HOUR >= 1", call(GE, apart(SHIPPED, ORDERED), hours(1)), HOUR, None),
    ("(s - o) HOUR >= 0", call(GE, apart(SHIPPED, ORDERED), hours(0)), 1 - HOUR, None),
    ("(s - o) HOUR = 1", call(EQ, apart(SHIPPED, ORDERED), hours(1)), HOUR, 2 * HOUR - 1),
    ("1 >= (o - s) HOUR", call(GE, hours(1), apart(ORDERED, SHIPPED)), 1 - 2 * HOUR, None),
    ("same hour", call(EQ, floor(ORDERED), floor(SHIPPED)), 1 - HOUR, HOUR - 1),
    (
        "same hour, up",
        call(EQ, floor(ORDERED, up=True), floor(SHIPPED, up=True)),
        1 - HOUR,
        HOUR - 1,
    ),
    (
        "same month",
        call(EQ, floor(ORDERED, TimeUnit.MONTH), floor(SHIPPED, TimeUnit.MONTH)),
        1 - 31 * 24 * HOUR,
        31 * 24 * HOUR - 1,
    ),
    ("same day", call(EQ, Cast(ORDERED, DATE), Cast(SHIPPED, DATE)), 1 - 24 * HOUR, 24 * HOUR - 1),
    (
        "same step",
        call(
            EQ,
            call(Op.STEP, ORDERED, hours(2), type_=TIME),
            call(Op.STEP, SHIPPED, hours(2), type_=TIME),
        ),
        1 - 2 * HOUR,
        2 * HOUR - 1,
    ),
    (
        "s = o or an hour later",
        call(Op.OR, call(EQ, SHIPPED, ORDERED), call(EQ, SHIPPED, later(ORDERED, hours(1)))),
        0,
        HOUR,
    ),
    (
        "one of two is open",
        call(Op.OR, call(EQ, SHIPPED, ORDERED), call(GE, SHIPPED, ORDERED)),
        0,
        None,
    ),
    (
        "within a month",
        call(LE, SHIPPED, later(ORDERED, Literal(1, MONTHS))),
        None,
        31 * 24 * HOUR,
    ),
    ("s <> o", call(Op.NOT_EQUAL, SHIPPED, ORDERED), None, None),
    ("o.rowtime >= o.rowtime", call(GE, ORDERED, ORDERED), None, None),
    ("s >= a constant", call(GE, SHIPPED, Literal(0, TIMESTAMP)), None, None),
]


@pytest.mark.parametrize(
    ("condition", "lower", "upper"), [e[1:] for e in CONDITIONS], ids=[e[0] for e in CONDITIONS]
)
def test_each_spelling_bounds_the_distance(
    condition: Expression, lower: int | None, upper: int | None
) -> None:
    """S-510: either spelling, either side, strict or not."""
    assert distance((condition,), 0, 3) == Distance(lower, upper)


def test_between_holds_two_rowtimes_in_lock_step() -> None:
    """CAL-157, CAL-161."""
    on = both(
        call(EQ, O_ID, S_ID),
        call(GE, SHIPPED, ORDERED),
        call(LE, SHIPPED, later(ORDERED, hours(1))),
    )
    assert lockstep(join(on), None) == LockStep(0, 0, 0, HOUR)


def test_equal_order_ids_hold_a_join_whose_rowtimes_are_free() -> None:
    """S-510: with other monotonic columns."""
    assert lockstep(join(call(EQ, O_ID, S_ID)), None) == LockStep(1, 1, 0, 0)


def test_where_helps_an_inner_join_only() -> None:
    on, where = call(GE, SHIPPED, ORDERED), call(LE, SHIPPED, later(ORDERED, hours(1)))
    assert lockstep(join(on), where) == LockStep(0, 0, 0, HOUR)
    assert isinstance(lockstep(join(on, JoinKind.LEFT), where), MissingInequality)


def test_conditions_on_other_columns_give_no_lock_step() -> None:
    """CAL-162."""
    units = call(EQ, InputRef(2, INTEGER), InputRef(5, INTEGER))
    found = lockstep(join(units), None)
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
    found = lockstep(join(on), None)
    assert isinstance(found, MissingInequality)
    assert found.reason == missing


# --- soundness ---------------------------------------------------------------------------------

#: Hours of the model are 4 long, so that small numbers meet all boundaries.
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
    """S-510: the interval holds the distance of every pair that the conditions accept."""
    known = distance(conditions, 0, 1)
    for a, b in product(SMALL, SMALL):
        if all(evaluated(each, a, b) for each in conditions):
            assert known.lower is None or known.lower <= b - a
            assert known.upper is None or b - a <= known.upper


@given(st.sampled_from([LE, LT, GE, GT, EQ]), st.integers(-3, 3), st.integers(-5, 5), st.booleans())
def test_a_plain_inequality_is_bounded_exactly(op: Op, shift: int, by: int, swap: bool) -> None:
    """``b + shift op a + by``, either side first: the interval is the one that a person reads."""
    left = call(Op.PLUS, B, integer(shift), type_=INTEGER)
    right = call(Op.PLUS, A, integer(by), type_=INTEGER)
    condition = call(op, right, left) if swap else call(op, left, right)
    known = distance((condition,), 0, 1)
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
    known = distance((call(op, counted, hours(count)),), 0, 1)
    apart_by = minutes * 60_000
    span = -apart_by if swap else apart_by
    truncated = applied(Op.DIVIDE, span, HOUR)
    if applied(op, truncated, count):
        assert known.lower is None or known.lower <= apart_by
        assert known.upper is None or apart_by <= known.upper
