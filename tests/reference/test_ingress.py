"""The gate: what comes in, what is late, what bounds do (S-103, S-301, S-601, S-604)."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Column, Ordering, Stream
from algebra.expression import Op, Value
from algebra.types import BOOLEAN, DOUBLE, INTEGER, TIMESTAMP, VARCHAR, decimal
from algebra.wire import Wire
from grammar.codes import Code
from reference.acceptance import accept, typed_rows
from reference.ingress import ColumnBound, Dropped, Fault, Ingress, ingress_of
from reference.relation import Row
from tests.reference.building import ENV, NOW, call, literal, ref, stream, table, ts

UNITS = Column("UNITS", INTEGER)


def typed(columns: Sequence[Column], *wire: Wire) -> Row | Dropped:
    """A row of values, or its fault."""
    rows, faults = typed_rows(columns, [wire], NOW)
    return rows[0] if rows else faults[0][1]


def accepted(ordering: Ordering, values: list[Value]) -> list[Value]:
    """The values that a column of that order takes, one after the other."""
    clock, taken = ColumnBound(ordering), list[Value]()
    for value in values:
        if not clock.late(value):
            clock = clock.after(value)
            taken.append(value)
    return taken


def taken(entry: Ingress, *rows: Row) -> list[Fault | None]:
    """What the gate says of each row."""
    verdicts: list[Fault | None] = []
    for row in rows:
        entry, dropped = accept(entry, row, ENV)
        verdicts.append(None if dropped is None else dropped.fault)
    return verdicts


# --- columns ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ordering", "values", "expected"),
    [
        (Ordering(), [1, 1, 3, 2, 3], [1, 1, 3, 3]),
        (Ordering(strict=True), [1, 1, 2, 1, 3], [1, 2, 3]),
        (Ordering(descending=True), [3, 3, 1, 2, 1], [3, 3, 1, 1]),
        (Ordering(descending=True, strict=True), [3, 3, 2, 3, 1], [3, 2, 1]),
        # t-sorted: the bound is the greatest seen less the slack, and holds its own value
        (Ordering(slack=10), [100, 90, 89, 105, 95, 94], [100, 90, 105, 95]),
        (Ordering(slack=0), [100, 99, 100], [100, 100]),
        (Ordering(descending=True, slack=10), [100, 110, 111, 95, 105, 106], [100, 110, 95, 105]),
        # k-sorted: the bound is the (k+1)-th greatest seen, repetitions counted
        (Ordering(rows=1), [5, 3, 2, 4, 3, 4], [5, 3, 4, 4]),
        (Ordering(rows=2), [5, 5, 1, 5, 4], [5, 5, 1, 5]),
        (Ordering(rows=0), [5, 5, 4, 6], [5, 5, 6]),
        (Ordering(descending=True, rows=1), [1, 3, 4, 2], [1, 3, 2]),
        # punctuated: rows imply nothing
        (Ordering(punctuated=True), [5, 1, 4, 1], [5, 1, 4, 1]),
        # not an integer: the strict bound is kept as a pair
        (Ordering(strict=True), ["a", "a", "b", "aa"], ["a", "b"]),
        (Ordering(slack=1), [Decimal("2.5"), Decimal("1.5"), Decimal("1.4")],
         [Decimal("2.5"), Decimal("1.5")]),
    ],
)  # fmt: skip
def test_a_column_takes_what_its_order_allows(
    ordering: Ordering, values: list[Value], expected: list[Value]
) -> None:
    assert accepted(ordering, values) == expected


@given(st.lists(st.integers(0, 20), max_size=12), st.integers(0, 4))
def test_the_bound_of_a_k_sorted_column_is_the_next_greatest_seen(
    values: list[int], k: int
) -> None:
    clock, seen = ColumnBound(Ordering(rows=k)), list[int]()
    for value in values:
        if not clock.late(value):
            seen.append(value)
            clock = clock.after(value)
        greatest = sorted(seen, reverse=True)
        assert clock.bound == (greatest[k] if len(seen) > k else None)


orderings = st.sampled_from(
    [
        Ordering(),
        Ordering(strict=True),
        Ordering(slack=3),
        Ordering(rows=2),
        Ordering(punctuated=True),
    ]
)
steps = st.lists(st.tuples(st.integers(0, 20), st.booleans(), st.booleans()), max_size=12)


@given(orderings, steps, st.booleans())
def test_a_clock_never_falls_and_never_calls_a_later_row_late(
    ordering: Ordering, steps: list[tuple[int, bool, bool]], falling: bool
) -> None:
    ordering = Ordering(
        falling, ordering.strict, ordering.slack, ordering.rows, ordering.punctuated
    )
    clock = ColumnBound(ordering)
    for value, is_row, strict in steps:
        before = clock
        if not is_row:
            clock = clock.raised(value, strict)
        elif not clock.late(value):
            clock = clock.after(value)
        for each in range(-5, 30):
            assert not before.late(each) or clock.late(each)
    beyond = -1_000 if falling else 1_000
    assert not clock.late(beyond)


# --- rows ---------------------------------------------------------------------------------------

CHECKED = stream(
    "ORDERS",
    None,
    Column("ID", INTEGER.as_nullable(False), Ordering(strict=True)),
    UNITS,
    checks=(call(Op.LESS_OR_EQUAL, BOOLEAN, ref(2), literal(1000)),),
)


def test_any_monotonic_column_makes_a_row_late_and_a_late_row_says_nothing() -> None:
    rows: list[Row] = [(10, 5, 1), (20, 5, 1), (9, 6, 1), (15, 6, 1), (14, 7, 1), (15, 7, 1)]
    late = Fault.LATE
    assert taken(ingress_of(CHECKED), *rows) == [None, late, late, None, late, None]


def test_a_check_that_is_false_or_fails_drops_the_row_and_the_stream_goes_on() -> None:
    bad = Fault.BAD_ROW
    rows: list[Row] = [(10, 1, 1001), (10, 2, 1000), (10, 3, None)]
    assert taken(ingress_of(CHECKED), *rows) == [bad, None, None]
    dividing = call(Op.LESS, BOOLEAN, call(Op.DIVIDE, INTEGER, literal(1), ref(1)), literal(2))
    source = stream("S", None, UNITS, checks=(dividing,))
    assert taken(ingress_of(source), (1, 0), (1, 1)) == [bad, None]


def test_a_bad_row_moves_no_clock() -> None:
    rows: list[Row] = [(99, 1, 1001), (10, 1, 1)]
    assert taken(ingress_of(CHECKED), *rows) == [Fault.BAD_ROW, None]


def test_null_is_bad_in_a_monotonic_and_in_a_not_null_column() -> None:
    loose = Stream(("S",), (Column("T", TIMESTAMP, Ordering()), UNITS))
    assert taken(ingress_of(loose), (None, 1), (1, None)) == [Fault.BAD_ROW, None]
    required = table("T", Column("A", INTEGER.as_nullable(False)))
    assert taken(ingress_of(required), (None,), (1,)) == [Fault.BAD_ROW, None]


@pytest.mark.parametrize("descending", [False, True])
def test_what_is_no_number_is_bad_in_a_monotonic_column(descending: bool) -> None:
    """S-301: it is not below 5, nor at or above it, so that comparisons would go to and fro."""
    measured = Stream(("S",), (Column("X", DOUBLE, Ordering(descending)), Column("Y", DOUBLE)))
    nan = float("nan")
    verdicts = taken(ingress_of(measured), (nan, 1.0), (1.0, nan), (nan, 1.0), (1.0, 1.0))
    assert verdicts == [Fault.BAD_ROW, None, Fault.BAD_ROW, None]


@pytest.mark.parametrize(
    ("wire", "row"),
    [
        (("2015-02-15 10:17:00", 5), (ts("10:17:00"), 5)),
        (("2015-02-15 10:17:00", None), (ts("10:17:00"), None)),
        (("2015-02-15 10:17:00",), None),
        (("2015-02-15 10:17:00", 5, 6), None),
        (("10:17", 5), None),
        (("2015-02-15 10:17:00", "5"), None),
        (("2015-02-15 10:17:00", True), None),
        (("2015-02-15 10:17:00", 2**31), None),
        ((None, 5), None),
    ],
)
def test_wire_rows_have_the_width_and_types_of_the_columns(
    wire: tuple[str | int | None, ...], row: Row | None
) -> None:
    result = typed(stream("S", None, UNITS).columns, *wire)
    if row is None:
        assert isinstance(result, Dropped)
        assert result.fault is Fault.BAD_ROW
    else:
        assert result == row


def test_a_row_without_its_implicit_rowtime_gets_the_session_clock() -> None:
    implicit = Column("ROWTIME", TIMESTAMP.as_nullable(False), Ordering(), implicit=True)
    assert typed((implicit, UNITS), 5) == (NOW, 5)
    assert typed((implicit, UNITS), "2015-02-15 10:17:00", 5) == (ts("10:17:00"), 5)
    assert isinstance(typed((implicit, UNITS)), Dropped)


# --- bounds -------------------------------------------------------------------------------------


def after_bound(entry: Ingress, at: int) -> Ingress:
    bounded, error = entry.with_bound(at)
    assert error is None
    return bounded


@pytest.mark.parametrize(
    "ordering",
    [
        Ordering(),
        Ordering(strict=True),
        Ordering(slack=5),
        Ordering(rows=3),
        Ordering(punctuated=True),
    ],
)
def test_a_row_at_the_bound_comes_in_and_one_below_is_late(ordering: Ordering) -> None:
    entry = after_bound(ingress_of(stream("S", ordering)), 100)
    assert taken(entry, (99,), (100,)) == [Fault.LATE, None]


def test_a_row_below_its_own_producers_bound_is_told_so() -> None:
    entry = after_bound(ingress_of(stream("S")), 100)
    _, dropped = accept(entry, (99,), ENV)
    assert dropped is not None
    assert str(Code.BEHIND_OWN_BOUND) in dropped.reason
    entry, _ = accept(entry, (200,), ENV)
    _, dropped = accept(entry, (150,), ENV)
    assert dropped is not None
    assert str(Code.BEHIND_OWN_BOUND) not in dropped.reason


def test_a_bound_below_the_clock_is_an_error_and_changes_nothing() -> None:
    entry, _ = accept(ingress_of(stream("S")), (100,), ENV)
    weaker, error = entry.with_bound(99)
    assert weaker == entry
    assert error is not None
    assert error.code is Code.BOUND_BACKWARDS
    same, error = entry.with_bound(100)
    assert error is None
    assert same.bound == 100


def test_a_strictly_ascending_rowtime_implies_the_strict_bound() -> None:
    entry, _ = accept(ingress_of(stream("S", Ordering(strict=True))), (100,), ENV)
    assert entry.bound == 101
    assert entry.with_bound(100)[1] is not None


def test_a_quasi_monotonic_rowtime_has_the_clock_of_its_bound() -> None:
    entry, _ = accept(ingress_of(stream("S", Ordering(slack=30))), (100,), ENV)
    assert entry.bound == 70
    assert after_bound(entry, 95).bound == 95
    assert after_bound(entry, 95).with_bound(94)[1] is not None


def test_a_stream_without_rowtime_takes_bounds_that_make_nothing_late() -> None:
    source = Stream(("S",), (Column("ID", INTEGER.as_nullable(False), Ordering()), UNITS))
    entry = after_bound(ingress_of(source), 1_000)
    assert taken(entry, (5, 1), (4, 1), (5, 1)) == [None, Fault.LATE, None]
    assert entry.with_bound(999)[1] is not None


def test_the_first_ascending_timestamp_is_the_rowtime() -> None:
    shipments = Stream(
        ("S",),
        (Column("ID", INTEGER), Column("SHIPTIME", TIMESTAMP.as_nullable(False), Ordering())),
    )
    entry = after_bound(ingress_of(shipments), 100)
    assert taken(entry, (1, 99), (1, 100)) == [Fault.LATE, None]


def test_after_the_end_every_row_is_late() -> None:
    entry = replace(ingress_of(stream("S")), ended=True)
    assert taken(entry, (10**12,)) == [Fault.LATE]


def test_columns_of_other_types_may_be_ordered() -> None:
    named = stream("S", None, Column("NAME", VARCHAR.as_nullable(False), Ordering()))
    assert taken(ingress_of(named), (1, "b"), (1, "a"), (1, "b")) == [None, Fault.LATE, None]
    priced = stream("S", None, Column("P", decimal(4, 2), Ordering(strict=True)))
    rows: list[Row] = [(1, Decimal("1.10")), (1, Decimal("1.10")), (1, Decimal("1.11"))]
    assert taken(ingress_of(priced), *rows) == [None, Fault.LATE, None]
