"""The rows of `executemany` are those of its statement, executed for each row of parameters."""

from datetime import datetime, timedelta
from itertools import count
from typing import Final

import pytest

import rowtime

TABLE: Final = "CREATE TABLE T (a INTEGER, b VARCHAR(3) DEFAULT 'x' NOT NULL, c INTEGER)"
STREAM: Final = (
    "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER DEFAULT 7, b VARCHAR(3))"
)
#: INSERTs into a table of a row of parameters, and the rows for the parameters (1, 'u'), (2, None).
INSERTS: Final[dict[str, list[tuple[object, ...]]]] = {
    "INSERT INTO T VALUES (?, COALESCE(?, 'z'), 5)": [(1, "u", 5), (2, "z", 5)],
    "INSERT INTO T (a, c) VALUES (?, CHAR_LENGTH(?))": [(1, "x", 1), (2, "x", None)],
    "INSERT INTO T (c, a) VALUES (? + 1, CHAR_LENGTH(?) / 2)": [(0, "x", 2), (None, "x", 3)],
    "INSERT INTO T (a) SELECT CAST(? AS INTEGER) FROM (VALUES (1)) AS v WHERE CAST(? AS VARCHAR) "
    "IS NULL": [(2, "x", None)],
    "INSERT INTO T (a, c) VALUES (?, 1), (3, CHAR_LENGTH(?))": [
        (1, "x", 1), (3, "x", 1), (2, "x", 1), (3, "x", None),
    ],
    "INSERT INTO T (a, c) VALUES (?, (SELECT COUNT(*) FROM T WHERE CAST(? AS VARCHAR) IS NULL))": [
        (1, "x", 0), (2, "x", 1),
    ],
}  # fmt: skip


@pytest.mark.parametrize("insert", INSERTS)
def test_a_table_has_the_row_of_each_row_of_parameters(insert: str) -> None:
    with rowtime.connect() as db:
        db.execute(TABLE)
        done = db.cursor().executemany(insert, [(1, "u"), (2, None)])
        assert done.rowcount == len(INSERTS[insert])
        assert db.execute("SELECT * FROM T").fetchall() == INSERTS[insert]


@pytest.mark.parametrize("expedited", ["", "EXPEDITED "])
def test_a_stream_has_the_row_of_each_row_of_parameters(expedited: str) -> None:
    insert = f"INSERT {expedited}INTO S (b, rowtime) VALUES (UPPER(?), ?)"
    with rowtime.connect() as db:
        db.execute(STREAM)
        rows = db.execute("SELECT STREAM * FROM S")
        times = ["2026-01-01 10:00:00", "2026-01-01 10:00:01"]
        db.cursor().executemany(insert, [("u", times[0]), (None, times[1])])
        assert [row[1:] for row in rows.fetch_available()] == [(7, "U"), (7, None)]


def test_the_clock_of_the_session_is_that_of_each_row() -> None:
    now = (datetime(2026, 1, 1) + timedelta(seconds=second) for second in count())
    with rowtime.connect(clock=lambda: next(now)) as db:
        db.execute("CREATE TABLE C (a INTEGER, t TIMESTAMP(3))")
        db.cursor().executemany("INSERT INTO C VALUES (?, CURRENT_TIMESTAMP)", [(1,), (2,)])
        assert db.execute("SELECT COUNT(DISTINCT t) FROM C").fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("insert", "error"),
    [
        ("INSERT INTO T (a, c) VALUES (?, 6 / ?)", "DIVISION_BY_ZERO"),
        ("INSERT INTO T (a, b) VALUES (?, CASE ? WHEN 2 THEN 'x' END)", "a row of T: "),
    ],
)
def test_the_rows_before_an_error_are_inserted(insert: str, error: str) -> None:
    with rowtime.connect() as db:
        db.execute(TABLE)
        with pytest.raises(rowtime.Error, match=error):
            db.cursor().executemany(insert, [(1, 2), (2, 0), (3, 3)])
        assert [a for (a,) in db.execute("SELECT a FROM T").fetchall()] == [1]
