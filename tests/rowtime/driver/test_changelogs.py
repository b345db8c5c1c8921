"""Changelogs through the driver: weights, the current answer, changes that are sent (S-1008)."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import datetime

import pytest

import rowtime
from algebra.types import Kind
from rowtime.driver.values import Python
from rowtime.extensions.protocols import SentRow
from tests.rowtime.driver.conftest import at

COUNTS = "SELECT STREAM ticker, COUNT(*) AS c FROM Orders GROUP BY ticker EMIT CHANGES"
INSERT = "INSERT INTO Orders VALUES (?, ?)"


@pytest.fixture
def accounts(streams: rowtime.Connection) -> rowtime.Connection:
    """The stream Accounts, whose rows change by their key."""
    streams.execute(
        "CREATE STREAM Accounts (id INTEGER, total INTEGER NOT NULL) WITH CHANGES KEY (id)"
    )
    return streams


def orders(connection: rowtime.Connection, tickers: str) -> None:
    """A row for each letter, a minute apart, by a producer that closes."""
    with connection.prepare(INSERT) as rows:
        rows.executemany([(at(f"10:0{i}"), each) for i, each in enumerate(tickers)])


def test_a_change_is_a_row_with_its_weight_first(streams: rowtime.Connection) -> None:
    """S-1008.b, S-1001.b."""
    with streams.execute(COUNTS) as reader:
        orders(streams, "ABA")
        assert reader.description is not None
        assert [(each[0], each[1].kind, each[6]) for each in reader.description] == [
            ("WEIGHT", Kind.INTEGER, False),
            ("TICKER", Kind.VARCHAR, False),
            ("C", Kind.BIGINT, False),
        ]
        assert reader.is_streaming
        assert reader.rowtime_bound is None
        assert reader.emitted == 4
        assert reader.fetchone() == (1, "A", 1)
        assert next(reader) == (1, "B", 1)
        assert reader.fetchmany(9) == [(-1, "A", 1), (1, "A", 2)]
        assert reader.rownumber == 4


def test_fetchall_of_a_changelog_is_refused(streams: rowtime.Connection) -> None:
    with pytest.raises(rowtime.NotSupportedError, match="has no last row"):
        streams.execute(COUNTS).fetchall()


def test_the_current_answer_is_the_fold_of_what_was_fetched(streams: rowtime.Connection) -> None:
    """S-1008.c, S-1002.a: with the changes that were fetched before."""
    reader = streams.execute(COUNTS)
    assert reader.fetch_current() == []
    orders(streams, "ABA")
    assert reader.fetchone() == (1, "A", 1)
    assert sorted(reader.fetch_current()) == [("A", 2), ("B", 1)]
    assert reader.fetch_available() == []
    assert sorted(reader.fetch_current()) == [("A", 2), ("B", 1)]


def test_the_current_answer_is_a_bag(streams: rowtime.Connection) -> None:
    """S-1002.a: equal rows are there as often as the answer has them."""
    reader = streams.execute("SELECT STREAM ticker FROM Orders EMIT CHANGES")
    orders(streams, "ABA")
    assert sorted(reader.fetch_current()) == [("A",), ("A",), ("B",)]


@pytest.mark.parametrize("sql", ["SELECT STREAM ticker FROM Orders", "SELECT 1 FROM (VALUES (1))"])
def test_only_a_changelog_has_a_current_answer(streams: rowtime.Connection, sql: str) -> None:
    with pytest.raises(rowtime.NotSupportedError, match="EMIT CHANGES"):
        streams.execute(sql).fetch_current()


def test_the_first_changes_insert_the_answer_at_the_start(streams: rowtime.Connection) -> None:
    """S-1008.a, S-1001.c: the rows of tables, and none of those that passed before."""
    streams.executescript("CREATE TABLE T (ticker VARCHAR(10)); INSERT INTO T VALUES ('A'), ('A')")
    orders(streams, "A")
    of_table = streams.execute(
        "SELECT STREAM ticker, COUNT(*) AS c FROM T GROUP BY ticker EMIT CHANGES"
    )
    of_stream = streams.execute("SELECT STREAM COUNT(*) AS c FROM Orders EMIT CHANGES")
    assert of_table.fetch_available() == [(1, "A", 2)]
    assert of_stream.fetch_available() == [(1, 0)]
    streams.execute("DELETE FROM T")
    assert of_table.fetch_available() == [(-1, "A", 2)]


def test_parameters_of_a_changelog_are_bound(streams: rowtime.Connection) -> None:
    sql = "SELECT STREAM COUNT(*) AS c FROM Orders WHERE ticker = ? EMIT CHANGES"
    reader = streams.execute(sql, ("A",))
    orders(streams, "ABA")
    assert reader.fetch_current() == [(2,)]


def test_a_rows_join_partner_changes_an_answer_given_before(streams: rowtime.Connection) -> None:
    """S-1001.b: an UPDATE of a table is an event of a changelog, which a SELECT STREAM ignores."""
    streams.executescript("CREATE TABLE N (ticker VARCHAR(10), name VARCHAR(10))")
    join = "FROM Orders AS o LEFT JOIN N AS n ON o.ticker = n.ticker"
    reader = streams.execute(f"SELECT STREAM o.ticker, n.name {join} EMIT CHANGES")
    orders(streams, "A")
    streams.execute("INSERT INTO N VALUES ('A', 'one')")
    streams.execute("UPDATE N SET name = 'two'")
    assert reader.fetch_available() == [
        (1, "A", None),
        (-1, "A", None),
        (1, "A", "one"),
        (-1, "A", "one"),
        (1, "A", "two"),
    ]


def test_a_changelog_that_fails_ends_alone(streams: rowtime.Connection) -> None:
    """S-1001.e, S-608.f: with the changes of the events before."""
    failing = streams.execute("SELECT STREAM 6 / (COUNT(*) - 2) AS c FROM Orders EMIT CHANGES")
    other = streams.execute("SELECT STREAM COUNT(*) AS c FROM Orders EMIT CHANGES")
    orders(streams, "ABC")
    assert failing.fetchmany(9) == [(1, -3), (-1, -3), (1, -6)]
    with pytest.raises(rowtime.DataError, match="DIVISION_BY_ZERO"):
        failing.fetchone()
    assert other.fetch_current() == [(3,)]


def test_a_changelog_that_fails_at_its_start_says_so_when_it_is_read(
    streams: rowtime.Connection,
) -> None:
    reader = streams.execute("SELECT STREAM 6 / COUNT(*) AS c FROM Orders EMIT CHANGES")
    with pytest.raises(rowtime.DataError, match="DIVISION_BY_ZERO"):
        reader.fetchone()


def test_async_for_reads_changes(streams: rowtime.Connection) -> None:
    reader = streams.execute(COUNTS)

    async def read() -> list[tuple[Python, ...]]:
        return [await anext(reader), await anext(reader)]

    orders(streams, "AB")
    assert asyncio.run(read()) == [(1, "A", 1), (1, "B", 1)]


def test_a_data_frame_of_changes_has_their_weights(streams: rowtime.Connection) -> None:
    reader = streams.execute(COUNTS)
    orders(streams, "AA")
    assert reader.fetch_arrow_table().to_pydict() == {
        "WEIGHT": [1, -1, 1],
        "TICKER": ["A", "A", "A"],
        "C": [1, 1, 2],
    }


def test_a_write_into_a_table_waits_for_the_readers_of_its_changes() -> None:
    """S-1008.f: this thread alone could fetch, so that it is told at once."""
    with rowtime.connect(buffer=2, timeout=5) as db:
        db.execute("CREATE TABLE T (a INTEGER)")
        reader = db.execute("SELECT STREAM a FROM T EMIT CHANGES")
        joined = db.execute("SELECT a FROM T")
        db.execute("INSERT INTO T VALUES (1), (2)")
        for sql in ("INSERT INTO T VALUES (3)", "DELETE FROM T"):
            with pytest.raises(rowtime.Timeout, match="has not fetched 2 rows"):
                db.execute(sql)
        with pytest.raises(rowtime.Timeout, match="has not fetched 2 rows"):
            db.prepare("INSERT INTO T VALUES (?)").executemany([(3,), (4,)])
        assert reader.fetch_current() == [(1,), (2,)]
        db.execute("DELETE FROM T")
        assert reader.fetch_current() == []
        assert joined.fetchall() == []


def test_a_write_into_a_table_does_not_wait_for_those_who_look_it_up() -> None:
    """S-1008.f: the rows of a table add nothing to a query whose rows are final."""
    with rowtime.connect(buffer=1, timeout=5) as db:
        db.executescript(
            "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER); "
            "CREATE TABLE T (a INTEGER); INSERT INTO T VALUES (1)"
        )
        reader = db.execute("SELECT STREAM S.a FROM S JOIN T ON S.a = T.a")
        db.execute("INSERT INTO S VALUES (TIMESTAMP '2026-01-01 10:00:00', 1)")
        db.execute("INSERT INTO T VALUES (1)")
        assert reader.fetch_available() == [(1,)]


# --- sending changes ----------------------------------------------------------------------------


def send(connection: rowtime.Connection, *changes: Sequence[Python]) -> int:
    with connection.prepare("INSERT INTO Accounts VALUES (?, ?)") as rows:
        return rows.send_changes(changes).rowcount


def test_changes_that_are_sent_together_are_one_event(accounts: rowtime.Connection) -> None:
    """S-1008.g: the total of a transfer is zero at each event."""
    reader = accounts.execute("SELECT STREAM SUM(total) AS s FROM Accounts EMIT CHANGES")
    assert send(accounts, (1, 1, 5), (1, 2, -5)) == 2
    assert send(accounts, (1, 1, 3), (1, 2, -3)) == 2
    assert reader.fetch_available() == [(1, None), (-1, None), (1, 0)]


def test_what_was_fetched_can_be_sent(accounts: rowtime.Connection) -> None:
    accounts.execute("CREATE STREAM Copy (id INTEGER, total INTEGER) WITH CHANGES")
    reader = accounts.execute("SELECT STREAM id, total FROM Accounts EMIT CHANGES")
    send(accounts, (1, 1, 5), (1, 2, 6))
    send(accounts, (1, 1, 7), (-1, 2, None))
    accounts.prepare("INSERT INTO Copy VALUES (?, ?)").send_changes(reader.fetch_available())
    assert accounts.execute("SELECT * FROM Copy").fetchall() == [(1, 7)]


def test_an_insert_into_a_stream_with_a_key_is_an_upsert(accounts: rowtime.Connection) -> None:
    """S-1005.b."""
    reader = accounts.execute("SELECT STREAM id, total FROM Accounts EMIT CHANGES")
    accounts.execute("INSERT INTO Accounts VALUES (1, 5)")
    accounts.execute("INSERT INTO Accounts VALUES (1, 6)")
    assert reader.fetch_available() == [(1, 1, 5), (-1, 1, 5), (1, 1, 6)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [((-1, 9, None), "no such row"), ((1, 9, None), "NULL"), ((1, None, 9), "NULL")],
)
def test_a_change_that_is_an_error_does_not_stop_the_others(
    accounts: rowtime.Connection, change: Sequence[Python], reason: str
) -> None:
    """S-1008.g, S-1005.e."""
    with accounts.prepare("INSERT INTO Accounts VALUES (?, ?)") as rows:
        with pytest.raises(rowtime.IntegrityError, match=reason):
            rows.send_changes([(1, 1, 5), change, (1, 2, 6)])
        assert rows.cursor.rowcount == 2
    assert accounts.execute("SELECT * FROM Accounts").fetchall() == [(1, 5), (2, 6)]


@pytest.mark.parametrize("weight", [0, 2, None, "+"])
def test_a_weight_is_one_or_minus_one(accounts: rowtime.Connection, weight: Python) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="weight of a change is 1 or -1"):
        send(accounts, (weight, 1, 5))


def test_a_change_without_a_weight_is_refused(accounts: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="weight of a change is 1 or -1"):
        send(accounts, ())


@pytest.mark.parametrize(
    "sql",
    [
        INSERT,
        "INSERT INTO T VALUES (?)",
        "SELECT * FROM T WHERE a = ?",
        "INSERT INTO Accounts SELECT STREAM id, total FROM Accounts WHERE id = ? EMIT CHANGES",
    ],
)
def test_only_an_insert_of_values_into_a_stream_with_changes_sends_them(
    accounts: rowtime.Connection, sql: str
) -> None:
    accounts.execute("CREATE TABLE T (a INTEGER)")
    with pytest.raises(rowtime.ProgrammingError, match="stream WITH CHANGES"):
        accounts.prepare(sql).send_changes([])


def test_changes_into_a_stream_that_was_dropped_are_refused(accounts: rowtime.Connection) -> None:
    rows = accounts.prepare("INSERT INTO Accounts VALUES (?, ?)")
    reader = accounts.execute("SELECT STREAM id FROM Accounts EMIT CHANGES")
    rows.send_changes([(1, 1, 5)])
    accounts.execute("DROP STREAM Accounts")
    with pytest.raises(rowtime.ProgrammingError, match="UNKNOWN_OBJECT"):
        rows.send_changes([(1, 1, 6)])
    assert reader.fetchone() == (1, 1)
    with pytest.raises(rowtime.OperationalError, match="was dropped"):
        reader.fetchone()


def test_a_stream_with_changes_has_no_bound(accounts: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="has no rowtime bound"):
        accounts.prepare("INSERT INTO Accounts VALUES (?, ?)").set_rowtime_bound(at("10:00"))


class _Sink:
    """The changes that it is sent."""

    def __init__(self) -> None:
        self.rows: list[SentRow] = []
        self.filled = threading.Event()

    def send_row(self, row: SentRow) -> None:
        self.rows.append(row)
        if len(self.rows) == 3:
            self.filled.set()

    def send_rowtime_bound(self, at: datetime) -> None:
        raise AssertionError(at)


def test_changes_are_delivered_with_their_weights(streams: rowtime.Connection) -> None:
    """S-1008.b: and no bound, because there is none."""
    sink = _Sink()
    attached = streams.deliver(COUNTS, sink)
    orders(streams, "AA")
    assert sink.filled.wait(30)
    attached.stop()
    assert sink.rows == [(1, "A", 1), (-1, "A", 1), (1, "A", 2)]
    assert attached.error is None


def test_an_adapter_sends_no_changes(accounts: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="has changes"):
        accounts.attach("tail", "Accounts", path="accounts.jsonl")
