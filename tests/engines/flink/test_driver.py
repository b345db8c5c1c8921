"""The driver itself, where Flink is installed: what comes at which step."""

from collections.abc import Iterator
from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.plan import row_type
from algebra.prepare import prepare
from algebra.wire import reader
from engines.flink.backend import (
    SPELLINGS,
    FlinkBackend,
    FlinkStreamBackend,
    FlinkUpsertBackend,
)
from engines.flink.process import HOME
from engines.harness.spellings import read_texts
from reference.backend import ReferenceBackend
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.protocol import Accepted, Backend, Bound, End, Load, Open, Rows, Unsupported, WireRow
from tck.transcript import events_by_step

pytestmark = pytest.mark.skipif(
    not (HOME / ".ready").exists(), reason="make tck-flink installs Flink"
)

CASES: Final = {each.id: each for each in kit_corpus().cases}
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


@pytest.fixture(scope="module")
def whole() -> Iterator[FlinkBackend]:
    """The backend of whole inputs."""
    backend = FlinkBackend()
    backend.start()
    yield backend
    backend.stop()


@pytest.fixture(scope="module")
def upserts() -> Iterator[FlinkUpsertBackend]:
    """The backend of upserts."""
    backend = FlinkUpsertBackend()
    backend.start()
    yield backend
    backend.stop()


def test_a_group_is_upserted_by_its_key(upserts: FlinkUpsertBackend) -> None:
    """S-1002.c: a changed group is one row, and not a delete and an insert."""
    ddl = "CREATE STREAM c (k INTEGER, v INTEGER) WITH CHANGES"
    sql = "SELECT STREAM SUM(v) AS n, k FROM c GROUP BY k EMIT CHANGES"
    accepted = upserts.open(Open(ddl, sql))
    assert isinstance(accepted, Accepted)
    assert accepted.key == (1,)
    upserts.feed(Rows("C", ((1, 10), (2, 20))))
    found = upserts.poll()
    assert sorted(zip(found.rows, found.weights, strict=True)) == [((10, 1), 1), ((20, 2), 1)]
    upserts.feed(Rows("C", ((1, 5),)))
    found = upserts.poll()
    assert (found.rows, found.weights) == (((15, 1),), (1,))
    upserts.feed(Rows("C", ((2, 20),), weights=(-1,)))
    found = upserts.poll()
    assert [row[1] for row in found.rows] == [2]
    assert found.weights == (-1,)


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


def test_what_the_end_of_an_input_causes_comes_at_its_step(stepwise: FlinkStreamBackend) -> None:
    """A barrier from before the end is no sign of quiet: ten times, as the two race."""
    for _ in range(10):
        opened(
            stepwise,
            "SELECT STREAM s.rowtime, other.v FROM s LEFT JOIN other ON s.v = other.v"
            " AND other.rowtime BETWEEN s.rowtime AND s.rowtime + INTERVAL '10' MINUTE",
        )
        stepwise.feed(Rows("S", (at(10), at(30, 2))))
        assert stepwise.poll().rows == ()
        stepwise.feed(End("OTHER"))
        assert stepwise.poll().rows == ((at(10)[0], None),)


def test_a_table_holds_back_no_stream(stepwise: FlinkStreamBackend) -> None:
    opened(stepwise, "SELECT STREAM rowtime, name FROM s JOIN names ON s.v = names.v")
    stepwise.feed(Load("NAMES", ((1, "one"), (2, "two"))))
    stepwise.feed(Rows("S", (at(1, 2),)))
    assert stepwise.poll().rows == ((at(1)[0], "two"),)


def test_an_updating_query_is_unsupported_step_by_step(stepwise: FlinkStreamBackend) -> None:
    answer = stepwise.open(Open(DDL, "SELECT STREAM v, COUNT(*) AS c FROM s GROUP BY v"))
    assert isinstance(answer, Unsupported)
    assert answer.reason.startswith("an updating query")


def test_of_an_updating_query_the_last_rows_are_left_at_the_end(whole: FlinkBackend) -> None:
    opened(whole, HOURS.format("CEIL(rowtime TO HOUR)"))
    whole.feed(Rows("S", (at(17), at(18), at(61))))
    assert whole.poll().rows == ()
    whole.feed(End())
    assert set(whole.poll().rows) == {("2015-02-15 11:00:00", 2), ("2015-02-15 12:00:00", 1)}


def answer(backend: Backend, case: Case, without: int | None) -> list[tuple[object, ...]]:
    """The rows that a backend has at the end of a case's rows, all or without one of them."""
    assert case.sql is not None
    plan = prepare(case.ddl, case.sql, Profile(case.profile)).query
    assert plan is not None
    assert isinstance(backend.open(Open(case.ddl, case.sql, case.profile)), Accepted)
    fed = 0
    emitted: list[WireRow] = []
    for step in events_by_step(case):
        for event in step:
            if isinstance(event, Rows):
                numbered = enumerate(event.rows, fed)
                fed += len(event.rows)
                event = Rows(event.input, tuple(row for i, row in numbered if i != without))
            backend.feed(event)
        emitted += backend.poll().rows
    backend.close()
    readers = [reader(each.type.as_nullable()) for each in row_type(plan)]
    rows = [tuple(r(v) for r, v in zip(readers, row, strict=True)) for row in emitted]
    return sorted(rows, key=repr)


@pytest.mark.parametrize("id", read_texts(SPELLINGS))
def test_a_spelling_has_the_rows_of_the_reference(whole: FlinkBackend, id: str) -> None:
    reference = ReferenceBackend()
    for without in (None, 0, 1, 2, 3):
        expected = answer(reference, CASES[id], without)
        assert [approximately(row) for row in answer(whole, CASES[id], without)] == [
            approximately(row) for row in expected
        ]


def approximately(row: tuple[object, ...]) -> tuple[object, ...]:
    """A row whose DOUBLEs have nine digits."""
    return tuple(float(f"{each:.9g}") if isinstance(each, float) else each for each in row)
