"""The driver itself, where Flink is installed: what comes at which step."""

from collections.abc import Iterator

import pytest

from engines.flink.backend import FlinkBackend, FlinkStreamBackend
from engines.flink.process import HOME
from tck.protocol import Accepted, Bound, End, Load, Open, Refused, Rows, WireRow

pytestmark = pytest.mark.skipif(
    not (HOME / ".ready").exists(), reason="make tck-flink installs Flink"
)

DDL = """
    CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE STREAM other (rowtime TIMESTAMP(3) ASCENDING, v INTEGER);
    CREATE TABLE names (v INTEGER, name VARCHAR(10));
"""
HOURS = "SELECT STREAM {0} AS h, COUNT(*) AS c FROM s GROUP BY {0}"


@pytest.fixture(scope="module")
def stepwise() -> Iterator[FlinkStreamBackend]:
    """The backend that goes step by step."""
    backend = FlinkStreamBackend()
    backend.start()
    yield backend
    backend.stop()


def opened(backend: FlinkBackend | FlinkStreamBackend, sql: str) -> None:
    assert isinstance(backend.open(Open(DDL, sql)), Accepted)


def at(minute: int, v: int = 1) -> WireRow:
    return (f"2015-02-15 {10 + minute // 60}:{minute % 60:02}:00", v)


def test_a_window_comes_with_the_row_that_completes_it_and_with_a_bound(
    stepwise: FlinkStreamBackend,
) -> None:
    opened(stepwise, HOURS.format("FLOOR(rowtime TO HOUR)"))
    stepwise.feed(Rows("S", (at(17), at(59))))
    assert stepwise.poll().rows == ()
    stepwise.feed(Rows("S", (at(60),)))
    assert stepwise.poll().rows == (("2015-02-15 10:00:00", 2),)
    stepwise.feed(Bound("S", "2015-02-15 12:00:00"))
    assert stepwise.poll().rows == (("2015-02-15 11:00:00", 1),)
    stepwise.feed(End())
    assert stepwise.poll().rows == ()


def test_a_row_passes_a_filter_at_its_step_and_the_end_of_one_input_is_not_the_last(
    stepwise: FlinkStreamBackend,
) -> None:
    opened(
        stepwise,
        "SELECT STREAM rowtime, v FROM s WHERE v > 1 UNION ALL SELECT STREAM rowtime, v FROM other",
    )
    stepwise.feed(Rows("S", (at(1, 1), at(2, 2))))
    assert stepwise.poll().rows == (at(2, 2),)
    stepwise.feed(End("S"))
    assert stepwise.poll().rows == ()
    stepwise.feed(Rows("OTHER", (at(3),)))
    assert stepwise.poll().rows == (at(3),)
    stepwise.feed(End())
    assert stepwise.poll().rows == ()


def test_a_table_holds_back_no_stream(stepwise: FlinkStreamBackend) -> None:
    opened(stepwise, "SELECT STREAM rowtime, name FROM s JOIN names ON s.v = names.v")
    stepwise.feed(Load("NAMES", ((1, "one"), (2, "two"))))
    stepwise.feed(Rows("S", (at(1, 2),)))
    assert stepwise.poll().rows == ((at(1)[0], "two"),)


def test_an_updating_query_is_refused_step_by_step(stepwise: FlinkStreamBackend) -> None:
    answer = stepwise.open(Open(DDL, HOURS.format("CEIL(rowtime TO HOUR)")))
    assert isinstance(answer, Refused)
    assert "update" in answer.message


def test_of_an_updating_query_the_last_rows_are_left_at_the_end() -> None:
    backend = FlinkBackend()
    backend.start()
    try:
        opened(backend, HOURS.format("CEIL(rowtime TO HOUR)"))
        backend.feed(Rows("S", (at(17), at(18), at(61))))
        assert backend.poll().rows == ()
        backend.feed(End())
        assert set(backend.poll().rows) == {("2015-02-15 11:00:00", 2), ("2015-02-15 12:00:00", 1)}
    finally:
        backend.stop()
