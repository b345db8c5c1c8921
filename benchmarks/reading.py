"""The CPU time of reading files: ``python -m benchmarks.reading [--rows N]``.

It makes four files of N rows (1,000,000 unless it is named): few columns with ten rows a second,
few columns with a row in 37 seconds, twenty columns, and the first of them as Parquet.  For each it
prints the CPU seconds of a loop over the `csv` module with a dictionary, of `rowtime run` with a
count by minute (of the sparse rows by day), and their ratio.  Then it prints those of SELECT * to
CSV, and of 100,000 rows that are inserted into a stream and into a table.  All processes run one
after the other.
"""

import argparse
import csv
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import rowtime

START: Final = datetime(2026, 1, 1)
INSERTED: Final = 100_000
#: The units by which rows are counted, with the characters of a time that a loop counts by.
_UNITS: Final = {"MINUTE": 16, "DAY": 10}
_COLUMNS: Final = "rowtime TIMESTAMP(3) NOT NULL ASCENDING, id INTEGER, name VARCHAR(10), v DOUBLE"


def rows(count: int, step: timedelta, more: int) -> Iterable[list[object]]:
    """Rows of a time, an integer, a name and a number, and of ``more`` further integers."""
    for i in range(count):
        time = (START + i * step).isoformat(" ", "milliseconds")
        yield [time, i * 7919 % 1000, f"n{i % 50}", (i % 977) / 7, *range(i, i + more)]


def write(path: Path, count: int, step: timedelta, more: int = 0) -> str:
    """Write a file; its declaration."""
    names = [f"c{i}" for i in range(more)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["rowtime", "id", "name", "v", *names])
        writer.writerows(rows(count, step, more))
    return f"CREATE STREAM X ({_COLUMNS}{''.join(f', {name} INTEGER' for name in names)});"


def write_parquet(path: Path, of: Path) -> None:
    """Write the rows of a CSV file as Parquet."""
    arrow: Any = import_module("pyarrow")  # it has no types
    csv_module: Any = import_module("pyarrow.csv")
    parquet: Any = import_module("pyarrow.parquet")
    types = {"rowtime": arrow.timestamp("ms"), "id": arrow.int32()}
    options = csv_module.ConvertOptions(column_types=types)
    parquet.write_table(csv_module.read_csv(of, convert_options=options), path)


def counted(unit: str) -> str:
    """The query that counts rows by a unit of time."""
    return (
        f"SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' {unit}) AS rowtime, COUNT(*) AS c "
        f"FROM X GROUP BY TUMBLE(rowtime, INTERVAL '1' {unit})"
    )


def looped(path: Path, width: int) -> None:
    """Count the rows of each time, cut to ``width`` characters, with a dictionary."""
    counts: dict[str, int] = {}
    with path.open(newline="") as file:
        records = csv.reader(file)
        next(records)
        for record in records:
            unit = record[0][:width]
            counts[unit] = counts.get(unit, 0) + 1


def cpu_of_loop(path: Path, width: int) -> float:
    """The CPU seconds of the loop."""
    start = time.process_time()
    looped(path, width)
    return time.process_time() - start


def cpu_of_run(ddl: Path, data: Path, query: str, to: Path) -> float:
    """The CPU seconds of `rowtime run`, with its start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "rowtime", "run", "--ddl", str(ddl)]
    subprocess.run([*command, "--data", f"X={data}", "-o", str(to), query], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of_inserts(create: str, insert: str) -> float:
    """The CPU seconds of an executemany of 100,000 rows."""
    values = [(START + timedelta(seconds=i), i, "x") for i in range(INSERTED)]
    with rowtime.connect() as db:
        db.execute(create)
        start = time.process_time()
        db.cursor().executemany(insert, values)
        return time.process_time() - start


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    count: int = parser.parse_args().rows
    with TemporaryDirectory() as folder:
        files: dict[str, Callable[[Path], str]] = {
            "dense": lambda path: write(path, count, timedelta(milliseconds=100)),
            "sparse": lambda path: write(path, count, timedelta(seconds=37)),
            "twenty columns": lambda path: write(path, count, timedelta(milliseconds=100), 16),
        }
        to, ddl = Path(folder) / "out.csv", Path(folder) / "x.sql"
        for name, make in files.items():
            path = Path(folder) / f"{name.partition(' ')[0]}.csv"
            ddl.write_text(make(path))
            unit = "DAY" if name == "sparse" else "MINUTE"
            loop = cpu_of_loop(path, _UNITS[unit])
            run = cpu_of_run(ddl, path, counted(unit), to)
            print(f"{name}: loop {loop:.2f} s, rowtime {run:.2f} s, ratio {run / loop:.1f}")
        ddl.write_text(f"CREATE STREAM X ({_COLUMNS});")
        dense, packed = Path(folder) / "dense.csv", Path(folder) / "dense.parquet"
        write_parquet(packed, dense)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"so far at most {most} MiB")
        run = cpu_of_run(ddl, packed, counted("MINUTE"), to)
        print(f"Parquet: rowtime {run:.2f} s")
        run = cpu_of_run(ddl, dense, "SELECT STREAM * FROM X", to)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(f"SELECT * to CSV: rowtime {run:.2f} s, at most {most} MiB")
    stream = "CREATE STREAM T (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER, b VARCHAR(9))"
    table = "CREATE TABLE T (rowtime TIMESTAMP(3), a INTEGER, b VARCHAR(9))"
    for name, create, insert in (
        ("stream", stream, "INSERT INTO T VALUES (?, ?, ?)"),
        ("stream, expedited", stream, "INSERT EXPEDITED INTO T VALUES (?, ?, ?)"),
        ("table", table, "INSERT INTO T VALUES (?, ?, ?)"),
    ):
        print(f"{INSERTED:,} rows into a {name}: {cpu_of_inserts(create, insert):.2f} s")


if __name__ == "__main__":
    main()
