"""Many rows on the wire are read column by column, with the values of rows that are read alone."""

import math

import pytest

from algebra.types import BIGINT, BOOLEAN, DOUBLE, INTEGER, TIMESTAMP, VARCHAR, Type, decimal
from algebra.wire import WireRow
from spark_backend.data.ingress import internal_rows, row_reader
from spark_backend.types import columns_of

TYPES = (INTEGER, BIGINT, DOUBLE, VARCHAR, TIMESTAMP, decimal(6, 2), BOOLEAN)
ROWS: list[WireRow] = [
    (1, 2**40, 0.5, "a", "2015-02-15 10:00:00", "1.25", True),
    (-3, 0, 7, "", "1969-12-31 23:59:59.999", "-2", False),
    (None, None, None, None, None, None, None),
    (4, 5, "Infinity", "b", "2015-02-15", 3, None),
]


def test_the_values_are_those_of_rows_that_are_read_alone() -> None:
    read = row_reader(TYPES)
    assert internal_rows(TYPES, ROWS) == [read(row) for row in ROWS]


def test_rows_of_integers_are_not_copied() -> None:
    rows = [(1, 2), (2, 2**40)]
    assert internal_rows((INTEGER, BIGINT), rows) is rows


def test_no_rows_have_no_values() -> None:
    assert internal_rows(TYPES, []) == []


@pytest.mark.parametrize(
    ("types", "bad"),
    [
        ((INTEGER, INTEGER), (1,)),
        ((INTEGER, INTEGER), (1, 2, 3)),
        ((INTEGER, INTEGER), (1, True)),
        ((INTEGER, INTEGER), (1, 2**31)),
        ((INTEGER, INTEGER), ("1", 2)),
        ((INTEGER, INTEGER.as_nullable(False)), (1, None)),
        ((INTEGER, TIMESTAMP), (1, "yesterday")),
    ],
)
def test_one_bad_row_among_many_is_seen(types: tuple[Type, ...], bad: WireRow) -> None:
    """Then the rows are read one by one, and that one is a bad row (S-601)."""
    good: WireRow = (1, 2 if types[1].kind is INTEGER.kind else "2015-02-15 10:00:00")
    assert internal_rows(types, [good, good]) is not None
    assert internal_rows(types, [good, bad, good]) is None


def test_nan_is_read() -> None:
    found = internal_rows((DOUBLE,), [("NaN",)])
    assert found is not None
    assert math.isnan(float(str(found[0][0])))


def test_columns_are_those_of_the_rows() -> None:
    assert columns_of([(1, "a"), (2, "b")], 2) == [[1, 2], ["a", "b"]]
    assert columns_of([], 2) == [[], []]
    with pytest.raises(ValueError, match="not all rows have 2 values"):
        columns_of([(1, "a"), (2,)], 2)
