"""The CPU time of reading files: ``python -m benchmarks.reading [--rows N]``.

It makes five files of N rows (1,000,000 unless it is named): few columns with ten rows a second,
few columns with a row in 37 seconds, twenty columns, and the first of them as JSON lines and as
Parquet.  For each CSV file it prints the CPU seconds of a loop over the `csv` module with a
dictionary, of `rowtime run` with a count by minute (of the sparse rows by day), and their ratio.
Then it prints the same for JSON lines next to a loop over the `json` module, for Parquet next to
the same rows in CSV, with and without the start of the processes, for SELECT * to CSV next to a
loop that copies the records, and for 100,000 rows that are inserted into a stream and into a table.
All processes run one after the other, after one that is not measured.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
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


def write_json_lines(path: Path, of: Path) -> None:
    """Write the rows of a CSV file as JSON lines."""
    with of.open(newline="") as file, path.open("w") as lines:
        for row in csv.DictReader(file):
            values = {**row, "id": int(row["id"]), "v": float(row["v"])}
            lines.write(json.dumps(values) + "\n")


def looped_json(path: Path) -> None:
    """Count the rows of each minute with a dictionary."""
    counts: dict[str, int] = {}
    with path.open() as file:
        for line in file:
            unit = json.loads(line)["rowtime"][:16]
            counts[unit] = counts.get(unit, 0) + 1


def copied(path: Path, to: Path) -> None:
    """Copy the records."""
    with path.open(newline="") as file, to.open("w", newline="") as copy:
        csv.writer(copy).writerows(csv.reader(file))


def cpu_of(work: Callable[[], None]) -> float:
    """The CPU seconds of work in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def cpu_of_python(*arguments: str) -> float:
    """The CPU seconds of a process of Python, with its start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Without compiled modules each start would compile them again.
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([sys.executable, *arguments], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_of_run(*arguments: str) -> float:
    """The CPU seconds of `rowtime run`, with its start."""
    return cpu_of_python("-m", "rowtime", "run", *arguments)


def cpu_of_library() -> float:
    """The CPU seconds of importing pyarrow."""
    return cpu_of_python("-c", "import pyarrow.parquet") - cpu_of_python("-c", "pass")


def most_memory() -> int:
    """The greatest memory of a child process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


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
    with TemporaryDirectory() as name:
        _measure_files(Path(name), count)
    _measure_inserts()


def _measure_files(folder: Path, count: int) -> None:
    files: dict[str, Callable[[Path], str]] = {
        "dense": lambda path: write(path, count, timedelta(milliseconds=100)),
        "sparse": lambda path: write(path, count, timedelta(seconds=37)),
        "twenty columns": lambda path: write(path, count, timedelta(milliseconds=100), 16),
    }
    to, ddl = folder / "out.csv", folder / "x.sql"
    start_query = ["VALUES (1)", "-o", str(to)]
    cpu_of_run(*start_query)
    start = cpu_of_run(*start_query)
    print(f"start: {start:.2f} s")

    def run(path: Path, query: str) -> float:
        data = f"X={path}"
        return cpu_of_run("--ddl", str(ddl), "--data", data, "-o", str(to), query)

    counts: dict[str, float] = {}
    for name, make in files.items():
        path = folder / f"{name.partition(' ')[0]}.csv"
        ddl.write_text(make(path))
        unit = "DAY" if name == "sparse" else "MINUTE"
        loop = cpu_of(partial(looped, path, _UNITS[unit]))
        counts[name] = run(path, counted(unit))
        _print(f"CSV, {name}", "loop", loop, counts[name])
    ddl.write_text(f"CREATE STREAM X ({_COLUMNS});")
    dense, packed = folder / "dense.csv", folder / "dense.parquet"
    lines = folder / "dense.jsonl"
    write_json_lines(lines, dense)
    loop = cpu_of(partial(looped_json, lines))
    _print("JSON lines, dense", "loop", loop, run(lines, counted("MINUTE")))
    write_parquet(packed, dense)
    print(f"so far at most {most_memory()} MiB")
    of_parquet = run(packed, counted("MINUTE"))
    _print("Parquet, dense", "CSV", counts["dense"], of_parquet)
    with_library = cpu_of_library()
    rows_of_csv, rows_of_parquet = counts["dense"] - start, of_parquet - start - with_library
    _print("Parquet, dense, without starts", "CSV", rows_of_csv, rows_of_parquet)
    loop = cpu_of(lambda: copied(dense, to))
    _print("SELECT * to CSV, dense", "copy", loop, run(dense, "SELECT STREAM * FROM X"))
    print(f"so far at most {most_memory()} MiB")


def _print(what: str, other: str, theirs: float, ours: float) -> None:
    print(f"{what}: {other} {theirs:.2f} s, rowtime {ours:.2f} s, ratio {ours / theirs:.2f}")


def _measure_inserts() -> None:
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
