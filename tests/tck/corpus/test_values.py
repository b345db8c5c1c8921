"""Values are read, written and compared by the type of their column."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tck.corpus.case import Cell
from tck.corpus.values import (
    UnreadableError,
    complete_timestamp,
    read_value,
    same_value,
    wire_value,
)
from tck.protocol import Wire

MILLISECOND = timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("type", "cell", "sent"),
    [
        ("BOOLEAN", True, True),
        ("INTEGER", 30, 30),
        ("BIGINT", -5, -5),
        ("DECIMAL(10, 2)", Decimal("1.50"), "1.50"),
        ("DECIMAL(10, 2)", 2, "2"),
        ("DECIMAL(10, 2)", "0.25", "0.25"),
        ("DECIMAL(38, 0)", Decimal("1E+3"), "1000"),
        ("DOUBLE", Decimal("1.5"), 1.5),
        ("DOUBLE", 2, 2.0),
        ("DOUBLE", "NaN", "NaN"),
        ("REAL", "-Infinity", "-Infinity"),
        ("VARCHAR(20)", "10:17", "10:17"),
        ("CHAR(2)", "a ", "a "),
        ("VARBINARY", "0AFF", "0aff"),
        ("DATE", "2015-02-15", "2015-02-15"),
        ("TIME(3)", "10:17", "10:17:00"),
        ("TIME(3)", "10:17:00.5", "10:17:00.500"),
        ("TIMESTAMP(3)", "10:17", "2015-02-15 10:17:00"),
        ("TIMESTAMP(3)", "10:17:01.250", "2015-02-15 10:17:01.250"),
        ("TIMESTAMP(3)", "0001-01-01 00:00:00.000", "0001-01-01 00:00:00"),
        ("INTERVAL HOUR TO MINUTE", "1:30", "1:30"),
        ("INTERVAL HOUR TO MINUTE", "90:05", "90:05"),
        ("INTERVAL DAY", "-5", "-5"),
        ("INTERVAL HOUR", 5, "5"),
        ("INTERVAL DAY TO SECOND", "1 02:03:04.5", "1 02:03:04.500"),
        ("INTERVAL YEAR TO MONTH", "1-2", "1-02"),
        ("INTERVAL SECOND", "0.25", "0.250"),
        ("INTEGER", None, None),
    ],
)
def test_a_cell_goes_over_the_wire_by_its_type(type: str, cell: Cell, sent: Wire) -> None:
    value = wire_value(read_value(cell, type, "2015-02-15"), type)
    assert (value, value.__class__) == (sent, sent.__class__)


@pytest.mark.parametrize(
    ("type", "cell"),
    [
        ("BOOLEAN", 1),
        ("INTEGER", True),
        ("INTEGER", "30"),
        ("INTEGER", Decimal("1.0")),
        ("DECIMAL(10, 2)", "1.5x"),
        ("DECIMAL(10, 2)", "NaN"),
        ("DOUBLE", "1.5"),
        ("DOUBLE", True),
        ("VARCHAR", 5),
        ("VARBINARY", "abc"),
        ("DATE", "2015-02-30"),
        ("TIME(3)", "24:00"),
        ("TIMESTAMP(3)", "2015-02-15"),
        ("TIMESTAMP(3)", "2015-02-15T10:17:00"),
        ("TIMESTAMP(3)", "10:17:00.1234"),
        ("INTERVAL HOUR TO MINUTE", "90"),
        ("INTERVAL HOUR", "1:30"),
        ("INTERVAL HOUR", True),
    ],
)
def test_a_cell_that_is_none_of_its_type_is_refused(type: str, cell: Cell) -> None:
    with pytest.raises(UnreadableError):
        read_value(cell, type, "2015-02-15")


def test_a_time_without_a_date_needs_one() -> None:
    with pytest.raises(UnreadableError, match="has no date"):
        complete_timestamp("10:17", None)


@pytest.mark.parametrize(
    ("type", "left", "right", "equal"),
    [
        ("DECIMAL(10, 2)", "1.50", "1.5", True),
        ("DECIMAL(10, 2)", "1.50", "1.51", False),
        ("DOUBLE", 1.0, 1.0 + 1e-10, True),
        ("DOUBLE", 1.0, 1.0 + 1e-8, False),
        ("DOUBLE", 1e300, 1e300 * (1 + 1e-8), False),
        ("DOUBLE", 0.0, 1e-300, False),
        ("DOUBLE", "NaN", "NaN", True),
        ("DOUBLE", "NaN", 0.0, False),
        ("DOUBLE", "Infinity", "Infinity", True),
        ("DOUBLE", "Infinity", "-Infinity", False),
        ("REAL", 0.1, 0.10000000149011612, True),
        ("REAL", 0.1, 0.100001, False),
        ("VARCHAR", "a", "a ", False),
        ("VARCHAR", "a", "A", False),
        ("VARBINARY", "ff", "FF", True),
        ("INTERVAL HOUR TO MINUTE", "1:5", "1:05", True),
        ("INTERVAL DAY TO HOUR", "1 00", "0 24", True),
        ("TIMESTAMP(3)", "2015-02-15 10:17:00.000", "2015-02-15 10:17", True),
        ("INTEGER", None, None, True),
        ("INTEGER", None, 0, False),
        ("BOOLEAN", False, None, False),
        ("GEOMETRY", "x", "x", True),
        ("GEOMETRY", True, 1, False),
    ],
)
def test_values_compare_by_their_type(type: str, left: Wire, right: Wire, equal: bool) -> None:
    assert same_value(read_value(left, type), read_value(right, type)) is equal
    assert same_value(read_value(right, type), read_value(left, type)) is equal


@given(st.datetimes())
def test_a_timestamp_survives_the_wire(moment: datetime) -> None:
    moment -= timedelta(microseconds=moment.microsecond % 1000)
    reading = read_value(moment.isoformat(" ", "milliseconds"), "TIMESTAMP(3)")
    assert reading.value == moment
    assert read_value(wire_value(reading, "TIMESTAMP(3)"), "TIMESTAMP(3)") == reading


@given(st.datetimes(), st.datetimes())
def test_timestamps_on_the_wire_sort_as_text(one: datetime, other: datetime) -> None:
    a, b = (complete_timestamp(m.isoformat(" ", "milliseconds"), None) for m in (one, other))
    rounded = [m - timedelta(microseconds=m.microsecond % 1000) for m in (one, other)]
    assert (a < b) is (rounded[0] < rounded[1])


@given(
    st.integers(-(10**15), 10**15),
    st.sampled_from(["DAY TO SECOND", "HOUR TO SECOND", "MINUTE TO SECOND", "SECOND"]),
)
def test_an_interval_survives_the_wire(size_ms: int, fields: str) -> None:
    type = f"INTERVAL {fields}"
    days, rest = divmod(abs(size_ms), 86_400_000)
    written = f"{'-' if size_ms < 0 else ''}{days} {datetime.min + rest * MILLISECOND:%H:%M:%S.%f}"
    reading = read_value(written[:-3], "INTERVAL DAY TO SECOND")
    assert reading.value == size_ms
    assert read_value(wire_value(reading, type), type).value == size_ms
