"""Many rows are admitted as one after the other is (S-103, S-301, S-601)."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Column, Ordering, Stream
from algebra.expression import Expression, Op
from algebra.types import BOOLEAN, INTEGER, VARCHAR
from reference.acceptance import accept
from reference.fast.bulk_ingress import accept_in_bulk
from reference.ingress import Dropped, ingress_of
from reference.relation import Row
from tests.examples import examples
from tests.reference.building import ENV, call, literal, ref, stream

ORDERINGS = st.one_of(
    st.builds(Ordering, descending=st.booleans(), strict=st.booleans()),
    st.builds(Ordering, slack=st.integers(0, 3)),
    st.builds(Ordering, descending=st.booleans(), rows=st.integers(1, 3)),
    st.builds(Ordering, punctuated=st.just(True)),
)
#: Of a text nothing can be taken away.
OF_TEXT = ORDERINGS.filter(lambda each: each.slack is None)
#: 6 / n < 3: false of 1 and 2, an error of 0.
SMALL_QUOTIENT = call(Op.LESS, BOOLEAN, call(Op.DIVIDE, INTEGER, literal(6), ref(1)), literal(3))
#: Of one column twice, and of both: an AND of an error and of what is false is false.
BOTH_SMALL = call(Op.AND, BOOLEAN, SMALL_QUOTIENT, call(Op.LESS, BOOLEAN, ref(1), literal(4)))
IN_ORDER = call(Op.LESS, BOOLEAN, ref(0), call(Op.PLUS, INTEGER, ref(1), literal(8)))
CHECKS = st.sampled_from([(), (SMALL_QUOTIENT,), (BOTH_SMALL,), (IN_ORDER, BOTH_SMALL)])
ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(0, 9),
        st.none() | st.integers(-5, 5),
        st.none() | st.sampled_from(["a", "b", "c"]),
    )
)


@given(ORDERINGS, st.none() | ORDERINGS, st.none() | OF_TEXT, ROWS, ROWS, st.integers(0, 9))
def test_rows_together_are_admitted_as_one_by_one(
    rowtime: Ordering,
    number: Ordering | None,
    text: Ordering | None,
    before: list[Row],
    after: list[Row],
    bound: int,
) -> None:
    columns = (Column("N", INTEGER, number), Column("T", VARCHAR, text))
    source = stream("S", rowtime, *columns, checks=(SMALL_QUOTIENT,))
    check_admitted(source, (before, after), bound)


RISING = st.one_of(
    st.builds(Ordering, strict=st.booleans()), st.builds(Ordering, slack=st.integers(0, 3))
)
NUMBERS = st.lists(st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 5)))


@examples(150, 10_000)  # few runs are accepted all together
@given(RISING, st.none() | RISING, CHECKS, NUMBERS, st.integers(0, 9), NUMBERS)
def test_rows_that_rise_are_admitted_as_one_by_one(
    rowtime: Ordering,
    number: Ordering | None,
    checks: tuple[Expression, ...],
    before: list[Row],
    bound: int,
    after: list[Row],
) -> None:
    """Those of each run come as they are, and sorted: then all of them may be accepted at once."""
    for arranged in (list[Row], by_time):
        source = stream("S", rowtime, Column("N", INTEGER, number), checks=checks)
        check_admitted(source, (arranged(before), arranged(after)), bound)


def by_time(rows: list[Row]) -> list[Row]:
    """The rows by their first column, NULL first."""
    return sorted(rows, key=lambda row: (row[0] is not None, row[0] or 0))


def check_admitted(source: Stream, runs: Sequence[list[Row]], bound: int) -> None:
    """Admit each run together and one by one; after it the bound is raised."""
    fast = one_by_one = ingress_of(source)
    accept_rows = accept_in_bulk(fast, ENV)
    for rows in runs:
        fast, verdicts = accept_rows(fast, rows)
        expected: list[Dropped | None] = []
        for row in rows:
            one_by_one, dropped = accept(one_by_one, row, ENV)
            expected.append(dropped)
        assert verdicts == expected
        assert fast == one_by_one
        fast, one_by_one = fast.with_bound(bound)[0], one_by_one.with_bound(bound)[0]
