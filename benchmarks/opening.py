"""Opening a file of the embedded engine: its size and the CPU time, with and without checkpoints.

A standing statement counts rows by the second and key, another keeps running totals, and the
stream has a history of ten minutes, which is 6,000 rows; more and more rows pass.

    python benchmarks/opening.py [ROWS …]
"""

import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import rowtime
from rowtime.database import journal

BATCH: Final = 100
#: More bytes than the events of any run.
NEVER: Final = 1 << 60


def fill(path: Path, rows: int) -> float:
    """Let rows pass in batches; the CPU time."""
    start = datetime(2026, 1, 1)
    with rowtime.connect(path) as connection:
        connection.executescript(
            "CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, k INTEGER, v INTEGER) "
            "WITH HISTORY INTERVAL '10' MINUTE; "
            "CREATE TABLE T (rowtime TIMESTAMP(3), k INTEGER PRIMARY KEY, c BIGINT); "
            "CREATE TABLE U (k INTEGER PRIMARY KEY, c BIGINT)"
        )
        connection.execute(
            "UPSERT INTO T SELECT STREAM FLOOR(rowtime TO SECOND), k, COUNT(*) FROM S "
            "GROUP BY FLOOR(rowtime TO SECOND), k"
        )
        connection.execute(
            "UPSERT INTO U SELECT STREAM k, SUM(v) OVER (PARTITION BY k ORDER BY rowtime "
            "ROWS UNBOUNDED PRECEDING) FROM S"
        )
        began = time.process_time()
        with connection.prepare("INSERT EXPEDITED INTO S VALUES (?, ?, ?)") as insert:
            for first in range(0, rows, BATCH):
                insert.executemany(
                    [
                        (start + timedelta(milliseconds=100 * n), n % 50, n)
                        for n in range(first, first + BATCH)
                    ]
                )
        return time.process_time() - began


def main() -> None:
    """Print a line for each number of rows and way."""
    least = journal.LEAST
    for rows in map(int, sys.argv[1:] or ("10000", "100000")):
        for way, bytes_of_events in (("checkpoints", least), ("all events", NEVER)):
            with tempfile.TemporaryDirectory() as folder:
                journal.LEAST = bytes_of_events
                path = Path(folder) / "file.db"
                filled = fill(path, rows)
                began = time.process_time()
                rowtime.connect(path).close()
                opened = time.process_time() - began
                size = path.stat().st_size / 2**20
            print(
                f"{rows:,} rows, {way}: written in {filled:.1f} s, {size:.1f} MiB, "
                f"opened in {opened:.2f} s"
            )


if __name__ == "__main__":
    main()
