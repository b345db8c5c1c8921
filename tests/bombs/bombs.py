# ruff: noqa: E501  # each query is on one line
"""Queries that grow: each with its tables, its rows, and a text that is long, deep or dear."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, TypeAlias

Rows: TypeAlias = Sequence[Sequence[object]]

STREAM: Final = (
    "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, t VARCHAR) WITH HISTORY"
)
OTHER: Final = STREAM.replace("STREAM S", "STREAM R")
TABLE: Final = "CREATE TABLE T (n INTEGER, t VARCHAR)"
START: Final = datetime(2026, 1, 1)


@dataclass(frozen=True, slots=True)
class Bomb:
    """A query over tables and streams that have rows; the streams end after their last row."""

    name: str
    query: str
    ddl: Sequence[str] = (STREAM, TABLE)
    rows: Mapping[str, Rows] = field(default_factory=dict[str, Rows])

    @property
    def is_streaming(self) -> bool:
        """Whether the query is a streaming query."""
        return "SELECT STREAM" in self.query

    @property
    def columns(self) -> Mapping[str, Sequence[str]]:
        """The tables and streams, each with the names of its columns."""
        words = [each.split(maxsplit=3) for each in self.ddl]
        declared = [each for each in words if each[1] != "VIEW"]
        return {w[2]: [c.split()[0] for c in w[3][1:].split(",")] for w in declared}

    @property
    def tables(self) -> AbstractSet[str]:
        """The names of the tables."""
        return {each.split()[2] for each in self.ddl if each.startswith("CREATE TABLE")}


def events(count: int, step: timedelta = timedelta(seconds=1), keys: int = 1) -> Rows:
    """Rows of a stream, one a step."""
    return [(f"{START + n * step:%Y-%m-%d %H:%M:%S}", n % keys, "x") for n in range(count)]


def numbers(count: int) -> Rows:
    """Rows of the table."""
    return [(n, "x") for n in range(count)]


def listed(item: str, count: int, between: str = ", ") -> str:
    """``item`` with each number in place of ``#``."""
    return between.join(item.replace("#", str(n)) for n in range(count))


def _nested(before: str, after: str, count: int) -> str:
    return f"SELECT {before * count}n{after * count} AS c FROM T"


def _views(count: int) -> Sequence[str]:
    views = [
        f"CREATE VIEW v{n} AS SELECT a.n FROM v{n - 1} AS a JOIN v{n - 1} AS b ON a.n = b.n"
        for n in range(1, count)
    ]
    return (TABLE, "CREATE VIEW v0 AS SELECT n FROM T", *views)


def _chain(count: int) -> Sequence[str]:
    views = [f"CREATE VIEW v{n} AS SELECT n + 1 AS n FROM v{n - 1}" for n in range(1, count)]
    return (TABLE, "CREATE VIEW v0 AS SELECT n FROM T", *views)


def _window(name: str, step: str, size: str) -> str:
    window = f"{name}(TABLE S, DESCRIPTOR(rowtime), INTERVAL {step}, INTERVAL {size})"
    return f"SELECT window_end AS e, COUNT(*) AS c FROM TABLE({window}) GROUP BY window_end"


COLUMNS: Final = 10_000
WIDE: Final = f"CREATE TABLE W ({listed('c# INTEGER', COLUMNS)})"
DEEP: Final = 100_000
CHANGES: Final = "CREATE STREAM C (k INTEGER, v INTEGER) WITH CHANGES"

TEXTS: Final = (
    Bomb("brackets", _nested("(", ")", DEEP)),
    Bomb("negations", _nested("- ", "", DEEP)),
    Bomb("not", "SELECT n FROM T WHERE " + "NOT " * DEEP + "n = 1"),
    Bomb("functions", _nested("ABS(", ")", DEEP)),
    Bomb("casts", _nested("CAST(", " AS INTEGER)", DEEP)),
    Bomb("subqueries", "SELECT * FROM " + "(SELECT * FROM " * 20_000 + "T" + ")" * 20_000),
    Bomb("sum of 20,000", "SELECT " + "n + " * 20_000 + "n AS c FROM T", rows={"T": numbers(3)}),
    Bomb("AND of 20,000", "SELECT n FROM T WHERE " + listed("n <> #", 20_000, " AND ")),
    Bomb("UNION of 5,000", listed("SELECT n FROM T", 5_000, " UNION ALL ")),
    Bomb("JOIN of 2,000", "SELECT a0.n FROM " + listed("T AS a#", 2_000)),
    Bomb(
        "CASE of 10,000",
        f"SELECT CASE n {listed('WHEN # THEN #', 10_000, ' ')} END AS c FROM T",
        rows={"T": numbers(100)},
    ),
    Bomb(
        "CASE of 10,000 conditions",
        f"SELECT CASE {listed('WHEN n = # THEN #', 10_000, ' ')} END AS c FROM T",
        rows={"T": numbers(100)},
    ),
    Bomb(
        "IN of 100,000",
        f"SELECT n FROM T WHERE n IN ({listed('#', 100_000)})",
        rows={"T": numbers(100)},
    ),
    Bomb(
        "IN of 100,000, streaming",
        f"SELECT STREAM k FROM S WHERE k IN ({listed('#', 100_000)})",
        rows={"S": events(100)},
    ),
    Bomb(
        "VALUES of 100,000", f"SELECT COUNT(*) AS c FROM (VALUES {listed('(#)', 100_000)}) AS v (n)"
    ),
    Bomb(
        "COALESCE of 10,000",
        f"SELECT COALESCE({listed('n', 10_000)}) AS c FROM T",
        rows={"T": numbers(9)},
    ),
    Bomb("10,000 items", f"SELECT {listed('n + # AS c#', COLUMNS)} FROM T", rows={"T": numbers(3)}),
    Bomb(
        "10,000 aggregates",
        f"SELECT {listed('SUM(n + #) AS c#', COLUMNS)} FROM T",
        rows={"T": numbers(3)},
    ),
    Bomb(
        "1,000 windows",
        f"SELECT {listed('SUM(n) OVER (ORDER BY n ROWS # PRECEDING) AS c#', 1_000)} FROM T",
        rows={"T": numbers(10)},
    ),
    Bomb(
        "2,000 keys",
        f"SELECT COUNT(*) AS c FROM T GROUP BY {listed('n + #', 2_000)}",
        rows={"T": numbers(10)},
    ),
    Bomb(
        "10,000 sort keys",
        f"SELECT n FROM T ORDER BY {listed('n + #', 10_000)}",
        rows={"T": numbers(10)},
    ),
    Bomb("wide table", "SELECT * FROM W", (WIDE,), {"W": [range(COLUMNS)] * 3}),
    Bomb(
        "wide table twice",
        "SELECT * FROM W AS a CROSS JOIN W AS b",
        (WIDE,),
        {"W": [range(COLUMNS)] * 3},
    ),
    Bomb(
        "wide table, one column",
        f"SELECT c{COLUMNS - 1} AS c FROM W",
        (WIDE,),
        {"W": [range(COLUMNS)] * 3},
    ),
    Bomb(
        "GROUP BY CUBE of 20", f"SELECT COUNT(*) AS c FROM T GROUP BY CUBE ({listed('n + #', 20)})"
    ),
    Bomb("views, doubled 30 times", "SELECT * FROM v29", _views(30)),
    Bomb("views, a chain of 500", "SELECT * FROM v499", _chain(500)),
    Bomb(
        "WITH, a chain of 1,000",
        "WITH v0 AS (SELECT n FROM T), "
        + listed("v@ AS (SELECT n FROM v#)", 1_000).replace("@", "x")
        + " SELECT * FROM v0",
    ),
    Bomb("a number of 1,000,000 digits", f"SELECT {'9' * 1_000_000} AS c FROM T"),
    Bomb("1E1000000000", "SELECT 1E1000000000 AS c FROM T", rows={"T": numbers(1)}),
    Bomb(
        "a name of 1,000,000 characters",
        f"SELECT n AS {'a' * 1_000_000} FROM T",
        rows={"T": numbers(1)},
    ),
    Bomb("an error in a line of 1,000,000 characters", f"SELECT '{'a' * 1_000_000}', FROM T"),
    Bomb("1,000,000 statements", "SELECT n FROM T" + ";" * 1_000_000),
    Bomb("comments, nested", "/*" * DEEP + "*/" * DEEP + " SELECT n FROM T"),
)

ROWS: Final = (
    Bomb(
        "cross join of 2,000 rows, twice",
        "SELECT COUNT(*) AS c FROM T AS a, T AS b",
        rows={"T": numbers(2_000)},
    ),
    Bomb(
        "cross join of 100 rows, four times",
        "SELECT COUNT(*) AS c FROM T AS a, T AS b, T AS c, T AS d",
        rows={"T": numbers(100)},
    ),
    Bomb(
        "cross join, all rows", "SELECT * FROM T AS a, T AS b, T AS c", rows={"T": numbers(1_000)}
    ),
    Bomb(
        "LIKE with 20 wildcards",
        "SELECT COUNT(*) AS c FROM T WHERE t LIKE '" + "%x" * 20 + "%y'",
        rows={"T": [(1, "x" * 100_000)]},
    ),
    Bomb(
        "SIMILAR (x|x)*y",
        "SELECT COUNT(*) AS c FROM T WHERE t SIMILAR TO '(x|x)*y'",
        rows={"T": [(1, "x" * 20_000)]},
    ),
    Bomb(
        "SIMILAR ((x*)*)*y",
        "SELECT COUNT(*) AS c FROM T WHERE t SIMILAR TO '((x*)*)*y'",
        rows={"T": [(1, "x" * 20_000)]},
    ),
    Bomb(
        "SIMILAR x{1,400}{1,2}",
        "SELECT COUNT(*) AS c FROM T WHERE t SIMILAR TO '(x{1,400}){1,2}y'",
        rows={"T": [(1, "x" * 20_000)]},
    ),
    Bomb(
        "SIMILAR x{1,1000000000}",
        "SELECT COUNT(*) AS c FROM T WHERE t SIMILAR TO 'x{1,1000000000}'",
        rows={"T": [(1, "x")]},
    ),
    Bomb(
        "LISTAGG of 64 MB",
        "SELECT CHAR_LENGTH(LISTAGG(LPAD('x', 1000000))) AS c FROM T",
        rows={"T": numbers(64)},
    ),
    Bomb(
        "LISTAGG in a running window",
        "SELECT n, CHAR_LENGTH(LISTAGG(t) OVER (ORDER BY n)) AS c FROM T",
        rows={"T": numbers(5_000)},
    ),
    Bomb(
        "texts doubled 40 times",
        "SELECT CHAR_LENGTH(c) AS c FROM (SELECT "
        + "REPLACE(" * 40
        + "'x'"
        + ", 'x', 'xx')" * 40
        + " AS c FROM T) AS d",
        rows={"T": numbers(1)},
    ),
    Bomb(
        "LPAD of 2^31",
        "SELECT CHAR_LENGTH(LPAD('x', 2147483647)) AS c FROM T",
        rows={"T": numbers(1)},
    ),
    Bomb("POWER(1E300, 1E300)", "SELECT POWER(1E300, 1E300) AS c FROM T", rows={"T": numbers(1)}),
    Bomb("STDDEV of 1E308", "SELECT STDDEV_POP(n * 1E298) AS c FROM T", rows={"T": numbers(5_000)}),
    Bomb(
        "TUMBLE of 1 ms over 100 years",
        _window("TUMBLE", "'0.001' SECOND", "'0.001' SECOND").replace(
            ", INTERVAL '0.001' SECOND)", ")"
        ),
        rows={"S": events(1_000, timedelta(days=36))},
    ),
    Bomb(
        "HOP by 1 ms over a year",
        "SELECT COUNT(*) AS c FROM S GROUP BY HOP(rowtime, INTERVAL '0.001' SECOND, INTERVAL '365' DAY)",
        rows={"S": events(1)},
    ),
    Bomb(
        "HOP by 1 ms over a year, as a table",
        _window("HOP", "'0.001' SECOND", "'365' DAY"),
        rows={"S": events(1)},
    ),
    Bomb(
        "HOP by 1 ms, streaming",
        "SELECT STREAM COUNT(*) AS c FROM S GROUP BY HOP(rowtime, INTERVAL '0.001' SECOND, INTERVAL '365' DAY)",
        rows={"S": events(10)},
    ),
    Bomb(
        "HOP by 1 s over a day, 200 rows",
        "SELECT COUNT(*) AS c FROM S GROUP BY HOP(rowtime, INTERVAL '1' SECOND, INTERVAL '1' DAY)",
        rows={"S": events(200)},
    ),
    Bomb(
        "HOP by 1 s over a day, streaming",
        "SELECT STREAM COUNT(*) AS c FROM S GROUP BY HOP(rowtime, INTERVAL '1' SECOND, INTERVAL '1' DAY)",
        rows={"S": events(200)},
    ),
    Bomb(
        "CUMULATE by 1 ms to a year",
        _window("CUMULATE", "'0.001' SECOND", "'365' DAY"),
        rows={"S": events(1)},
    ),
    Bomb(
        "CUMULATE by 1 ms, streaming",
        _window("CUMULATE", "'0.001' SECOND", "'365' DAY").replace("SELECT", "SELECT STREAM"),
        rows={"S": events(1)},
    ),
    Bomb(
        "sessions that all join",
        "SELECT COUNT(*) AS c FROM S GROUP BY SESSION(rowtime, INTERVAL '1' HOUR), k",
        rows={"S": events(20_000)},
    ),
    Bomb(
        "sessions, streaming",
        "SELECT STREAM SESSION_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM S GROUP BY SESSION(rowtime, INTERVAL '1' HOUR), k",
        rows={"S": events(10_000, keys=5_000)},
    ),
    Bomb(
        "sessions by changes",
        "SELECT STREAM k, COUNT(*) AS c FROM S GROUP BY SESSION(rowtime, INTERVAL '1' HOUR), k EMIT CHANGES",
        rows={"S": events(3_000)},
    ),
    Bomb(
        "retractions of a running sum",
        "SELECT STREAM COUNT(*) AS c, SUM(k) AS s, MEDIAN(k) AS m FROM S EMIT CHANGES",
        rows={"S": events(5_000, keys=100)},
    ),
    Bomb(
        "retractions of a join with all",
        "SELECT STREAM a.k FROM (SELECT COUNT(*) AS k FROM S) AS a JOIN S AS b ON a.k >= b.k EMIT CHANGES",
        rows={"S": events(1_000, keys=100)},
    ),
    Bomb(
        "retractions of a ranking",
        "SELECT STREAM k, rowtime FROM S QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY rowtime DESC) <= 100 EMIT CHANGES",
        rows={"S": events(5_000, keys=2)},
    ),
    Bomb(
        "ASOF of 20,000",
        "SELECT COUNT(*) AS c FROM S LEFT ASOF JOIN R MATCH_CONDITION (S.rowtime >= R.rowtime) ON S.k = R.k",
        (STREAM, OTHER),
        {"S": events(20_000), "R": events(20_000)},
    ),
    Bomb(
        "ASOF, streaming",
        "SELECT STREAM S.k FROM S LEFT ASOF JOIN R MATCH_CONDITION (S.rowtime >= R.rowtime) ON S.k = R.k",
        (STREAM, OTHER),
        {"S": events(5_000), "R": events(5_000)},
    ),
    Bomb(
        "interval join, one key",
        "SELECT STREAM S.rowtime FROM S JOIN R ON S.k = R.k AND S.rowtime BETWEEN R.rowtime - INTERVAL '1' DAY AND R.rowtime + INTERVAL '1' DAY",
        (STREAM, OTHER),
        {"S": events(1_000), "R": events(1_000)},
    ),
    Bomb(
        "QUALIFY of 20,000",
        "SELECT n FROM T QUALIFY ROW_NUMBER() OVER (ORDER BY n DESC) = 1",
        rows={"T": numbers(20_000)},
    ),
    Bomb(
        "a frame of all rows",
        "SELECT n, MEDIAN(n) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS m FROM T",
        rows={"T": numbers(5_000)},
    ),
    Bomb(
        "a running median",
        "SELECT n, MEDIAN(n) OVER (ORDER BY n) AS m FROM T",
        rows={"T": numbers(5_000)},
    ),
    Bomb(
        "running distinct counts",
        "SELECT n, COUNT(DISTINCT n) OVER (ORDER BY n ROWS 1000 PRECEDING) AS m FROM T",
        rows={"T": numbers(5_000)},
    ),
    Bomb(
        "correlated subquery",
        "SELECT n, (SELECT COUNT(*) FROM T AS b WHERE b.n < a.n) AS c FROM T AS a",
        rows={"T": numbers(1_500)},
    ),
    Bomb(
        "NOT IN",
        "SELECT COUNT(*) AS c FROM T AS a WHERE n NOT IN (SELECT n + 100000 FROM T)",
        rows={"T": numbers(5_000)},
    ),
    Bomb("EXCEPT ALL", "SELECT n FROM T EXCEPT ALL SELECT n FROM T", rows={"T": numbers(20_000)}),
    Bomb(
        "a frame of 1 ms over a year",
        "SELECT STREAM SUM(k) OVER (ORDER BY rowtime RANGE INTERVAL '365' DAY PRECEDING) AS s FROM S",
        rows={"S": events(10_000)},
    ),
    Bomb(
        "ORDER BY with slack", "SELECT STREAM * FROM S ORDER BY rowtime", rows={"S": events(20_000)}
    ),
)

BOMBS: Final = {bomb.name: bomb for bomb in (*TEXTS, *ROWS)}
