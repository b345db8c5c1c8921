"""Spark's answers to whole queries: windows of time, groups, joins, sets, sub-queries, orders."""

import pytest

from tck.protocol import WireRow
from tests.examples import asked_by_core
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

STREAM = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, k INTEGER, v INTEGER);"
AB = """CREATE TABLE A (id INTEGER, x INTEGER); CREATE TABLE B (id INTEGER, y INTEGER);
INSERT INTO A VALUES (1, 10), (2, 20), (2, 21), (NULL, 30);
INSERT INTO B VALUES (2, 200), (3, 300), (NULL, 400);"""


def at(time: str, k: int = 1, v: int = 1) -> WireRow:
    return (f"2015-02-15 {time}", k, v)


def none_last(row: WireRow) -> tuple[tuple[bool, object], ...]:
    return tuple((value is None, value) for value in row)


def by_value(rows: list[WireRow]) -> list[WireRow]:
    return sorted(rows, key=none_last)  # pyright: ignore[reportArgumentType]  values of one column compare


# --- HOP and TUMBLE ---------------------------------------------------------------------------


def hops(spark: Spark, group: str, times: list[str]) -> list[tuple[str, str, int]]:
    name, _, arguments = group.partition("(")
    rows = spark.rows(
        f"SELECT {name}_START({arguments}, {name}_END({arguments}, COUNT(*) FROM S"
        f" GROUP BY {group} ORDER BY 2",
        STREAM.replace("INTEGER);", "INTEGER) WITH HISTORY;"),
        {"S": [(time, 1, 1) for time in times]},
    )
    return [(str(a), str(b), int(str(c))) for a, b, c in rows]


@asked_by_core("row-on-the-hour-by-both-forms-at-once")
def test_an_end_belongs_to_the_next_window(spark: Spark) -> None:
    found = hops(
        spark,
        "TUMBLE(rowtime, INTERVAL '1' HOUR)",
        ["2015-02-15 10:59:59.999", "2015-02-15 11:00:00"],
    )
    assert found == [
        ("2015-02-15 10:00:00", "2015-02-15 11:00:00", 1),
        ("2015-02-15 11:00:00", "2015-02-15 12:00:00", 1),
    ]


@asked_by_core("aligned-tumble-before-1970")
def test_windows_lie_on_the_grid_before_1970_too(spark: Spark) -> None:
    found = hops(
        spark, "TUMBLE(rowtime, INTERVAL '1' HOUR, TIME '00:12:00')", ["1969-12-31 23:11:59.999"]
    )
    assert found == [("1969-12-31 22:12:00", "1969-12-31 23:12:00", 1)]


@asked_by_core("uneven-hop-puts-a-row-into-one-window-or-two")
def test_ends_lie_on_multiples_of_emit(spark: Spark) -> None:
    # Ends every 2 hours, windows of 3: 10:30 is in (ends 12:00) [09:00, 12:00) alone; 11:30 in
    # [09:00, 12:00) and [11:00, 14:00).
    found = hops(
        spark,
        "HOP(rowtime, INTERVAL '2' HOUR, INTERVAL '3' HOUR)",
        ["2015-02-15 10:30:00", "2015-02-15 11:30:00"],
    )
    assert found == [
        ("2015-02-15 09:00:00", "2015-02-15 12:00:00", 2),
        ("2015-02-15 11:00:00", "2015-02-15 14:00:00", 1),
    ]


def test_a_time_between_windows_is_in_none(spark: Spark) -> None:
    found = hops(
        spark,
        "HOP(rowtime, INTERVAL '1' HOUR, INTERVAL '15' MINUTE)",
        ["2015-02-15 10:44:59", "2015-02-15 10:45:00"],
    )
    assert found == [("2015-02-15 10:45:00", "2015-02-15 11:00:00", 1)]


def test_calendar_windows_count_months(spark: Spark) -> None:
    found = hops(
        spark,
        "HOP(rowtime, INTERVAL '3' MONTH, INTERVAL '1' YEAR)",
        ["2015-02-15 00:00:00"],
    )
    assert found == [
        ("2014-04-01 00:00:00", "2015-04-01 00:00:00", 1),
        ("2014-07-01 00:00:00", "2015-07-01 00:00:00", 1),
        ("2014-10-01 00:00:00", "2015-10-01 00:00:00", 1),
        ("2015-01-01 00:00:00", "2016-01-01 00:00:00", 1),
    ]


# --- groups -----------------------------------------------------------------------------------


def test_grouping_sets_tell_their_rows_apart(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT id, x, COUNT(*), GROUPING(id, x), GROUP_ID() FROM A"
        " GROUP BY GROUPING SETS ((id), (id), (x, id), ())",
        AB,
    )
    assert by_value(rows) == by_value(
        [
            (1, None, 1, 1, 0),
            (2, None, 2, 1, 0),
            (None, None, 1, 1, 0),
            (1, None, 1, 1, 1),
            (2, None, 2, 1, 1),
            (None, None, 1, 1, 1),
            (1, 10, 1, 0, 0),
            (2, 20, 1, 0, 0),
            (2, 21, 1, 0, 0),
            (None, 30, 1, 0, 0),
            (None, None, 4, 3, 0),
        ]
    )


def test_nothing_aggregates_to_nulls_and_zero(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT COUNT(*), COUNT(x), SUM(x), AVG(x), MIN(x), EVERY(x > 0), VAR_POP(x), MEDIAN(x)"
        " FROM A WHERE FALSE",
        AB,
    )
    assert rows == [(0, 0, None, None, None, None, None, None)]
    assert spark.rows("SELECT id, COUNT(*) FROM A WHERE FALSE GROUP BY id", AB) == []


def test_aggregates_are_exact(spark: Spark) -> None:
    ddl = """CREATE TABLE V (b BIGINT, d DECIMAL(5, 2), i INTEGER, f DOUBLE);
    INSERT INTO V VALUES (9223372036854775807, 0.01, 1, 1E0), (9223372036854775807, 0.01, 2, 2E0),
      (-9223372036854775807, 0.03, 2, 4E0), (NULL, NULL, NULL, NULL);"""
    (row,) = spark.rows(
        "SELECT SUM(b), AVG(b), SUM(d), AVG(d), AVG(i), SUM(DISTINCT i), AVG(DISTINCT i),"
        " COUNT(DISTINCT i), VAR_POP(i), VAR_SAMP(DISTINCT i), MEDIAN(f),"
        " SUM(i) FILTER (WHERE i > 1), COUNT(*) FILTER (WHERE d > 0.01), EVERY(i > 1),"
        " SUM(DISTINCT d) FROM V",
        ddl,
    )
    assert row[:8] == (2**63 - 1, float(2**63) / 3, "0.05", "0.016667", 5 / 3, 3, 1.5, 2)
    assert row[8] == pytest.approx(2 / 9)
    assert row[9:] == (0.5, 2.0, 4, 1, False, "0.04")


def test_sums_of_doubles_do_not_depend_on_their_order(spark: Spark) -> None:
    ddl = "CREATE TABLE V (x DOUBLE); INSERT INTO V VALUES (1E16), (1E0), (-1E16);"
    (row,) = spark.rows("SELECT SUM(x), AVG(x), SUM(DISTINCT x) FROM V", ddl)
    assert row == (1.0, 1 / 3, 1.0)
    running = "SELECT SUM(x) OVER (ORDER BY x ROWS UNBOUNDED PRECEDING) FROM V ORDER BY x"
    assert spark.rows(running, ddl) == [(-1e16,), (-1e16 + 1,), (1.0,)]
    assert spark.rows("SELECT SUM(1E308), AVG(1E308), SUM(x / 0E0) FROM V", ddl) == [
        ("Infinity", 1e308, "NaN")
    ]


def test_grouping_may_stand_in_an_argument(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT id, SUM(x + 100 * GROUPING(id)), COUNT(*) FILTER (WHERE GROUP_ID() = 0) FROM A"
        " WHERE id = 2 GROUP BY GROUPING SETS ((id), (id), ())",
        AB,
    )
    assert by_value(rows) == [(2, 41, 0), (2, 41, 2), (None, 241, 2)]


def test_a_sum_that_does_not_fit_is_an_overflow(spark: Spark) -> None:
    ddl = "CREATE TABLE V (b BIGINT); INSERT INTO V VALUES (9223372036854775807), (1);"
    assert spark.code("SELECT SUM(b) FROM V", ddl) == "OVERFLOW"
    assert spark.rows("SELECT AVG(b) FROM V", ddl) == [(2.0**62,)]


def test_one_value_has_no_sample_variance(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT VAR_POP(x), VAR_SAMP(x), STDDEV_POP(x), STDDEV_SAMP(x) FROM A WHERE id = 1", AB
    )
    assert rows == [(0.0, None, 0.0, None)]


# --- joins ------------------------------------------------------------------------------------

MATCHED: list[WireRow] = [(2, 20, 2, 200), (2, 21, 2, 200)]
LEFT: list[WireRow] = [(1, 10, None, None), (None, 30, None, None)]
RIGHT: list[WireRow] = [(None, None, 3, 300), (None, None, None, 400)]


@pytest.mark.parametrize(
    ("kind", "padded"), [("", []), ("LEFT", LEFT), ("RIGHT", RIGHT), ("FULL", LEFT + RIGHT)]
)
@pytest.mark.parametrize(
    "condition",
    [
        "A.id = B.id",
        pytest.param(
            "A.id <= B.id AND A.id >= B.id", marks=asked_by_core("full-join-by-inequality")
        ),
        "A.id = B.id AND EXISTS (SELECT 1 FROM B AS C WHERE C.y > A.x + B.y)",
    ],
    ids=["equality", "inequalities", "sub-query"],
)
def test_joins_pad_what_they_preserve(
    spark: Spark, kind: str, padded: list[WireRow], condition: str
) -> None:
    rows = spark.rows(f"SELECT * FROM A {kind} JOIN B ON {condition}", AB)
    assert by_value(rows) == by_value(MATCHED + padded)


def test_a_window_join_has_the_least_common_time(spark: Spark) -> None:
    ddl = """CREATE STREAM O (rowtime TIMESTAMP(3) ASCENDING, id INTEGER);
    CREATE STREAM P (rowtime TIMESTAMP(3) ASCENDING, id INTEGER);"""
    feed = {
        "O": [("2015-02-15 10:00:00", 1), ("2015-02-15 10:03:00", 2)],
        "P": [
            ("2015-02-15 10:10:00", 1),
            ("2015-02-15 10:13:00.001", 2),
            ("2015-02-15 10:14:00", 3),
        ],
    }
    select = "SELECT STREAM ROWTIME, o.id, p.id FROM O"
    following = "OVER (RANGE INTERVAL '10' MINUTE FOLLOWING)"
    preceding = "OVER (RANGE INTERVAL '10' MINUTE PRECEDING)"
    assert spark.rows(f"{select} AS o JOIN P {following} AS p ON o.id = p.id", ddl, feed) == [
        ("2015-02-15 10:00:00", 1, 1)
    ]
    assert spark.rows(f"{select} {preceding} AS o JOIN P AS p ON o.id = p.id", ddl, feed) == [
        ("2015-02-15 10:10:00", 1, 1)
    ]
    full = spark.rows(f"{select} AS o FULL JOIN P {following} AS p ON o.id = p.id", ddl, feed)
    assert full == [
        ("2015-02-15 10:00:00", 1, 1),
        ("2015-02-15 10:03:00", 2, None),
        ("2015-02-15 10:13:00.001", None, 2),
        ("2015-02-15 10:14:00", None, 3),
    ]


@asked_by_core("rows-window-goes-by-rowtime-one")
def test_a_window_of_rows_ends_where_its_last_row_comes(spark: Spark) -> None:
    ddl = """CREATE STREAM O (rowtime TIMESTAMP(3) ASCENDING, id INTEGER);
    CREATE STREAM P (rowtime TIMESTAMP(3) ASCENDING, id INTEGER);"""
    feed = {
        "O": [("2015-02-15 10:00:00", 1), ("2015-02-15 10:02:00", 2), ("2015-02-15 10:04:00", 3)],
        "P": [
            ("2015-02-15 10:01:59.999", 7),
            ("2015-02-15 10:02:00", 8),
            ("2015-02-15 10:05:00", 9),
        ],
    }
    rows = spark.rows(
        "SELECT STREAM ROWTIME, o.id, p.id FROM O OVER (ROWS CURRENT ROW) AS o JOIN P AS p ON TRUE",
        ddl,
        feed,
    )
    assert [row[1:] for row in rows] == [(1, 7), (2, 8), (3, 9)]


# --- sets -------------------------------------------------------------------------------------

PQ = """CREATE TABLE P (a INTEGER, b VARCHAR); CREATE TABLE Q (a INTEGER, b VARCHAR);
INSERT INTO P VALUES (1, 'x'), (1, 'x'), (1, 'x'), (NULL, NULL), (NULL, NULL), (2, 'y');
INSERT INTO Q VALUES (1, 'x'), (NULL, NULL), (NULL, NULL), (NULL, NULL), (3, 'z');"""
X: WireRow = (1, "x")
N: WireRow = (None, None)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("UNION ALL", [X] * 4 + [(2, "y"), (3, "z")] + [N] * 5),
        ("UNION", [X, (2, "y"), (3, "z"), N]),
        ("INTERSECT ALL", [X, N, N]),
        ("INTERSECT", [X, N]),
        ("EXCEPT ALL", [X, X, (2, "y")]),
        ("EXCEPT", [(2, "y")]),
    ],
)
def test_set_operations_count_rows(spark: Spark, operator: str, expected: list[WireRow]) -> None:
    rows = spark.rows(f"SELECT * FROM P {operator} SELECT * FROM Q", PQ)
    assert by_value(rows) == by_value(expected)


# --- sub-queries ------------------------------------------------------------------------------

SUBQUERIES: list[tuple[str, list[object]]] = [
    # of the rows (1, 10), (2, 20), (2, 21), (NULL, 30)
    ("(SELECT MAX(y) FROM B)", [400, 400, 400, 400]),
    ("(SELECT y FROM B WHERE B.id = A.id)", [None, 200, 200, None]),
    ("(SELECT COUNT(*) FROM B WHERE B.id > A.id)", [2, 1, 1, 0]),
    ("(SELECT SUM(y) + A.x FROM B WHERE B.id >= A.id)", [510, 520, 521, None]),
    ("(SELECT y FROM B ORDER BY y + A.x DESC LIMIT 1)", [400, 400, 400, 400]),
    ("EXISTS (SELECT 1 FROM B WHERE B.id = A.id)", [False, True, True, False]),
    ("NOT EXISTS (SELECT 1 FROM B WHERE FALSE)", [True, True, True, True]),
    ("id IN (SELECT id FROM B)", [None, True, True, None]),
    ("id NOT IN (SELECT id FROM B)", [None, False, False, None]),
    ("id IN (SELECT id FROM B WHERE id IS NOT NULL)", [False, True, True, None]),
    ("id IN (SELECT id FROM B WHERE FALSE)", [False, False, False, False]),
    ("id IN (SELECT B.id FROM B WHERE B.y > A.x * 10)", [None, None, None, None]),
    ("id IN (SELECT B.id FROM B WHERE B.y >= A.x * 10)", [None, True, None, None]),
    ("(id, x) IN (SELECT id, y / 10 FROM B)", [False, True, False, None]),
    ("x < ALL (SELECT y FROM B)", [True, True, True, True]),
    ("x * 10 < ALL (SELECT y FROM B WHERE y < 400)", [True, False, False, False]),
    ("id > ANY (SELECT id FROM B)", [None, None, None, None]),
    ("id <> ALL (SELECT id FROM B WHERE id > 2)", [True, True, True, None]),
    ("id = ANY (SELECT id FROM B WHERE FALSE)", [False, False, False, False]),
    ("id > ALL (SELECT id FROM B WHERE FALSE)", [True, True, True, True]),
    # two queries out
    (
        "(SELECT COUNT(*) FROM B WHERE EXISTS (SELECT 1 FROM A C WHERE C.id = B.id AND C.x > A.x))",
        [1, 1, 0, 0],
    ),
    ("(SELECT SUM(z) FROM (SELECT y AS z FROM B WHERE B.id > A.id UNION SELECT A.x FROM B) AS U)",
     [510, 320, 321, 30]),
    ("(SELECT COUNT(*) FROM B LEFT JOIN A AS C ON C.id = B.id AND C.x > A.x)", [4, 3, 3, 3]),
    ("(SELECT MAX(r) FROM (SELECT RANK() OVER (ORDER BY y) AS r FROM B WHERE y > A.x * 10) AS R)",
     [3, 2, 2, 1]),
]  # fmt: skip


def test_sub_queries_see_the_enclosing_row(spark: Spark) -> None:
    columns = ", ".join(sql for sql, _ in SUBQUERIES)
    rows = spark.rows(f"SELECT x, {columns} FROM A ORDER BY x", AB)
    wrong = {
        sql: (found, expected)
        for i, (sql, expected) in enumerate(SUBQUERIES)
        if (found := [row[i + 1] for row in rows]) != expected
    }
    assert not wrong


def test_a_scalar_sub_query_has_one_row(spark: Spark) -> None:
    assert spark.code("SELECT (SELECT id FROM B) FROM A", AB) == "SCALAR_SUBQUERY_ROWS"
    correlated = "SELECT (SELECT id FROM B WHERE B.y > A.x) FROM A"
    assert spark.code(correlated, AB) == "SCALAR_SUBQUERY_ROWS"


# --- order ------------------------------------------------------------------------------------


def test_order_by_puts_nulls_where_the_rule_says(spark: Spark) -> None:
    assert [r[0] for r in spark.rows("SELECT id FROM A ORDER BY id", AB)] == [1, 2, 2, None]
    assert [r[0] for r in spark.rows("SELECT id FROM A ORDER BY id DESC", AB)] == [None, 2, 2, 1]
    first = spark.rows("SELECT id FROM A ORDER BY id NULLS FIRST", AB)
    assert [r[0] for r in first] == [None, 1, 2, 2]


def test_limit_and_offset_keep_the_first_rows(spark: Spark) -> None:
    assert spark.rows("SELECT x FROM A ORDER BY x LIMIT 2", AB) == [(10,), (20,)]
    assert spark.rows("SELECT x FROM A ORDER BY x OFFSET 3 ROWS", AB) == [(30,)]
    assert spark.rows("SELECT x FROM A ORDER BY x LIMIT 0", AB) == []
    assert spark.rows("SELECT x FROM A LIMIT 2", AB) == [(10,), (20,)]
    ties = "SELECT id FROM A ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS WITH TIES"
    assert spark.rows(ties, AB) == [(2,), (2,)]


def test_an_inner_limit_is_by_the_inner_order(spark: Spark) -> None:
    rows = spark.rows(
        "SELECT SUM(x) FROM (SELECT x FROM A ORDER BY x DESC FETCH FIRST 2 ROWS ONLY) AS T", AB
    )
    assert rows == [(51,)]


@asked_by_core("orders-and-shipments-in-the-order-of-time")
def test_a_stream_comes_in_the_order_of_its_rowtime(spark: Spark) -> None:
    ddl = STREAM + STREAM.replace("STREAM S", "STREAM R")
    feed = {
        "S": [at("10:00:00", 1), at("10:02:00", 2)],
        "R": [at("10:01:00", 3), at("10:03:00", 4)],
    }
    rows = spark.rows("SELECT STREAM * FROM S UNION ALL SELECT STREAM * FROM R", ddl, feed)
    assert [row[1] for row in rows] == [1, 3, 2, 4]


# --- what must not reach Spark as text ----------------------------------------------------------

HOSTILE = ["a'b", 'a"b', "a`b", "$x ${y} %s {z}", "\\", "\\n'); DROP", "'; SELECT 1 --",
           "\u2028\x01", "*", "c0", "s", "\U0001f600", " ", ""]  # fmt: skip


def test_texts_come_back_as_they_went_in(spark: Spark) -> None:
    literals = ", ".join("'" + each.replace("'", "''") + "'" for each in HOSTILE)
    assert spark.values(*literals.split(", ")) == HOSTILE


def test_names_are_never_looked_at(spark: Spark) -> None:
    names = [each for each in HOSTILE if each.strip() and "\x01" not in each]
    quoted = ['"' + each.replace('"', '""') + '"' for each in names]
    ddl = f'CREATE TABLE "a`b" ({", ".join(f"{each} INTEGER" for each in quoted)});'
    numbers = tuple(range(len(names)))
    ddl += f'INSERT INTO "a`b" VALUES {numbers};'
    sums = ", ".join(f"SUM({each}) AS {each}" for each in quoted)
    assert spark.rows(f'SELECT {", ".join(quoted)} FROM "a`b"', ddl) == [numbers]
    assert spark.rows(f'SELECT {sums} FROM "a`b"', ddl) == [numbers]
