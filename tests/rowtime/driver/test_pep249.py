"""PEP 249: what it requires of the module, of connections, cursors, types and exceptions."""

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

import rowtime

SCHEMA = """
CREATE TABLE Booze (name VARCHAR(20) NOT NULL PRIMARY KEY, litres DECIMAL(5, 2), n INTEGER);
INSERT INTO Booze VALUES ('Boag''s Draught', 1.50, 1), ('XXXX', 2.25, NULL), ('Victoria', NULL, 3);
"""


@pytest.fixture
def connection() -> Iterator[rowtime.Connection]:
    with rowtime.connect() as connection:
        connection.executescript(SCHEMA)
        yield connection


def test_the_module_has_its_globals() -> None:
    assert rowtime.apilevel == "2.0"
    assert rowtime.threadsafety == 2
    assert rowtime.paramstyle == "qmark"
    assert all(hasattr(rowtime, name) for name in rowtime.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'conect'"):
        getattr(rowtime, "conect")  # noqa: B009 (a static checker would refuse it)


def test_the_exceptions_form_the_hierarchy() -> None:
    assert issubclass(rowtime.Warning, Exception)
    assert issubclass(rowtime.Error, Exception)
    assert issubclass(rowtime.InterfaceError, rowtime.Error)
    assert issubclass(rowtime.DatabaseError, rowtime.Error)
    for each in (
        rowtime.DataError,
        rowtime.OperationalError,
        rowtime.IntegrityError,
        rowtime.InternalError,
        rowtime.ProgrammingError,
        rowtime.NotSupportedError,
    ):
        assert issubclass(each, rowtime.DatabaseError)
        assert getattr(rowtime.Connection, each.__name__) is each
    assert issubclass(rowtime.Timeout, rowtime.OperationalError)  # EXT-055


@pytest.mark.parametrize(
    ("sql", "error", "code"),
    [
        ("SELEC 1", rowtime.ProgrammingError, "SYNTAX_ERROR"),
        ("SELECT nme FROM Booze", rowtime.ProgrammingError, "UNKNOWN_COLUMN"),
        ("SELECT * FROM Nowhere", rowtime.ProgrammingError, "UNKNOWN_OBJECT"),
        ("SELECT STREAM * FROM Booze", rowtime.ProgrammingError, "TABLE_TO_STREAM"),
        ("SELECT n / 0 FROM Booze", rowtime.DataError, "DIVISION_BY_ZERO"),
        ("INSERT INTO Booze VALUES ('XXXX', 1, 1)", rowtime.IntegrityError, "BAD_ROW"),
        ("COMMIT", rowtime.NotSupportedError, "NOT_SUPPORTED"),
        ("SELECT * FROM Booze; SELECT 1", rowtime.ProgrammingError, "SYNTAX_ERROR"),
    ],
)
def test_an_error_of_sql_is_of_its_class_and_shows_its_place(
    connection: rowtime.Connection, sql: str, error: type[rowtime.Error], code: str
) -> None:
    with pytest.raises(error) as raised:
        connection.execute(sql)
    assert type(raised.value) is error
    assert raised.value.code == code
    if code != "BAD_ROW":
        assert "^" in str(raised.value)


def test_description_has_seven_items_a_column(connection: rowtime.Connection) -> None:
    assert connection.cursor().description is None
    cursor = connection.execute("SELECT name, litres, n FROM Booze")
    assert cursor.description is not None
    assert [each[0] for each in cursor.description] == ["NAME", "LITRES", "N"]
    assert [str(each[1]) for each in cursor.description] == [
        "VARCHAR(20)",
        "DECIMAL(5, 2)",
        "INTEGER",
    ]
    assert [each[2:] for each in cursor.description] == [
        (None, 20, None, None, False),
        (None, None, 5, 2, True),
        (None, None, 10, 0, True),
    ]
    name, litres, n = (each[1] for each in cursor.description)
    assert name == rowtime.STRING
    assert litres == rowtime.NUMBER
    assert n == rowtime.NUMBER
    assert n != rowtime.STRING
    assert cursor.execute("CREATE TABLE T (a INTEGER)").description is None


def test_rowcount_is_that_of_the_last_statement(connection: rowtime.Connection) -> None:
    cursor = connection.cursor()
    assert cursor.rowcount == -1
    assert cursor.execute("UPDATE Booze SET n = 7 WHERE n > 0").rowcount == 2
    assert cursor.execute("SELECT * FROM Booze").rowcount == 3
    assert cursor.execute("DELETE FROM Booze WHERE n = 7").rowcount == 2
    rows = [("Asahi", 1), ("Coopers", 2)]
    assert cursor.executemany("INSERT INTO Booze (name, n) VALUES (?, ?)", rows).rowcount == 2
    assert cursor.execute("CREATE TABLE T (a INTEGER)").rowcount == -1


def test_rows_are_fetched_one_by_one_in_parts_and_all(connection: rowtime.Connection) -> None:
    cursor = connection.execute("SELECT name FROM Booze ORDER BY name")
    assert cursor.rownumber == 0
    assert cursor.fetchone() == ("Boag's Draught",)
    assert cursor.rownumber == 1
    assert cursor.arraysize == 1
    assert cursor.fetchmany() == [("Victoria",)]
    assert cursor.fetchmany(5) == [("XXXX",)]
    assert cursor.fetchmany(5) == []
    assert cursor.fetchone() is None
    assert cursor.fetchall() == []
    cursor.execute("SELECT name FROM Booze ORDER BY name")
    assert cursor.fetchall() == [("Boag's Draught",), ("Victoria",), ("XXXX",)]
    assert [name for (name,) in cursor.execute("SELECT name FROM Booze WHERE n = 3")] == [
        "Victoria"
    ]


def test_fetching_without_a_result_is_an_error(connection: rowtime.Connection) -> None:
    cursor = connection.cursor()
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall):
        with pytest.raises(rowtime.InterfaceError, match="has no result"):
            fetch()
    cursor.execute("DELETE FROM Booze")
    with pytest.raises(rowtime.InterfaceError, match="has no result"):
        cursor.fetchone()


def test_a_parameter_is_a_value_and_never_text(connection: rowtime.Connection) -> None:
    hostile = "x'); DELETE FROM Booze; --"
    connection.execute("INSERT INTO Booze VALUES (?, ?, ?)", ("y'); DELETE", None, 1))
    assert connection.execute("SELECT name FROM Booze WHERE n = ?", (1,)).rowcount == 2
    assert connection.execute("SELECT name FROM Booze WHERE name = ?", (hostile,)).fetchall() == []
    found = connection.execute("SELECT n FROM Booze WHERE name = ?", ("y'); DELETE",)).fetchall()
    assert found == [(1,)]
    assert connection.execute("SELECT COUNT(*) FROM Booze").fetchone() == (4,)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((), "has 1 parameter, not 0"),
        ((1, 2), "has 1 parameter, not 2"),
        ("1", "a sequence of values"),
        ({"n": 1}, "a sequence of values"),
        (("one",), "not a value of INTEGER"),
        ((1.5,), "not a value of INTEGER"),
        ((True,), "not a value of INTEGER"),
        ((2**31,), "out of the range"),
    ],
)
def test_wrong_parameters_are_refused(
    connection: rowtime.Connection, parameters: tuple[int, ...], message: str
) -> None:
    with pytest.raises(rowtime.DatabaseError, match=message):
        connection.execute("SELECT * FROM Booze WHERE n = ?", parameters)


def test_values_of_all_types_come_back_as_they_went(connection: rowtime.Connection) -> None:
    connection.executescript(
        "CREATE TABLE T (b BOOLEAN, i BIGINT, d DECIMAL(9, 3), f DOUBLE, s VARCHAR, x VARBINARY, "
        "day DATE, tim TIME, ts TIMESTAMP(3), "
        "span INTERVAL DAY TO SECOND, months INTERVAL YEAR TO MONTH)"
    )
    row = (
        True,
        2**40,
        Decimal("-1.250"),
        0.1,
        "a?'\N{SNOWMAN}",
        b"\x00\xff",
        date(2015, 2, 15),
        time(10, 17, 0, 5000),
        datetime(2015, 2, 15, 10, 17, 0, 123000),
        timedelta(days=1, hours=2, milliseconds=5),
        "1-02",
    )
    insert = connection.prepare("INSERT INTO T VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    insert.executemany([row, [None] * 11])
    assert connection.execute("SELECT * FROM T").fetchall() == [row, (None,) * 11]


def test_a_timestamp_with_a_time_zone_is_taken_in_utc(connection: rowtime.Connection) -> None:
    connection.executescript("CREATE TABLE T (ts TIMESTAMP(3))")
    plus_two = timezone(timedelta(hours=2))
    connection.execute("INSERT INTO T VALUES (?)", (datetime(2026, 1, 1, 1, tzinfo=plus_two),))
    connection.execute("INSERT INTO T VALUES (?)", (datetime(2026, 1, 1, 1, tzinfo=UTC),))
    connection.execute("INSERT INTO T VALUES (?)", (datetime(1969, 12, 31, 23, 59, 59, 999999),))
    assert connection.execute("SELECT ts FROM T").fetchall() == [
        (datetime(2025, 12, 31, 23),),
        (datetime(2026, 1, 1, 1),),
        (datetime(1969, 12, 31, 23, 59, 59, 999000),),
    ]


def test_the_constructors_make_values_of_sql() -> None:
    assert rowtime.Date(2002, 12, 25) == date(2002, 12, 25)
    assert rowtime.Time(13, 45, 30) == time(13, 45, 30)
    assert rowtime.Timestamp(2002, 12, 25, 13, 45, 30) == datetime(2002, 12, 25, 13, 45, 30)
    assert rowtime.DateFromTicks(0) == date(1970, 1, 1)
    assert rowtime.TimeFromTicks(61) == time(0, 1, 1)
    assert rowtime.TimestampFromTicks(86_400.5) == datetime(1970, 1, 2, 0, 0, 0, 500000)
    assert rowtime.Binary(b"\x01") == b"\x01"


def test_closed_connections_and_cursors_refuse_all_work(connection: rowtime.Connection) -> None:
    cursor = connection.execute("SELECT * FROM Booze")
    cursor.close()
    cursor.close()
    for use in (cursor.fetchone, cursor.fetchall, lambda: cursor.execute("SELECT * FROM Booze")):
        with pytest.raises(rowtime.InterfaceError, match="the cursor is closed"):
            use()
    other = connection.execute("SELECT * FROM Booze")
    connection.close()
    connection.close()
    for use in (connection.cursor, connection.commit, connection.rollback):
        with pytest.raises(rowtime.InterfaceError, match="the connection is closed"):
            use()
    with pytest.raises(rowtime.InterfaceError, match="the database is closed"):
        other.execute("SELECT * FROM Booze")


def test_two_threads_may_close_one_cursor(connection: rowtime.Connection) -> None:
    cursor = connection.execute("SELECT STREAM * FROM SYS_BOOT.MGMT.ALL_TRACE")
    threads = [threading.Thread(target=cursor.close) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with pytest.raises(rowtime.InterfaceError, match="the cursor is closed"):
        cursor.fetchone()


def test_commit_does_nothing_and_rollback_is_refused(connection: rowtime.Connection) -> None:
    """S-606.a."""
    connection.execute("DELETE FROM Booze")
    connection.commit()
    with pytest.raises(rowtime.NotSupportedError):
        connection.rollback()
    assert connection.execute("SELECT * FROM Booze").fetchall() == []


def test_sizes_are_accepted_and_have_no_effect(connection: rowtime.Connection) -> None:
    cursor = connection.cursor()
    cursor.setinputsizes([25])
    cursor.setoutputsize(1000)
    cursor.setoutputsize(1000, 0)
    cursor.execute("SELECT name FROM Booze WHERE n = 3")
    assert cursor.fetchall() == [("Victoria",)]


def test_executemany_refuses_a_query(connection: rowtime.Connection) -> None:
    with pytest.raises(rowtime.ProgrammingError, match="statements that write"):
        connection.cursor().executemany("SELECT * FROM Booze WHERE n = ?", [(1,)])


def test_explain_returns_the_plan_as_rows(connection: rowtime.Connection) -> None:
    rows = connection.execute("EXPLAIN PLAN FOR SELECT name FROM Booze WHERE n = 1").fetchall()
    assert [str(text).split()[0] for (text,) in rows] == [
        "LogicalProject(NAME=[$0])",
        "LogicalFilter(condition=[=($2,",
        "LogicalTableScan(table=[[BOOZE]],",
    ]


def test_set_schema_is_that_of_the_connection(connection: rowtime.Connection) -> None:
    connection.executescript("CREATE SCHEMA S; SET SCHEMA 'S'; CREATE TABLE T (a INTEGER)")
    connection.execute("INSERT INTO T VALUES (1)")
    assert connection.execute("SELECT a FROM S.T").fetchall() == [(1,)]
    assert connection.schema == ("S",)


def test_results_are_tables_of_arrow_and_data_frames(connection: rowtime.Connection) -> None:
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    query = "SELECT name, litres, n FROM Booze ORDER BY name"
    table = connection.execute(query).fetch_arrow_table()
    assert table.schema.field("LITRES").type == arrow.decimal128(5, 2)
    assert table.schema.field("N").type == arrow.int32()
    assert not table.schema.field("NAME").nullable
    assert table.to_pydict() == {
        "NAME": ["Boag's Draught", "Victoria", "XXXX"],
        "LITRES": [Decimal("1.50"), None, Decimal("2.25")],
        "N": [1, 3, None],
    }
    frame = connection.execute(query).fetch_df()
    assert list(frame["NAME"]) == ["Boag's Draught", "Victoria", "XXXX"]
    assert connection.execute("SELECT n FROM Booze WHERE n = 99").fetch_arrow_table().num_rows == 0


def test_half_a_character_is_no_text(tmp_path: Path) -> None:
    """Half of a surrogate pair: no file could keep it, and no terminal print it."""
    for path in (None, tmp_path / "a.db"):
        with rowtime.connect(path) as db:
            db.execute("CREATE TABLE T (a VARCHAR)")
            with pytest.raises(rowtime.DataError, match="half of a surrogate pair"):
                db.execute("INSERT INTO T VALUES (?)", ("\ud800",))
            for sql in ("INSERT INTO T VALUES ('\ud800')", 'CREATE TABLE "\udfff" (a INTEGER)'):
                with pytest.raises(
                    rowtime.ProgrammingError, match="is half of a character"
                ) as said:
                    db.execute(sql)
                assert str(said.value).encode()
            assert db.execute("SELECT * FROM T").fetchall() == []
