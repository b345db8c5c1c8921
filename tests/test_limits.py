"""What docs/limits.md says is bounded: at the bound and below it goes, above it is refused."""

from collections.abc import Callable, Sequence
from time import process_time

import pytest

import rowtime
from algebra.catalog import Profile
from algebra.prepare import prepare
from grammar.source import SqlError

STREAM = "CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, a INTEGER, t VARCHAR);\n"
HOUR = "FLOOR(rowtime TO HOUR)"


def listed(item: str, count: int) -> str:
    """``item`` with a number, so many times, between commas."""
    return ", ".join(item.replace("#", str(n)) for n in range(count))


def code(query: str, ddl: str = STREAM) -> str | None:
    """The code with which a query is refused; None: it is accepted."""
    try:
        prepare(ddl, query, Profile.CALCITE)
    except SqlError as error:
        return str(error.code)
    return None


def brackets(count: int) -> str:
    return f"SELECT STREAM {'(' * count}a{')' * count} AS a FROM S"


def cube(count: int) -> str:
    return f"SELECT STREAM {HOUR}, COUNT(*) FROM S GROUP BY {HOUR}, CUBE ({listed('a + #', count)})"


def branches(count: int) -> str:
    return " UNION ALL ".join(["SELECT STREAM a FROM S"] * count)


def doubled(count: int) -> str:
    """A chain of WITH queries that name the last one twice: 2^count SELECTs, and those above."""
    parts = ", ".join(
        f"v{n} AS (SELECT * FROM v{n - 1} UNION ALL SELECT * FROM v{n - 1})"
        for n in range(1, count + 1)
    )
    return f"WITH v0 AS (SELECT * FROM S), {parts} SELECT STREAM * FROM v{count}"


def number(digits: int) -> str:
    return f"SELECT STREAM {'9' * digits} AS n FROM S"


def precision(digits: int) -> str:
    return f"SELECT STREAM CAST(a AS DECIMAL({digits})) AS n FROM S"


def length(characters: int) -> str:
    return f"SELECT STREAM CAST(t AS VARCHAR({characters})) AS t FROM S"


@pytest.mark.parametrize(
    ("query", "most", "refused"),
    [
        (brackets, 128, "TOO_DEEP"),
        (number, 38, "BAD_LITERAL"),
        (precision, 38, "NOT_SUPPORTED"),
        (length, 16_777_216, "NOT_SUPPORTED"),
        (cube, 10, "NOT_SUPPORTED"),
    ],
)
def test_a_statement_is_refused_above_its_limit(
    query: Callable[[int], str], most: int, refused: str
) -> None:
    assert code(query(most - 1)) is None
    assert code(query(most)) is None
    assert code(query(most + 1)) == refused


def test_queries_that_double_are_refused_before_they_fill_the_memory() -> None:
    assert code(doubled(4)) is None
    assert code(doubled(40)) == "NOT_SUPPORTED"
    views = "".join(
        f"CREATE VIEW v{n} AS SELECT * FROM v{n - 1} UNION ALL SELECT * FROM v{n - 1};"
        for n in range(1, 40)
    )
    ddl = f"{STREAM}CREATE VIEW v0 AS SELECT * FROM S;{views}"
    assert code("SELECT STREAM * FROM v3", ddl) == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("query", "ddl"),
    [
        (f"SELECT STREAM '{'a' * 1_000_000}' AS t FROM S", STREAM),
        (f"SELECT STREAM a FROM S{' ' * 1_000_000}/*{'*' * 1_000_000}*/", STREAM),
        (f"SELECT STREAM {listed('a + # AS c#', 1_000)} FROM S", STREAM),
        (
            "SELECT STREAM * FROM W",
            f"CREATE STREAM W (rowtime TIMESTAMP(3) ASCENDING, {listed('c# INTEGER', 1_000)})",
        ),
        (f"SELECT STREAM * FROM S WHERE a IN ({listed('#', 1_000)})", STREAM),
        (
            f"SELECT STREAM {HOUR}, COUNT(*) FROM S GROUP BY {HOUR}, {listed('a + #', 300)}",
            STREAM,
        ),
        (branches(50), STREAM),
    ],
    ids=["text", "comment", "items", "columns", "list", "keys", "branches"],
)
def test_what_has_no_limit_may_be_great(query: str, ddl: str) -> None:
    assert code(query, ddl) is None


@pytest.mark.parametrize(
    "query",
    [
        f"SELECT {'9' * 1_000_000} AS c FROM T",
        f"SELECT {listed('SUM(n + #) AS c#', 3_000)} FROM T",
        f"SELECT n FROM T ORDER BY {listed('n + #', 3_000)}",
    ],
    ids=["a number of a million digits", "3,000 aggregates", "3,000 sort keys"],
)
def test_a_long_statement_is_bound_in_seconds(query: str) -> None:
    """The time is the processor's; it grew as the square of the length, to 20 s and more."""
    before = process_time()
    code(query, "CREATE TABLE T (n INTEGER);\n")
    assert process_time() - before < 5


def times(values: Sequence[str]) -> list[str | None]:
    """The codes of bounds that a producer sets, one after the other; None: it is accepted."""
    found: list[str | None] = []
    with rowtime.connect() as db:
        db.executescript(STREAM)
        producer = db.prepare("INSERT INTO S VALUES (?, ?, ?)")
        for each in values:
            try:
                producer.set_rowtime_bound(each)
                found.append(None)
            except rowtime.Error as error:
                found.append(str(error).partition(":")[0])
    return found


def test_a_bound_is_at_most_the_end_of_the_year_9999() -> None:
    first, last, beyond = times(
        ["0001-01-01 00:00:00", "9999-12-31 23:59:59.999", "10000-01-01 00:00:00"]
    )
    assert (first, last) == (None, None)
    assert beyond is not None


def test_a_stream_has_hundreds_of_producers() -> None:
    with rowtime.connect() as db:
        db.executescript(STREAM)
        rows = db.execute("SELECT STREAM a FROM S")
        producers = [db.prepare("INSERT INTO S VALUES (?, ?, ?)") for _ in range(200)]
        for n, each in enumerate(producers):
            each.execute(("2026-01-01 00:00:00", n, None))
        for each in producers:
            each.set_rowtime_bound("2026-01-01 00:00:01")
        assert sorted(rows.fetch_available()) == [(n,) for n in range(200)]
