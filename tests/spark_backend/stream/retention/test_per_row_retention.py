"""What is kept whatever its age does not grow; what comes is as if all were kept."""

from pathlib import Path
from typing import Final

import pytest

from spark_backend.stream.retention.policy import RetentionPolicy
from tests.examples import NIGHTLY, scaled
from tests.spark_backend.stream.drives import Batches, Drive, Name, Row, by_value

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("backend", "few")]

DDL: Final = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, v INTEGER, t TIMESTAMP(3));
CREATE STREAM T (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, w INTEGER);
CREATE STREAM U (rowtime TIMESTAMP(3) ASCENDING, id INTEGER ASCENDING, z INTEGER);
"""
_BATCHES: Final = scaled(4, 7)
#: The most input rows at the end of a micro-batch in memory, and in frames, which are evicted
#: later and for which there is one micro-batch more: fewer than arrive of S alone.
_MOST: Final = {False: scaled(12, 20), True: scaled(16, 20)}


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What can go is asked for soon."""
    monkeypatch.setattr(
        "spark_backend.stream.engine.POLICY", RetentionPolicy(compaction=4, eviction=4)
    )


def history(batches: int) -> Batches:
    """Each has five rows of S, four of T and three of U, three seconds and three ids further on.

    ``v`` goes up and down, ``t`` is up to four seconds from the rowtime, now and then ten behind.
    """
    found: list[dict[Name, list[Row]]] = []
    for batch in range(batches):
        s: list[Row] = []
        for i in range(5):
            n, time = 5 * batch + i, 3_000 * batch + 700 * i
            slow = 10_000 if n % 11 == 10 else 0
            s.append((time, 3 * batch + i // 2, n * 7 % 10, time + n * 1_700 % 4_000 - slow))
        t: list[Row] = [(3_000 * batch + 900 * i, 3 * batch + i, 10 * i) for i in range(4)]
        u: list[Row] = [(3_000 * batch + 1_000 * i, 3 * batch + i, 7 * i) for i in range(3)]
        found.append({("S",): s, ("T",): t, ("U",): u})
    return found


_ON_ID: Final = "ON S.id = T.id AND v <> 3"

QUERIES: Final = {
    "join by number": f"SELECT STREAM S.rowtime, S.id, v, w FROM S JOIN T {_ON_ID}",
    "other side first": (
        "SELECT STREAM T.rowtime, S.id, v, w FROM T JOIN S ON T.id = S.id AND v < 8"
    ),
    "distance of numbers": (
        "SELECT STREAM S.rowtime, S.id, T.id AS other, v, w FROM S JOIN T"
        " ON T.id BETWEEN S.id - 1 AND S.id + 2"
    ),
    "left join": f"SELECT STREAM S.rowtime, S.id, v, w FROM S LEFT JOIN T {_ON_ID}",
    "full join": f"SELECT STREAM S.id, T.id AS other, v, w FROM S FULL JOIN T {_ON_ID}",
    "three by number": (
        f"SELECT STREAM S.rowtime, S.id, v, w, z FROM S JOIN T {_ON_ID} JOIN U ON U.id = T.id"
    ),
    "three with the last first": (
        "SELECT STREAM U.rowtime, S.id, v, w, z FROM S JOIN T ON S.id = T.id"
        " JOIN U ON U.id BETWEEN S.id - 1 AND S.id"
    ),
    "with itself twice": (
        "SELECT STREAM a.rowtime, a.id, a.v, b.v AS other, w FROM S AS a"
        " JOIN S AS b ON a.id = b.id JOIN T ON T.id = b.id"
    ),
    "join over a left join": (
        "SELECT STREAM U.rowtime, a.id, v, w, z FROM"
        " (SELECT STREAM S.id, v, w FROM S LEFT JOIN T ON S.id = T.id AND w > v) AS a"
        " JOIN U ON U.id = a.id"
    ),
    "groups over a join": (
        "SELECT STREAM S.id, SUM(v) AS v, SUM(w) AS w FROM S JOIN T ON S.id = T.id GROUP BY S.id"
    ),
    "groups over a left join": (
        "SELECT STREAM S.id / 2 AS i, SUM(v) AS v, COUNT(w) AS c"
        " FROM S LEFT JOIN T ON S.id = T.id AND w > v GROUP BY S.id / 2"
    ),
    "groups over three": (
        "SELECT STREAM S.id, MAX(w) AS w, COUNT(*) AS c FROM S JOIN T ON S.id = T.id"
        " JOIN U ON U.id = T.id GROUP BY GROUPING SETS ((S.id), (S.id, v))"
    ),
    "with itself": (
        "SELECT STREAM a.rowtime, a.id, a.v, b.v AS other FROM S AS a JOIN S AS b ON a.id = b.id"
    ),
    "with itself or none": (
        "SELECT STREAM S.rowtime, S.id, S.v, b.v AS w FROM S LEFT JOIN S AS b ON b.id = S.id - 3"
    ),
    "in where": (
        "SELECT STREAM S.rowtime, v, w FROM S JOIN T ON S.v < T.w WHERE T.rowtime BETWEEN"
        " S.rowtime AND S.rowtime + INTERVAL '2' SECOND AND S.v > 1"
    ),
    "latest row": (
        "SELECT STREAM ROWTIME, S.id, v, w FROM S OVER (ROWS CURRENT ROW) JOIN"
        " T OVER (RANGE CURRENT ROW) ON w > v"
    ),
    "pushed out": (
        "SELECT STREAM ROWTIME, S.id, v, w FROM S OVER (ROWS 1 PRECEDING) LEFT JOIN"
        " T OVER (RANGE INTERVAL '1' SECOND PRECEDING) ON w = 10 * v"
    ),
    "both of rows": (
        "SELECT STREAM ROWTIME, S.id, v, w FROM S OVER (ROWS 2 PRECEDING) FULL JOIN"
        " T OVER (ROWS CURRENT ROW) ON w < 20 AND v < 5"
    ),
    "word": "SELECT STREAM rowtime, MONOTONIC(v) AS v FROM S",
    "word of a condition": (
        "SELECT STREAM rowtime, v FROM (SELECT STREAM rowtime, v + 1 AS v FROM S WHERE v <> 5)"
        " WHERE MONOTONIC(v) > 2"
    ),
    "word over a union": (
        "SELECT STREAM rowtime, MONOTONIC(v) AS v FROM (SELECT STREAM rowtime, v FROM S"
        " UNION ALL SELECT STREAM rowtime, w - 12 FROM T)"
    ),
    "groups by a word": (
        "SELECT STREAM MONOTONIC(id / 4) AS g, COUNT(*) AS c FROM S GROUP BY MONOTONIC(id / 4)"
    ),
    "two sets": (
        "SELECT STREAM id, v, COUNT(*) AS c FROM S GROUP BY GROUPING SETS ((id, v), (id))"
    ),
    "time that is made": (
        "SELECT STREAM rowtime + id * INTERVAL '1' SECOND AS a, v FROM S WHERE v <> 4"
    ),
    "t-sort": "SELECT STREAM t, v FROM S ORDER BY t WITHIN INTERVAL '5' SECOND",
    "groups of a t-sort": (
        "SELECT STREAM FLOOR(t TO SECOND) AS s, COUNT(*) AS c FROM S"
        " GROUP BY FLOOR(t TO SECOND) WITHIN INTERVAL '5' SECOND"
    ),
    "union by number": "SELECT STREAM id, v FROM S UNION SELECT STREAM id, w FROM T",
    "intersect by number": "SELECT STREAM id FROM S INTERSECT SELECT STREAM id FROM T",
    "except all by number": "SELECT STREAM id FROM S EXCEPT ALL SELECT STREAM id FROM T",
    "order by what falls": "SELECT STREAM -id AS i, v FROM S ORDER BY -id DESC, v DESC",
    "two words": ("SELECT STREAM rowtime, MONOTONIC(v) AS v, MONOTONIC(id * 3 - v) AS w FROM S"),
    "groups of groups": (
        "SELECT STREAM id / 2 AS i, MAX(c) AS m, COUNT(*) AS n FROM (SELECT id, v / 3 AS g,"
        " COUNT(*) AS c FROM S GROUP BY id, v / 3) WHERE g > 0 GROUP BY id / 2"
    ),
    "join over groups": (
        "SELECT STREAM S.rowtime, S.id, c FROM S JOIN (SELECT id AS i, COUNT(*) AS c FROM T"
        " GROUP BY id HAVING COUNT(*) > 1) AS g ON S.id = g.i"
    ),
    "left join of groups": (
        "SELECT STREAM T.rowtime, T.id, w, m FROM T LEFT JOIN (SELECT id AS i, MAX(v) AS m FROM"
        " S WHERE v <> 2 GROUP BY id) AS g ON T.id = g.i AND m > 4"
    ),
    "union of groups": (
        "SELECT STREAM id, c FROM (SELECT id, COUNT(*) AS c FROM S WHERE v > 2 GROUP BY id)"
        " UNION ALL SELECT STREAM id, w FROM T UNION ALL SELECT STREAM S.id, w FROM S JOIN T"
        " ON S.id = T.id"
    ),
    "totals by a number": (
        "SELECT STREAM rowtime, id, SUM(v) OVER (ORDER BY id) AS s, COUNT(*) OVER (ORDER BY id"
        " ROWS UNBOUNDED PRECEDING) AS c, MAX(v) OVER (ORDER BY id ROWS 2 PRECEDING) AS m"
        " FROM S WHERE v <> 6"
    ),
    "totals by what falls": (
        "SELECT STREAM rowtime, i, SUM(v) OVER (PARTITION BY v / 4 ORDER BY i DESC) AS s FROM"
        " (SELECT STREAM rowtime, -id AS i, v FROM S)"
    ),
    "ahead by a number": (
        "SELECT STREAM rowtime, id, SUM(v) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND 2"
        " FOLLOWING) AS s, FIRST_VALUE(v) OVER (ORDER BY id RANGE CURRENT ROW) AS f FROM S"
    ),
    "order by number": "SELECT STREAM id, v FROM S ORDER BY id, v DESC",
    "back by a number": (
        "SELECT STREAM rowtime, id, SUM(v) OVER (PARTITION BY v / 5 ORDER BY id RANGE 3"
        " PRECEDING) AS s, COUNT(*) OVER (ORDER BY id RANGE BETWEEN 4 PRECEDING AND 1"
        " PRECEDING) AS c FROM S WHERE v <> 6"
    ),
    "back by what falls": (
        "SELECT STREAM rowtime, i, SUM(v) OVER (ORDER BY i DESC RANGE BETWEEN 3 PRECEDING"
        " AND 1 FOLLOWING) AS s FROM (SELECT STREAM rowtime, -id AS i, v FROM S)"
    ),
    "rank by number": (
        "SELECT STREAM rowtime, id, RANK() OVER (ORDER BY id) AS r, DENSE_RANK() OVER"
        " (PARTITION BY v / 5 ORDER BY id) AS d FROM S"
    ),
    "frames of several kinds": (
        "SELECT STREAM rowtime, id, LAG(v) OVER (ORDER BY id) AS l, SUM(v) OVER (ORDER BY id"
        " RANGE 2 PRECEDING) AS s, COUNT(*) OVER (ORDER BY id) AS c FROM S WHERE v <> 6"
    ),
    "a number back and ahead, beside totals": (
        "SELECT STREAM rowtime, id, SUM(v) OVER (ORDER BY id RANGE BETWEEN 2 PRECEDING AND 1"
        " FOLLOWING) AS s, MAX(v) OVER (PARTITION BY v / 5 ORDER BY id) AS m FROM S"
    ),
    "several keys, a number first": (
        "SELECT STREAM rowtime, id, v, SUM(v) OVER (ORDER BY id, v DESC ROWS 2 PRECEDING) AS s,"
        " COUNT(*) OVER (PARTITION BY v / 5 ORDER BY id, v) AS c FROM S"
    ),
    "frames behind their rows": (
        "SELECT STREAM rowtime, SUM(v) OVER (ORDER BY rowtime RANGE BETWEEN INTERVAL '1' SECOND"
        " FOLLOWING AND INTERVAL '2' SECOND FOLLOWING) AS s FROM S"
    ),
    "groups of sessions": (
        "SELECT STREAM SESSION_END(rowtime, INTERVAL '2' SECOND) AS rowtime, v / 2 AS g,"
        " COUNT(*) AS c, SUM(id) AS s FROM S"
        " GROUP BY SESSION(rowtime, INTERVAL '2' SECOND), v / 2 HAVING COUNT(*) < 9"
    ),
    "sessions by the second of their ends": (
        "SELECT STREAM FLOOR(window_end TO SECOND) AS rowtime, id, v FROM TABLE(SESSION(TABLE S"
        " PARTITION BY v, DESCRIPTOR(rowtime), INTERVAL '2' SECOND))"
    ),
    "groups of sessions by the second": (
        "SELECT STREAM FLOOR(window_end TO SECOND) AS rowtime, window_start, v, COUNT(*) AS c"
        " FROM TABLE(SESSION(TABLE S PARTITION BY v, DESCRIPTOR(rowtime), INTERVAL '2' SECOND))"
        " GROUP BY window_start, window_end, v"
    ),
    "sessions of some of the rows": (
        "SELECT STREAM window_end AS rowtime, window_start, w, id FROM TABLE(SESSION(("
        "SELECT STREAM rowtime, v / 3 AS w, id FROM S WHERE v <> 4)"
        " PARTITION BY w, DESCRIPTOR(rowtime), INTERVAL '2' SECOND))"
    ),
    "word of doubles": ("SELECT STREAM rowtime, MONOTONIC(CAST(v AS DOUBLE) / 2) AS v FROM S"),
}


#: A query of each way to decide which rows are retained; nightly, all are tried.
_LIGHT: Final = (
    "distance of numbers", "three with the last first", "groups over a left join", "pushed out",
    "word over a union", "groups by a word", "except all by number", "groups of groups",
    "frames of several kinds",
)  # fmt: skip
#: Those that are tried in frames: these, and nightly more.
_BULK: Final = ("join by number", "t-sort", "sessions of some of the rows")
_MORE_BULK: Final = (
    "groups by a word", "full join", "word", "rank by number", "groups of sessions",
    "sessions by the second of their ends", "groups of sessions by the second",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "bulk"),
    [
        *((each, False) for each in (QUERIES if NIGHTLY else _LIGHT)),
        *((each, True) for each in (*_BULK, *(_MORE_BULK if NIGHTLY else ()))),
    ],
)
def test_retained_rows_are_enough_and_do_not_grow(name: str, bulk: bool, tmp_path: Path) -> None:
    """The rows are those of all rows at once; another engine goes on in the midst of them."""
    *batches, last = history(_BATCHES + bulk)
    drive = Drive(DDL, QUERIES[name], bulk)
    for number, each in enumerate(batches):
        drive.step(each)
        if number == len(batches) // 2:
            drive.restart(tmp_path)
    assert max(drive.retained) <= _MOST[bulk]
    drive.step(last, ended=True)
    right = drive.expected_rows([*batches, last])
    drive.engine.close()
    assert len(right) > 2
    assert by_value(drive.rows) == by_value(right)


#: The number of rows, and how many of them are in a micro-batch.
_MANY: Final = scaled(18, 45)
_AT_ONCE: Final = scaled(6, 3)


def test_peers_by_a_number_are_counted_although_some_are_long_out() -> None:
    """Seven rows of each number, fewer a micro-batch: the totals are of numbers that are past."""
    sql = (
        "SELECT STREAM rowtime, RANK() OVER w AS r, DENSE_RANK() OVER w AS d"
        " FROM S WINDOW w AS (ORDER BY id)"
    )
    drive = Drive(DDL, sql)
    rows: list[Row] = [(1_000 * n, n // 7, 0, None) for n in range(_MANY)]
    for start in range(0, _MANY, _AT_ONCE):
        drive.step({("S",): rows[start : start + _AT_ONCE]})
    assert max(drive.retained) <= 15
    drive.step({}, ended=True)
    drive.engine.close()
    assert drive.rows == [(1_000 * n, n // 7 * 7 + 1, n // 7 + 1) for n in range(_MANY)]


def test_a_distance_below_the_least_number_is_no_overflow() -> None:
    """From the least BIGINT on, three back."""
    columns = "rowtime TIMESTAMP(3) ASCENDING, id BIGINT ASCENDING, x DOUBLE ASCENDING"
    sql = (
        "SELECT STREAM rowtime, COUNT(*) OVER (ORDER BY id RANGE 3 PRECEDING) AS c,"
        " COUNT(*) OVER (ORDER BY x RANGE BETWEEN 0.25 PRECEDING AND 0.1 FOLLOWING) AS d FROM S"
    )
    drive = Drive(f"CREATE STREAM S ({columns})", sql)
    rows: list[Row] = [(1_000 * n, n - 2**63, n / 8) for n in range(_MANY)]
    for start in range(0, _MANY, _AT_ONCE):
        drive.step({("S",): rows[start : start + _AT_ONCE]})
    assert max(drive.retained) <= 15
    drive.step({}, ended=True)
    drive.engine.close()
    assert drive.rows == [(1_000 * n, min(n, 3) + 1, min(n, 2) + 1) for n in range(_MANY)]
