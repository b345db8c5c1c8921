"""A grouped sum in micro-batches: EMIT CHANGES on Spark, next to Spark's own update mode.

``python -m benchmarks.changes_spark --rows 1000000 --batches 10`` prints the seconds of each
micro-batch of both, in one session of Spark: by the clock, and of CPU time in this process and in
those that it has started, such as Java.  Both read the same rows, and both give their changes to
this process, which compares the sums at the end.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

from pyspark.sql import DataFrame, Row
from pyspark.sql.functions import sum as total

from spark_backend.runtime.session import spark_session
from spark_backend.stream.backend import SparkStreamBackend
from tck.protocol import Accepted, Open, Rows

DDL: Final = "CREATE STREAM R (k INTEGER, v INTEGER)"
SQL: Final = "SELECT STREAM k, SUM(v) AS s FROM R GROUP BY k EMIT CHANGES"
KEYS: Final = 1_000

Batch: TypeAlias = Sequence[tuple[int, int]]
#: The sum of each key so far.
Sums: TypeAlias = dict[int, int]
#: The seconds of a micro-batch, its seconds of CPU time, and the number of its changes.
Measured: TypeAlias = tuple[float, float, int]


def cpu_seconds() -> float:
    """The CPU time so far of this process and of its descendants that still run (on Linux)."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            fields = path.read_text().rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(fields[1])
            ticks[int(path.parent.name)] = int(fields[11]) + int(fields[12])
    found, family = 0, {os.getpid()}
    while family:
        found += sum(ticks.get(each, 0) for each in family)
        family = {child for child, parent in parents.items() if parent in family}
    return found / os.sysconf("SC_CLK_TCK")


def drawn(rows: int, batches: int) -> Iterator[Batch]:
    """The rows of each micro-batch: random keys and numbers, the same in each call."""
    draw, size = random.Random(40), rows // batches
    for _ in range(batches):
        yield [(draw.randrange(KEYS), draw.randrange(1_000)) for _ in range(size)]


def changelog(batches: Iterable[Batch], sums: Sums) -> Iterator[Measured]:
    """The seconds of each micro-batch of our backend, and its changes."""
    backend = SparkStreamBackend()
    backend.start()
    assert isinstance(backend.open(Open(DDL, SQL)), Accepted)
    for batch in batches:
        start, used = time.perf_counter(), cpu_seconds()
        backend.feed(Rows("R", tuple(batch)))
        output = backend.poll()
        seconds, used = time.perf_counter() - start, cpu_seconds() - used
        for row, weight in zip(output.rows, output.weights, strict=True):
            if weight > 0:
                sums[int(str(row[0]))] = int(str(row[1]))
        yield seconds, used, len(output.rows)
    backend.close()


def update_mode(batches: Iterable[Batch], sums: Sums) -> Iterator[Measured]:
    """The seconds of each micro-batch of Structured Streaming, and the rows that it updates."""
    folder = Path(tempfile.mkdtemp())
    (folder / "in").mkdir()
    rows = spark_session().readStream.schema("k INT, v INT").json(str(folder / "in"))
    changed: list[list[Row]] = []

    def take(batch: DataFrame, _: int) -> None:
        changed.append(batch.collect())

    summed = rows.groupBy("k").agg(total("v").alias("s"))
    writer = summed.writeStream.outputMode("update").foreachBatch(take)
    running = writer.option("checkpointLocation", str(folder / "out")).start()
    for number, batch in enumerate(batches):
        text = "".join(json.dumps({"k": k, "v": v}) + "\n" for k, v in batch)
        start, used = time.perf_counter(), cpu_seconds()
        (folder / "row.json").write_text(text)
        (folder / "row.json").rename(folder / "in" / f"{number}.json")
        running.processAllAvailable()
        seconds, used = time.perf_counter() - start, cpu_seconds() - used
        sums |= {row["k"]: row["s"] for row in changed[-1]}
        yield seconds, used, len(changed[-1])
    running.stop()


def main() -> None:
    """Print both, and the ratio of their sums without the first micro-batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--batches", type=int, default=10)
    given = parser.parse_args()
    our_sums: Sums = {}
    their_sums: Sums = {}
    ours = list(changelog(drawn(given.rows, given.batches), our_sums))
    theirs = list(update_mode(drawn(given.rows, given.batches), their_sums))
    assert our_sums == their_sums, "both have the same sums"
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True), 1):
        print(
            f"{number:3}: EMIT CHANGES {a[0]:6.2f} s ({a[1]:6.2f} s of CPU), {a[2]:,} changes; "
            f"update {b[0]:6.2f} s ({b[1]:6.2f} s of CPU), {b[2]:,} rows"
        )
    for place, kind in enumerate(("time", "CPU time")):
        sums = [sum(each[place] for each in batches[1:]) for batches in (ours, theirs)]
        print(f"ratio without the first: {sums[0] / sums[1]:.2f} of update mode's {kind}")


if __name__ == "__main__":
    main()
