"""INSERT EXPEDITED in batches against INSERT: CPU time of 10,000 rows, in memory and in a file.

A standing statement counts the rows by the second and by key. Each way is run five times, in turn;
the printed numbers are medians.

    python benchmarks/expedited.py [memory|file]
"""

import statistics
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import rowtime

ROWS: Final = 10_000
BATCH: Final = 500
ROUNDS: Final = 5
WAYS: Final = ("INSERT", "INSERT EXPEDITED")


def seconds(way: str, path: Path | None) -> float:
    """The CPU time of writing all rows in batches of `executemany`."""
    start = datetime(2026, 1, 1)
    rows = [(start + timedelta(milliseconds=10 * n), n % 50, n) for n in range(ROWS)]
    with rowtime.connect(path) as connection:
        connection.executescript(
            "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, v INTEGER); "
            "CREATE TABLE T (k INTEGER, c BIGINT)"
        )
        connection.execute(
            "INSERT INTO T SELECT STREAM k, COUNT(*) FROM S GROUP BY FLOOR(rowtime TO SECOND), k"
        )
        with connection.prepare(f"{way} INTO S VALUES (?, ?, ?)") as insert:
            began = time.process_time()
            for first in range(0, ROWS, BATCH):
                insert.executemany(rows[first : first + BATCH])
            return time.process_time() - began


def main() -> None:
    """Print a line for each place."""
    for place in sys.argv[1:] or ("memory", "file"):
        taken: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(ROUNDS):
            for way in WAYS:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "file.db" if place == "file" else None
                    taken[way].append(seconds(way, path))
        one, batch = (statistics.median(taken[way]) for way in WAYS)
        print(f"{place}: {one:.2f} s one by one, {batch:.2f} s expedited: {one / batch:.1f} times")


if __name__ == "__main__":
    main()
