"""A failure in an event ends the statement or the query in which it occurs, and nothing else."""

import gc
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

import rowtime
from reference.incremental.train import Train
from reference.ingress import Ingress
from reference.relation import Relation
from rowtime.database.flows.query_flow import QueryFlow
from tests.rowtime.database.conftest import minute

_T = TypeVar("_T")

ORDERS = "CREATE STREAM Orders (rowtime TIMESTAMP(3) NOT NULL ASCENDING, units INTEGER)"
INSERT = "INSERT INTO Orders VALUES (?, ?)"


def from_depth(depth: int, work: Callable[[], _T]) -> _T:
    """The result of ``work`` when its caller stands ``depth`` frames deep."""
    return work() if depth == 0 else from_depth(depth - 1, work)


@pytest.mark.parametrize("depth", [0, 300, 600])
def test_a_deep_caller_has_room_for_the_deepest_statement(
    connection: rowtime.Connection, depth: int
) -> None:
    """The rules limit how deep an expression nests; where its caller stands limits nothing."""
    connection.execute(ORDERS)
    nested = "SELECT STREAM units FROM Orders WHERE " + "NOT " * 100 + "(units > 1)"
    reader = from_depth(depth, lambda: connection.execute(nested))
    written = from_depth(depth, lambda: connection.execute(INSERT, (minute(1), 2)).rowcount)
    assert (written, reader.fetch_available()) == (1, [(2,)])
    found = from_depth(depth, lambda: connection.execute("SELECT 1" + " + 1" * 100).fetchall())
    assert found == [(101,)]


@pytest.fixture
def out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first query that reads a row with 13 units has no memory for it."""
    enter = QueryFlow.enter
    broken = list[QueryFlow]()

    def faulty(self: QueryFlow, ingress: Ingress, rows: Relation) -> Train:
        if not broken and any(row[-1] == 13 for row in rows):
            broken.append(self)
            raise MemoryError("too little")
        return enter(self, ingress, rows)

    monkeypatch.setattr(QueryFlow, "enter", faulty)


@pytest.mark.usefixtures("out_of_memory")
def test_a_pump_without_memory_ends_alone(connection: rowtime.Connection) -> None:
    """S-608.n."""
    connection.executescript(
        ORDERS + "; CREATE TABLE T (units INTEGER); CREATE TABLE U (units INTEGER);"
        "CREATE PUMP one STARTED AS INSERT INTO T SELECT STREAM units FROM Orders;"
        "CREATE PUMP two STARTED AS INSERT INTO U SELECT STREAM units FROM Orders"
    )
    reader = connection.execute("SELECT STREAM units FROM Orders")
    for number, units in enumerate((12, 13, 14)):
        assert connection.execute(INSERT, (minute(number), units)).rowcount == 1
    assert connection.execute("SELECT units FROM T").fetchall() == [(12,)]
    assert connection.execute("SELECT units FROM U").fetchall() == [(12,), (13,), (14,)]
    assert reader.fetch_available() == [(12,), (13,), (14,)]
    trace = connection.execute("SELECT object, code FROM SYS_BOOT.MGMT.SAVED_TRACE")
    assert trace.fetchall() == [("ONE", "INTERNAL_ERROR")]


@pytest.mark.usefixtures("out_of_memory")
def test_a_query_without_memory_ends_alone(connection: rowtime.Connection) -> None:
    connection.execute(ORDERS)
    bad, good = [connection.execute("SELECT STREAM units FROM Orders") for _ in range(2)]
    for number, units in enumerate((12, 13, 14)):
        connection.execute(INSERT, (minute(number), units))
    assert bad.fetch_available() == [(12,)]
    with pytest.raises(rowtime.OutOfMemory, match="more memory than this process can get"):
        bad.fetchone()
    assert good.fetch_available() == [(12,), (13,), (14,)]


@pytest.mark.usefixtures("out_of_memory")
def test_a_pump_that_had_no_memory_is_kept_as_failed(tmp_path: Path) -> None:
    path = str(tmp_path / "orders.db")
    with rowtime.connect(path) as connection:
        connection.executescript(
            ORDERS + "; CREATE TABLE T (units INTEGER);"
            "CREATE PUMP one STARTED AS INSERT INTO T SELECT STREAM units FROM Orders"
        )
        connection.execute(INSERT, (minute(0), 13))
        assert connection.database.keep_checkpoint()
    with rowtime.connect(path) as connection:
        connection.execute(INSERT, (minute(1), 14))
        assert connection.execute("SELECT units FROM T").fetchall() == []
        connection.executescript("ALTER PUMP one STOP; ALTER PUMP one START")
        connection.execute(INSERT, (minute(2), 15))
        assert connection.execute("SELECT units FROM T").fetchall() == [(15,)]


def _writing(connection: rowtime.Connection, rows: int) -> threading.Thread:
    def write() -> None:
        with connection.prepare(INSERT) as orders:
            for number in range(rows):
                orders.execute((minute(number), number))

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    return writer


def test_a_reader_that_goes_without_close_holds_no_writer() -> None:
    with rowtime.connect(buffer=2) as connection:
        connection.execute(ORDERS)
        reader = connection.execute("SELECT STREAM units FROM Orders")
        writer = _writing(connection, 10)
        assert reader.fetchone() == (0,)
        del reader
        gc.collect()
        writer.join(10)
        assert not writer.is_alive()


def test_a_producer_that_goes_without_close_holds_no_reader() -> None:
    with rowtime.connect(timeout=10) as connection:
        connection.execute(ORDERS)
        reader = connection.execute("SELECT STREAM units FROM Orders")
        silent = [connection.execute(INSERT, (minute(0), 0))]
        assert reader.fetchone() == (0,)
        other = connection.execute(INSERT, (minute(5), 5))
        assert reader.fetch_available() == []
        threading.Timer(0.2, silent.clear).start()
        assert reader.fetchone() == (5,)
        other.close()
