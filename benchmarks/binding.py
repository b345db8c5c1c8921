"""The time until the first row of a query can arrive: to bind it, and to lower it to operators.

    python -m benchmarks.binding

A line for each number of streams that are joined, and of branches of a UNION ALL: milliseconds of
CPU, medians of five.  The row of each joined stream is at most an hour after the row of the first
stream.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Final

from algebra.catalog import Profile
from algebra.prepare import Prepared, prepare
from reference.engine.session import Session

REPETITIONS: Final = 5
JOINED: Final = (4, 10, 14, 20)
BRANCHES: Final = (4, 16, 64)


def joins(streams: int) -> tuple[str, str]:
    """The declarations of ``streams`` streams, and a query that joins them."""
    ddl = "".join(
        f"CREATE STREAM S{n} (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);"
        for n in range(streams)
    )
    joined = " ".join(
        f"JOIN S{n} ON S0.k = S{n}.k "
        f"AND S{n}.rowtime BETWEEN S0.rowtime AND S0.rowtime + INTERVAL '1' HOUR"
        for n in range(1, streams)
    )
    return ddl, f"SELECT STREAM S0.rowtime, S0.k FROM S0 {joined}"


def union(branches: int) -> tuple[str, str]:
    """The declaration of a stream, and a query that unites it with itself."""
    ddl = "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER);"
    return ddl, " UNION ALL ".join(["SELECT STREAM rowtime, k FROM S"] * branches)


def measured(ddl: str, sql: str) -> tuple[float, float]:
    """Milliseconds to bind a query, and to lower it."""
    began = time.process_time()
    prepared: Prepared = prepare(ddl, sql, Profile.CALCITE)
    bound = time.process_time()
    Session(prepared)
    return 1_000 * (bound - began), 1_000 * (time.process_time() - bound)


def lines() -> Iterator[str]:
    """The table, line by line."""
    queries: list[tuple[str, Callable[[int], tuple[str, str]], tuple[int, ...]]] = [
        ("joined streams", joins, JOINED),
        ("branches of UNION ALL", union, BRANCHES),
    ]
    measured(*joins(2))  # modules that are imported late are imported here
    yield f"{'what':>24} {'number':>6} {'bind ms':>8} {'lower ms':>8}"
    for what, query, numbers in queries:
        for number in numbers:
            found = [measured(*query(number)) for _ in range(REPETITIONS)]
            bind, lower = (median(each) for each in zip(*found, strict=True))
            yield f"{what:>24} {number:>6} {bind:>8.0f} {lower:>8.0f}"


def main() -> None:
    """Print the table."""
    for line in lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
